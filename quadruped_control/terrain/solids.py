"""The ground as solid bodies, from which any physics engine can build it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quadruped_control.terrain.ground import BASE_FRICTION, Ground, HeightField, Incline, Treads

Floats = NDArray[np.float64]
Span = tuple[float, float]
Vector = tuple[float, float, float]

EXTENT = 1000.0  # m, half a side of the ground where it has to be built of boxes
THICKNESS = 0.5  # m, of solid below the lowest point
CLEARANCE = 0.05  # m, between flat ground and what lies under a height field
MOST_TRIANGLES = 100_000  # of one mesh, because engines limit its size


@dataclass(frozen=True)
class Plane:
    """Everything below a height (m)."""

    height: float
    friction: float


@dataclass(frozen=True)
class Box:
    """Upright box: centre and half its sides in m."""

    centre: Vector
    half_extents: Vector
    friction: float


@dataclass(frozen=True, eq=False)
class Wedge:
    """
    Upright prism with a slanting top, given by 8 vertices (8, 3) in m.

    They go from least to most: z (bottom, then top) slowest, then x, then y fastest. Engines
    may take it as their convex hull or as the closed mesh of its triangles.
    """

    vertices: Floats
    friction: float

    @property
    def triangles(self) -> NDArray[np.int64]:
        """Indices (12, 3) of vertices, counter-clockwise seen from outside."""
        bottom_top = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5))
        sides_in_x = ((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6))
        sides_in_y = ((0, 2, 6), (0, 6, 4), (1, 7, 3), (1, 5, 7))
        return np.array(bottom_top + sides_in_x + sides_in_y)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles (m, 3) of vertices (n, 3) in m, counter-clockwise seen from outside; open."""

    vertices: Floats
    triangles: NDArray[np.int64]
    friction: float


Solid = Plane | Box | Wedge | Mesh


@dataclass(frozen=True)
class Piece:
    """Rectangle (m) on which one surface and one friction are in force."""

    x: Span
    y: Span
    surface: Incline | HeightField
    friction: float


def solids(ground: Ground) -> list[Solid]:
    """
    Return bodies whose upper side is the ground and that have its friction.

    Where nothing is lower than flat ground and friction is uniform there, flat ground is an
    infinite plane; else it is made of boxes that end 1 km from the origin. No two bodies have
    upper sides at different heights over the same point, except what lies hidden under others.
    """
    parts = merge(pieces(ground))
    lowest = min(_least(piece) for piece in parts)
    bottom = min(0.0, lowest) - THICKNESS
    flat = [piece for piece in parts if _touches_flat(piece)]
    has_plane = lowest >= 0.0 and all(piece.friction == BASE_FRICTION for piece in flat)
    bodies: list[Solid] = [Plane(0.0, BASE_FRICTION)] if has_plane else []
    for piece in parts:
        if isinstance(piece.surface, HeightField):
            bodies += _meshes(piece, piece.surface)
            if not has_plane:
                bodies.append(_box(piece, -CLEARANCE, bottom))
        elif piece.surface.slope != 0.0:
            bodies.append(_wedge(piece, piece.surface, bottom))
        elif not (has_plane and piece.surface.height0 == 0.0):
            bodies.append(_box(piece, piece.surface.height0, bottom))
    return bodies


def pieces(ground: Ground) -> list[Piece]:
    """Cut the ground into rectangles that do not overlap, each of one surface and friction."""
    everywhere = (-EXTENT, EXTENT)
    parts = [Piece(everywhere, everywhere, Incline(0.0, 0.0), BASE_FRICTION)]
    for layer in ground.layers:
        rest = [outer for piece in parts for outer in _outside(piece, layer.x, layer.y)]
        if layer.surface is None:
            inner = [_inside(piece, layer.x, layer.y) for piece in parts]
            parts = rest + [replace(p, friction=layer.friction) for p in inner if p is not None]
        elif isinstance(layer.surface, Treads):
            parts = rest + list(_treads(layer.surface, layer.y, layer.friction))
        else:
            parts = [*rest, Piece(layer.x, layer.y, layer.surface, layer.friction)]
    return parts


def _treads(surface: Treads, y: Span, friction: float) -> Iterator[Piece]:
    edges, heights = surface.edges.tolist(), surface.heights.tolist()
    for x0, x1, height in zip(edges[:-1], edges[1:], heights, strict=True):
        yield Piece((x0, x1), y, Incline(0.0, height), friction)


def _inside(piece: Piece, x: Span, y: Span) -> Piece | None:
    x0, x1 = max(piece.x[0], x[0]), min(piece.x[1], x[1])
    y0, y1 = max(piece.y[0], y[0]), min(piece.y[1], y[1])
    return replace(piece, x=(x0, x1), y=(y0, y1)) if x0 < x1 and y0 < y1 else None


def _outside(piece: Piece, x: Span, y: Span) -> list[Piece]:
    """Return what a rectangle leaves of a piece: before and after it in x, then beside it."""
    inner = _inside(piece, x, y)
    if inner is None:
        return [piece]
    sides = (
        replace(piece, x=(piece.x[0], inner.x[0])),
        replace(piece, x=(inner.x[1], piece.x[1])),
        replace(inner, y=(piece.y[0], inner.y[0])),
        replace(inner, y=(inner.y[1], piece.y[1])),
    )
    return [side for side in sides if side.x[0] < side.x[1] and side.y[0] < side.y[1]]


def merge(parts: list[Piece]) -> list[Piece]:
    """Join pieces of the same surface and friction that share a whole side, until none do."""
    before = -1
    while len(parts) != before:
        before = len(parts)
        parts = _merge_along_y(_merge_along_x(parts))
    return parts


def _merge_along_x(parts: list[Piece]) -> list[Piece]:
    ending: dict[object, Piece] = {}
    for piece in sorted(parts, key=lambda piece: piece.x):
        left = ending.pop((piece.x[0], piece.y, _look(piece)), None)
        grown = piece if left is None else replace(piece, x=(left.x[0], piece.x[1]))
        ending[(grown.x[1], grown.y, _look(grown))] = grown
    return list(ending.values())


def _merge_along_y(parts: list[Piece]) -> list[Piece]:
    turned = _merge_along_x([replace(piece, x=piece.y, y=piece.x) for piece in parts])
    return [replace(piece, x=piece.y, y=piece.x) for piece in turned]


def _look(piece: Piece) -> tuple[object, ...]:
    """Return what pieces must have in common to be one; level ones only their height."""
    surface = piece.surface
    if isinstance(surface, Incline) and surface.slope == 0.0:
        return surface.height0, piece.friction
    return id(surface), piece.friction


def _least(piece: Piece) -> float:
    if isinstance(piece.surface, HeightField):
        return 0.0
    return min(piece.surface.height_at(x, 0.0) for x in piece.x)


def _touches_flat(piece: Piece) -> bool:
    """Say whether part of a piece is at height 0 over more than a line."""
    surface = piece.surface
    return isinstance(surface, HeightField) or (surface.height0 == 0.0 == surface.slope)


def _box(piece: Piece, top: float, bottom: float) -> Box:
    (x0, x1), (y0, y1) = piece.x, piece.y
    centre = ((x0 + x1) / 2, (y0 + y1) / 2, (top + bottom) / 2)
    return Box(centre, ((x1 - x0) / 2, (y1 - y0) / 2, (top - bottom) / 2), piece.friction)


def _wedge(piece: Piece, surface: Incline, bottom: float) -> Wedge:
    corners = [(x, y) for x in piece.x for y in piece.y]
    lower = [(x, y, bottom) for x, y in corners]
    upper = [(x, y, surface.height_at(x, y)) for x, y in corners]
    return Wedge(np.array(lower + upper), piece.friction)


def _meshes(piece: Piece, surface: HeightField) -> Iterator[Mesh]:
    parts = (_whole_cells(piece, surface), _cut_cells(piece, surface), _skirt(piece, surface))
    corners = np.concatenate(parts)
    for start in range(0, len(corners), MOST_TRIANGLES):
        points = corners[start : start + MOST_TRIANGLES].reshape(-1, 3)
        first, triangles = _weld(points)
        yield Mesh(points[first], triangles.reshape(-1, 3), piece.friction)


def _weld(points: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of all equal points (n, 3) and, for each point, its place among these."""
    key = np.zeros(len(points), dtype=np.int64)
    for axis in range(3):  # faster than unique rows
        _, rank = np.unique(points[:, axis], return_inverse=True)
        _, key = np.unique(key * (rank.max() + 1) + rank, return_inverse=True)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first, place


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
