"""
The dictionary of leaps: what each leap did, and the parameters that did it (section 5).

A row has the leap's height h, distance d, approach speed v and effort, where it left the ground
and came back to it, how high its lowest foot was on the way, how often it landed well on higher
and lower ground, and its parameters. It is kept as a text file of comma-separated numbers, whose
comments say how it was made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import PARAMETERS, leaps_folder
from quadruped_control.control.leap_measures import LeapMeasures, load_leap_measures
from quadruped_control.errors import InputError
from quadruped_control.model.robot_files import DEFAULT_ROBOT

Array = NDArray[np.float64]
FAMILY = 'family.csv'       # beside a dictionary
ARC = 16                    # places between take-off and landing at which the arc is known
FIGURES = ('height', 'distance', 'speed', 'effort', 'take_off', 'landing')
ARC_COLUMNS = tuple(f'arc_{n}' for n in range(ARC))
LEVELS = (-0.6, -0.5, -0.3, -0.15, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # m, ground to land on
BEYOND = 0.03               # m beyond them up to which a leap lands as at the outermost
UNTRIED = 0.45              # chance to land well where a leap was not tried: no share of trials
LANDING_COLUMNS = tuple(f'lands_{100 * level:+.0f}' for level in LEVELS)
COLUMNS = (*FIGURES, *ARC_COLUMNS, *LANDING_COLUMNS, *PARAMETERS)
WEIGHTS = np.array([1.0, 1.0, 0.5])     # of h, d (m) and v (m/s) in the distance of two leaps


@dataclass(frozen=True)
class LeapDictionary:
    """
    Leaps as rows of numbers.

    :param rows: (n, COLUMNS).
    :param origin: how it was made, in lines.
    :param measures: of the body whose leaps they are.
    :param family: rows of leaps that differ little, at a few speeds, of which a model is made.
    """

    rows: Array
    origin: tuple[str, ...] = ()
    measures: LeapMeasures = field(default_factory=load_leap_measures)
    family: Array = field(default_factory=lambda: np.empty((0, len(COLUMNS))))

    def __len__(self) -> int:
        """Return the number of leaps."""
        return len(self.rows)

    def column(self, name: str) -> Array:
        """Return a figure or a parameter of all leaps (n,)."""
        return self.rows[:, COLUMNS.index(name)]

    @property
    def points(self) -> Array:
        """Height, distance and speed of all leaps (n, 3)."""
        return self.rows[:, :3]

    @property
    def arcs(self) -> Array:
        """Height of the lowest foot over the ground, evenly from take-off to landing (n, ARC)."""
        first = len(FIGURES)
        return self.rows[:, first:first + ARC]

    @property
    def landings(self) -> Array:
        """Share of the trials in which a leap landed well at each of LEVELS (n, levels)."""
        first = len(FIGURES) + ARC
        return self.rows[:, first:first + len(LEVELS)]

    @property
    def parameters(self) -> Array:
        """Parameters of all leaps (n, PARAMETERS)."""
        return self.rows[:, -len(PARAMETERS):]

    def find_chances(self, rise: float) -> Array:
        """
        Return how likely each leap lands well on ground that is so much higher, m (n,).

        Beyond the levels it is not known, and no leap is taken to land there.
        """
        if not LEVELS[0] - BEYOND <= rise <= LEVELS[-1] + BEYOND:
            return np.zeros(len(self))
        place = float(np.interp(rise, LEVELS, np.arange(len(LEVELS))))
        below = min(int(place), len(LEVELS) - 2)
        share = place - below
        chances: Array = ((1 - share) * self.landings[:, below]
                          + share * self.landings[:, below + 1])
        return chances

    def find_reach(self, height: float) -> tuple[Array, Array]:
        """Return where the feet of each leap rise over a height and where they come below it."""
        take_off, landing = self.column('take_off'), self.column('landing')
        if height <= 0.0:
            return take_off, landing
        places = take_off[:, None] + np.linspace(0.0, 1.0, ARC) * (landing - take_off)[:, None]
        high = self.arcs >= height
        any_high = high.any(axis=1)
        rows = np.arange(len(high))
        first = places[rows, np.argmax(high, axis=1)]
        last = places[rows, ARC - 1 - np.argmax(high[:, ::-1], axis=1)]
        return np.where(any_high, first, 1.0), np.where(any_high, last, -1.0)

    def find_nearest(self, point: Array) -> tuple[int, float]:
        """Return the leap nearest to (h, d, v) and how far it is."""
        distances = measure_distances(self.points, point)
        nearest = int(np.argmin(distances))
        return nearest, float(distances[nearest])


def make_row(figures: Array, parameters: Array) -> Array:
    """
    Return the row of a leap that was tried on flat ground only.

    :param figures: FIGURES, then the arc.
    """
    landings = np.where(np.array(LEVELS) == 0.0, 1.0, UNTRIED)
    return np.concatenate([figures, landings, parameters])


def measure_distances(points: Array, point: Array) -> Array:
    """Return the weighted Euclidean distance of each point (n, 3) from one."""
    distances: Array = np.sqrt((((points - point) * WEIGHTS)**2).sum(axis=-1))
    return distances


def dictionary_file(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the dictionary of a robot is."""
    return leaps_folder(robot) / 'dictionary.csv'


def family_file(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the family of leaps of a robot is, if it has one."""
    return leaps_folder(robot) / FAMILY


def save_dictionary(dictionary: LeapDictionary, path: Path) -> None:
    """Write a dictionary as text."""
    lines = [*(f'# {line}' for line in dictionary.origin), ','.join(COLUMNS)]
    lines += [','.join(f'{value:.5g}' for value in row) for row in dictionary.rows]
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')


def load_dictionary(path: Path | None = None, *, robot: str = DEFAULT_ROBOT) -> LeapDictionary:
    """Read a dictionary, by default that of a robot, and the family of leaps beside it."""
    path = path or dictionary_file(robot)
    origin, rows = _read_table(path)
    measures = load_leap_measures(robot)
    beside = path.parent / FAMILY
    if not beside.is_file():
        return LeapDictionary(rows, origin, measures)
    return LeapDictionary(rows, origin, measures, _read_table(beside)[1])


def _read_table(path: Path) -> tuple[tuple[str, ...], Array]:
    """Return the lines that say how a dictionary was made, and its rows."""
    if not path.is_file():
        raise InputError(path, '', 'no such file', 'a dictionary made by leaps build')
    lines = path.read_text(encoding='utf-8').splitlines()
    origin = tuple(line[2:] for line in lines if line.startswith('#'))
    table = [line for line in lines if line and not line.startswith('#')]
    if not table or tuple(table[0].split(',')) != COLUMNS:
        raise InputError(path, 'columns', table[0][:40] if table else '', ','.join(COLUMNS))
    rows = [_read_row(path, number, line) for number, line in enumerate(table[1:], 1)]
    if not rows:
        raise InputError(path, 'rows', 0, 'at least one leap')
    return origin, np.array(rows)


def _read_row(path: Path, number: int, line: str) -> list[float]:
    try:
        row = [float(value) for value in line.split(',')]
    except ValueError as error:
        raise InputError(path, f'row {number}', line[:40], 'numbers') from error
    if len(row) != len(COLUMNS) or not np.isfinite(row).all():
        raise InputError(path, f'row {number}', line[:40], f'{len(COLUMNS)} finite numbers')
    return row
