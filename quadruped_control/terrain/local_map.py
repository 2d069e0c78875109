"""
What a robot knows of the ground around it, and the questions that footholds and posture ask.

The map is a grid of heights around the robot, as a sensor on it gives. Each question asks for the
heights of a few places; on level ground every answer is exactly zero or none.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

PLACES = 9                  # of a mean over a window
STEEPEST = 0.8              # slope of a face; beyond it is the edge of a step
AROUND = 16                 # places around a foothold, on its margin and nearer in turn
INNER = 0.5                 # of the margin, of the nearer ones


class LocalMap(NamedTuple):
    """
    Heights of the ground on a grid along the axes of the world.

    :param x: of the first point, m; ``y`` likewise.
    :param spacing: m from point to point.
    :param heights: by x and y, m; at least two points along each.
    """

    x: float
    y: float
    spacing: float
    heights: NDArray[np.float64]


LEVEL = LocalMap(0.0, 0.0, 1.0, np.zeros((2, 2)))   # of a plain, and before anything is known


@compiled
def ground_height(ground: LocalMap, x: float, y: float) -> float:
    """Return the height between the points of the map; beyond its border that of the border."""
    heights = ground.heights
    u = _clamp((x - ground.x) / ground.spacing, heights.shape[0] - 1)
    v = _clamp((y - ground.y) / ground.spacing, heights.shape[1] - 1)
    i, j = min(int(u), heights.shape[0] - 2), min(int(v), heights.shape[1] - 2)
    a, b = u - i, v - j
    z00, z10, z01, z11 = heights[i, j], heights[i + 1, j], heights[i, j + 1], heights[i + 1, j + 1]
    return z00 + a * (z10 - z00) + b * (z01 - z00) + a * b * ((z00 - z10) - (z01 - z11))


@compiled
def _clamp(value: float, most: int) -> float:
    """Return a number from 0 to a limit; 0 for one that is none."""
    return min(value, float(most)) if value > 0.0 else 0.0


@compiled
def mean_height(ground: LocalMap, x: float, y: float, ahead: float, left: float,
                reach: float) -> float:
    """
    Return the mean height over a window along a direction, m.

    :param ahead: x of the direction, ``left`` its y; both of a unit vector.
    :param reach: of the window to either side, m.
    """
    total = 0.0
    for n in range(PLACES):
        away = reach * (2.0 * n / (PLACES - 1) - 1.0)
        total += ground_height(ground, x + away * ahead, y + away * left)
    return total / PLACES


@compiled
def mean_slope(ground: LocalMap, x: float, y: float, ahead: float, left: float,
               reach: float) -> float:
    """Return by how much the mean over a window rises along its direction, m per m."""
    rise = (ground_height(ground, x + reach * ahead, y + reach * left)
            - ground_height(ground, x - reach * ahead, y - reach * left))
    return rise / (2.0 * reach)


@compiled
def face_slope(ground: LocalMap, x: float, y: float, size: float,
               slope: NDArray[np.float64]) -> None:
    """
    Write how the face under a place rises along x and y, m per m; level where it is an edge.

    :param size: of a foot's contact, m.
    """
    slope[0] = mean_slope(ground, x, y, 1.0, 0.0, size)
    slope[1] = mean_slope(ground, x, y, 0.0, 1.0, size)
    if max(abs(slope[0]), abs(slope[1])) > STEEPEST:
        slope[:] = 0.0


@compiled
def unevenness(ground: LocalMap, x: float, y: float, slope_x: float, slope_y: float,
               margin: float) -> float:
    """
    Return by how much the ground around a place is off the plane through it, at most, m.

    :param slope_x: of the plane, m per m; ``slope_y`` likewise.
    """
    centre, most = ground_height(ground, x, y), 0.0
    for n in range(AROUND):
        angle, away = 2.0 * np.pi * n / AROUND, margin if n % 2 == 0 else INNER * margin
        dx, dy = away * np.cos(angle), away * np.sin(angle)
        off = ground_height(ground, x + dx, y + dy) - centre - slope_x * dx - slope_y * dy
        most = max(most, abs(off))
    return most


@compiled
def highest_over_line(ground: LocalMap, x0: float, y0: float, z0: float, x1: float, y1: float,
                      z1: float, spacing: float) -> float:
    """Return how far the ground rises over the straight line between two points, m; or 0."""
    length = sqrt((x1 - x0)**2 + (y1 - y0)**2)
    count, most = int(length / spacing), 0.0
    for n in range(1, count + 1):
        part = n / (count + 1)
        line = z0 + part * (z1 - z0)
        height = ground_height(ground, x0 + part * (x1 - x0), y0 + part * (y1 - y0))
        most = max(most, height - line)
    return most
