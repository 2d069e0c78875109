"""What the ground looks like in pictures: colours, tiles and meshes with flat faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]

OBSTACLE_COLOUR = (0.55, 0.60, 0.55, 1.0)
TILE_COLOURS = ((0.78, 0.80, 0.82, 1.0), (0.68, 0.71, 0.74, 1.0))
TILE, TILED = 0.25, 8.0         # m: side of a square of the ground's pattern, how far it goes


def flatten_faces(vertices: Array, triangles: Triangles) -> tuple[Array, Array]:
    """Return vertices (3 n, 3) and normals of a mesh whose n triangles share no vertices."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return corners.reshape(-1, 3), np.repeat(normals, 3, 0)


def tiles_place(x: float, y: float) -> tuple[float, float]:
    """Return where the middle of the tiles goes for a camera that looks at (x, y)."""
    return round(x / (2 * TILE)) * 2 * TILE, round(y / (2 * TILE)) * 2 * TILE


def make_tiles(parity: int) -> tuple[Array, Triangles]:
    """Return vertices and triangles of every other square of a grid around the origin."""
    count = int(TILED / TILE)
    x, y = np.meshgrid(np.arange(-count, count), np.arange(-count, count), indexing='ij')
    chosen = (x + y) % 2 == parity
    low = np.stack([x[chosen], y[chosen]], axis=1) * TILE
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * TILE
    flat = (low[:, None, :] + corners).reshape(-1, 2)
    vertices = np.column_stack([flat, np.zeros(len(flat))])
    first = np.arange(len(low))[:, None] * 4
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    triangles: Triangles = np.vstack([first + half for half in halves])
    return vertices, triangles
