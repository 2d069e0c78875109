"""The metrics of a rollout: names and meanings of the scenario contract, over the whole run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Protocol

import numpy as np

from quadruped_control.model.measures import Measures
from quadruped_control.rollout.events import Events, GaitChange
from quadruped_control.rollout.falls import find_falls
from quadruped_control.rollout.footfalls import (
    REFERENCE_LEG,
    compute_clearance,
    compute_duty_factor,
    compute_phase,
    compute_slip,
    describe_footfalls,
    find_footfalls,
)
from quadruped_control.rollout.leap_events import find_leap_events
from quadruped_control.rollout.posture_events import find_postures
from quadruped_control.rollout.recording import LEG_FRAMES, FloatArray, Recording
from quadruped_control.rollout.target_events import Scenario, find_ball, find_targets
from quadruped_control.rollout.travel import (
    compute_distance,
    compute_heading_error,
    compute_middle,
    compute_rms,
    compute_sideways_travel,
    compute_speed,
)

# Meanings that the contract leaves to this file; not settings.
SHORTEST_DISTANCE = 0.5
HEAD_CUTOFF = 50.0
NO_EVENTS = Events()


class Ground(Protocol):
    """Ground height (m) at world points; arrays in, an array of the same shape out."""

    def height(self, x: FloatArray, y: FloatArray) -> FloatArray: ...


def compute_metrics(
    recording: Recording,
    scenario: Scenario,
    ground: Ground,
    events: Events = NO_EVENTS,
    *,
    mass: float,
    measures: Measures,
    gravity: float = 9.81,
    real_time_factor: float | None = None,
) -> dict[str, object]:
    """
    Compute all metrics as plain JSON values; None, never NaN, where one is undefined.

    :param mass: of the dog, kg.
    :param measures: of its body: how low a fall is.
    :param gravity: m/s^2.
    :param real_time_factor: simulated over wall seconds of this run.
    """
    if len(recording) == 0:
        raise ValueError('an empty recording has no metrics')
    leg_frame_height = _compute_height(ground, recording.leg_frame_position)
    foot_height = _compute_height(ground, recording.foot_position)
    metrics = {
        **_describe_falls(recording, leg_frame_height, measures),
        **_describe_travel(recording, scenario),
        **_describe_feet(recording, foot_height, events),
        **_describe_body(recording, leg_frame_height),
        **_describe_effort(recording, mass * gravity),
        **_describe_notices(recording),
        **_describe_pursuit(recording, scenario),
        'postures': [asdict(posture) for posture in events.postures or find_postures(recording)],
        'leaps': [asdict(leap) for leap in events.leaps or find_leap_events(recording)],
        'real_time_factor': real_time_factor,
        'state_hash': recording.state_hash,
    }
    return {name: _to_plain(value) for name, value in metrics.items()}


def _describe_notices(recording: Recording) -> dict[str, object]:
    """Return counts of what a controller notices; None where it does not look for slips."""
    slips, jams, unsolved, friction = recording.notices[-1]
    looks = friction > 0.0
    return {'slips': int(slips) if looks else None, 'jams': int(jams) if looks else None,
            'unsolved': int(unsolved)}


def _describe_falls(recording: Recording, leg_frame_height: FloatArray,
                    measures: Measures) -> dict[str, object]:
    falls = find_falls(recording, leg_frame_height, measures)
    return {
        'fell': bool(falls),
        'fall_time': falls[0].time if falls else None,
        'falls': [asdict(fall) for fall in falls],
    }


def _describe_travel(recording: Recording, scenario: Scenario) -> dict[str, object]:
    distance = compute_distance(recording)
    middle = compute_middle(recording)
    speed, error = compute_speed(recording, scenario.commands)
    return {
        'distance': distance,
        'displacement': middle[-1] - middle[0],
        'mean_speed': speed,
        'speed_error': error,
        'heading_error': compute_heading_error(recording),
        'lateral_drift': _divide(compute_sideways_travel(recording), distance),
    }


def _describe_pursuit(recording: Recording, scenario: Scenario) -> dict[str, object]:
    ball = find_ball(recording, scenario)
    return {
        'target': [asdict(event) for event in find_targets(recording, scenario.commands)],
        'ball': None if ball is None else asdict(ball),
    }


def _describe_feet(
    recording: Recording, foot_height: FloatArray, events: Events
) -> dict[str, object]:
    footfalls = find_footfalls(recording)
    reference = footfalls[REFERENCE_LEG]
    return {
        'gaits': [asdict(change) for change in events.gaits or find_gait_changes(recording)],
        'footfalls': describe_footfalls(footfalls),
        'duty_factor': {leg: compute_duty_factor(feet) for leg, feet in footfalls.items()},
        'phase': {leg: compute_phase(feet, reference) for leg, feet in footfalls.items()},
        'slip': compute_slip(recording, footfalls),
        'clearance': compute_clearance(recording, footfalls, foot_height),
    }


def _describe_body(recording: Recording, height: FloatArray) -> dict[str, object]:
    pitch = recording.leg_frame_rpy[:, :, 1]
    return {
        'height': {frame: _spread(height[:, i]) for i, frame in enumerate(LEG_FRAMES)},
        'pitch': {frame: _spread(pitch[:, i]) for i, frame in enumerate(LEG_FRAMES)},
        'head_acceleration': compute_head_acceleration(recording),
    }


def _describe_effort(recording: Recording, weight: float) -> dict[str, object]:
    joint_steps = len(recording) * len(recording.joint_names)
    work = recording.power.sum() * recording.time_step
    return {
        'peak_torque': recording.peak_torque.max(),
        'torque_saturation': recording.saturated.sum() / joint_steps if joint_steps else None,
        'cost_of_transport': _divide(work / weight, compute_distance(recording)),
        'torque_jump': (recording.torque_change[1:].sum() / joint_steps
                        if joint_steps else None),
    }


def find_gait_changes(recording: Recording) -> list[GaitChange]:
    """Gaits in the order they appear in the recording."""
    gait = recording.gait
    changes = np.flatnonzero(np.diff(gait, prepend=-1))
    names = recording.gait_names
    return [
        GaitChange(float(recording.time[step]), names[gait[step]])
        for step in changes
        if 0 <= gait[step] < len(names)
    ]


def compute_head_acceleration(recording: Recording) -> float | None:
    """Rms of the length of the head's acceleration, of its velocity low-passed at 50 Hz, m/s^2."""
    if len(recording) < 2:
        return None
    smooth = low_pass(recording.head_velocity, recording.time_step, HEAD_CUTOFF)
    return compute_rms(np.diff(smooth, axis=0) / recording.time_step)


def low_pass(values: FloatArray, time_step: float, cutoff: float) -> FloatArray:
    """
    Low-pass rows of values (n, k) without delay.

    The gain 1 / (1 + (f / cutoff)^4) is that of a second-order Butterworth filter run forwards
    and backwards; it is applied to the spectrum of the values continued by point reflection at
    both ends, so that the ends do not ring.
    """
    before = 2.0 * values[0] - values[:0:-1]
    after = 2.0 * values[-1] - values[-2::-1]
    padded = np.concatenate((before, values, after))
    frequency = np.fft.rfftfreq(len(padded), time_step)
    gain = 1.0 / (1.0 + (frequency / cutoff) ** 4)
    spectrum = np.fft.rfft(padded, axis=0) * gain[:, np.newaxis]
    filtered: FloatArray = np.fft.irfft(spectrum, n=len(padded), axis=0)
    return filtered[len(before) : len(before) + len(values)]


def _compute_height(ground: Ground, points: FloatArray) -> FloatArray:
    """Height of points (n, k, 3) over the ground under them (n, k), m."""
    x, y, z = (points[:, :, axis] for axis in range(3))
    # A diverged point stays not a number by its z; the ground must not be asked about it.
    below = ground.height(np.nan_to_num(x).ravel(), np.nan_to_num(y).ravel())
    height: FloatArray = z - np.reshape(below, z.shape)
    return height


def _spread(values: FloatArray) -> dict[str, float]:
    """Mean, and half the range between the 2.5 and 97.5 percentiles."""
    low, high = np.percentile(values, (2.5, 97.5))
    return {'mean': float(values.mean()), 'amplitude': float(high - low) / 2.0}


def _divide(quantity: float, distance: float) -> float | None:
    """Quantity per metre travelled; None where the dog went less than 0.5 m."""
    return quantity / distance if distance >= SHORTEST_DISTANCE else None


def _to_plain(value: object) -> object:
    """Turn numpy values into Python ones, and what is not finite into None, all the way down."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
