"""
A family of leaps for the model of mean and two principal components: small changes of one leap.

The dictionary's leaps near a speed are of unlike descent: they reach the same h and d by unlike
parameters, and what lies between two of them often falls. Here one leap that bears changes is
varied by chance; a plane in the space of the parameters is laid through what lands, and its leaps
for a grid of h and d are tried; from all that was tried the next plane is chosen, which should hit
its h and d and come down level. The plane of one speed is the first of the next. All in forks of a
dog that trots already, in PyBullet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.dictionary import FIGURES, LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import LeapOutcome, measure_first_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.leap_flight import fly_in_fork
from quadruped_control.tuning.leap_plane import (
    Plane,
    Tried,
    choose_plane,
    join_speed,
    lay_plane,
)
from quadruped_control.tuning.leap_proof import ProofStart, has_fallen, leap_from
from quadruped_control.tuning.leap_runway import find_dog
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
PLACES = np.array([(height, distance) for height in (0.7, 0.8, 0.9, 1.0)
                   for distance in (0.4, 0.6, 0.8, 1.0, 1.2)])      # m at which a plane is tried
FIRST = 0.85                # m/s at which the family begins, and
SPEEDS = ((1.0, FIRST), (0.65, FIRST), (1.2, 1.0), (0.5, 0.65))     # m/s; that it goes on from
STARTS = (ProofStart(2, 0.0, 0.11, keeps=True), ProofStart(3, 0.03, 0.23, keeps=True),
          ProofStart(2, -0.03, 0.36, keeps=True))
MIDDLE = np.array([0.85, 0.8, FIRST])   # h, d (m) and v (m/s) of the leap that is varied
BASES, VARIATIONS = 12, 8   # leaps nearest to it, and how often each is varied to choose one
CLOUD, SPREAD = 80, 0.05    # variations of the one chosen; share of the ranges (deviation)
ROUNDS, GOOD = 8, 0.9       # planes that are tried at a speed, until one is so good
MISSED = 0.3                # m by which a leap that does not fly missed its h and d
TWISTED = 0.6               # rad of roll at the first touch with which no landing is a good one


class FamilyGrowth:
    """The plane of each speed (m/s), and all that was tried."""

    def __init__(self) -> None:
        self._numbers, self._values, self._landed = list[Array](), list[Array](), list[float]()
        self.planes: dict[float, Plane] = {}

    @property
    def tried(self) -> Tried:
        """All leaps that were tried."""
        return Tried(np.array(self._numbers), np.array(self._values), np.array(self._landed))

    def begin(self, base: Array, seed: int) -> None:
        """Lay a plane through the variations of a leap that land."""
        for change in np.random.default_rng(seed).normal(0.0, SPREAD, (CLOUD, len(base))):
            self.attempt(base + change, FIRST)
        tried = self.tried
        landed = (tried.landed == 1.0) & np.isfinite(tried.values).all(axis=1)
        self.planes[FIRST] = lay_plane(tried.values[landed, :2], tried.numbers[landed, :-1])

    def improve(self, speed: float, last: Plane) -> Iterator[tuple[float, Array]]:
        """Try planes; yield the share of each that landed, and the errors of h and d (m)."""
        best = -np.inf
        for _ in range(ROUNDS):
            last = choose_plane(self.tried, speed, last)
            found = [self.attempt(shares, speed) for shares in last.find(PLACES)]
            landed = float(np.mean([share for _, share in found]))
            errors = np.abs(np.array([values[:2] for values, _ in found]) - PLACES)
            errors = np.where(np.isfinite(errors), np.minimum(errors, MISSED), MISSED)
            if landed - errors.mean() > best:
                best, self.planes[speed] = landed - errors.mean(), last
            yield landed, errors
            if best > GOOD:
                return

    def attempt(self, shares: Array, speed: float) -> tuple[Array, float]:
        """Try a leap; return h, d (m), pitch and roll (rad), and the share that landed."""
        shares = np.clip(shares, 0.0, 1.0)
        values, landed = try_member(shares, speed)
        self._numbers.append(join_speed(shares[None], speed)[0])
        self._values.append(values)
        self._landed.append(landed)
        return values, landed

    def list_rows(self, speed: float) -> list[Array]:
        """Return the rows of the leaps of a speed's plane that land from all starts."""
        least, most = list_bounds()
        leaps = np.clip(self.planes[speed].find(PLACES), 0.0, 1.0)
        found = [rate_member(least + shares * (most - least), speed) for shares in leaps]
        return [row for row in found if row is not None]


def choose_base(dictionary: LeapDictionary, seed: int) -> Array:
    """Return as shares the leap near the middle that bears most of some changes by chance."""
    least, most = list_bounds()
    known = (dictionary.parameters - least) / (most - least)
    apart = np.linalg.norm(dictionary.points - MIDDLE, axis=1)
    apart[dictionary.find_chances(0.0) < 1.0] = np.inf
    changes = np.random.default_rng(seed).normal(0.0, SPREAD, (VARIATIONS, known.shape[1]))
    speed = float(MIDDLE[2])
    counts = {int(n): sum(try_member(np.clip(known[n] + change, 0.0, 1.0), speed)[1]
                          for change in changes) for n in np.argsort(apart)[:BASES]}
    return np.array(known[max(counts, key=lambda n: counts[n])])


def try_member(shares: Array, speed: float) -> tuple[Array, float]:
    """
    Return h, d (m), pitch and roll (rad) of a leap, means of STARTS, and the share that landed.

    They are not numbers if it never flies.
    """
    least, most = list_bounds()
    parameters = least + shares * (most - least)
    outcomes, landed = list[Array](), 0
    for start in STARTS:
        answer = compute_in_fork(partial(_leap, find_dog(speed, start), parameters, start))
        if answer is None:
            break
        outcomes.append(np.array([answer['height'], answer['distance'], answer['pitch'],
                                  answer['roll']]))
        if not answer['lands']:
            break
        landed += 1
    if outcomes:
        return np.mean(outcomes, axis=0), landed / len(STARTS)
    flight = fly_in_fork(parameters, speed, STARTS[0])
    return np.full(4, np.nan) if flight is None else np.array(flight), 0.0


def rate_member(parameters: Array, speed: float) -> Array | None:
    """Return the row of a leap that lands from all STARTS; its v is the speed that is asked."""
    outcomes: list[LeapOutcome] = []
    for start in STARTS:
        answer = compute_in_fork(partial(_leap, find_dog(speed, start), parameters, start))
        if answer is None or not answer.pop('lands'):
            return None
        outcomes.append(LeapOutcome(**answer | {'arc': tuple(answer['arc'])}))
    figures = join_outcomes(outcomes)
    figures[FIGURES.index('speed')] = speed
    return make_row(figures, parameters)


def _leap(dog: Loop, parameters: Array, start: ProofStart) -> dict[str, Any] | None:
    recording = leap_from(dog, parameters, start)
    outcome = measure_first_leap(recording)
    if outcome is None:
        return None
    return asdict(outcome) | {'lands': not has_fallen(recording) and abs(outcome.roll) < TWISTED}


def grow_family(dictionary: LeapDictionary, seed: int) -> Iterator[tuple[str, list[Array]]]:
    """Yield how far it is and the rows of the family so far, speed after speed."""
    growth, rows = FamilyGrowth(), list[Array]()
    growth.begin(choose_base(dictionary, seed), seed)
    for speed, before in ((FIRST, FIRST), *SPEEDS):
        for landed, errors in growth.improve(speed, growth.planes[before]):
            height, distance = np.median(errors, axis=0)
            yield (f'{speed:.2f} m/s: {100 * landed:.0f} % landed, median errors {height:.2f} '
                   f'and {distance:.2f} m'), rows
        rows = rows + growth.list_rows(speed)
        yield f'{speed:.2f} m/s: {len(rows)} leaps', rows
