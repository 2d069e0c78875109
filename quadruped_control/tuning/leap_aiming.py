"""
Leaps for chosen cells of (h, d, v): a covariance search in PyBullet for each of them.

The growth and the filling try variants from many starts wherever they come down. Here flights,
which cost a sixth of a trial, lead the leaps nearest to a cell into it; the best that fly into it
and come down level are tried from all starts, and count more the more of them they land from.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any, NamedTuple

import cma
import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.coverage import Cell, choose_leaps, find_cell, list_borders
from quadruped_control.leaps.dictionary import LeapDictionary
from quadruped_control.tuning.leap_filling import rate_leap
from quadruped_control.tuning.leap_flight import Flight, fly_in_fork
from quadruped_control.tuning.leap_runway import SPEEDS, STARTS
from quadruped_control.tuning.leap_steering import find_step

Array = NDArray[np.float64]
BATCH, BATCHES = 10, 7      # variants at a time, and of one cell
TRIED = 3                   # of a batch that are tried from all starts
SPREAD = 0.04               # of the range of each parameter, at first
NEAR = 3                    # leaps nearest to a cell from one of which the search goes on
SURE = 0.8                  # share of its trials that such a leap lands
INSIDE = 0.9                # share of a cell about its middle in which a flight is to be
MISSED = 2.0                # what a m beside that costs
LEVEL = 0.25                # rad of pitch at the first touch that cost nothing
PITCHED, ROLLED = 0.5, 0.3  # what a rad more of it costs; what a rad of roll costs
NOSE, SIDE = 0.75, 0.5      # rad of pitch and roll with which no landing is tried
LANDED = 0.5                # what it counts to land from all starts
NO_FLIGHT = -2.0            # what a leap counts that does not fly
AGAIN = 0.7                 # cells further away that a cell seems by each search that failed
UNSAFE = -1.5               # cells nearer that one seems whose leap does not always land


class Aimed(NamedTuple):
    """How good a flight is for a cell, and whether a landing is to be tried."""

    score: float
    good: bool


class Aiming:
    """
    Searches, one cell after the other: those with a leap that fails at times, then near ones.

    :param dictionary: proved, at least on flat ground.
    """

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._rows = list(dictionary.rows)
        chances = dictionary.find_chances(0.0)
        self._chances = chances.tolist()
        self._safe = {cell for cell, n in choose_leaps(dictionary).items() if chances[n] >= 1.0}
        self._reached = set(choose_leaps(dictionary))
        self._tries: dict[Cell, int] = {}
        self._cell, self._batches = (0, 0, 0), BATCHES
        self._speed = 0.0
        self._strategy: Any = None

    def run_batch(self, pool: Executor) -> list[Array]:
        """Try a batch for a cell; return the rows of those that land in one that needs them."""
        if self._batches == BATCHES or self._cell in self._safe:
            self._turn_to(self._pick_cell())
        least, most = list_bounds()
        vectors = self._strategy.ask()
        leaps = [least + np.clip(vector, 0.0, 1.0) * (most - least) for vector in vectors]
        ratings = list(pool.map(rate_flight, leaps, [self._speed] * BATCH, [self._cell] * BATCH))
        inside = [n for n, rating in enumerate(ratings) if rating.good]
        inside = sorted(inside, key=lambda n: -ratings[n].score)[:TRIED]
        scores, rows = [rating.score for rating in ratings], []
        for n, (share, row) in zip(inside, pool.map(
                rate_leap, [leaps[n] for n in inside], [self._speed] * len(inside)), strict=True):
            scores[n] += LANDED * share
            rows += [row] if row is not None and self._take(row) else []
        self._strategy.tell(vectors, [-score for score in scores])
        self._batches += 1
        return rows

    def describe(self) -> str:
        """Say how far it is."""
        low = [float(borders[place])
               for borders, place in zip(list_borders(), self._cell, strict=True)]
        return (f'{len(self._reached)} cells, in {len(self._safe)} of them a leap that always '
                f'landed; from h {low[0]:.1f}, d {low[1]:.1f}, v {low[2]:.1f} at {self._speed}')

    def _take(self, row: Array) -> bool:
        """Keep a leap that always landed; say whether its cell had none."""
        self._rows.append(row)
        self._chances.append(1.0)
        cell = find_cell(row[:3])
        if cell is None or cell in self._safe:
            return False
        self._safe.add(cell)
        self._reached.add(cell)
        return True

    def _pick_cell(self) -> Cell:
        """Return the cell that is nearest to the leaps there are, or seems so."""
        points = np.array(self._rows)[np.array(self._chances) >= SURE, :3]

        def seem(cell: Cell) -> float:
            middle, half = _measure_cell(cell)
            away = float(np.linalg.norm((points - middle) / (2 * half), axis=1).min())
            return (away + AGAIN * self._tries.get(cell, 0)
                    + (UNSAFE if cell in self._reached else 0.0))
        counts = [range(len(borders) - 1) for borders in list_borders()]
        wanted = [(h, d, v) for h in counts[0] for d in counts[1] for v in counts[2]
                  if (h, d, v) not in self._safe]
        return min(wanted, key=seem)

    def _turn_to(self, cell: Cell) -> None:
        """Begin the search for a cell from a leap near it."""
        rng, (least, most) = self._rng, list_bounds()
        self._cell, self._batches = cell, 0
        self._tries[cell] = self._tries.get(cell, 0) + 1
        middle, half = _measure_cell(cell)
        table = np.array(self._rows)
        points, known = table[:, :3], (table[:, -len(least):] - least) / (most - least)
        apart = np.linalg.norm((points - middle) / half, axis=1)
        apart[np.array(self._chances) < SURE] = np.inf
        parent = int(rng.choice(np.argsort(apart)[:NEAR]))
        low, high = middle[2] - half[2], middle[2] + half[2]
        self._speed = float(rng.choice([speed for speed in SPEEDS if low <= speed < high]))
        aim = np.array([*middle[:2], self._speed])
        place = np.clip(known[parent] + find_step(known, points, parent, aim), 0.0, 1.0)
        self._strategy = cma.CMAEvolutionStrategy(place, SPREAD, {
            'bounds': [0.0, 1.0], 'seed': int(rng.integers(1, 2**31)), 'verbose': -9,
            'popsize': BATCH})


def rate_flight(parameters: Array, speed: float, cell: Cell) -> Aimed:
    """
    Let a leap fly; say how good it is for a cell, and whether it is in it and comes down level.

    :param speed: one of the runway's, m/s.
    """
    flight = fly_in_fork(parameters, speed, STARTS[0])
    if flight is None:
        return Aimed(NO_FLIGHT, good=False)
    missed = _measure_miss(flight, cell)
    score = -(MISSED * missed + PITCHED * max(abs(flight.pitch) - LEVEL, 0.0)
              + ROLLED * abs(flight.roll))
    level = abs(flight.pitch) <= NOSE and abs(flight.roll) <= SIDE
    return Aimed(score, good=missed == 0.0 and level)


def _measure_cell(cell: Cell) -> tuple[Array, Array]:
    """Return the middle of a cell and half its size: h, d (m) and v (m/s)."""
    low, high = (np.array([borders[place + more] for borders, place
                           in zip(list_borders(), cell, strict=True)]) for more in (0, 1))
    return (low + high) / 2, (high - low) / 2


def _measure_miss(flight: Flight, cell: Cell) -> float:
    """Return how far beside a cell a flight is, m."""
    middle, half = _measure_cell(cell)
    beside = np.abs(np.array([flight.height, flight.distance]) - middle[:2]) - INSIDE * half[:2]
    return float(np.maximum(beside, 0.0).sum())
