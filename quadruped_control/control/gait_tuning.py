"""A gait changed by hand, number by number, at all its speeds alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import STAND, Gait, GaitTable, load_gait
from quadruped_control.control.gait_entries import Entry, list_entries
from quadruped_control.control.gait_file import unflatten
from quadruped_control.control.gait_library import GaitLibrary, read_tables

Array = NDArray[np.float64]
STRIDE = 'stride'               # group of what is of no leg
STEPS = 100                     # of a knob, to each side
POSITIVE = ('s', 'N/m', 'N s/m')        # units of times and gains, which are turned down to zero


@dataclass(frozen=True)
class Knob:
    """
    A parameter that can be turned: its name as in the file, and the numbers of a gait it sets.

    :param group: what it belongs to: the stride, front, rear, or what all legs have of a kind.
    :param room: by how much it may be changed up or down, in these steps.
    :param least: of its numbers in a file, and the most.
    :param scaled: it is the largest of its numbers, which keep their proportions; else their
        mean, and they keep their differences.
    """

    name: str
    places: tuple[int, ...]
    group: str
    meaning: str
    unit: str
    room: float
    step: float
    least: float
    most: float
    scaled: bool = False

    @classmethod
    def of(cls, entry: Entry) -> Knob:
        """Return the knob of what a file gives as one number or trajectory."""
        number, field = entry.number, entry.field
        bottoms = [limit for limit in (number.least, number.above) if limit is not None]
        positive = field.scaled or number.unit in POSITIVE
        return cls(entry.name, entry.places, str(entry.path[0]) if entry.owner else STRIDE,
                   field.meaning, number.unit, number.room, number.step or number.room / STEPS,
                   max(bottoms, default=0.0 if positive else -inf),
                   inf if number.most is None else number.most, field.scaled)

    def read(self, numbers: Array) -> float:
        """Return its value in a gait's numbers."""
        values = numbers[list(self.places)]
        return float(values.max() if self.scaled else values.mean())

    def turn(self, numbers: Array, change: float) -> None:
        """Change a gait's numbers in place."""
        places = list(self.places)
        if not self.scaled:
            numbers[places] += change
        elif numbers[places].max() > 0.0:
            numbers[places] *= max(0.0, 1.0 + change / float(numbers[places].max()))


def describe(knob: Knob) -> str:
    """Return a knob's name, unit and meaning in a line."""
    return f'{knob.name} ({knob.unit or "a ratio"}): {knob.meaning}'


@cache
def list_knobs() -> dict[str, Knob]:
    """Return all by their names: period, head_pitch, front.height, front_left.lift_off ..."""
    return {entry.name: Knob.of(entry) for entry in list_entries()}


def tune(table: GaitTable, changes: Mapping[str, float]) -> GaitTable:
    """Return a table with changes by the names of knobs, or raise InputError."""
    rows = table.rows.copy()
    for row in rows:
        for name, change in changes.items():
            if change:
                list_knobs()[name].turn(row, change)
    tuned = GaitTable(table.speeds, rows, table.names)
    if any(changes.values()):
        for _ in _entries(tuned):           # refuses what a file could not say
            pass
    return tuned


def tune_gait(gait: Gait, changes: Mapping[str, float]) -> Gait:
    """Return a gait with changes by the names of knobs, to be written to a file."""
    return gait.model_copy(update={'speeds': tuple(_entries(tune(GaitTable.of(gait), changes)))})


def _entries(table: GaitTable) -> Iterator[object]:
    for speed, row in zip(table.speeds, table.rows, strict=True):
        yield unflatten(row, float(speed))


class TunedGaits:
    """
    The gaits of a library as they are while somebody turns knobs.

    The tables are the library's own, so that whoever uses the library uses them.
    """

    def __init__(self, library: GaitLibrary) -> None:
        self._library = library
        self._originals = {STAND: GaitTable.of(load_gait(STAND, library.robot)),
                           **read_tables(library.robot)}
        self._tuned = dict(self._originals)
        self._changes: dict[str, dict[str, float]] = {name: {} for name in self._originals}

    @property
    def names(self) -> tuple[str, ...]:
        """The gaits that can be turned, the stand first."""
        return tuple(self._originals)

    def turn(self, gait: str, changes: Mapping[str, float]) -> None:
        """Change a gait against its file, all at once or not at all, or raise InputError."""
        together = {**self._changes[gait], **changes}
        self._tuned[gait] = tune(self._originals[gait], together)
        self._changes[gait] = together
        self._library.stand[:] = self._tuned[STAND].rows[0]
        fresh = GaitLibrary(self._library.robot, gaits=self._library.gaits, own={
            name: table for name, table in self._tuned.items() if name != STAND})
        for name, table in self._library.tables.items():
            table.rows[:] = fresh.tables[name].rows
