"""The triangles of a height field where a piece of ground shows it, walls included."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quadruped_control.terrain.ground import HeightField
from quadruped_control.terrain.pieces import Piece, Span

Floats = NDArray[np.float64]

CLEARANCE = 0.05  # m, between flat ground and what lies under a height field


def cover(piece: Piece, surface: HeightField) -> Floats:
    """Return the corners (n, 3, 3) of all triangles, counter-clockwise seen from outside."""
    return np.concatenate(
        (_whole_cells(piece, surface), _cut_cells(piece, surface), _skirt(piece, surface))
    )


def _whole_cells(piece: Piece, surface: HeightField) -> Floats:
    """Return the corners (n, 3, 3) of the triangles of all cells that lie inside a piece."""
    i0, i1 = _whole(surface.x, piece.x)
    j0, j1 = _whole(surface.y, piece.y)
    if i1 <= i0 or j1 <= j0:
        return np.empty((0, 3, 3))
    x, y = np.meshgrid(surface.x[i0 : i1 + 1], surface.y[j0 : j1 + 1], indexing='ij')
    return _triangles(np.stack((x, y, surface.z[i0 : i1 + 1, j0 : j1 + 1]), axis=-1))


def _whole(lines: Floats, span: Span) -> tuple[int, int]:
    """Return the first and last grid line inside a span."""
    first = int(np.searchsorted(lines, span[0], side='left'))
    return first, int(np.searchsorted(lines, span[1], side='right')) - 1


def _triangles(grid: Floats) -> Floats:
    """Return the corners (n, 3, 3) of two triangles for each cell of vertices (n, m, 3)."""
    p00, p10, p01, p11 = grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]
    right = np.stack((p00, p10, p11), axis=2)
    left = np.stack((p00, p11, p01), axis=2)
    return np.concatenate((right.reshape(-1, 3, 3), left.reshape(-1, 3, 3)))


def _cut_cells(piece: Piece, surface: HeightField) -> Floats:
    """Return the triangles (n, 3, 3) of what a piece contains of the cells at its border."""
    (i0, i1), (j0, j1) = _overlapping(surface.x, piece.x), _overlapping(surface.y, piece.y)
    (a0, a1), (b0, b1) = _whole(surface.x, piece.x), _whole(surface.y, piece.y)
    corners: list[Floats] = []
    for i in range(i0, i1):
        for j in range(j0, j1):
            if a0 <= i < a1 and b0 <= j < b1:
                continue
            x, y = np.meshgrid(surface.x[i : i + 2], surface.y[j : j + 2], indexing='ij')
            cell = _triangles(np.stack((x, y, surface.z[i : i + 2, j : j + 2]), axis=-1))
            for triangle in cell:
                polygon = _clip(list(triangle), piece)
                corners += [np.array((polygon[0], *pair)) for pair in pairwise(polygon[1:])]
    return np.array(corners).reshape(-1, 3, 3)


def _overlapping(lines: Floats, span: Span) -> tuple[int, int]:
    """Return the first cell that overlaps a span and the one after the last."""
    first = int(np.searchsorted(lines, span[0], side='right')) - 1
    return first, int(np.searchsorted(lines, span[1], side='left'))


def _clip(polygon: list[Floats], piece: Piece) -> list[Floats]:
    """Cut a convex polygon to the rectangle of a piece (Sutherland and Hodgman)."""
    for axis, (least, most) in enumerate((piece.x, piece.y)):
        for sign, limit in ((1.0, least), (-1.0, most)):
            kept: list[Floats] = []
            for start, end in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                before, after = sign * (start[axis] - limit), sign * (end[axis] - limit)
                if before >= 0.0:
                    kept.append(start)
                if before * after < 0.0:
                    crossing = start + before / (before - after) * (end - start)
                    crossing[axis] = limit
                    kept.append(crossing)
            polygon = kept
    return polygon


def _skirt(piece: Piece, surface: HeightField) -> Floats:
    """Return the triangles (n, 3, 3) of vertical walls that close the four sides of a piece."""
    walls = []
    for axis in (0, 1):
        for side in (0, 1):
            top = _profile(piece, surface, axis, (piece.x, piece.y)[axis][side])
            foot = top * (1.0, 1.0, 0.0) - (0.0, 0.0, CLEARANCE)
            wall = _triangles(np.stack((foot, top), axis=1))
            walls.append(wall if axis != side else wall[:, ::-1])
    return np.concatenate(walls)


def _profile(piece: Piece, surface: HeightField, axis: int, at: float) -> Floats:
    """Return the corners (n, 3) of the surface along a line of constant x (axis 0) or y (1)."""
    lines, across = (surface.x, surface.y) if axis == 0 else (surface.y, surface.x)
    least, most = (piece.y, piece.x)[axis]
    cell = min(int(np.searchsorted(lines, at, side='right')) - 1, len(lines) - 2)
    part = (at - lines[cell]) / (lines[cell + 1] - lines[cell])
    diagonals = across[:-1] + part * np.diff(across)
    along = np.unique(np.concatenate((across, diagonals, (least, most))))
    along = along[(least <= along) & (along <= most)]
    fixed = np.full(along.shape, at)
    x, y = (fixed, along) if axis == 0 else (along, fixed)
    return np.stack((x, y, surface.height(x, y)), axis=-1)
