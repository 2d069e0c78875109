"""What the ground looks like in pictures: colours, tiles and meshes with flat faces."""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]

OBSTACLE_COLOUR = (0.55, 0.60, 0.55, 1.0)
TILE_COLOURS = ((0.78, 0.80, 0.82, 1.0), (0.68, 0.71, 0.74, 1.0))
BALL_COLOUR = (0.85, 0.05, 0.05, 1.0)
ROUND = 16                      # faces around a ball
TILES = 32                      # squares of the ground's pattern, to each side of the camera


def flatten_faces(vertices: Array, triangles: Triangles) -> tuple[Array, Array]:
    """Return vertices (3 n, 3) and normals of a mesh whose n triangles share no vertices."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return corners.reshape(-1, 3), np.repeat(normals, 3, 0)


def make_sphere(radius: float) -> tuple[Array, Triangles]:
    """Return vertices and triangles of a ball around the origin; those at its poles are none."""
    down, around = np.meshgrid(np.linspace(0.0, np.pi, ROUND // 2 + 1),
                               np.linspace(0.0, 2 * np.pi, ROUND + 1), indexing='ij')
    vertices = radius * np.stack([np.sin(down) * np.cos(around), np.sin(down) * np.sin(around),
                                  np.cos(down)], axis=-1).reshape(-1, 3)
    row, column = np.meshgrid(np.arange(ROUND // 2), np.arange(ROUND), indexing='ij')
    first = row * (ROUND + 1) + column
    below = first + ROUND + 1
    upper = np.stack([first, below, first + 1], axis=-1)[1:].reshape(-1, 3)
    lower = np.stack([first + 1, below, below + 1], axis=-1)[:-1].reshape(-1, 3)
    return vertices, np.vstack([upper, lower])


def choose_tile(leg: float) -> float:
    """Return the side of a square (m): the power of two that is about half a leg (m)."""
    return float(2.0**round(log2(leg / 2)))


def tiles_place(x: float, y: float, tile: float) -> tuple[float, float]:
    """Return where the middle of the tiles goes for a camera that looks at (x, y)."""
    return round(x / (2 * tile)) * 2 * tile, round(y / (2 * tile)) * 2 * tile


def make_tiles(parity: int, tile: float) -> tuple[Array, Triangles]:
    """Return vertices and triangles of every other square of a grid around the origin."""
    x, y = np.meshgrid(np.arange(-TILES, TILES), np.arange(-TILES, TILES), indexing='ij')
    chosen = (x + y) % 2 == parity
    low = np.stack([x[chosen], y[chosen]], axis=1) * tile
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * tile
    flat = (low[:, None, :] + corners).reshape(-1, 2)
    vertices = np.column_stack([flat, np.zeros(len(flat))])
    first = np.arange(len(low))[:, None] * 4
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    triangles: Triangles = np.vstack([first + half for half in halves])
    return vertices, triangles
