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
from quadruped_control.nodes.polled_topics import PolledTopics
from quadruped_control.nodes.qos import CLOCK, LATCHED, LOG, SENSOR
from quadruped_control.page.actions import Status
from quadruped_control.page.history import MotionSample
from quadruped_control.page.live_page import LivePage
from quadruped_control.page.marker_types import DELETE
from quadruped_control.rollout import leg_numbers
from quadruped_control.simulation.world import TIME_STEP

PACE_WINDOW = 1.0               # s over which the real-time factor is measured
POSE = {'/odom': Odometry, '/joint_states': JointState}
LEGS = '/leg_state'
MARKERS = ('/markers', '/leap_markers')
MARKERS_EVERY = 3               # pictures: reading them costs as much as all the rest of one


class PageFeed:
    """
    Listens to what RViz listens to.

    What comes often is taken as bytes, by best effort, at the pace of the pictures; and only
    while somebody has the page open.
    """

    def __init__(self, node: GraphNode, page: LivePage, status: Status) -> None:
        self._page, self._status = page, status
        self._topics = PolledTopics(f'_{node.get_name()}_feed')
        self._pose: dict[str, bytes] = {}
        self._legs = LegLayout()
        self._pace: deque[tuple[float, float]] = deque()
        self.joint_names: list[str] = []
        self.pictures = self._draws = 0
        node.create_subscription(String, '/robot_description', self._on_description, LATCHED)
        node.create_subscription(MarkerArray, '/terrain', self._on_terrain, LATCHED)
        node.create_subscription(String, '/gait', self._on_gait, LATCHED)
        node.create_subscription(String, '/skill_state', self._on_skill, LATCHED)
        node.create_subscription(MarkerArray, '/target_markers', self._on_target, LATCHED)
        node.create_subscription(TwistStamped, '/cmd_vel_applied', self._on_applied, LOG)

    def close(self) -> None:
        """Stop listening for good."""
        self._topics.close()

    def watch(self, is_watched: bool) -> None:
        """Listen to what comes often, or stop."""
        if is_watched and not self._topics.are_open:
            for topic, kind in POSE.items():
                self._topics.open(kind, topic, CLOCK)
            for topic in MARKERS:
                self._topics.open(MarkerArray, topic, CLOCK)
            self._topics.open(Float64MultiArray, LEGS, SENSOR)
        elif not is_watched and self._topics.are_open:
            self._topics.close()
            self._pose.clear()
            self._page.history.clear()

    def draw(self) -> None:
        """Show the newest of all."""
        self._read_legs()
        for topic in POSE:
            newest = self._topics.take_newest(topic)
            if newest is not None:
                self._pose[topic] = newest
        if len(self._pose) == len(POSE):
            self._show_pose(*(deserialize_message(self._pose[topic], kind)
                              for topic, kind in POSE.items()))
            self._pose.clear()
        self._draws += 1
        for topic in MARKERS if self._draws % MARKERS_EVERY == 0 else ():
            markers = self._topics.take_newest(topic)
            if markers is not None:
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
        for data in self._topics.take(LEGS):
            numbers = read_numbers(data)
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

    def _on_target(self, message: MarkerArray) -> None:
        self._page.scene.show_markers(message.markers)
        self._status.pursues = any(marker.action != DELETE for marker in message.markers)

    def _on_gait(self, message: String) -> None:
        self._status.gait = message.data

    def _on_skill(self, message: String) -> None:
        self._status.skill = message.data

    def _on_applied(self, message: TwistStamped) -> None:
        self._status.asked = message.twist.linear.x
