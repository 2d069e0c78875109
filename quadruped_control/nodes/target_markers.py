"""What RViz and the page draw of a target: a post with the heading to have there, or a ball."""

from __future__ import annotations

from math import cos, sin

from geometry_msgs.msg import Point
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.nodes.markers import Colour, make_marker

NAMESPACE, BALL_NAMESPACE = 'target', 'ball'
GOAL: Colour = (0.9, 0.1, 0.5, 1.0)
RED: Colour = (0.85, 0.05, 0.05, 1.0)
# in times the radius of a ball
POST, ARROW, SHAFT = (0.5, 0.5, 3.0), 5.0, (0.3, 0.7, 0.0)
WIDE, FLAT = 3.0, 0.15


class TargetMarkers:
    """
    Draws targets.

    :param size: radius of a ball, m.
    """

    def __init__(self, size: float) -> None:
        self._size = size
        post, arrow = (self._scale(*values) for values in (POST, SHAFT))
        self._disc = make_marker(NAMESPACE, 0, Marker.CYLINDER, self._scale(WIDE, WIDE, FLAT),
                                 GOAL)
        self._post = make_marker(NAMESPACE, 1, Marker.CYLINDER, post, GOAL)
        self._arrow = make_marker(NAMESPACE, 2, Marker.ARROW, arrow, GOAL)
        self._ball = make_marker(BALL_NAMESPACE, 0, Marker.SPHERE, self._scale(2.0, 2.0, 2.0), RED)
        self._message = MarkerArray(markers=[self._disc, self._post, self._arrow, self._ball])

    def _scale(self, *values: float) -> tuple[float, float, float]:
        x, y, z = (self._size * value for value in values)
        return x, y, z

    def draw(self, exists: bool, place: tuple[float, float, float], heading: float | None, *,
             is_ball: bool) -> MarkerArray:
        """Return the markers of a target (m, rad); those that it does not need are taken away."""
        x, y, z = place
        self._show(self._disc, exists and not is_ball)
        self._show(self._post, exists and not is_ball)
        self._show(self._arrow, exists and heading is not None)
        self._show(self._ball, exists and is_ball)
        self._disc.pose.position = Point(x=x, y=y, z=z)
        self._post.pose.position = Point(x=x, y=y, z=z + POST[2] / 2 * self._size)
        self._ball.pose.position = Point(x=x, y=y, z=z + self._size)
        if heading is not None:
            length, top = ARROW * self._size, z + POST[2] * self._size
            self._arrow.points = [Point(x=x, y=y, z=top), Point(
                x=x + length * cos(heading), y=y + length * sin(heading), z=top)]
        return self._message

    @staticmethod
    def _show(marker: Marker, is_shown: bool) -> None:
        marker.action = Marker.ADD if is_shown else Marker.DELETE
