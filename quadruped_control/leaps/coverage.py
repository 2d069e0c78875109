"""Which part of (h, d, v) a dictionary covers: cells of a grid over the paper's range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import LeapDictionary

Array = NDArray[np.float64]
HEIGHTS = np.linspace(0.7, 1.4, 8)          # m, borders of the cells
DISTANCES = np.linspace(0.2, 1.6, 8)        # m
SPEEDS = np.array([0.0, 0.4, 0.8, 1.2, 1.7])        # m/s
BORDERS = (HEIGHTS, DISTANCES, SPEEDS)
Cell = tuple[int, int, int]                 # place along h, d and v


def find_cell(point: Array) -> Cell | None:
    """Return the cell of a leap's (h, d, v), None outside the range."""
    h, d, v = (int(np.searchsorted(borders, value, side='right')) - 1
               for borders, value in zip(BORDERS, point, strict=True))
    inside = all(0 <= place < len(borders) - 1
                 for borders, place in zip(BORDERS, (h, d, v), strict=True))
    return (h, d, v) if inside else None


def find_cells(points: Array) -> dict[Cell, list[int]]:
    """Return the leaps in each cell that has any."""
    cells: dict[Cell, list[int]] = {}
    for n, point in enumerate(points):
        cell = find_cell(point)
        if cell is not None:
            cells.setdefault(cell, []).append(n)
    return cells


def choose_leaps(dictionary: LeapDictionary) -> dict[Cell, int]:
    """Return the leap of each cell: of those that landed best when proved that of least effort."""
    effort, chances = dictionary.column('effort'), dictionary.find_chances(0.0)
    return {cell: min(rows, key=lambda row: (-float(chances[row]), float(effort[row])))
            for cell, rows in sorted(find_cells(dictionary.points).items())}


def count_cells(points: Array) -> int:
    """Return how many cells have a leap."""
    return len(find_cells(points))
