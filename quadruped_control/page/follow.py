"""The point that the camera stays with: the dog's middle, without its bobbing."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
CLOSE, TREND = 0.12, 0.006      # how much of a difference goes into place and speed, a picture
JUMP = 1.0                      # m at which the dog was set elsewhere
TURN = 0.08                     # of the heading's difference, a picture


class FollowedPoint:
    """
    Follows place and heading of the dog smoothly, a dog at a steady speed without lag.

    :param middle: how far its middle is ahead of its base, m.
    :param base_height: of the base of a dog that stands, m.
    """

    def __init__(self, middle: float, base_height: float) -> None:
        self._middle, self._base_height = middle, base_height
        self.place: Vector = np.zeros(3)
        self.heading = 0.0
        self._speed: Vector = np.zeros(3)

    def update(self, position: Vector, turn: tuple[float, float, float, float]) -> None:
        """Take the base's place and its turn (w, x, y, z) for the next picture."""
        w, x, y, z = turn
        heading = atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        goal = np.array((position[0] + self._middle * cos(heading),
                         position[1] + self._middle * sin(heading),
                         position[2] - self._base_height))
        difference = goal - self.place - self._speed
        if float(np.linalg.norm(difference)) > JUMP:
            self.place, self.heading = goal, heading
            self._speed[:] = 0.0
            return
        self.place = self.place + self._speed + CLOSE * difference
        self._speed += TREND * difference
        off = heading - self.heading
        self.heading += TURN * (off - 2 * pi * round(off / (2 * pi)))
