"""
Leaps for cells of (h, d, v) that the dictionary does not reach, grown in PyBullet.

The growth of section 5 goes where chance leads it. Here a cell beside those reached is picked, or
one whose leap does not always land; the leaps nearest to it are varied, as a linear model of the
leaps like them tells, or towards each other; and the best leap of each cell is kept (Mouret and
Clune 2015, "Illuminating search spaces by mapping elites").
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import PARAMETERS, list_bounds
from quadruped_control.leaps.coverage import Cell, find_cell, list_borders
from quadruped_control.leaps.dictionary import LEVELS, LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import LeapOutcome
from quadruped_control.tuning.leap_runway import SPEEDS, STARTS, leap_in_fork
from quadruped_control.tuning.leap_steering import find_step
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
BATCH = 8                   # variants of one state, whatever runs them
NEAR = 6                    # leaps nearest to a cell that variants are made of
STEERED = 0.6               # chance that a variant goes where the model tells
CHANCE, STEP = 0.3, 0.05    # of each parameter to be varied; share of its range (deviation)
SMALL_STEP = 0.02           # that a steered one is varied by
STRONGER, MORE_TORQUE = 0.3, 0.4    # chance of more torque for more height; most of its range
SURE = 0.8                  # share of its trials that a leap lands of which variants are made
EAGER = 0.5                 # power of the tries of a cell by which it is picked less often
MENDED = 0.5                # chance that a cell is picked whose leap does not always land
FLAT = LEVELS.index(0.0)
TORQUE = PARAMETERS.index('push_torque')


class Variant(NamedTuple):
    """A leap to try, and its speed (m/s)."""

    parameters: Array
    speed: float


class Filling:
    """
    The best leap of each cell, and all leaps that land.

    :param dictionary: proved, at least on flat ground.
    :param mended: chance that a cell is picked whose leap does not always land, as long as there
        is one.
    """

    def __init__(self, dictionary: LeapDictionary, seed: int, *, mended: float = MENDED) -> None:
        self._rng, self._mended = np.random.default_rng(seed), mended
        self._rows = list(dictionary.rows)
        self._chances = list(dictionary.landings[:, FLAT])
        self._tries: dict[Cell, int] = {}
        self.best: dict[Cell, int] = {}
        self.added: list[int] = []
        for n, point in enumerate(dictionary.points):
            cell = find_cell(point)
            if cell is not None:
                self._keep(cell, n)

    def run_batch(self, pool: Executor) -> None:
        """Try a batch of variants and keep those that are the best of their cells."""
        variants = [self._vary(self._pick_cell()) for _ in range(BATCH)]
        ratings = pool.map(rate_leap, [item.parameters for item in variants],
                           [item.speed for item in variants])
        for chance, row in ratings:
            if row is None:
                continue
            self._rows.append(row)
            self._chances.append(chance)
            cell = find_cell(row[:3])
            if cell is not None and self._keep(cell, len(self._rows) - 1):
                self.added.append(len(self._rows) - 1)

    def dictionary(self, origin: tuple[str, ...], first: int) -> LeapDictionary:
        """Return the first rows, and of those added the ones that are the best of their cells."""
        kept = [n for n in self.added if n in self.best.values()]
        return LeapDictionary(np.array([*self._rows[:first], *(self._rows[n] for n in kept)]),
                              origin)

    def count(self) -> tuple[int, int]:
        """Return how many cells have a leap, and in how many it always landed."""
        return len(self.best), sum(self._chances[n] >= 1.0 for n in self.best.values())

    def _keep(self, cell: Cell, n: int) -> bool:
        other = self.best.get(cell)
        if other is not None and self._chances[other] >= self._chances[n]:
            return False
        self.best[cell] = n
        return True

    def _pick_cell(self) -> Cell:
        """Return a cell beside those reached, or one whose leap does not always land."""
        reached = set(self.best)
        unsafe = {cell for cell, n in self.best.items() if self._chances[n] < 1.0}
        if unsafe and self._rng.uniform() < self._mended:
            return self._draw_cell(unsafe)
        wanted: set[Cell] = set()
        for cell in reached:
            for axis in range(3):
                for step in (-1, 1):
                    beside = (*cell[:axis], cell[axis] + step, *cell[axis + 1:])
                    if 0 <= beside[axis] < len(list_borders()[axis]) - 1 and beside not in reached:
                        wanted.add((beside[0], beside[1], beside[2]))
        return self._draw_cell(wanted or unsafe)

    def _draw_cell(self, wanted: set[Cell]) -> Cell:
        """Return one of some cells, rather one that was seldom tried."""
        cells = sorted(wanted)
        ease = np.array([(1.0 + self._tries.get(cell, 0))**-EAGER for cell in cells])
        cell = cells[int(self._rng.choice(len(cells), p=ease / ease.sum()))]
        self._tries[cell] = self._tries.get(cell, 0) + 1
        return cell

    def _vary(self, cell: Cell) -> Variant:
        rng, (least, most) = self._rng, list_bounds()
        low, high = (np.array([borders[index + more] for borders, index
                               in zip(list_borders(), cell, strict=True)]) for more in (0, 1))
        table = np.array(self._rows)
        points, known = table[:, :3], (table[:, -len(least):] - least) / (most - least)
        apart = np.linalg.norm((points - (low + high) / 2) / (high - low), axis=1)
        apart[np.array(self._chances) < SURE] = np.inf
        parent, other = rng.choice(np.argsort(apart)[:NEAR], 2)
        aim = rng.uniform(low, high)
        aim[2] = _draw_speed(rng, low[2], high[2])
        change = rng.normal(0.0, 1.0, len(least)) * (rng.uniform(size=len(least)) < CHANCE)
        if rng.uniform() < STEERED:
            change = SMALL_STEP * change + find_step(known, points, int(parent), aim)
        else:
            change = STEP * change + rng.uniform(-0.6, 0.6) * (known[other] - known[parent])
        if aim[0] > points[parent, 0] and rng.uniform() < STRONGER:
            change[TORQUE] += rng.uniform(0.0, MORE_TORQUE)
        parameters = least + (known[parent] + change) * (most - least)
        return Variant(np.clip(parameters, least, most), float(aim[2]))


def _draw_speed(rng: np.random.Generator, low: float, high: float) -> float:
    """Return one of the runway's speeds between two (m/s)."""
    return float(rng.choice([speed for speed in SPEEDS if low <= speed < high]))


def rate_leap(parameters: Array, speed: float) -> tuple[float, Array | None]:
    """
    Return the share of trials on flat ground that land well before one fails; the row if all do.

    :param speed: one of the runway's, m/s.
    """
    outcomes: list[LeapOutcome] = []
    for start in STARTS:
        outcome = leap_in_fork(parameters, speed, start)
        if outcome is None:
            return len(outcomes) / len(STARTS), None
        outcomes.append(outcome)
    return 1.0, make_row(join_outcomes(outcomes), parameters)
