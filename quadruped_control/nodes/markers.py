"""What RViz draws: the terrain, and what the controller wants and does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.control.controller import Controller
from quadruped_control.kinematics.records import FRONT, LEGS
from quadruped_control.kinematics.rotations import quaternion_from_rotation
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import Box, Plane, Solid, solids

Array = NDArray[np.float64]
Colour = tuple[float, float, float, float]
FRAME = 'odom'
PLANE_SIZE = 100.0              # m, of flat ground that is drawn
FORCE_SCALE = 1e-3              # m per N
GROUND: Colour = (0.6, 0.6, 0.55, 1.0)
OBSTACLE: Colour = (0.5, 0.4, 0.3, 1.0)
LEG_FRAME: Colour = (0.2, 0.5, 1.0, 0.6)
PLACE: Colour = (1.0, 0.8, 0.0, 1.0)
VIRTUAL: Colour = (1.0, 0.2, 0.2, 1.0)
CONTACT: Colour = (0.2, 0.9, 0.2, 1.0)
TEXT: Colour = (1.0, 1.0, 1.0, 1.0)
TEXT_HEIGHT = 0.4               # m over the front leg frame


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
        self._frames = [make_marker('leg_frames', n, Marker.CUBE, (0.12, 0.2, 0.04), LEG_FRAME)
                        for n in range(2)]
        self._places = [make_marker('foot_placements', n, Marker.SPHERE, (0.04, 0.04, 0.04), PLACE)
                        for n in range(len(LEGS))]
        self._virtual = [self._arrow('virtual_forces', n, VIRTUAL) for n in range(len(LEGS))]
        self._contact = [self._arrow('contact_forces', n, CONTACT) for n in range(len(LEGS))]
        self._gait = make_marker('gait_state', 0, Marker.TEXT_VIEW_FACING, (0.0, 0.0, 0.08), TEXT)
        self._message = MarkerArray(markers=[*self._frames, *self._places, *self._virtual,
                                             *self._contact, self._gait])
        self._stamp = Time()
        for marker in self._message.markers:
            marker.header.stamp = self._stamp           # one for all
        self._quaternion = np.empty(4)

    @staticmethod
    def _arrow(namespace: str, number: int, colour: Colour) -> Marker:
        marker = make_marker(namespace, number, Marker.ARROW, (0.01, 0.02, 0.0), colour)
        marker.points = [Point(), Point()]
        return marker

    def draw(self, state: np.record, controller: Controller, gait: str, stance: Array
             ) -> MarkerArray:
        """
        Return the markers of a tick, stamped with its simulated time.

        :param stance: 1 for each leg that should carry weight.
        """
        memory, motion = controller.memory, controller.motion
        self._stamp.sec, self._stamp.nanosec = divmod(round(float(state['time']) * 1e9), 10**9)
        points = memory['leg_frame_point'].tolist()
        for link, point, marker in zip(self._links, points, self._frames, strict=True):
            quaternion_from_rotation(motion['rotation'][link], self._quaternion)
            turn = marker.pose.orientation
            turn.x, turn.y, turn.z, turn.w = self._quaternion.tolist()
            _place(marker.pose.position, point)
        for marker, place in zip(self._places, memory['foot_target'].tolist(), strict=True):
            _place(marker.pose.position, place)
        soles, forces = memory['sole'], memory['virtual_force']
        contact = np.zeros_like(forces)
        contact[:, 2] = state['foot_force']
        _stretch(self._virtual, soles, forces)
        _stretch(self._contact, soles, contact)
        self._gait.text = write_gait(gait, stance)
        x, y, z = points[FRONT]
        _place(self._gait.pose.position, (x, y, z + TEXT_HEIGHT))
        return self._message


def _stretch(arrows: list[Marker], soles: Array, forces: Array) -> None:
    """Let arrows begin at the soles and be as long as the forces."""
    ends = (soles + FORCE_SCALE * forces).tolist()
    for arrow, begin, end in zip(arrows, soles.tolist(), ends, strict=True):
        _place(arrow.points[0], begin)
        _place(arrow.points[1], end)


def write_gait(gait: str, stance: Array) -> str:
    """Write a gait and the legs that stand, as in 'trot  FL .. .. RR'."""
    names = [''.join(word[0].upper() for word in leg.split('_')) for leg in LEGS]
    legs = (name if stands else '..' for name, stands in zip(names, stance > 0.5, strict=True))
    return f'{gait}  {" ".join(legs)}'
