"""Markers that are a body each: placed by their pose, which a page shows at once."""

from __future__ import annotations

from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.page.marker_types import (
    ARROW,
    CUBE,
    CUBE_LIST,
    CYLINDER,
    SPHERE,
    read_colour,
    read_place,
    read_points,
    read_turn,
)
from quadruped_control.page.posed_node import PosedNode, Quaternion
from quadruped_control.page.shapes import Shape, make_arrow, make_ball, make_box, make_cylinder

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]
SINGLE = (ARROW, CUBE, SPHERE, CYLINDER)
SHAFT, HEAD = 0.007, 0.017      # m, radii of an arrow
SHORTEST = 0.004                # m, of an arrow
SMALLEST_CHANGE = 0.03          # of a size, that is sent: a size is shown later than a pose


class MarkerSolid:
    """A box, ball, cylinder or arrow in the scene."""

    def __init__(self, scene: Any, path: str, marker: Any) -> None:
        self.kind = marker.type
        opacity = marker.color.a
        self._size: Vector = (1.0, 1.0, 1.0)
        self._handle = scene.add_mesh_simple(
            path, *make_shape(self.kind), color=read_colour(marker), cast_shadow=False,
            receive_shadow=False, opacity=opacity if opacity < 1.0 else None)
        self._node = PosedNode(self._handle)

    def move(self, marker: Any) -> None:
        """Put it where the marker is."""
        place, turn, size = (_read_arrow(marker) if self.kind == ARROW else
                             (read_place(marker), read_turn(marker), _read_size(marker)))
        self._node.place(place)
        self._node.turn(turn)
        if any(abs(new - old) > SMALLEST_CHANGE * max(new, old)
               for new, old in zip(size, self._size, strict=True)):
            self._size = self._handle.scale = size

    def remove(self) -> None:
        """Take it out of the scene."""
        self._handle.remove()


def make_shape(kind: int) -> Shape:
    """Return the shape of a kind of marker, of size 1; an arrow is along z."""
    if kind in (CUBE, CUBE_LIST):
        return make_box()
    if kind == CYLINDER:
        return make_cylinder()
    return make_arrow(SHAFT, HEAD) if kind == ARROW else make_ball()


def place_solids(markers: list[Any]) -> tuple[Floats, Floats, Floats]:
    """Return places (n, 3), turns (n, 4) and sizes (n, 3) of all bodies of lists."""
    places, turns, sizes = [], [], []
    for marker in markers:
        for point in read_points(marker.points):
            places.append(point)
            turns.append(read_turn(marker))
            sizes.append(_read_size(marker))
    return (np.array(places).reshape(-1, 3), np.array(turns).reshape(-1, 4),
            np.array(sizes).reshape(-1, 3))


def _read_size(marker: Any) -> Vector:
    size = marker.scale
    return size.x, size.y, size.z or size.x


def _read_arrow(marker: Any) -> tuple[Vector, Quaternion, Vector]:
    """Return place, turn and size of an arrow along z; it goes by two points, or along its x."""
    if len(marker.points) == 2:
        a, b = marker.points
        start: Vector = (a.x, a.y, a.z)
        x, y, z = b.x - a.x, b.y - a.y, b.z - a.z
    else:
        w, i, j, k = read_turn(marker)
        start, size = read_place(marker), marker.scale.x
        x, y, z = (size * (1 - 2 * (j * j + k * k)), size * 2 * (i * j + w * k),
                   size * 2 * (i * k - w * j))
    length = sqrt(x * x + y * y + z * z)
    return start, _turn_from_z(x, y, z, length), (1.0, 1.0, max(length, SHORTEST))


def _turn_from_z(x: float, y: float, z: float, length: float) -> Quaternion:
    """Return the shortest turn from z to a direction."""
    if length < SHORTEST:
        return 1.0, 0.0, 0.0, 0.0
    w = 1.0 + z / length
    if w < 1e-6:
        return 0.0, 1.0, 0.0, 0.0
    size = hypot(w, x / length, y / length)
    return w / size, -y / length / size, x / length / size, 0.0
