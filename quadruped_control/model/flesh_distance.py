"""How far points are from the round shapes of the description: cones, and ellipsoids as balls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.model.description import Flesh

Floats = NDArray[np.float64]
TINY = 1e-9


def _core(flesh: Flesh) -> tuple[Floats, Floats, tuple[float, float], Floats]:
    """Return start, end, both radii and the stretch of a shape."""
    if flesh.radii is not None:
        centre = np.array(flesh.centre)
        return centre, centre, (1.0, 1.0), np.array(flesh.radii)
    assert flesh.radius is not None
    return np.array(flesh.start), np.array(flesh.end), flesh.radius, np.array(flesh.stretch)


def thickness(flesh: Flesh) -> float:
    """Return the mean radius where the shape is thinnest, m."""
    _, _, radii, stretch = _core(flesh)
    return (radii[0] + radii[1]) / 2 * float(stretch.min())


def bounds(flesh: Flesh) -> tuple[Floats, Floats]:
    """Return the corners of least and most x, y and z of a box around the shape."""
    start, end, radii, stretch = _core(flesh)
    reach = stretch if flesh.pitch == 0 else np.full(3, stretch.max())
    low = np.minimum(start - reach * radii[0], end - reach * radii[1])
    high = np.maximum(start + reach * radii[0], end + reach * radii[1])
    if flesh.pair:
        high[1] = max(high[1], -low[1])
        low[1] = -high[1]
    return low, high


def distance(flesh: Flesh, points: Floats) -> Floats:
    """Distance to the shape (nearly: exact for a round cone that is not stretched)."""
    one = _distance_to_one(flesh, points)
    if not flesh.pair:
        return one
    return np.minimum(one, _distance_to_one(flesh, points * (1, -1, 1)))


def _distance_to_one(flesh: Flesh, points: Floats) -> Floats:
    start, end, radii, stretch = _core(flesh)
    turn = _pitch_matrix(flesh.pitch)
    local, axis = (points - start) @ turn / stretch, (end - start) @ turn / stretch
    length = float(np.linalg.norm(axis))
    centre, radius = np.zeros_like(local), np.full(len(local), radii[0])
    if length > TINY:
        axis /= length
        slope = float(np.clip((radii[0] - radii[1]) / length, -0.99, 0.99))
        height = local @ axis
        around = np.linalg.norm(local - np.outer(height, axis), axis=1)
        place = np.clip(height - around * slope / np.sqrt(1 - slope**2), 0, length)
        centre = np.outer(place, axis)
        radius = radii[0] + (radii[1] - radii[0]) * place / length
    away = local - centre
    norm = np.maximum(np.linalg.norm(away, axis=1), TINY)
    steepness = np.linalg.norm(away / norm[:, None] / stretch, axis=1)
    return (norm - radius) / np.maximum(steepness, TINY)


def _pitch_matrix(degrees: float) -> Floats:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
