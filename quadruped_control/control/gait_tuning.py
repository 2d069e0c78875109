"""A gait changed by hand, number by number, at all its speeds alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import STAND, Gait, GaitTable, as_numbers, load_gait
from quadruped_control.control.gait_file import unflatten
from quadruped_control.control.gait_library import GaitLibrary, read_tables
from quadruped_control.control.records import gait_type
from quadruped_control.kinematics.records import LEGS, new_record

Array = NDArray[np.float64]
FRAMES = ('front', 'rear')


@dataclass(frozen=True)
class Knob:
    """
    A parameter that can be turned: its name as in the file, and the numbers of a gait it sets.

    :param room: by how much it may be changed up or down.
    :param scaled: it is the largest of its numbers, which keep their proportions; else their
        mean, and they keep their differences.
    """

    name: str
    places: tuple[int, ...]
    room: float
    unit: str
    scaled: bool = False

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


# of a pair of legs: name, place in its field, largest change, unit
PAIRED = (
    ('height', 'height', None, 0.1, 'm'),
    ('pitch', 'pitch', None, 0.3, 'rad'),
    ('swing_height', 'swing_height', None, 0.1, 'm'),
    ('tracking', 'tracking', None, 1000.0, 'N/m'),
    ('step_ahead', 'step_ahead', None, 0.1, 'm'),
    ('step_aside', 'step_aside', None, 0.1, 'm'),
    ('placement.forward', 'placement', 0, 0.3, 's'),
    ('placement.left', 'placement', 1, 0.3, 's'),
    ('velocity_gain.forward', 'velocity_gain', 0, 500.0, 'N s/m'),
    ('velocity_gain.left', 'velocity_gain', 1, 500.0, 'N s/m'),
    ('height_gain.stiffness', 'height_gain', 0, 3000.0, 'N/m'),
    ('height_gain.damping', 'height_gain', 1, 400.0, 'N s/m'),
    ('weight_share', 'weight_share', None, 0.6, ''),
    ('heading_gain', 'heading_gain', None, 500.0, 'N/rad'),
    ('toe_off.angle', 'toe_off', 0, 0.6, 'rad'),
    ('toe_off.time', 'toe_off', 1, 0.1, 's'),
    ('foot_strike.angle', 'foot_strike', 0, 0.6, 'rad'),
    ('foot_strike.time', 'foot_strike', 1, 0.1, 's'),
)


@cache
def list_knobs() -> dict[str, Knob]:
    """Return all by their names: period, head_pitch, front.height, front_left.lift_off ..."""
    record = new_record(gait_type())
    numbers = as_numbers(record)
    numbers[:] = np.arange(len(numbers))
    knobs = [Knob('period', _places(record['period']), 0.3, 's'),
             Knob('head_pitch', _places(record['head_pitch']), 0.5, 'rad')]
    for frame, name in enumerate(FRAMES):
        for label, field, part, room, unit in PAIRED:
            place = record[field][frame] if part is None else record[field][frame][part]
            knobs.append(Knob(f'{name}.{label}', _places(place), room, unit,
                              scaled=field == 'swing_height'))
    for leg, name in enumerate(LEGS):
        knobs += [Knob(f'{name}.{field}', _places(record[field][leg]), 0.4, 'of a stride')
                  for field in ('lift_off', 'touchdown')]
    return {knob.name: knob for knob in knobs}


def _places(numbers: object) -> tuple[int, ...]:
    return tuple(int(number) for number in np.atleast_1d(np.asarray(numbers)))


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
        fresh = GaitLibrary(self._library.robot, {
            name: table for name, table in self._tuned.items() if name != STAND})
        for name, table in self._library.tables.items():
            table.rows[:] = fresh.tables[name].rows
