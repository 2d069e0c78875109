"""
The stochastic growth of the leap dictionary (section 5 of the paper).

A leap is drawn from the dictionary and varied; a variant that fails is dropped, one like an
existing leap takes its place if it needs less effort, any other is added. Leaps with few others
near them are drawn more often, and half of the variants go the way from one leap to another: the
dictionary grows where it is thin, in directions in which it grew before.
"""

from __future__ import annotations

import json
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import PARAMETERS, list_bounds
from quadruped_control.errors import InputError
from quadruped_control.leaps.dictionary import (
    COLUMNS,
    LeapDictionary,
    load_dictionary,
    make_row,
    measure_distances,
    save_dictionary,
)
from quadruped_control.tuning.leap_trial import try_leap

Array = NDArray[np.float64]
BATCH = 8                   # variants of one state of the dictionary, whatever runs them
SIMILAR = 0.07              # distance in (h, d, v) below which two leaps are alike
NEIGHBOUR = 0.15            # distance below which leaps share the chance to be drawn
CHANCE_OF_WAY = 0.5         # that a variant also goes the way between two other leaps
RANGE_SHARE = 0.08          # of a parameter's range by which it is varied at most
CHANCE = 0.35               # of each parameter to be varied
SPEED_STEP = 0.15           # m/s by which the speed is varied at most
FASTEST = 1.8               # m/s
EFFORT = COLUMNS.index('effort')
SPEED_GRID = 0.05           # m/s: speeds whose limit cycles a process keeps


@dataclass(frozen=True)
class Variant:
    """A leap to try."""

    parameters: Array
    speed: float


class Growth:
    """
    A dictionary that grows, saved after every batch.

    :param path: of the dictionary; a file of the same name with .json keeps how far it is.
    """

    def __init__(self, path: Path, *, seed: int) -> None:
        self._path, self._seed = path, seed
        self._rows: list[Array] = []
        self.commands: list[float] = []
        self.batches = self.tried = self.kept = 0

    def begin(self, parameters: Array, speed: float) -> bool:
        """Start from one leap; say whether it works."""
        figures = try_leap(parameters, speed)
        if figures is None:
            return False
        self._add(make_row(figures, parameters), speed)
        return True

    def resume(self) -> None:
        """Go on from what was saved."""
        if not self._state_path.is_file():
            raise InputError('--resume', '', str(self._state_path), 'the state of a growth')
        state = json.loads(self._state_path.read_text(encoding='utf-8'))
        if state['seed'] != self._seed:
            raise InputError('--seed', '', self._seed, f'{state["seed"]}, as it began')
        self._rows = list(load_dictionary(self._path).rows)
        self.commands = state['commands']
        self.batches, self.tried, self.kept = state['batches'], state['tried'], state['kept']

    @property
    def _state_path(self) -> Path:
        return self._path.with_suffix('.json')

    @property
    def dictionary(self) -> LeapDictionary:
        """What has grown so far."""
        return LeapDictionary(np.array(self._rows), (
            'Leaps of the dog: h, d, v and effort, the way of the feet, and the parameters.',
            f'Made by ./quadruped leaps build --seed {self._seed}: {self.tried} variants tried in '
            f'MuJoCo, {self.kept} kept.'))

    def run_batch(self, pool: Executor) -> None:
        """Try a batch of variants and take up what is good."""
        rng = np.random.default_rng([self._seed, self.batches])
        variants = [self._vary(rng) for _ in range(BATCH)]
        futures = [pool.submit(try_leap, item.parameters, item.speed) for item in variants]
        for variant, future in zip(variants, futures, strict=True):
            figures = future.result()
            self.tried += 1
            if figures is not None:
                self._take(make_row(figures, variant.parameters), variant.speed)
        self.batches += 1

    def save(self) -> None:
        """Write the dictionary, and how far it is."""
        save_dictionary(self.dictionary, self._path)
        state = {'seed': self._seed, 'batches': self.batches, 'tried': self.tried,
                 'kept': self.kept, 'commands': self.commands}
        self._state_path.write_text(json.dumps(state), encoding='utf-8')

    def _vary(self, rng: np.random.Generator) -> Variant:
        table = np.array(self._rows)
        place = int(rng.choice(len(table), p=_prefer_sparse(table[:, :3])))
        least, most = list_bounds()
        known = table[:, -len(PARAMETERS):]
        parameters = known[place]
        change = rng.uniform(-RANGE_SHARE, RANGE_SHARE, len(parameters)) * (most - least)
        chosen = rng.uniform(size=len(parameters)) < CHANCE
        if rng.uniform() < CHANCE_OF_WAY:
            one, other = rng.integers(len(table), size=2)
            parameters = parameters + rng.uniform(0.0, 1.0) * (known[one] - known[other])
        speed = self.commands[place] + rng.uniform(-SPEED_STEP, SPEED_STEP)
        speed = round(np.clip(speed, 0.0, FASTEST) / SPEED_GRID) * SPEED_GRID
        return Variant(np.clip(parameters + change * chosen, least, most), round(speed, 2))

    def _take(self, row: Array, command: float) -> None:
        points = np.array(self._rows)[:, :3]
        distances = measure_distances(points, row[:3])
        nearest = int(np.argmin(distances))
        if distances[nearest] >= SIMILAR:
            self._add(row, command)
        elif row[EFFORT] < self._rows[nearest][EFFORT]:
            self._rows[nearest], self.commands[nearest] = row, command
            self.kept += 1

    def _add(self, row: Array, command: float) -> None:
        self._rows.append(row)
        self.commands.append(command)
        self.kept += 1


def _prefer_sparse(points: Array) -> Array:
    """Return the chance of each leap to be drawn: the fewer others near it, the higher."""
    near = np.array([(measure_distances(points, point) < NEIGHBOUR).sum() for point in points])
    return (1.0 / near) / (1.0 / near).sum()
