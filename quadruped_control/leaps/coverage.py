"""Which part of (h, d, v) a dictionary covers: cells of a grid over the paper's range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HEIGHTS = np.linspace(0.7, 1.4, 8)          # m, borders of the cells
DISTANCES = np.linspace(0.2, 1.6, 8)        # m
SPEEDS = np.array([0.0, 0.4, 0.8, 1.2, 1.7])        # m/s


def find_cells(points: Array) -> dict[tuple[int, int, int], list[int]]:
    """Return the leaps in each cell that has any, by its place along h, d and v."""
    cells: dict[tuple[int, int, int], list[int]] = {}
    for n, point in enumerate(points):
        place = tuple(int(np.searchsorted(borders, value, side='right')) - 1
                      for borders, value in zip((HEIGHTS, DISTANCES, SPEEDS), point, strict=True))
        inside = all(0 <= index < len(borders) - 1
                     for borders, index in zip((HEIGHTS, DISTANCES, SPEEDS), place, strict=True))
        if inside:
            cells.setdefault((place[0], place[1], place[2]), []).append(n)
    return cells


def count_cells(points: Array) -> int:
    """Return how many cells have a leap."""
    return len(find_cells(points))
