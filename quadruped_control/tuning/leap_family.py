"""
A family of leaps for the model of mean and two principal components: small changes of one leap.

The dictionary's leaps near a speed are of unlike descent: they reach the same h and d by unlike
parameters, and what lies between two of them often falls. Here one leap that bears changes is
varied by chance; a plane in the space of the parameters, two directions from a mean, is laid
through what lands; its places for a grid of h and d are tried, and each that misses its h and d
or comes down on the nose is corrected by a linear model of the leaps like it, or replaced by one
beside it that lands. The next plane is laid through these. The plane of one speed is the first of
the next. All in forks of a dog that trots already, in PyBullet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.dictionary import FIGURES, LeapDictionary, make_row
from quadruped_control.leaps.models import PrincipalPlane, describe_places
from quadruped_control.rollout.leap_outcome import LeapOutcome, measure_first_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.leap_flight import fly_in_fork
from quadruped_control.tuning.leap_proof import ProofStart, has_fallen, leap_from
from quadruped_control.tuning.leap_runway import find_dog
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
Place = Sequence[float] | Array      # h and d, m
HEIGHTS = (0.7, 0.8, 0.9, 1.0)              # m, and
DISTANCES = (0.4, 0.6, 0.8, 1.0, 1.2)       # m at which a plane is tried
PLACES = tuple((height, distance) for height in HEIGHTS for distance in DISTANCES)
SPEEDS = ((0.85, None), (1.0, 0.85), (0.7, 0.85), (1.2, 1.0), (0.5, 0.7))   # m/s; grown from
STARTS = (ProofStart(2, 0.0, 0.11, keeps=True), ProofStart(3, 0.03, 0.23, keeps=True),
          ProofStart(2, -0.03, 0.36, keeps=True))
MIDDLE = np.array([0.85, 0.8, 0.85])        # h, d (m) and v (m/s) of the leap that is varied
BASES, VARIATIONS = 12, 8   # leaps nearest to it, and how often each is varied to choose one
CLOUD, SPREAD = 40, 0.05    # variations of the one chosen; share of the ranges (deviation)
ROUNDS = 6                  # planes that are tried, one after the other
LIKE = 70                   # leaps that a linear model is made of, and
NEAR = 0.2                  # how far of the ranges they are
STIFF, UNSURE = 0.01, 0.02  # doubts in such a model
DOUBT, CURVED = 1e-3, 0.5   # doubts in what is even, and in what is curved, of a smoothed plane
LEVEL, LEVEL_ENOUGH = 0.12, 0.05    # rad of pitch to touch with, and what it may be off
FURTHEST, MOST = 0.25, 0.3  # of a correction: share of the ranges; m, m, rad
WEIGHTS = np.diag([1.0, 0.7, 1.0])  # of h, d (m) and pitch (rad) in a correction
TWISTED = 0.6               # rad of roll at the first touch with which no landing is a good one
OTHER = 0.3                 # weight of what is known of leaps at another speed
FAILED = 3.0                # how much more a place counts from where no start lands
MENDS = (0.0, 0.02)         # chance by which a correction is varied, of the ranges, in turn
BESIDE = 3                  # leaps that landed by which a place that fails is replaced
CLOSE = np.array([0.05, 0.1])       # m of h and d by which they may be off


class Try(NamedTuple):
    """A leap as shares of its ranges, its h, d (m) and pitch (rad), and the share that landed."""

    shares: Array
    outcome: Array
    landed: float
    weight: float = 1.0     # of what it tells


class FamilyGrowth:
    """The search for the plane of one speed (m/s)."""

    def __init__(self, speed: float, seed: int) -> None:
        self._speed, self._rng = speed, np.random.default_rng([seed, round(1000 * speed)])
        self.tried: list[Try] = []
        self.plane: PrincipalPlane | None = None

    def begin(self, base: Array) -> None:
        """Lay a first plane through variations of a leap, and through what nears the places."""
        for change in self._rng.normal(0.0, SPREAD, (CLOUD, len(base))):
            self._try(base + change)
        for place in PLACES:
            landed = [item for item in self.tried if item.landed == 1.0] or self.tried
            best = min(landed, key=lambda item: float(np.linalg.norm(
                (item.outcome[:2] - place) / CLOSE)))
            self._try(self._correct(best, place))
        landed = [item for item in self.tried if item.landed == 1.0]
        self.plane = lay_plane(np.array([item.outcome[:2] for item in landed]),
                               np.array([item.shares for item in landed]), np.ones(len(landed)))

    def follow(self, other: FamilyGrowth) -> None:
        """Begin with the plane of another speed, and with what is known of leaps there."""
        self.plane = other.plane
        shifts = []
        for place in PLACES[::3]:
            found = self._try(self._ask(place))
            if found is not None:
                known = min(other.tried, key=lambda item: float(np.linalg.norm(
                    item.shares - found.shares)))
                shifts.append(found.outcome - known.outcome)
        shift = np.median(shifts, axis=0) if shifts else np.zeros(3)
        self.tried += [Try(item.shares, item.outcome + shift, 0.0, OTHER)
                       for item in other.tried]

    def improve(self) -> Iterator[tuple[float, Array]]:
        """Try plane after plane; yield the share that landed, and the errors of h and d (m)."""
        best: tuple[float, PrincipalPlane | None] = -np.inf, None
        for _ in range(ROUNDS):
            found = [self._try(self._ask(place)) for place in PLACES]
            known = [item for item in found if item is not None]
            landed = sum(item.landed for item in known) / len(PLACES)
            errors = np.array([np.full(2, MOST) if item is None else item.outcome[:2] - place
                               for item, place in zip(found, PLACES, strict=True)])
            score = landed - float(np.minimum(np.abs(errors), MOST).mean())
            if score > best[0]:
                best = score, self.plane
            yield landed, errors
            self._lay_plane(found)
        self.plane = best[1]

    def list_rows(self) -> list[Array]:
        """Return the rows of the leaps of the plane that land from all starts."""
        least, most = list_bounds()
        rows = []
        for place in PLACES:
            parameters = least + np.clip(self._ask(place), 0.0, 1.0) * (most - least)
            row = rate_member(parameters, self._speed)
            rows += [] if row is None else [row]
        return rows

    def _ask(self, place: Place) -> Array:
        assert self.plane is not None
        return self.plane.find(float(place[0]), float(place[1]))

    def _try(self, shares: Array) -> Try | None:
        shares = np.clip(shares, 0.0, 1.0)
        outcome, landed = try_member(shares, self._speed)
        if outcome is None:
            return None
        self.tried.append(Try(shares, outcome, landed))
        return self.tried[-1]

    def _lay_plane(self, found: Sequence[Try | None]) -> None:
        """Lay the next plane through corrected leaps."""
        self._mend(found)
        corrected: list[tuple[float, Sequence[float], Array]] = []
        for item, place in zip(found, PLACES, strict=True):
            landed = 0.0 if item is None else item.landed
            beside = self._find_beside(place) if landed < 1.0 else []
            if beside:
                corrected += [(1.0 + FAILED / BESIDE * (1.0 - landed), place, other)
                              for other in beside]
            elif item is not None:
                corrected.append((1.0 + FAILED * (1.0 - landed), place,
                                  self._correct(item, place)))
        weights, places, shares = (np.array(part) for part in zip(*corrected, strict=True))
        self.plane = lay_plane(places, shares, weights)

    def _mend(self, found: Sequence[Try | None]) -> None:
        """Try what should bring a leap that fails to its place, until one lands."""
        for item, place in zip(found, PLACES, strict=True):
            if item is None or item.landed == 1.0:
                continue
            for spread in MENDS:
                change = self._rng.normal(0.0, 1.0, len(item.shares))
                mended = self._try(self._correct(item, place) + spread * change)
                if mended is not None and mended.landed == 1.0:
                    break

    def _find_beside(self, place: Sequence[float]) -> list[Array]:
        """Return leaps that landed near a place and near the plane, moved along it to there."""
        chosen = [(float(np.linalg.norm((item.outcome[:2] - place) / CLOSE)
                         + 8.0 * np.linalg.norm(item.shares - self._ask(item.outcome[:2]))
                         + 3.0 * max(abs(item.outcome[2] - LEVEL) - 3 * LEVEL_ENOUGH, 0.0)), n)
                  for n, item in enumerate(self.tried) if item.landed == 1.0]
        near = sorted(pair for pair in chosen if pair[0] < 4.0)[:BESIDE]
        leaps = [self.tried[n] for _, n in near]
        return [np.clip(item.shares + self._ask(place) - self._ask(item.outcome[:2]), 0.0, 1.0)
                for item in leaps]

    def _correct(self, item: Try, place: Sequence[float]) -> Array:
        """Return a leap changed the least that should bring it to a place, and level."""
        known = np.array([other.shares for other in self.tried])
        outcomes = np.array([other.outcome for other in self.tried])
        apart = ((known - item.shares)**2).sum(axis=1)
        like = np.argsort(apart)[:LIKE]
        weights = np.exp(-apart[like] / (2 * NEAR**2)) + 1e-3
        weights *= np.array([self.tried[n].weight for n in like])
        inputs, outputs = known[like] - item.shares, outcomes[like] - item.outcome
        jacobian = WEIGHTS @ np.linalg.solve(
            (inputs.T * weights) @ inputs + STIFF * np.eye(inputs.shape[1]),
            (inputs.T * weights) @ outputs).T
        wanted = np.append(place, LEVEL) - item.outcome
        wanted[2] = np.sign(wanted[2]) * max(abs(wanted[2]) - LEVEL_ENOUGH, 0.0)
        wanted = WEIGHTS @ np.clip(wanted, -MOST, MOST)
        strength = jacobian @ jacobian.T
        doubt = UNSURE * np.trace(strength) * np.eye(3) + 1e-9 * np.eye(3)
        step = jacobian.T @ np.linalg.solve(strength + doubt, wanted)
        step *= min(1.0, FURTHEST / max(float(np.linalg.norm(step)), 1e-9))
        return np.clip(item.shares + step, 0.0, 1.0)


def lay_plane(places: Array, shares: Array, weights: Array) -> PrincipalPlane:
    """Return the plane of leaps (n, parameters) at some h and d (n, 2), smoothed."""
    middle, half = MIDDLE[:2], np.ptp(np.array(PLACES), axis=0) / 2
    known = describe_places((places - middle) / half, curved=True)
    doubt = np.diag([DOUBT] * 3 + [CURVED] * (known.shape[1] - 3))
    weighted = known.T * weights
    fit = np.linalg.solve(weighted @ known + doubt, weighted @ shares)
    grid = np.array(PLACES)
    return PrincipalPlane(grid, describe_places((grid - middle) / half, curved=True) @ fit)


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


def try_member(shares: Array, speed: float) -> tuple[Array | None, float]:
    """Return h, d (m) and pitch (rad) of a leap, means from STARTS, and the share that landed."""
    least, most = list_bounds()
    parameters = least + shares * (most - least)
    outcomes, landed = list[Array](), 0
    for start in STARTS:
        answer = compute_in_fork(partial(_leap, find_dog(speed, start), parameters, start))
        if answer is None:
            break
        outcomes.append(np.array([answer['height'], answer['distance'], answer['pitch']]))
        if not answer['lands']:
            break
        landed += 1
    if outcomes:
        return np.mean(outcomes, axis=0), landed / len(STARTS)
    flight = fly_in_fork(parameters, speed, STARTS[0])
    return None if flight is None else np.array(flight[:3]), 0.0


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
    grown: dict[float, FamilyGrowth] = {}
    rows: list[Array] = []
    for speed, before in SPEEDS:
        growth = grown[speed] = FamilyGrowth(speed, seed)
        if before is None:
            growth.begin(choose_base(dictionary, seed))
        else:
            growth.follow(grown[before])
        for landed, errors in growth.improve():
            height, distance = np.median(np.abs(errors), axis=0)
            yield (f'{speed:.2f} m/s: {100 * landed:.0f} % landed, median errors {height:.2f} '
                   f'and {distance:.2f} m'), rows
        rows = rows + growth.list_rows()
        yield f'{speed:.2f} m/s: {len(rows)} leaps', rows
