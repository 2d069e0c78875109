"""Gaits as data: the schema of a gait's file, and its parameters as a flat vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from quadruped_control.control.gait_base import spread_base
from quadruped_control.control.gait_entries import list_entries, list_units
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.kinematics.records import as_block
from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot_files import DEFAULT_ROBOT, list_files, robot_folder

Array = NDArray[np.float64]
STAND = 'stand'
NEAR = 1e-9                 # m/s between speeds that are the same


class Gait(Schema):
    """
    A gait over its range of speeds.

    :param base: of a file: what its speeds share, and may say otherwise; given to each when read.
    """

    name: Annotated[str, Field(min_length=1, max_length=50)]
    base: dict[str, Any] = Field(default_factory=dict, max_length=0, exclude=True)
    speeds: Annotated[tuple[GaitAtSpeed, ...], Field(min_length=1)]

    @classmethod
    def complete(cls, data: object) -> object:
        """Give the base to each speed."""
        return spread_base(data)

    @field_validator('speeds', mode='after')
    @classmethod
    def _refuse_disorder(cls, speeds: tuple[GaitAtSpeed, ...]) -> tuple[GaitAtSpeed, ...]:
        for n, (slower, faster) in enumerate(pairwise(speeds)):
            if faster.speed <= slower.speed:
                raise refusal('a speed greater than that of the entry before', n + 1, 'speed')
        return speeds


def gaits_folder(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the gait files of a robot are."""
    return robot_folder(robot) / 'gaits'


def load_gait(name: str, robot: str = DEFAULT_ROBOT) -> Gait:
    """Read a robot's gait by its name."""
    return load(gaits_folder(robot) / f'{name}.yaml', Gait)


def available_gaits(robot: str = DEFAULT_ROBOT) -> frozenset[str]:
    """Return the names of all gaits of a robot but the stand."""
    return frozenset(list_files(robot, 'gaits')) - {STAND}


def flatten(gait: GaitAtSpeed) -> Array:
    """Return the parameters as a vector of numbers in the order of :class:`GaitRecord`."""
    numbers = np.zeros(len(list_units()))
    for entry in list_entries():
        value: Any = gait
        for key in entry.path:
            value = value[key] if isinstance(key, int) else getattr(value, key)
        numbers[list(entry.places)] = value
    return numbers


def as_numbers(record: np.record) -> Array:
    """Return a record of numbers as a flat array that shares its memory."""
    block = as_block(record)
    return np.ndarray(block.nbytes // 8, np.float64, block)


@dataclass
class GaitTable:
    """
    The parameters of a gait, or of a ladder of gaits, over speed.

    :param speeds: m/s, increasing.
    :param rows: the parameters at each speed.
    :param names: the gait that each row belongs to.
    :param gears: where speed alone does not lead from row to row: the first row of the fast gear
        (0: there is none), the speeds at which it is taken up and left (m/s), and from which phase
        on it may be left, for how much of a cycle (0: at any); then the first row in which the
        feet of a pair land in another order (0: there is none).
    :param shift: what is added to the parameters in the middle of a shift to the fast gear, or
        nothing.
    """

    speeds: Array
    rows: Array
    names: tuple[str, ...]
    gears: Array = field(default_factory=lambda: np.zeros(6))
    shift: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, gait: Gait) -> GaitTable:
        """Return the table of one gait."""
        return cls(np.array([at.speed for at in gait.speeds]),
                   np.array([flatten(at) for at in gait.speeds]), (gait.name,) * len(gait.speeds))

    @classmethod
    def single(cls, speed: float, numbers: Array, name: str = 'tuned') -> GaitTable:
        """Return a table of one row, which may be overwritten."""
        return cls(np.array([speed]), numbers[None].copy(), (name,))

    @classmethod
    def join(cls, tables: Sequence[GaitTable]) -> GaitTable:
        """Return a table of tables whose speeds follow each other."""
        return cls(np.concatenate([table.speeds for table in tables]),
                   np.concatenate([table.rows for table in tables]),
                   tuple(name for table in tables for name in table.names))

    def shift_to(self, fast: GaitTable, up: float, down: float, shift: Array) -> GaitTable:
        """Return this table as the slow gear and another one as the fast gear."""
        both = GaitTable.join([self, fast])
        both.gears[:3] = len(self.speeds), up, down
        both.shift = shift.copy()
        return both

    def freeze(self, numbers: Array) -> GaitTable:
        """Return a table with the gears of this one and the same parameters at all speeds."""
        gears = self.gears.copy()
        gears[0], gears[5] = min(gears[0], 1.0), 0.0
        return GaitTable(np.array([0.0, 1.0]), np.array([numbers, numbers]),
                         (self.names[0], self.names[-1]), gears)

    def interpolate(self, speed: float) -> Array:
        """Return the parameters at a speed; outside the table those at its end."""
        return np.array([np.interp(speed, self.speeds, column) for column in self.rows.T])

    def interpolate_neighbours(self, speed: float) -> Array | None:
        """Return what lies at a speed between the rows before and after it, if there are both."""
        others = np.abs(self.speeds - speed) > NEAR
        speeds = self.speeds[others]
        if not ((speeds < speed).any() and (speeds > speed).any()):
            return None
        return GaitTable(speeds, self.rows[others], ()).interpolate(speed)

    def cut(self, least: float, most: float) -> GaitTable:
        """Return the part between two speeds, with rows at both."""
        most = min(most, self.speeds[-1])
        inside = (self.speeds > least) & (self.speeds < most)
        speeds = np.unique([least, *self.speeds[inside], most])
        return GaitTable(speeds, np.array([self.interpolate(speed) for speed in speeds]),
                         (self.names[0],) * len(speeds))
