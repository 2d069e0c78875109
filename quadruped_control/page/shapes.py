"""Meshes of simple bodies: vertices (n, 3) and triangles (m, 3)."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float32]
Triangles = NDArray[np.uint32]
Shape = tuple[Vertices, Triangles]
BOX_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


@cache
def make_box(x: float = 1.0, y: float = 1.0, z: float = 1.0) -> Shape:
    """Return a box around the origin."""
    vertices = [(a * x / 2, b * y / 2, c * z / 2) for a, b, c in product((-1, 1), repeat=3)]
    triangles = [corners for a, b, c, d in BOX_SIDES for corners in ((a, b, c), (a, c, d))]
    return _shape(vertices, triangles)


@cache
def make_cylinder(radius: float = 0.5, bottom: float = -0.5, top: float = 0.5,
                  top_radius: float | None = None, sides: int = 20) -> Shape:
    """Return a cylinder about z, or a cone where the radius at the top is another."""
    upper = radius if top_radius is None else top_radius
    ring = [(cos(2 * pi * n / sides), sin(2 * pi * n / sides)) for n in range(sides)]
    vertices = [(r * c, r * s, z) for r, z in ((radius, bottom), (upper, top)) for c, s in ring]
    vertices += [(0.0, 0.0, bottom), (0.0, 0.0, top)]
    triangles: list[tuple[int, int, int]] = []
    for a in range(sides):
        b = (a + 1) % sides
        triangles += [(a, b, sides + b), (a, sides + b, sides + a), (b, a, 2 * sides),
                      (sides + a, sides + b, 2 * sides + 1)]
    return _shape(vertices, triangles)


@cache
def make_ball(radius: float = 0.5, rings: int = 10, sides: int = 16) -> Shape:
    """Return a ball around the origin."""
    vertices = [(radius * sin(pi * i / rings) * cos(2 * pi * j / sides),
                 radius * sin(pi * i / rings) * sin(2 * pi * j / sides),
                 radius * cos(pi * i / rings)) for i in range(rings + 1) for j in range(sides)]
    triangles = []
    for i, j in product(range(rings), range(sides)):
        a, b = i * sides + j, i * sides + (j + 1) % sides
        triangles += [(a, a + sides, b + sides), (a, b + sides, b)]
    return _shape(vertices, triangles)


@cache
def make_arrow(shaft: float, head: float) -> Shape:
    """Return an arrow of length 1 along z, with the radii of its shaft and head."""
    first = make_cylinder(shaft, 0.0, 0.8, sides=12)
    second = make_cylinder(head, 0.75, 1.0, 0.0, sides=16)
    return (np.concatenate((first[0], second[0])),
            np.concatenate((first[1], second[1] + len(first[0]))).astype(np.uint32))


def _shape(vertices: object, triangles: object) -> Shape:
    return (np.array(vertices, np.float32).reshape(-1, 3),
            np.array(triangles, np.uint32).reshape(-1, 3))
