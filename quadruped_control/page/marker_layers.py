"""ROS markers in the scene: a layer for each namespace, which can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.page.marker_solids import SINGLE, MarkerSolid, make_shape, place_solids
from quadruped_control.page.marker_types import (
    CUBE_LIST,
    DELETE,
    DELETE_ALL,
    LINE_LIST,
    LINE_STRIP,
    POINTS,
    SPHERE_LIST,
    TEXT,
    TRIANGLE_LIST,
    read_colour,
    read_place,
    read_points,
)

Floats = NDArray[np.float64]
Key = tuple[str, int]
LINE_WIDTH = 3.0                # pixels


class MarkerLayers:
    """
    The markers that were added and not deleted, by namespace.

    :param is_shown: asked for each namespace whether to draw it; a new one appears by this.
    """

    def __init__(self, scene: Any, parent: str, is_shown: Callable[[str], bool]) -> None:
        self._scene = scene
        self._parent = parent
        self._is_shown = is_shown
        self._markers: dict[Key, Any] = {}              # by namespace and number
        self._solids: dict[Key, MarkerSolid] = {}       # by namespace and number
        self._handles: dict[Key, Any] = {}              # by namespace and kind: all of a kind
        self._counts: dict[Key, int] = {}

    def show(self, markers: Iterable[Any]) -> None:
        """Take the markers of a message, and draw the namespaces that it is about."""
        touched = set()
        for marker in markers:
            touched.add(marker.ns)
            if marker.action == DELETE_ALL:
                touched |= {name for name, _ in self._markers}
                self._markers.clear()
            elif marker.action == DELETE:
                self._markers.pop((marker.ns, marker.id), None)
            else:
                self._markers[marker.ns, marker.id] = marker
        for namespace in sorted(touched):
            self._draw(namespace)

    def clear(self) -> None:
        """Forget all."""
        names = {name for name, _ in self._markers}
        self._markers.clear()
        for name in names:
            self._draw(name)

    def switch(self) -> None:
        """Draw or hide all namespaces as they are switched now."""
        for namespace in {name for name, _ in (*self._markers, *self._solids, *self._handles)}:
            self._draw(namespace)

    def _draw(self, namespace: str) -> None:
        shown = self._is_shown(namespace)
        markers = {key: marker for key, marker in self._markers.items()
                   if key[0] == namespace and shown}
        groups: dict[int, list[Any]] = {}
        for marker in markers.values():
            if marker.type not in SINGLE:
                groups.setdefault(marker.type, []).append(marker)
        self._remove_absent(namespace, markers, groups)
        for key, marker in markers.items():
            if marker.type in SINGLE:
                solid = self._solids.get(key)
                if solid is None or solid.kind != marker.type:
                    path = f'{self._parent}/{namespace}_{key[1]}'
                    solid = self._solids[key] = MarkerSolid(self._scene, path, marker)
                solid.move(marker)
        for kind, group in groups.items():
            self._draw_group((namespace, kind), group)

    def _remove_absent(self, namespace: str, markers: dict[Key, Any],
                       groups: dict[int, list[Any]]) -> None:
        for key in [key for key in self._solids if key[0] == namespace]:
            if key not in markers or markers[key].type not in SINGLE:
                self._solids.pop(key).remove()
        for key in [key for key in self._handles if key[0] == namespace]:
            if key[1] not in groups:
                self._handles.pop(key).remove()
                self._counts.pop(key, None)

    def _draw_group(self, key: Key, markers: list[Any]) -> None:
        kind, path = key[1], f'{self._parent}/{key[0]}_all_{key[1]}'
        colour = read_colour(markers[0])
        if kind in (CUBE_LIST, SPHERE_LIST, POINTS):
            places, turns, sizes = place_solids(markers)
            self._put(key, len(places), {'batched_positions': places, 'batched_wxyzs': turns,
                                         'batched_scales': sizes},
                      lambda now: self._scene.add_batched_meshes_simple(
                          path, *make_shape(kind), batched_colors=colour, lod='off',
                          cast_shadow=False, **now))
        elif kind in (LINE_STRIP, LINE_LIST):
            points = np.concatenate([_read_lines(marker) for marker in markers])
            self._put(key, len(points), {'points': points},
                      lambda now: self._scene.add_line_segments(
                          path, colors=colour, thickness=LINE_WIDTH, thickness_units='screen',
                          **now))
        elif kind == TRIANGLE_LIST:
            points = np.concatenate([read_points(marker.points) for marker in markers])
            self._handles[key] = self._scene.add_mesh_simple(
                path, points, np.arange(len(points)).reshape(-1, 3), flat_shading=True,
                color=colour, side='double')
        elif kind == TEXT:
            self._put(key, 1, {'text': markers[0].text, 'position': read_place(markers[0])},
                      lambda now: self._scene.add_label(path, anchor='bottom-center', **now))

    def _put(self, key: Key, count: int, now: dict[str, Any],
             make: Callable[[dict[str, Any]], Any]) -> None:
        """Change what is there; make it anew where the number of things is another."""
        if self._counts.get(key) != count:
            self._handles[key] = make(now)
            self._counts[key] = count
            return
        for name, value in now.items():
            setattr(self._handles[key], name, value)


def _read_lines(marker: Any) -> Floats:
    """Return the lines (n, 2, 3) of a strip or of a list."""
    points = read_points(marker.points)
    if marker.type == LINE_STRIP:
        return np.stack((points[:-1], points[1:]), axis=1)
    return points.reshape(-1, 2, 3)
