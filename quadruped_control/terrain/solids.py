"""The ground as solid bodies, from which any physics engine can build it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from quadruped_control.terrain.ground import BASE_FRICTION, Ground, HeightField, Incline
from quadruped_control.terrain.height_mesh import CLEARANCE, cover
from quadruped_control.terrain.pieces import Piece, merge, pieces

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]

THICKNESS = 0.5  # m, of solid below the lowest point
CUTS = (-100.0, -20.0, -5.0, 5.0, 20.0, 100.0)  # m, where large sides are cut
MOST_TRIANGLES = 100_000  # of one mesh, because engines limit its size


@dataclass(frozen=True)
class Plane:
    """Everything below a height (m)."""

    height: float
    friction: float


@dataclass(frozen=True)
class Box:
    """
    Upright box: centre and half its sides in m.

    Engines may take it as such or as a mesh, which is open below.
    """

    centre: Vector
    half_extents: Vector
    friction: float

    def make_mesh(self) -> tuple[Floats, NDArray[np.int64]]:
        """
        Return vertices (n, 3) and triangles (m, 3) of all sides but the lower one.

        Sides that go far are cut at CUTS: rays of engines see the edges of a triangle as wider
        the larger it is.
        """
        low, high = (np.array(self.centre) + sign * np.array(self.half_extents)
                     for sign in (-1, 1))
        xs, ys, zs = ([low[axis], *(cut for cut in cuts if low[axis] < cut < high[axis]),
                       high[axis]] for axis, cuts in enumerate((CUTS, CUTS, ())))
        faces = [*_cut_side(xs, ys, lambda x, y: (x, y, high[2])),
                 *_cut_side(ys, zs, lambda y, z: (high[0], y, z)),
                 *_cut_side(zs, ys, lambda z, y: (low[0], y, z)),
                 *_cut_side(zs, xs, lambda z, x: (x, high[1], z)),
                 *_cut_side(xs, zs, lambda x, z: (x, low[1], z))]
        points = np.array(faces).reshape(-1, 3)
        first, triangles = _weld(points)
        return points[first], triangles.reshape(-1, 3)


def _cut_side(ones: Sequence[float], others: Sequence[float],
              place: Callable[[float, float], Vector]) -> Iterator[tuple[Vector, Vector, Vector]]:
    """Yield the triangles of a side cut at two kinds of lines, which turn from one to other."""
    for (a, b), (c, d) in product(pairwise(ones), pairwise(others)):
        yield place(a, c), place(b, c), place(b, d)
        yield place(a, c), place(b, d), place(a, d)


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
    corners = cover(piece, surface)
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
