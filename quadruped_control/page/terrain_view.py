"""The ground in the scene, from the markers that RViz draws."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.page.marker_types import CUBE, TRIANGLE_LIST
from quadruped_control.page.shapes import make_box

Colour = tuple[int, int, int]
ENDLESS = 50.0                  # m; flat ground of this size counts as without end
LIFT = 0.002                    # m of lines over the ground that they are drawn on
REACH = 30.0                    # m from the origin to which lines are drawn on large boxes
EARTH: Colour = (188, 194, 178)
STONE: Colour = (172, 150, 124)
LINES: Colour = (150, 156, 142)


class TerrainView:
    """Flat ground as a plane with a grid; all else as meshes with lines on top."""

    def __init__(self, scene: Any, parent: str) -> None:
        self._scene = scene
        self._parent = parent
        self._handles: list[Any] = []

    def show(self, markers: Iterable[Any]) -> None:
        """Draw a terrain in place of the last one."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        for number, marker in enumerate(markers):
            path = f'{self._parent}/{number}'
            if marker.type == CUBE and min(marker.scale.x, marker.scale.y) > ENDLESS and (
                    marker.scale.z < 0.1):
                self._add_plane(path, marker.pose.position.z + marker.scale.z / 2)
            elif marker.type == CUBE:
                self._add_box(path, marker)
            elif marker.type == TRIANGLE_LIST:
                self._add_mesh(path, marker)

    def show_flat(self) -> None:
        """Draw flat ground in place of the last terrain."""
        self.show(())
        self._add_plane(f'{self._parent}/0', 0.0)

    def _add_plane(self, path: str, height: float) -> None:
        self._handles.append(self._scene.add_grid(
            path, infinite_grid=True, cell_size=0.5, section_size=1.0, cell_color=LINES,
            section_color=LINES, cell_thickness=0.6, section_thickness=1.4, fade_distance=40.0,
            plane_color=EARTH, plane_opacity=1.0, shadow_opacity=0.35,
            position=(0.0, 0.0, height)))

    def _add_box(self, path: str, marker: Any) -> None:
        place, size = marker.pose.position, marker.scale
        top = place.z + size.z / 2
        is_floor = abs(top) < 1e-6
        self._handles.append(self._scene.add_mesh_simple(
            path, *make_box(size.x, size.y, size.z), flat_shading=True,
            color=EARTH if is_floor else STONE, position=(place.x, place.y, place.z)))
        lines = rule_lines((place.x - size.x / 2, place.x + size.x / 2),
                           (place.y - size.y / 2, place.y + size.y / 2), top + LIFT)
        if len(lines) and size.x * size.y > 4.0:
            self._handles.append(self._scene.add_line_segments(
                f'{path}/lines', lines - np.array((place.x, place.y, place.z)), colors=LINES,
                thickness=1.0, thickness_units='screen'))

    def _add_mesh(self, path: str, marker: Any) -> None:
        points = np.array([(p.x, p.y, p.z) for p in marker.points])
        self._handles.append(self._scene.add_mesh_simple(
            path, points, np.arange(len(points)).reshape(-1, 3), flat_shading=True, color=STONE,
            side='double'))


def rule_lines(x: tuple[float, float], y: tuple[float, float], height: float
               ) -> NDArray[np.float64]:
    """Return lines (n, 2, 3) at every metre of a rectangle, near the origin."""
    x = max(x[0], -REACH), min(x[1], REACH)
    y = max(y[0], -REACH), min(y[1], REACH)
    if x[0] >= x[1] or y[0] >= y[1]:
        return np.zeros((0, 2, 3))
    along = [((x[0], at, height), (x[1], at, height))
             for at in range(int(np.ceil(y[0])), int(np.floor(y[1])) + 1)]
    across = [((at, y[0], height), (at, y[1], height))
              for at in range(int(np.ceil(x[0])), int(np.floor(x[1])) + 1)]
    return np.array(along + across, float).reshape(-1, 2, 3)
