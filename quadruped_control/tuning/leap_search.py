"""
A covariance search for a leap, in PyBullet: the parameters and the speed of the approach.

It goes on from one leap of a dictionary; what a leap counts is for those who ask for it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.rollout.leap_outcome import LeapOutcome, measure_first_leap
from quadruped_control.tuning.leap_proof import FLAT_STARTS, find_begin, lands, run_leap

Array = NDArray[np.float64]
BATCH = 12
LASTED = 0.2                # m for a dog that falls at the very end


class Rating(NamedTuple):
    """How good a leap is, the length (m) that it has from all starts, and its row if it lands."""

    score: float
    length: float = 0.0
    row: Array | None = None


def rate_from_starts(parameters: Array, speed: float, value: Callable[[LeapOutcome], float], *,
                     unsafe: float) -> tuple[float, list[LeapOutcome]]:
    """
    Try a leap at a speed (m/s) on flat ground; return its mean score, and outcomes that landed.

    :param value: of an outcome; without a good landing it counts by the share ``unsafe``, and the
        longer the dog lasts the more.
    """
    scores, landed = [], list[LeapOutcome]()
    for start in FLAT_STARTS:
        recording = run_leap(parameters, speed, start)
        lasted = LASTED * len(recording) / recording.samples.shape[0]
        outcome = measure_first_leap(recording)
        if outcome is None:
            scores.append(lasted)
        elif lands(recording, find_begin(recording), outcome.take_off):
            scores.append(value(outcome))
            landed.append(outcome)
        else:
            scores.append(unsafe * value(outcome) + lasted)
    return float(np.mean(scores)), landed


class LeapSearch:
    """
    A search that is asked batch by batch.

    :param rate: rates parameters at a speed (m/s).
    :param speeds: bounds, m/s.
    :param spread: at first, of the range of each parameter.
    :param good: length (m) from which a leap is kept.
    """

    def __init__(self, rate: Callable[[Array, float], Rating], parameters: Array, speed: float, *,
                 speeds: tuple[float, float], spread: float, good: float, seed: int) -> None:
        least, most = list_bounds()
        self._least, self._most = np.append(least, speeds[0]), np.append(most, speeds[1])
        self._rate, self._good, self.longest, self.score = rate, good, 0.0, 0.0
        place = (np.append(parameters, speed) - self._least) / (self._most - self._least)
        self._strategy = cma.CMAEvolutionStrategy(np.clip(place, 0.0, 1.0), spread, {
            'bounds': [0.0, 1.0], 'seed': seed + 1, 'verbose': -9, 'popsize': BATCH})

    def run_batch(self, pool: Executor) -> list[Array]:
        """Try a batch; return the rows of those that are good and always land."""
        vectors = self._strategy.ask()
        values = [self._least + np.clip(vector, 0.0, 1.0) * (self._most - self._least)
                  for vector in vectors]
        ratings = list(pool.map(self._rate, [value[:-1] for value in values],
                                [float(value[-1]) for value in values]))
        self._strategy.tell(vectors, [-rating.score for rating in ratings])
        self.longest = max(self.longest, *(rating.length for rating in ratings))
        self.score = max(rating.score for rating in ratings)
        return [rating.row for rating in ratings
                if rating.row is not None and rating.length >= self._good]
