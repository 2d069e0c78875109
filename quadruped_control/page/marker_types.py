"""What is in a visualization_msgs/Marker, whichever library read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# types and actions
ARROW, CUBE, SPHERE, CYLINDER, LINE_STRIP, LINE_LIST, CUBE_LIST, SPHERE_LIST, POINTS, TEXT = range(
    10)
TRIANGLE_LIST = 11
DELETE, DELETE_ALL = 2, 3

Vector = tuple[float, float, float]


def read_points(points: Iterable[Any]) -> NDArray[np.float64]:
    """Return points as rows."""
    return np.array([(p.x, p.y, p.z) for p in points], float).reshape(-1, 3)


def read_place(marker: Any) -> Vector:
    """Return where a marker is."""
    place = marker.pose.position
    return place.x, place.y, place.z


def read_turn(marker: Any) -> tuple[float, float, float, float]:
    """Return how a marker is turned: w, x, y, z."""
    turn = marker.pose.orientation
    return turn.w, turn.x, turn.y, turn.z


def read_colour(marker: Any) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255."""
    colour = marker.color
    return round(255 * colour.r), round(255 * colour.g), round(255 * colour.b)
