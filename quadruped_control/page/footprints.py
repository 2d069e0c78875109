"""Where feet came down: the last footprints in the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.page.page_robot import PageRobot
from quadruped_control.page.shapes import make_cylinder

MOST = 120
HIDDEN = -1000.0                # m
LIFT = 0.004                    # m over the ground
BEARS, LOOSE = 0.045, 0.003     # of the weight: from which a foot is down, and below which up
RADIUS, THICKNESS = 0.061, 0.003        # of the standing height, and m
FRONT, REAR = (70, 105, 160), (170, 95, 60)


class Footprints:
    """Discs at the places of the last touchdowns, the rear feet's in another colour."""

    def __init__(self, scene: Any, path: str, robot: PageRobot) -> None:
        self._bears, self._loose = BEARS * robot.weight, LOOSE * robot.weight
        self._places: NDArray[np.float64] = np.tile((0.0, 0.0, HIDDEN), (MOST, 1))
        colours = np.tile(FRONT, (MOST, 1))
        colours[MOST // 2:] = REAR
        self._handle = scene.add_batched_meshes_simple(
            path, *make_cylinder(RADIUS * robot.height, -THICKNESS / 2, THICKNESS / 2),
            np.tile((1.0, 0.0, 0.0, 0.0), (MOST, 1)), self._places, batched_colors=colours,
            lod='off', cast_shadow=False, receive_shadow=False)
        self._next = [0, MOST // 2]
        self._down = [True] * 4
        self._is_new = False

    def watch(self, forces: Sequence[float], soles: NDArray[np.float64]) -> None:
        """Note touchdowns, from foot forces (N) and lowest points (4, 3) of the feet."""
        for leg, force in enumerate(forces):
            if not self._down[leg] and force > self._bears:
                self._down[leg] = True
                self._note(leg // 2, soles[leg])
            elif force < self._loose:
                self._down[leg] = False

    def _note(self, frame: int, place: NDArray[np.float64]) -> None:
        number = self._next[frame]
        self._places[number] = place[0], place[1], place[2] + LIFT
        half = frame * MOST // 2
        self._next[frame] = half + (number - half + 1) % (MOST // 2)
        self._is_new = True

    def draw(self) -> None:
        """Show what is new."""
        if self._is_new:
            self._handle.batched_positions = self._places.copy()
            self._is_new = False

    def clear(self) -> None:
        """Wipe them all out."""
        self._places[:] = 0.0, 0.0, HIDDEN
        self._is_new = True

    def switch(self, visible: bool) -> None:
        """Show or hide them."""
        self._handle.visible = visible
