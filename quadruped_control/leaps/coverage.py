"""Which part of (h, d, v) a dictionary covers: cells of the grid in the measures of its body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap_measures import Grid, load_leap_measures
from quadruped_control.leaps.dictionary import LeapDictionary
from quadruped_control.model.robot_files import DEFAULT_ROBOT

Array = NDArray[np.float64]
Borders = tuple[Array, Array, Array]        # of the cells, along h, d (m) and v (m/s)
Cell = tuple[int, int, int]                 # place along h, d and v


def list_borders(robot: str = DEFAULT_ROBOT) -> Borders:
    """Return the borders of the cells of a robot."""
    return spread_borders(load_leap_measures(robot).grid)


def spread_borders(grid: Grid) -> Borders:
    """Return the borders of the cells of a grid."""
    (low, high, heights), (near, far, distances) = grid.heights, grid.distances
    return (np.linspace(low, high, heights + 1), np.linspace(near, far, distances + 1),
            np.array(grid.speeds))


def find_cell(point: Array, robot: str = DEFAULT_ROBOT) -> Cell | None:
    """Return the cell of a leap's (h, d, v), None outside the range."""
    return _find_cell(point, list_borders(robot))


def _find_cell(point: Array, every: Borders) -> Cell | None:
    h, d, v = (int(np.searchsorted(borders, value, side='right')) - 1
               for borders, value in zip(every, point, strict=True))
    inside = all(0 <= place < len(borders) - 1
                 for borders, place in zip(every, (h, d, v), strict=True))
    return (h, d, v) if inside else None


def find_cells(points: Array, borders: Borders | None = None) -> dict[Cell, list[int]]:
    """
    Return the leaps in each cell that has any.

    :param borders: of the cells, if not those of the default robot.
    """
    cells: dict[Cell, list[int]] = {}
    borders = borders or list_borders()
    for n, point in enumerate(points):
        cell = _find_cell(point, borders)
        if cell is not None:
            cells.setdefault(cell, []).append(n)
    return cells


def choose_leaps(dictionary: LeapDictionary) -> dict[Cell, int]:
    """Return the leap of each cell: of those that landed best when proved that of least effort."""
    effort, chances = dictionary.column('effort'), dictionary.find_chances(0.0)
    cells = find_cells(dictionary.points, spread_borders(dictionary.measures.grid))
    return {cell: min(rows, key=lambda row: (-float(chances[row]), float(effort[row])))
            for cell, rows in sorted(cells.items())}


def count_cells(points: Array) -> int:
    """Return how many cells have a leap."""
    return len(find_cells(points))
