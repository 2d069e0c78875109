"""
Leaps from a dog that trots already: led to its speed once for each start, each leap in a fork.

A trial then costs half of what it does from a stand. The speeds are few, so that the dogs of a
process are few.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.rollout.leap_outcome import LeapOutcome, measure_first_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.leap_proof import (
    FLAT_STARTS,
    ProofStart,
    lands_on_flat,
    lead_dog,
    leap_from,
)

Array = NDArray[np.float64]
SPEEDS = (0.03, 0.2, 0.45, 0.65, 0.85, 1.05, 1.25, 1.45)   # m/s
SEED, MORE = 17, 6          # of the chance of starts besides those of a proof, and their number
TWISTED = 0.6               # rad of roll at the first touch with which no landing is a good one
FASTER, LATER, RUSH = 0.03, 0.4, 0.3    # most of m/s, s, m/s that they differ by


def draw_starts() -> tuple[ProofStart, ...]:
    """Return the starts of a proof on flat ground, and some more that keep their speed."""
    rng = np.random.default_rng(SEED)
    more = (ProofStart(2 + n % 2, round(float(rng.uniform(-FASTER, FASTER)), 4),
                       round(float(rng.uniform(0.0, LATER)), 3),
                       rush=round(float(rng.uniform(-RUSH, RUSH)), 3), keeps=True)
            for n in range(MORE))
    return (*FLAT_STARTS, *more)


STARTS = draw_starts()


@cache
def find_dog(speed: float, start: ProofStart) -> Loop:
    """Return the dog that trots at a speed (m/s), for this process; only forks go on with it."""
    return lead_dog(speed, start)


def leap_in_fork(parameters: Array, speed: float, start: ProofStart) -> LeapOutcome | None:
    """Return what a leap did at one of SPEEDS if the dog lands well, else None."""
    answer = compute_in_fork(partial(_leap, find_dog(speed, start), parameters, start))
    return None if answer is None else LeapOutcome(**answer | {'arc': tuple(answer['arc'])})


def _leap(dog: Loop, parameters: Array, start: ProofStart) -> dict[str, Any] | None:
    recording = leap_from(dog, parameters, start)
    outcome = measure_first_leap(recording)
    if outcome is None or abs(outcome.roll) > TWISTED:
        return None
    return asdict(outcome) if lands_on_flat(recording, start, outcome.take_off) else None
