"""
Leaps that land on high platforms, grown in PyBullet from the best there are.

A dictionary grown on flat ground has few of them. As in its growth (section 5 of the paper) a leap
is picked, varied and tried; here it counts on how high a platform it lands, and how often.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.dictionary import LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import measure_first_leap
from quadruped_control.rollout.recording import Recording
from quadruped_control.tuning.leap_proof import STARTS, find_begin, lands, run_leap
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
PLATFORMS = (0.3, 0.4, 0.5)     # m high, tried in this order until the dog does not land
PARENTS, BATCH = 14, 12         # leaps that variants are made of; variants at a time
FIRST = 40                      # of a dictionary that are tried to begin with
CHANCE, STEP = 0.35, 0.06       # of each parameter to be varied; share of its range (deviation)
MIXED = 0.4                     # chance that a variant also goes towards another leap
SPEED_STEP, FASTEST = 0.08, 2.2     # m/s
GOOD = 2.0                      # score from which a leap is kept
HIGHEST = 0.56                  # m of the arc that count


class Candidate(NamedTuple):
    """A leap, the speed (m/s) of its approach, how good it is, and its row if it flew."""

    parameters: Array
    speed: float
    score: float = 0.0
    row: Array | None = None


class Raising:
    """A population that is varied batch by batch."""

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        speeds = dictionary.column('speed')
        self._next = [Candidate(dictionary.parameters[n].copy(), float(speeds[n]))
                      for n in np.argsort(-dictionary.arcs.max(axis=1))[:FIRST]]
        self.population: list[Candidate] = []

    def run_batch(self, pool: Executor) -> list[Array]:
        """Try the first leaps, then variants of the best so far; return the rows of good ones."""
        ratings = pool.map(rate_height, [item.parameters for item in self._next],
                           [item.speed for item in self._next])
        tried = [item._replace(score=score, row=row)
                 for item, (score, row) in zip(self._next, ratings, strict=True)]
        self.population = [*self.population, *tried]
        self.population.sort(key=lambda item: -item.score)
        del self.population[PARENTS:]
        self._next = [self._vary() for _ in range(BATCH)]
        return [item.row for item in tried if item.row is not None and item.score >= GOOD]

    def describe(self) -> str:
        """Say how far it is."""
        return f'best score {self.population[0].score:.2f}'

    def _vary(self) -> Candidate:
        rng, (least, most) = self._rng, list_bounds()
        parent, other = (self.population[int(n)]
                         for n in rng.integers(len(self.population), size=2))
        way = rng.uniform() if rng.uniform() < MIXED else 0.0
        change = rng.normal(0.0, STEP, len(least)) * (rng.uniform(size=len(least)) < CHANCE)
        parameters = (parent.parameters + way * (other.parameters - parent.parameters)
                      + change * (most - least))
        speed = parent.speed + rng.normal(0.0, SPEED_STEP) * (rng.uniform() < 0.5)
        return Candidate(np.clip(parameters, least, most), float(np.clip(speed, 0.0, FASTEST)))


def rate_height(parameters: Array, speed: float) -> tuple[float, Array | None]:
    """
    Return how high a leap gets, and its row of a dictionary if it flies from all starts.

    A point for the first landing on each platform and half a point for each further one, the
    height of the arc (m), and for the first that fails half the share of the time it lasted.
    """
    flat = [run_leap(parameters, speed, STARTS[0])]
    outcome = measure_first_leap(flat[0])
    if outcome is None:
        return 0.0, None
    score = min(max(outcome.arc), HIGHEST)
    one = LeapDictionary(np.array([make_row(join_outcomes([outcome]), parameters)]))
    for level in PLATFORMS:
        first, last = (float(places[0]) for places in one.find_reach(
            level + one.measures.planner.clearance))
        if last - first <= 3 * one.measures.planner.margin:
            break
        flat += [run_leap(parameters, speed, start) for start in STARTS[len(flat):]]
        points = _land(parameters, speed, flat, level, (first + last) / 2)
        score += points
        if points < 1.0:
            break
    outcomes = [measure_first_leap(recording) for recording in flat]
    known = [item for item in outcomes if item is not None]
    if len(known) < len(STARTS):
        return score, None
    return score, make_row(join_outcomes(known), parameters)


def _land(parameters: Array, speed: float, flat: Sequence[Recording], level: float,
          edge: float) -> float:
    """Return the points for a platform (m) whose edge is so far from the begin of the leap (m)."""
    points = 0.0
    for start, before in zip(STARTS, flat, strict=True):
        begin = find_begin(before)
        if begin is None:
            break
        place = edge + start.further
        recording = run_leap(parameters, speed, start, level=level, edge=round(begin + place, 3))
        if not lands(recording, begin, place):
            return points or 0.5 * len(recording) / max(len(item) for item in flat)
        points += 0.5 if points else 1.0
    return points
