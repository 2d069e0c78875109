"""What the gait scheduler's node is told to pursue, and what RViz and the page show of it."""

from __future__ import annotations

from math import atan2, hypot
from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped, Quaternion
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from quadruped_control.errors import InputError
from quadruped_control.nodes.graph_node import GraphNode
from quadruped_control.nodes.markers import FRAME
from quadruped_control.nodes.qos import LATCHED, RELIABLE
from quadruped_control.nodes.target_markers import TargetMarkers
from quadruped_control.rollout.chase import CHASE_EVERY, Chase
from quadruped_control.rollout.live_commands import LiveCommands
from quadruped_control.terrain.ground import Ground

BALL_LIES = 'a ball lies ahead'
ACCEPTED = f'a place in {FRAME}, the frame of the world'
Shown = tuple[float, float, float | None, bool]


class TargetLink:
    """
    Topics and a service of targets.

    :param size: radius of a ball, m.
    """

    def __init__(self, node: GraphNode, commands: LiveCommands, size: float) -> None:
        self._node, self._commands = node, commands
        self._ground: Ground | None = None
        self._markers = TargetMarkers(size)
        self._shown: Shown | None = None
        self._publisher = node.create_publisher(MarkerArray, '/target_markers', LATCHED)
        node.create_subscription(PoseStamped, '/goal_pose', self._on_goal, RELIABLE)
        node.create_subscription(PointStamped, '/target', self._on_point, RELIABLE)
        node.create_service(Trigger, '~/ball', self._on_ball)

    def enter(self, ground: Ground) -> None:
        """Show what is pursued on another ground."""
        self._ground = ground

    def show(self, step: int) -> None:
        """Publish where the target is, when it moved, appeared or is gone."""
        if step % CHASE_EVERY:
            return
        chase = self._commands.chase
        shown = None if chase is None else _describe(chase)
        if shown == self._shown:
            return
        self._shown = shown
        x, y, heading, is_ball = shown or (0.0, 0.0, None, False)
        height = 0.0
        if self._ground is not None and shown is not None:
            height = float(self._ground.height(np.array([x]), np.array([y]))[0])
        self._publisher.publish(self._markers.draw(shown is not None, (x, y, height), heading,
                                                   is_ball=is_ball))

    def _on_goal(self, message: PoseStamped) -> None:
        place = message.pose.position
        try:
            _check_frame(message.header.frame_id)
            self._commands.receive_goal(place.x, place.y, _read_yaw(message.pose.orientation))
        except InputError as error:
            self._node.refuse(f'/goal_pose: {error}')

    def _on_point(self, message: PointStamped) -> None:
        try:
            _check_frame(message.header.frame_id)
            self._commands.receive_point(message.point.x, message.point.y)
        except InputError as error:
            self._node.refuse(f'/target: {error}')

    def _on_ball(self, _: Trigger.Request, response: Trigger.Response) -> Any:
        self._commands.throw_ball()
        response.success, response.message = True, BALL_LIES
        return response


def _describe(chase: Chase) -> Shown:
    goal = chase.pursuit.goal
    return goal.x, goal.y, goal.heading, chase.ball is not None


def _check_frame(frame: str) -> None:
    if frame not in ('', FRAME):
        raise InputError('header', 'frame_id', frame, ACCEPTED)


def _read_yaw(turn: Quaternion) -> float | None:
    """Return the yaw of an orientation (rad), None where it is none: all zero."""
    numbers = turn.x, turn.y, turn.z, turn.w
    if not np.isfinite(numbers).all():
        raise InputError('pose', 'orientation', str(numbers), 'finite numbers')
    if hypot(*numbers) < 1e-6:
        return None
    return atan2(2 * (turn.w * turn.z + turn.x * turn.y),
                 turn.w**2 + turn.x**2 - turn.y**2 - turn.z**2)
