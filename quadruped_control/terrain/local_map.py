"""
What a robot knows of the ground around it: the questions that footholds and posture ask.

The ground is asked at a few places each; on level ground every answer is exactly zero or none.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.terrain.ground_table import GroundTable, ground_height

PLACES = 9                  # of a mean over a window
STEEPEST = 0.8              # slope of a face; beyond it is the edge of a step
AROUND = 16                 # places around a foothold, on its margin and nearer in turn
INNER = 0.5                 # of the margin, of the nearer ones


@compiled
def mean_height(ground: GroundTable, x: float, y: float, ahead: float, left: float,
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
def mean_slope(ground: GroundTable, x: float, y: float, ahead: float, left: float,
               reach: float) -> float:
    """Return by how much the mean over a window rises along its direction, m per m."""
    rise = (ground_height(ground, x + reach * ahead, y + reach * left)
            - ground_height(ground, x - reach * ahead, y - reach * left))
    return rise / (2.0 * reach)


@compiled
def face_slope(ground: GroundTable, x: float, y: float, size: float,
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
def unevenness(ground: GroundTable, x: float, y: float, slope_x: float, slope_y: float,
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
def highest_over_line(ground: GroundTable, x0: float, y0: float, z0: float, x1: float, y1: float,
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
