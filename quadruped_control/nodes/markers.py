"""What RViz draws: the terrain, and what the controller wants and does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.control.observation import Observation
from quadruped_control.kinematics.records import FRONT, GRAVITY, LEGS
from quadruped_control.kinematics.rotations import quaternion_from_rotation
from quadruped_control.model.robot import Robot
from quadruped_control.model.similarity import round_to_digits
from quadruped_control.nodes.patched_message import PatchedMessage
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import Box, Plane, Solid, solids

Array = NDArray[np.float64]
Colour = tuple[float, float, float, float]
FRAME = 'odom'
PLANE_SIZE = 100.0              # m, of flat ground that is drawn
GROUND: Colour = (0.6, 0.6, 0.55, 1.0)
OBSTACLE: Colour = (0.5, 0.4, 0.3, 1.0)
LEG_FRAME: Colour = (0.2, 0.5, 1.0, 0.6)
PLACE: Colour = (1.0, 0.8, 0.0, 1.0)
VIRTUAL: Colour = (1.0, 0.2, 0.2, 1.0)
CONTACT: Colour = (0.2, 0.9, 0.2, 1.0)
TEXT: Colour = (1.0, 1.0, 1.0, 1.0)
# in standing heights of the robot
FRAME_SIZE, PLACE_SIZE = (0.26, 0.435, 0.087), 0.087
ARROW_SIZE, TEXT_SIZE = (0.0217, 0.0435, 0.0), 0.174
TEXT_HEIGHT = 0.87              # over the front leg frame
FORCE_LENGTH = 0.725            # of an arrow that stands for the robot's weight


def make_marker(namespace: str, number: int, kind: int, size: tuple[float, float, float],
                colour: Colour) -> Marker:
    """Return a marker in the odometry frame."""
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = FRAME
    marker.pose.orientation.w = 1.0
    marker.scale.x, marker.scale.y, marker.scale.z = size
    marker.color = ColorRGBA(r=colour[0], g=colour[1], b=colour[2], a=colour[3])
    return marker


def draw_terrain(ground: Ground) -> MarkerArray:
    """Return the ground as markers."""
    return MarkerArray(markers=[_draw_solid(n, solid) for n, solid in enumerate(solids(ground))])


def _draw_solid(number: int, solid: Solid) -> Marker:
    if isinstance(solid, Plane):
        marker = make_marker('terrain', number, Marker.CUBE, (PLANE_SIZE, PLANE_SIZE, 0.01),
                             GROUND)
        marker.pose.position.z = solid.height - 0.005
        return marker
    if isinstance(solid, Box):
        x, y, z = (2.0 * half for half in solid.half_extents)
        marker = make_marker('terrain', number, Marker.CUBE, (x, y, z), OBSTACLE)
        _place(marker.pose.position, tuple(map(float, solid.centre)))
        return marker
    marker = make_marker('terrain', number, Marker.TRIANGLE_LIST, (1.0, 1.0, 1.0), OBSTACLE)
    vertices = np.asarray(solid.vertices)[np.asarray(solid.triangles).ravel()]
    marker.points = [Point(x=x, y=y, z=z) for x, y, z in vertices.tolist()]
    return marker


def _place(point: Point, place: Sequence[float]) -> None:
    point.x, point.y, point.z = place


class ControlMarkers:
    """Leg frames, foot placements, virtual and contact forces, and the gait in words."""

    def __init__(self, robot: Robot) -> None:
        self._links = robot.anatomy['leg_frame'].tolist()
        self._height = float(robot.standing_height().mean())
        weight = float(robot.tree['total_mass']) * GRAVITY
        self._force_scale = round_to_digits(FORCE_LENGTH * self._height / weight, 2)   # m per N
        self._text_place = 0.0, 0.0, round(TEXT_HEIGHT * self._height, 2)
        self._patched: dict[str, PatchedMessage] = {}
        self._quaternions = np.empty((2, 4))

    def draw(self, observation: Observation, gait: str, stance: Array) -> Any:
        """
        Return the markers of a tick, stamped with its simulated time, to be published.

        :param stance: 1 for each leg that should carry weight.
        """
        state, seen, motion = observation.state, observation.record, observation.motion
        for link, quaternion in zip(self._links, self._quaternions, strict=True):
            quaternion_from_rotation(motion['rotation'][link], quaternion)
        points, soles = seen['leg_frame_point'], seen['sole']
        contact = soles.copy()
        contact[:, 2] += self._force_scale * state['foot_force']
        numbers = np.concatenate([
            np.hstack([self._quaternions, points]).ravel(), seen['foot_target'].ravel(),
            np.hstack([soles, soles + self._force_scale * seen['virtual_force']]).ravel(),
            np.hstack([soles, contact]).ravel(), points[FRONT] + self._text_place])
        text = write_gait(gait, stance)
        if text not in self._patched:
            self._patched[text] = make_control_markers(text, self._height)
        seconds, nanoseconds = divmod(round(float(state['time']) * 1e9), 10**9)
        return self._patched[text].write(numbers, seconds, nanoseconds)


def make_control_markers(text: str, height: float) -> PatchedMessage:
    """
    Return the markers with a text, in the order of the numbers of :class:`ControlMarkers`.

    :param height: in which the robot stands, m.
    """
    def scale(*size: float) -> tuple[float, float, float]:
        x, y, z = (round(value * height, 3) for value in size)
        return x, y, z

    frames = [make_marker('leg_frames', n, Marker.CUBE, scale(*FRAME_SIZE), LEG_FRAME)
              for n in range(2)]
    places = [make_marker('foot_placements', n, Marker.SPHERE, scale(*[PLACE_SIZE] * 3), PLACE)
              for n in range(len(LEGS))]
    arrows = [_make_arrow(namespace, n, colour, scale(*ARROW_SIZE)) for namespace, colour in
              (('virtual_forces', VIRTUAL), ('contact_forces', CONTACT)) for n in range(len(LEGS))]
    words = make_marker('gait_state', 0, Marker.TEXT_VIEW_FACING, scale(0.0, 0.0, TEXT_SIZE), TEXT)
    words.text = text
    stamp, markers = Time(), [*frames, *places, *arrows, words]
    for marker in markers:
        marker.header.stamp = stamp                     # one for all
    owners = [
        *(owner for marker in frames
          for owner in ((marker.pose.orientation, 'xyzw'), (marker.pose.position, 'xyz'))),
        *((marker.pose.position, 'xyz') for marker in places),
        *((point, 'xyz') for marker in arrows for point in marker.points),
        (words.pose.position, 'xyz')]
    fields = [(owner, name) for owner, names in owners for name in names]
    return PatchedMessage(MarkerArray(markers=markers), fields, stamp)


def _make_arrow(namespace: str, number: int, colour: Colour,
                size: tuple[float, float, float]) -> Marker:
    marker = make_marker(namespace, number, Marker.ARROW, size, colour)
    marker.points = [Point(), Point()]
    return marker


def write_gait(gait: str, stance: Array) -> str:
    """Write a gait and the legs that stand, as in 'trot  FL .. .. RR'."""
    names = [''.join(word[0].upper() for word in leg.split('_')) for leg in LEGS]
    legs = (name if stands else '..' for name, stands in zip(names, stance > 0.5, strict=True))
    return f'{gait}  {" ".join(legs)}'
