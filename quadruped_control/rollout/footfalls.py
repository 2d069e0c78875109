"""Footfalls by measured contact, and what follows from them: timing, slip and clearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadruped_control.control.skill_numbers import Mode
from quadruped_control.kinematics.records import LEGS
from quadruped_control.rollout.recording import (
    BoolArray,
    FloatArray,
    IntArray,
    Recording,
    find_spans,
)

SHORTEST_CONTACT = 0.010
IGNORED_STANCE_EDGE = 0.010
SLIP_SAMPLING = 0.020
REFERENCE_LEG = 'rear_left'
LEAST_LAG = 0.02            # of a stride between the touchdowns of a pair, for one to lead


@dataclass(frozen=True)
class Footfalls:
    """
    The stances of one leg, from step ``starts[i]`` up to, not including, step ``ends[i]``.

    A stance that was under way when the recording began has no touchdown, and one that lasted to
    its end has no lift-off.
    """

    starts: IntArray
    ends: IntArray
    time: FloatArray

    @property
    def touchdowns(self) -> FloatArray:
        """Times of touchdown, s."""
        return self.time[self.starts[self.starts > 0]]

    @property
    def lift_offs(self) -> FloatArray:
        """Times of lift-off, s."""
        return self.time[self.ends[self.ends < len(self.time)]]


def find_footfalls(recording: Recording) -> dict[str, Footfalls]:
    """Find the stances of every leg; gaps, then touches, shorter than 10 ms are ignored."""
    return _find_stances(recording, recording.foot_contact)


def find_target_footfalls(recording: Recording) -> dict[str, Footfalls]:
    """Find the stances that the gait graph asked of every leg."""
    return _find_stances(recording, recording.target_stance)


def _find_stances(recording: Recording, contacts: FloatArray) -> dict[str, Footfalls]:
    shortest = round(SHORTEST_CONTACT / recording.time_step)
    footfalls = {}
    for leg, contact in zip(LEGS, contacts.T, strict=True):
        without_gaps = ~_drop_short_spans(contact == 0.0, shortest)
        starts, ends = find_spans(_drop_short_spans(without_gaps, shortest))
        footfalls[leg] = Footfalls(starts, ends, recording.time)
    return footfalls


def _drop_short_spans(flags: BoolArray, shortest: int) -> BoolArray:
    kept: BoolArray = flags.copy()
    for start, end in zip(*find_spans(flags), strict=True):
        if end - start < shortest:
            kept[start:end] = False
    return kept


def compute_duty_factor(footfalls: Footfalls) -> float | None:
    """
    Mean share of a stride (touchdown to next touchdown) that the foot is on the ground.

    1 for a foot that never left the ground, 0 for one that never touched it, None for one that
    made no full stride.
    """
    if footfalls.starts.size == 0:
        return 0.0
    if footfalls.ends[0] - footfalls.starts[0] == len(footfalls.time):
        return 1.0
    first = int(footfalls.starts[0] == 0)
    starts, ends = footfalls.starts[first:], footfalls.ends[first:]
    if starts.size < 2:
        return None
    return float(np.mean((ends - starts)[:-1] / np.diff(starts)))


def compute_phase(footfalls: Footfalls, reference: Footfalls) -> float | None:
    """
    Circular mean delay of touchdowns after the reference leg's, in its strides, in [0, 1).

    Touchdowns outside full strides of the reference do not count; None if none is left, or if
    they are spread so evenly that they have no mean.
    """
    marks, touchdowns = reference.touchdowns, footfalls.touchdowns
    stride = np.searchsorted(marks, touchdowns, side='right') - 1
    inside = (stride >= 0) & (stride < marks.size - 1)
    if not inside.any():
        return None
    stride, touchdowns = stride[inside], touchdowns[inside]
    phases = (touchdowns - marks[stride]) / (marks[stride + 1] - marks[stride])
    mean = np.mean(np.exp(2j * np.pi * phases))
    if abs(mean) < 1e-6:
        return None
    # Rounded first, so that a hair below a full stride is 0.0, not 1.0.
    return float(round(float(np.angle(mean)) / (2.0 * np.pi), 9) % 1.0)


def compute_lead(left: Footfalls, right: Footfalls) -> str | None:
    """
    Return the leading leg of a pair, left or right: the one that lands shortly after the other.

    None for a pair that takes turns, or of which a leg made no full stride.
    """
    lag = compute_phase(right, left)
    if lag is None or min(lag, 1.0 - lag, abs(lag - 0.5)) < LEAST_LAG:
        return None
    return 'right' if lag < 0.5 else 'left'


def tell_gallop(footfalls: dict[str, Footfalls]) -> str | None:
    """
    Return transverse or rotary, as the feet fell.

    Transverse: fore and hind legs have the same leading side, and footfalls cross from the second
    hind to the fore of the other side. Rotary: the leads differ, and footfalls go round the body.
    """
    fore = compute_lead(footfalls['front_left'], footfalls['front_right'])
    hind = compute_lead(footfalls['rear_left'], footfalls['rear_right'])
    if fore is None or hind is None:
        return None
    return 'transverse' if fore == hind else 'rotary'


def compute_slip(recording: Recording, footfalls: dict[str, Footfalls]) -> float | None:
    """
    Mean over all stances of how far the sole slides over the ground, m.

    A round foot rolls: what counts is the path of its material point in touch with the ground,
    the sum of that point's velocity, not the path of the foot's centre. The path is sampled every
    20 ms; the first and last 10 ms of a stance are ignored. A foot that never leaves the ground
    makes one stance.
    """
    edge = round(IGNORED_STANCE_EDGE / recording.time_step)
    stride = max(1, round(SLIP_SAMPLING / recording.time_step))
    slips = []
    for leg, feet in enumerate(footfalls[name] for name in LEGS):
        path = np.cumsum(recording.sole_velocity[:, leg], axis=0) * recording.time_step
        for start, end in zip(feet.starts + edge, feet.ends - edge, strict=True):
            if end - start >= 2:
                slips.append(compute_path_length(path[start:end], stride))
    return float(np.mean(slips)) if slips else None


def compute_clearance(
    recording: Recording, footfalls: dict[str, Footfalls], foot_height: FloatArray
) -> float | None:
    """
    Mean over all swings of the highest sole height over the ground, m.

    A swing lies between two stances; swings that are part of a leap do not count.

    :param foot_height: of the sole points over the ground under them (n, 4), m.
    """
    leaping = recording.mode == Mode.LEAP
    highest = [
        float(foot_height[lift_off:touchdown, leg].max())
        for leg, feet in enumerate(footfalls[name] for name in LEGS)
        for lift_off, touchdown in zip(feet.ends[:-1], feet.starts[1:], strict=True)
        if not leaping[lift_off:touchdown].any()
    ]
    return float(np.mean(highest)) if highest else None


def compute_path_length(points: FloatArray, stride: int) -> float:
    """Length of the polygon through every ``stride``-th of points (n, 2) and the last one, m."""
    corners = np.append(np.arange(0, len(points) - 1, stride), len(points) - 1)
    return float(np.linalg.norm(np.diff(points[corners], axis=0), axis=1).sum())


def describe_footfalls(footfalls: dict[str, Footfalls]) -> dict[str, dict[str, Sequence[float]]]:
    """Touchdown and lift-off times (s) per leg, as written to JSON."""
    return {
        leg: {
            'touchdown': np.round(feet.touchdowns, 6).tolist(),
            'lift_off': np.round(feet.lift_offs, 6).tolist(),
        }
        for leg, feet in footfalls.items()
    }
