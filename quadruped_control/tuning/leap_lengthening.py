"""
Leaps over long gaps: a covariance search in PyBullet from the longest leap of a dictionary.

It varies the 17 parameters and the speed of the approach together. A leap counts by its length
from each of several starts, and by a part of it where the dog does not land well.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.dictionary import LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import LeapOutcome, measure_first_leap
from quadruped_control.tuning.leap_proof import FLAT_STARTS, find_begin, lands, run_leap
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
BATCH = 12
SPREAD = 0.015              # of the range of each parameter, at first
SPEEDS = (0.5, 2.0)         # m/s, bounds
LONGEST = 2.2               # m that count: more is worth less than to land from all starts
GOOD = 1.9                  # m from which a leap is kept
UNSAFE = 0.3                # share of its length that a leap without a good landing counts
LASTED = 0.2                # m for a dog that falls at the very end


class Rating(NamedTuple):
    """How good a leap is, the length (m) that it has from all starts, and its row if it lands."""

    score: float
    length: float = 0.0
    row: Array | None = None


class Lengthening:
    """A search that is asked batch by batch."""

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        length = dictionary.column('landing') - dictionary.column('take_off')
        longest = int(np.argmax(np.where(dictionary.find_chances(0.0) > 0.0, length, 0.0)))
        start = _as_vector(dictionary.parameters[longest],
                           float(dictionary.column('speed')[longest]))
        self._strategy = cma.CMAEvolutionStrategy(start, SPREAD, {
            'bounds': [0.0, 1.0], 'seed': seed + 1, 'verbose': -9, 'popsize': BATCH})
        self.longest = 0.0

    def run_batch(self, pool: Executor) -> list[Array]:
        """Try a batch; return the rows of those that are long and always land."""
        vectors = self._strategy.ask()
        leaps = [_as_leap(np.asarray(vector)) for vector in vectors]
        ratings = list(pool.map(rate_length, [leap for leap, _ in leaps],
                                [speed for _, speed in leaps]))
        self._strategy.tell(vectors, [-rating.score for rating in ratings])
        self.longest = max(self.longest, *(rating.length for rating in ratings))
        return [rating.row for rating in ratings
                if rating.row is not None and rating.length >= GOOD]

    def describe(self) -> str:
        """Say how far it is."""
        return f'longest that always lands {self.longest:.2f} m'


def _limits() -> tuple[Array, Array]:
    least, most = list_bounds()
    return np.append(least, SPEEDS[0]), np.append(most, SPEEDS[1])


def _as_vector(parameters: Array, speed: float) -> Array:
    least, most = _limits()
    vector: Array = np.clip((np.append(parameters, speed) - least) / (most - least), 0.0, 1.0)
    return vector


def _as_leap(vector: Array) -> tuple[Array, float]:
    least, most = _limits()
    values = least + np.clip(vector, 0.0, 1.0) * (most - least)
    return values[:-1], float(values[-1])


def rate_length(parameters: Array, speed: float) -> Rating:
    """Try a leap at a speed (m/s) on flat ground from all starts."""
    scores, landed = [], list[LeapOutcome]()
    for start in FLAT_STARTS:
        recording = run_leap(parameters, speed, start)
        lasted = LASTED * len(recording) / recording.samples.shape[0]
        outcome = measure_first_leap(recording)
        if outcome is None:
            scores.append(lasted)
            continue
        length = min(outcome.landing - outcome.take_off, LONGEST)
        if lands(recording, find_begin(recording), outcome.take_off):
            scores.append(length)
            landed.append(outcome)
        else:
            scores.append(UNSAFE * length + lasted)
    score = float(np.mean(scores))
    if len(landed) < len(FLAT_STARTS):
        return Rating(score)
    length = min(outcome.landing - outcome.take_off for outcome in landed)
    return Rating(score, length, make_row(join_outcomes(landed), parameters))
