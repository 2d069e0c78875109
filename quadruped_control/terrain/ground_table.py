"""The ground laid out flat, so that the compiled controller can ask for its height."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_never

from quadruped_control.compiled import compiled
from quadruped_control.terrain.ground import Ground, HeightField, Incline, Treads

Array = NDArray[np.float64]


class SurfaceKind(IntEnum):
    """What the numbers of a row describe."""

    INCLINE = 0
    TREADS = 1
    FIELD = 2


class GroundTable(NamedTuple):
    """
    Layers of a ground as rows of numbers.

    :param layers: x0, x1, y0, y1, kind, then for an incline x0, height and slope, for treads and
        fields the number of lines in x and y; and where in ``values`` the lines begin.
    :param values: lines and heights of all treads and height fields, one after the other.
    """

    layers: Array
    values: Array


def tabulate(ground: Ground) -> GroundTable:
    """Lay a ground out as a table; a surface that has no row there is an error."""
    rows: list[list[float]] = []
    values: list[Array] = [np.zeros(1)]
    for layer in ground.layers:
        start = float(sum(len(part) for part in values))
        rectangle = [*layer.x, *layer.y]
        match layer.surface:
            case Incline() as s:
                rows.append([*rectangle, SurfaceKind.INCLINE, s.x0, s.height0, s.slope, 0.0])
            case Treads() as s:
                values += [s.edges, s.heights]
                rows.append([*rectangle, SurfaceKind.TREADS, len(s.edges), 0.0, 0.0, start])
            case HeightField() as s:
                values += [s.x, s.y, s.z.ravel()]
                rows.append([*rectangle, SurfaceKind.FIELD, len(s.x), len(s.y), 0.0, start])
            case None:                  # a patch: the ground below it with another friction
                pass
            case unknown:
                assert_never(unknown)
    return GroundTable(np.array(rows, float).reshape(-1, 9), np.concatenate(values))


@compiled
def ground_height(table: GroundTable, x: float, y: float) -> float:
    """Return the height of the ground in m, as :meth:`Ground.height_at` does."""
    layers, values = table
    for n in range(layers.shape[0] - 1, -1, -1):
        row = layers[n]
        if row[0] <= x < row[1] and row[2] <= y < row[3]:
            kind = int(row[4])
            if kind == SurfaceKind.INCLINE:
                return row[6] + row[7] * (x - row[5])
            if kind == SurfaceKind.TREADS:
                start, lines = int(row[8]), int(row[5])
                return values[start + lines + _cell(values, start, lines, x)]
            return _field_height(values, int(row[8]), int(row[5]), int(row[6]), x, y)
    return 0.0


@compiled
def _cell(values: Array, start: int, lines: int, at: float) -> int:
    """Return the index of the half-open cell between two lines in which a number lies."""
    low, high = 0, lines - 2
    while low < high:
        middle = (low + high + 1) // 2
        if values[start + middle] <= at:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def _field_height(values: Array, start: int, nx: int, ny: int, x: float, y: float) -> float:
    i, j = _cell(values, start, nx, x), _cell(values, start + nx, ny, y)
    x0, x1 = values[start + i], values[start + i + 1]
    y0, y1 = values[start + nx + j], values[start + nx + j + 1]
    corner = start + nx + ny + i * ny + j
    z00, z01, z10, z11 = values[corner], values[corner + 1], values[corner + ny], values[
        corner + ny + 1]
    u, v = (x - x0) / (x1 - x0), (y - y0) / (y1 - y0)
    if u >= v:
        return z00 + u * (z10 - z00) + v * (z11 - z10)
    return z00 + u * (z11 - z01) + v * (z01 - z00)
