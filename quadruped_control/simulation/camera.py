"""Where a picture is taken from."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin


@dataclass(frozen=True)
class Camera:
    """
    A camera that looks at a point.

    :param target: in the world, m.
    :param direction: degrees from the x axis in which the camera looks; 90 sees a dog that heads
        along x from its right side.
    :param elevation: degrees above the horizon from which it looks down.
    """

    target: tuple[float, float, float]
    distance: float = 2.2
    direction: float = 90.0
    elevation: float = 8.0
    width: int = 480
    height: int = 320
    field_of_view: float = 32.0

    @property
    def eye(self) -> tuple[float, float, float]:
        """Where the camera is, m."""
        level = self.distance * cos(radians(self.elevation))
        x, y, z = self.target
        return (x - level * cos(radians(self.direction)), y - level * sin(radians(self.direction)),
                z + self.distance * sin(radians(self.elevation)))
