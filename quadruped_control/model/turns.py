"""Turns as quaternions w, x, y, z in plain numbers, for the few that are published or drawn."""

from __future__ import annotations

from math import cos, sin

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)


def turn_about(turn: Quaternion, axis: Vector, angle: float) -> Quaternion:
    """Return a turn, and then one about an axis (a unit vector) in the turned frame, rad."""
    w, x, y, z = turn
    a, b, c = axis
    u, s = cos(angle / 2), sin(angle / 2)
    return (u * w - s * (a * x + b * y + c * z), u * x + s * (a * w + c * y - b * z),
            u * y + s * (b * w + a * z - c * x), u * z + s * (c * w + b * x - a * y))


def slide_along(place: Vector, turn: Quaternion, axis: Vector, way: float) -> Vector:
    """Return a place moved along an axis of a turned frame, m."""
    w, *rest = turn
    u = [way * value for value in axis]
    cross = _cross(rest, u)
    second = _cross(rest, cross)
    x, y, z = (place[n] + u[n] + 2 * (w * cross[n] + second[n]) for n in range(3))
    return x, y, z


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
