"""What the page shows of the graph: newest messages in, pictures and figures out."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from visualization_msgs.msg import MarkerArray

from quadruped_control.nodes.graph_node import GraphNode
from quadruped_control.nodes.layout import LegLayout, read_numbers
from quadruped_control.nodes.qos import CLOCK, LATCHED, LOG, SENSOR
from quadruped_control.page.actions import Status
from quadruped_control.page.history import MotionSample
from quadruped_control.page.live_page import LivePage
from quadruped_control.rollout import leg_numbers
from quadruped_control.simulation.world import TIME_STEP

PACE_WINDOW = 1.0               # s over which the real-time factor is measured
MARKERS = ('/markers', '/leap_markers')


class PageFeed:
    """
    Listens to what RViz listens to.

    What comes often is taken as bytes, by best effort, of which only the newest are read, at the
    pace of the pictures; and only while somebody has the page open.
    """

    def __init__(self, node: GraphNode, page: LivePage, status: Status) -> None:
        self._node, self._page, self._status = node, page, status
        self._subscriptions: list[Any] = []
        self._newest: dict[str, bytes] = {}
        self._legs = LegLayout()
        self._leg_queue: deque[bytes] = deque(maxlen=50)
        self._pace: deque[tuple[float, float]] = deque()
        self.joint_names: list[str] = []
        self.pictures = 0
        node.create_subscription(String, '/robot_description', self._on_description, LATCHED)
        node.create_subscription(MarkerArray, '/terrain', self._on_terrain, LATCHED)
        node.create_subscription(String, '/gait', self._on_gait, LATCHED)
        node.create_subscription(String, '/skill_state', self._on_skill, LATCHED)
        node.create_subscription(TwistStamped, '/cmd_vel_applied', self._on_applied, LOG)

    def watch(self, is_watched: bool) -> None:
        """Listen to what comes often, or stop."""
        if is_watched and not self._subscriptions:
            for kind, topic in ((Odometry, '/odom'), (JointState, '/joint_states'),
                                *((MarkerArray, topic) for topic in MARKERS)):
                self._subscriptions.append(self._node.create_subscription(
                    kind, topic, lambda data, topic=topic: self._newest.__setitem__(topic, data),
                    CLOCK, raw=True))
            self._subscriptions.append(self._node.create_subscription(
                Float64MultiArray, '/leg_state', lambda data: self._leg_queue.append(data), SENSOR,
                raw=True))
        elif not is_watched:
            for subscription in self._subscriptions:
                self._node.destroy_subscription(subscription)
            self._subscriptions = []
            self._newest.clear()
            self._leg_queue.clear()
            self._page.history.clear()

    def draw(self) -> None:
        """Show the newest of all."""
        self._read_legs()
        odometry, joints = self._newest.get('/odom'), self._newest.get('/joint_states')
        if odometry and joints:
            del self._newest['/odom'], self._newest['/joint_states']
            self._show_pose(deserialize_message(odometry, Odometry),
                            deserialize_message(joints, JointState))
        for topic in MARKERS:
            markers = self._newest.pop(topic, None)
            if markers:
                self._page.scene.show_markers(deserialize_message(markers, MarkerArray).markers)

    def _show_pose(self, odometry: Any, joints: Any) -> None:
        pose, status = odometry.pose.pose, self._status
        self.pictures += 1
        stamp = odometry.header.stamp
        status.time = stamp.sec + 1e-9 * stamp.nanosec
        status.speed = odometry.twist.twist.linear.x
        self._measure_pace(status.time)
        if self.joint_names != joints.name:
            self.joint_names = list(joints.name)
        p, o = pose.position, pose.orientation
        self._page.scene.move_dog((p.x, p.y, p.z), (o.w, o.x, o.y, o.z), self.joint_names,
                                  joints.position)
        self._page.history.add_motion(MotionSample(
            status.time, status.speed, status.asked, np.array(joints.effort)))

    def _measure_pace(self, time: float) -> None:
        if self._pace and time < self._pace[-1][1]:
            self._pace.clear()
        self._pace.append((monotonic(), time))
        while self._pace[-1][0] - self._pace[0][0] > PACE_WINDOW:
            self._pace.popleft()
        wall = self._pace[-1][0] - self._pace[0][0]
        if wall > 0.3 * PACE_WINDOW:
            self._status.factor = (self._pace[-1][1] - self._pace[0][1]) / wall

    def _read_legs(self) -> None:
        while self._leg_queue:
            numbers = read_numbers(self._leg_queue.popleft())
            if not self._legs.fits(numbers):
                continue
            self._page.history.add_legs(float(numbers[leg_numbers.STEP]) * TIME_STEP, numbers)
            self._page.scene.footprints.watch(numbers[leg_numbers.FORCE].tolist(),
                                              numbers[leg_numbers.SOLES].reshape(4, 3))

    def _on_description(self, message: String) -> None:
        self._page.scene.take_description(message.data)

    def _on_terrain(self, message: MarkerArray) -> None:
        self._page.scene.show_terrain(message.markers)
        self._page.history.clear()

    def _on_gait(self, message: String) -> None:
        self._status.gait = message.data

    def _on_skill(self, message: String) -> None:
        self._status.skill = message.data

    def _on_applied(self, message: TwistStamped) -> None:
        self._status.asked = message.twist.linear.x
