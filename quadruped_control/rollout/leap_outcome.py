"""What a recorded leap did: its height, distance, effort, and the way of its feet."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.skill_numbers import Activity
from quadruped_control.leaps.dictionary import ARC
from quadruped_control.rollout.recording import Recording, find_spans

Array = NDArray[np.float64]
SPEED_WINDOW = 0.4          # s before the leap over which its approach speed is measured
SHORTEST_FLIGHT = 0.06      # s in which no foot touches
LANDING_WAIT = 0.3          # s after the last flight in which all feet should have landed


@dataclass(frozen=True)
class LeapOutcome:
    """
    Figures of a leap; lengths in m, along the heading from where the hips were at its begin.

    :param height: the most that a leg frame was over the ground of take-off (h of the paper).
    :param distance: of the centre of mass from the last to the first contact (d).
    :param speed: of the approach, m/s (v).
    :param effort: integral of the squared torques over the leap, (N m)^2 s.
    :param take_off: the foremost place that a foot left; ``landing``: the rearmost it came to.
    :param arc: height of the lowest foot at ARC places from take-off to landing.
    :param pitch: of the line from hips to shoulders at the first touch, rad; ``roll`` likewise.
    :param begin: steps of the recording: begin, lift-off, first touch.
    """

    height: float
    distance: float
    speed: float
    effort: float
    take_off: float
    landing: float
    arc: tuple[float, ...]
    pitch: float
    roll: float
    begin: int
    lift_off: int
    touch: int


def find_leaps(recording: Recording) -> list[tuple[int, int]]:
    """Return first and one-past-last step of each leap."""
    firsts, ends = find_spans(recording.skill == Activity.LEAPING)
    return list(zip(firsts.tolist(), ends.tolist(), strict=True))


def measure_first_leap(recording: Recording) -> LeapOutcome | None:
    """Return what the first leap of a run did, or None if there was none that flew and landed."""
    found = find_leaps(recording)
    return measure_leap(recording, *found[0]) if found else None


def measure_leap(recording: Recording, begin: int, end: int) -> LeapOutcome | None:
    """Return what a leap did, or None if the dog never left the ground or did not come back."""
    dt = recording.time_step
    last = min(end + round(LANDING_WAIT / dt), len(recording))
    touches = recording.foot_contact[begin:last].sum(axis=1) > 0
    firsts, ends = find_spans(~touches)
    lengths = ends - firsts
    if not len(lengths) or lengths.max() < SHORTEST_FLIGHT / dt:
        return None
    lift_off, touch = (begin + int(places[np.argmax(lengths)]) for places in (firsts, ends))
    if touch >= len(recording):
        return None
    heading = float(recording.target_heading[begin])
    along = np.array([cos(heading), sin(heading)])
    hips = recording.leg_frame_position[begin, 1]
    feet = (recording.foot_position[:, :, :2] - hips[:2]) @ along
    ground = float(recording.foot_position[begin:lift_off, :, 2].min())
    left = _last_contacts(recording, begin, (lift_off + touch) // 2)
    back = _first_contacts(recording, (lift_off + touch) // 2, last)
    if left is None or back is None:
        return None
    take_off = max(float(feet[step, leg]) for leg, step in enumerate(left))
    landing = min(float(feet[step, leg]) for leg, step in enumerate(back))
    window = recording.between(max(begin - round(SPEED_WINDOW / dt), 0), begin + 1)
    frames = recording.leg_frame_position
    line = frames[touch, 0] - frames[touch, 1]
    return LeapOutcome(
        height=float(frames[begin:touch + 1, :, 2].max()) - ground,
        distance=float((recording.centre_of_mass[touch, :2]
                        - recording.centre_of_mass[lift_off, :2]) @ along),
        speed=float((window.leg_frame_velocity[:, :, :2].mean(axis=(0, 1))) @ along),
        effort=float(recording.squared_torque[begin:end].sum() * dt),
        take_off=take_off, landing=landing,
        arc=tuple(_trace_arc(feet, recording.foot_position[:, :, 2] - ground, left, back,
                             np.linspace(take_off, landing, ARC))),
        pitch=float(-np.arctan2(line[2], np.hypot(line[0], line[1]))),
        roll=float(recording.leg_frame_rpy[touch, :, 0].mean()),
        begin=begin, lift_off=lift_off, touch=touch)


def _last_contacts(recording: Recording, begin: int, middle: int) -> list[int] | None:
    """Return the step at which each foot last touched before the middle of the flight."""
    found = [np.flatnonzero(recording.foot_contact[begin:middle, leg]) for leg in range(4)]
    return [begin + int(steps[-1]) for steps in found] if all(map(len, found)) else None


def _first_contacts(recording: Recording, middle: int, last: int) -> list[int] | None:
    found = [np.flatnonzero(recording.foot_contact[middle:last, leg]) for leg in range(4)]
    return [middle + int(steps[0]) for steps in found] if all(map(len, found)) else None


def _trace_arc(feet: Array, heights: Array, left: list[int], back: list[int],
               places: Array) -> Array:
    """Return the height of the lowest foot that passes each place in the air."""
    arc = np.full(len(places), np.inf)
    for leg in range(4):
        way = slice(left[leg], back[leg] + 1)
        x, z = feet[way, leg], heights[way, leg]
        forward = np.maximum.accumulate(x)
        arc = np.minimum(arc, np.interp(places, forward, z))
    return arc
