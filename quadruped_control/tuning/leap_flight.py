"""A leap as far as its first touch, in a fork of a dog that trots: a sixth of a trial's cost."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap_records import Stage
from quadruped_control.rollout.leap_outcome import SHORTEST_FLIGHT, find_leaps
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.leap_proof import SETTLE, ProofStart
from quadruped_control.tuning.leap_runway import find_dog

Array = NDArray[np.float64]
LONGEST = 2400              # steps from the request to the first touch
LOOK = 10                   # steps between two looks
LOWEST = 0.5                # m, height of a leap at least


class Flight(NamedTuple):
    """Height and distance (m) of a leap; pitch and roll of the body (rad) where it touches."""

    height: float
    distance: float
    pitch: float
    roll: float


def fly_in_fork(parameters: Array, speed: float, start: ProofStart) -> Flight | None:
    """Return how a leap flies at one of the runway's speeds (m/s), None if it does not."""
    flight = compute_in_fork(partial(_fly, find_dog(speed, start), parameters, start))
    return None if flight is None else Flight(*flight)


def _fly(dog: Loop, parameters: Array, start: ProofStart) -> Flight | None:
    skills = dog.scheduler.skills
    skills.leap_by(parameters, SETTLE + start.later, half_strides=start.half_strides)
    for _ in range(LONGEST // LOOK):
        dog.run(LOOK)
        if skills.leap['stage'] == Stage.LANDING and dog.recording.foot_contact[-1].any():
            return _measure(dog.recording)
    return None


def _measure(recording: Recording) -> Flight | None:
    begin = find_leaps(recording)[0][0]
    touches = np.flatnonzero(recording.foot_contact[begin:].any(axis=1)) + begin
    gaps = np.diff(touches)
    if not len(gaps) or gaps.max() * recording.time_step < SHORTEST_FLIGHT:
        return None
    lift_off = int(touches[np.argmax(gaps)])
    frames = recording.leg_frame_position[begin:]
    height = float(frames[:, :, 2].max() - recording.foot_position[begin:lift_off + 1, :, 2].min())
    line = frames[-1, 0] - frames[-1, 1]
    way = recording.centre_of_mass[-1, :2] - recording.centre_of_mass[lift_off, :2]
    if height < LOWEST:
        return None
    return Flight(height, float(np.hypot(*way)),
                  float(-np.arctan2(line[2], np.hypot(line[0], line[1]))),
                  float(recording.leg_frame_rpy[-1, :, 0].mean()))
