"""Makes maps of the ground around a robot, as a sensor on it would measure them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.terrain.ground_table import GroundTable
from quadruped_control.terrain.ground_table import ground_height as true_height
from quadruped_control.terrain.local_map import LEVEL, LocalMap

Array = NDArray[np.float64]


class Surveyor:
    """
    Measures heights on a grid that is fixed to the world, each point once while it is in view.

    :param spacing: m from point to point.
    :param reach: m from the middle of a map to its border.
    """

    def __init__(self, table: GroundTable, spacing: float, reach: float) -> None:
        self._table, self._spacing = table, spacing
        self._half = max(round(reach / spacing), 1)
        self._heights: Array = np.zeros((0, 0))
        self._corner = 0, 0             # of the last map, in points of the grid

    def survey(self, x: float, y: float) -> LocalMap:
        """Return the map around a place (m); where all of it is level, its corner alone."""
        if not len(self._table.layers):
            return LEVEL
        size, spacing = 2 * self._half + 1, self._spacing
        corner = round(x / spacing) - self._half, round(y / spacing) - self._half
        heights = np.empty((size, size))
        _measure(self._table, spacing, *corner, heights, *self._corner, self._heights)
        self._heights, self._corner = heights, corner
        if heights.max() == heights.min():
            heights = heights[:2, :2].copy()
        return LocalMap(corner[0] * spacing, corner[1] * spacing, spacing, heights)


@compiled
def _measure(table: GroundTable, spacing: float, i0: int, j0: int, heights: Array, known_i0: int,
             known_j0: int, known: Array) -> None:
    """
    Write the heights of a grid; those that are known are taken over.

    :param i0: of the first point along x, in points of the grid; ``j0`` likewise along y.
    :param known_i0: of what is known, likewise.
    """
    for i in range(heights.shape[0]):
        at = i0 + i - known_i0
        for j in range(heights.shape[1]):
            across = j0 + j - known_j0
            if 0 <= at < known.shape[0] and 0 <= across < known.shape[1]:
                heights[i, j] = known[at, across]
            else:
                heights[i, j] = true_height(table, (i0 + i) * spacing, (j0 + j) * spacing)
