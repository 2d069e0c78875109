"""What the simulation tells besides the 1 kHz state: topics for people and tools."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

from quadruped_control.kinematics.rotations import (
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from quadruped_control.leaps.scouting import SCAN_EVERY
from quadruped_control.model.base_link import BaseFrame
from quadruped_control.model.user_description import find_base_frame
from quadruped_control.nodes.layout import ScanLayout
from quadruped_control.nodes.map_message import Measured, write_map
from quadruped_control.nodes.markers import draw_terrain
from quadruped_control.nodes.qos import CLOCK, LATCHED, RECENT, RELIABLE, SENSOR
from quadruped_control.rollout.sensing import MapSensor, scan_from
from quadruped_control.rollout.world_half import WorldHalf

ODOM = 'odom'
STEP_NANOSECONDS = 1_000_000
CLOCK_EVERY, EVERY = 10, 20             # steps


class SimulationTopics:
    """Publishers of clock, joints, odometry, contacts, transforms, terrain and its scan."""

    def __init__(self, node: Node, half: WorldHalf) -> None:
        self._half = half
        self._run = 0.0
        self._movable = np.array(half.robot.movable)
        self._clock = node.create_publisher(Clock, '/clock', CLOCK)
        self._joints = node.create_publisher(JointState, '/joint_states', RELIABLE)
        self._odom = node.create_publisher(Odometry, '/odom', RELIABLE)
        self._contacts = node.create_publisher(Float64MultiArray, '/contacts', SENSOR)
        self._scan = node.create_publisher(Float64MultiArray, '/terrain_scan', RECENT)
        self._terrain = node.create_publisher(MarkerArray, '/terrain', LATCHED)
        self._map = node.create_publisher(Float64MultiArray, '/height_map', LATCHED)
        self._convention = half.robot.convention
        base = find_base_frame(half.robot)
        self._base = _BasePose(base)
        self._tf = _Transforms.make(node, base.name)
        self._joint_message = JointState(
            name=self._convention.name_all(half.robot.joint_names))
        self._odom_message = Odometry(child_frame_id=base.name)
        self._odom_message.header.frame_id = ODOM
        self._scan_layout = ScanLayout()
        self._scan_message = self._scan_layout.bind(Float64MultiArray())
        self._spacing = half.robot.measures.scan_spacing
        self._map_sensor = MapSensor(half.robot, half.ground)

    def follow(self, half: WorldHalf, run: float) -> None:
        """Tell of a run, perhaps in another world with the same robot, from now on."""
        self._half, self._run = half, run
        self._map_sensor = MapSensor(half.robot, half.ground)

    @property
    def has_transforms(self) -> bool:
        """Say whether tf2_msgs is there."""
        return self._tf is not None

    def publish_terrain(self) -> None:
        """Show the ground, and tell the controller of it; kept for those who come later."""
        self._terrain.publish(draw_terrain(self._half.ground))
        self.publish_map()

    def publish_map(self) -> None:
        """Tell the heights of the ground around the robot, as a sensor on it would."""
        measured = Measured(self._half.step, self._run, self._map_sensor.survey(self._half.state))
        self._map.publish(write_map(measured))

    def publish_clock(self) -> None:
        """Tell the simulated time."""
        self._clock.publish(Clock(clock=_stamp(self._half.step)))

    def publish(self, *, again: bool = False) -> None:
        """
        Publish what is due at this step; what nobody listens to costs nothing.

        :param again: for those who came while nothing moved: all but the scan, due or not.
        """
        step = self._half.step
        if step % CLOCK_EVERY and not again:
            return
        stamp, state = _stamp(step), self._half.state
        self._clock.publish(Clock(clock=stamp))
        if step % SCAN_EVERY == 0 and not again:
            self._publish_scan(step)
            self.publish_map()
        if step % EVERY and not again:
            return
        if self._joints.get_subscription_count():
            self._publish_joints(stamp, state)
        if self._odom.get_subscription_count():
            self._publish_odom(stamp, state)
        if self._contacts.get_subscription_count():
            force = array('d', state['foot_force'].tobytes())
            self._contacts.publish(Float64MultiArray(data=force))
        if self._tf is not None:
            self._tf.publish(stamp, self._base, state)

    def _publish_joints(self, stamp: Time, state: np.record) -> None:
        message = self._joint_message
        message.header.stamp = stamp
        tell, chosen = self._convention, self._movable
        message.position = array('d', tell.tell_angles(state['joint_position'][chosen]).tobytes())
        message.velocity = array('d', tell.tell_rates(state['joint_velocity'][chosen]).tobytes())
        message.effort = array('d', tell.tell_rates(self._half.world.applied[chosen]).tobytes())
        self._joints.publish(message)

    def _publish_odom(self, stamp: Time, state: np.record) -> None:
        """Pose in the odometry frame; twist in the base's own, as the message demands."""
        message = self._odom_message
        message.header.stamp = stamp
        self._base.read(state)
        _set_pose(message.pose.pose.position, message.pose.pose.orientation, self._base)
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        linear.x, linear.y, linear.z = (self._base.velocity @ self._base.rotation).tolist()
        angular.x, angular.y, angular.z = (
            state['base_angular_velocity'] @ self._base.rotation).tolist()
        self._odom.publish(message)

    def _publish_scan(self, step: int) -> None:
        """Tell the heights of the ground ahead of the hips, as a range sensor would."""
        scan = scan_from(self._half.state, self._half.ground.height, self._spacing)
        self._scan_layout.pack(step, self._run, scan)
        self._scan.publish(self._scan_message)


class _BasePose:
    """
    Where the frame is that users are told of, and how it moves in the world.

    :ivar rotation: from its axes to the world's.
    :ivar velocity: of its origin, m/s.
    """

    def __init__(self, base: BaseFrame) -> None:
        self._base = base
        self.rotation, self.quaternion = np.empty((3, 3)), np.empty(4)
        self.position = self.velocity = np.zeros(3)

    def read(self, state: np.record) -> None:
        rotation_from_quaternion(state['base_quaternion'], self.rotation)
        self.position, self.velocity = state['base_position'], state['base_velocity']
        self.quaternion[:] = state['base_quaternion']
        if not self._base.is_root:
            arm = self.rotation @ self._base.place
            self.position = self.position + arm
            self.velocity = self.velocity + np.cross(state['base_angular_velocity'], arm)
            self.rotation = self.rotation @ self._base.rotation
            quaternion_from_rotation(self.rotation, self.quaternion)


class _Transforms:
    """odom to base_link; the description's are the others."""

    def __init__(self, node: Node, message_type: Any, base: str) -> None:
        self._publisher = node.create_publisher(message_type, '/tf', RELIABLE)
        self._transform = TransformStamped(child_frame_id=base)
        self._transform.header.frame_id = ODOM
        self._message = message_type(transforms=[self._transform])

    @classmethod
    def make(cls, node: Node, base: str) -> _Transforms | None:
        """Return it, or None where tf2_msgs is not installed."""
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            return None
        return cls(node, TFMessage, base)

    def publish(self, stamp: Time, base: _BasePose, state: np.record) -> None:
        if not self._publisher.get_subscription_count():
            return
        base.read(state)
        transform = self._transform
        transform.header.stamp = stamp
        _set_pose(transform.transform.translation, transform.transform.rotation, base)
        self._publisher.publish(self._message)


def _set_pose(position: Any, orientation: Any, base: _BasePose) -> None:
    position.x, position.y, position.z = base.position.tolist()
    (orientation.x, orientation.y, orientation.z,
     orientation.w) = base.quaternion.tolist()


def _stamp(step: int) -> Time:
    seconds, nanoseconds = divmod(step * STEP_NANOSECONDS, 10**9)
    return Time(sec=seconds, nanosec=nanoseconds)
