"""Falls in a recording, and how long the dog took to be up again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from quadruped_control.control.fall import LOW_TIME, RECOVERED_TIME, find_high, find_low
from quadruped_control.control.skill_numbers import Mode
from quadruped_control.model.measures import Measures
from quadruped_control.rollout.recording import BoolArray, FloatArray, Recording, find_spans

# Slack against 0.3 / 0.001 being 299.99999999999994 steps.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Fall:
    """A fall at ``time`` (s); ``recovered_after`` seconds the dog was up, None if never."""

    time: float
    recovered_after: float | None


def find_falls(recording: Recording, leg_frame_height: FloatArray,
               measures: Measures) -> list[Fall]:
    """
    Find all falls.

    A fall begins when a link of the back, neck or head touches something, or when a leg frame has
    been lower than the body's measure for more than 0.3 s, while no posture, get-up or leap was
    asked for. It ends at the start of the first second in which the body touches nothing and both
    leg frames are as high as on their legs. Until then nothing is another fall.

    :param leg_frame_height: of both leg frames over the ground under them (n, 2), m.
    """
    falling = _find_falling_steps(recording, leg_frame_height, measures.fallen_height)
    recoveries = _find_recovery_steps(recording, leg_frame_height,
                                      measures.recovered_height)
    time = recording.time
    falls: list[Fall] = []
    step = 0
    while falling[step:].any():
        begin = step + int(np.argmax(falling[step:]))
        later = recoveries[recoveries > begin]
        if later.size == 0:
            falls.append(Fall(float(time[begin]), None))
            break
        step = int(later[0])
        falls.append(Fall(float(time[begin]), float(time[step] - time[begin])))
    return falls


def _find_falling_steps(recording: Recording, leg_frame_height: FloatArray,
                        fallen_height: float) -> BoolArray:
    unasked = recording.mode == Mode.LOCOMOTION
    low = unasked & find_low(leg_frame_height, fallen_height)
    falling: BoolArray = unasked & (recording.body_contact != 0.0)
    allowed = math.floor(LOW_TIME / recording.time_step + _ROUNDING)
    for start, end in zip(*find_spans(low), strict=True):
        falling[start + allowed : end] = True
    return falling


def _find_recovery_steps(
    recording: Recording, leg_frame_height: FloatArray, recovered_height: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    high = find_high(leg_frame_height, recovered_height)
    starts, ends = find_spans(high & (recording.body_contact == 0.0))
    needed = math.ceil(RECOVERED_TIME / recording.time_step - _ROUNDING)
    return starts[ends - starts >= needed]
