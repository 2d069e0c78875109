"""
Publishes the robot's description, and where all its links are (tf) if nobody else does.

On a machine with the whole of ROS 2, robot_state_publisher is there for tf; this node sees it
and leaves tf to it.
"""

from __future__ import annotations

from math import cos, sin

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from quadruped_control.errors import InputError
from quadruped_control.model.base_link import BASE_LINK, add_base_link
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.robot import Robot, load_robot
from quadruped_control.nodes.process import run_node

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # ROS 2 from wheels, and tf2_msgs could not be built at set-up
    TFMessage = None

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TF_CHOICES = ('auto', 'true', 'false')
OTHER_PUBLISHER = 'robot_state_publisher'
LOOK_PERIOD = 1.0  # s between looks for it
NO_TF = (
    'tf is off: tf2_msgs is not installed; with a C++ compiler, '
    '`.venv/bin/python interfaces/tf2_msgs/build.py` in the repository builds it'
)


class DescriptionNode(Node):
    """The node."""

    def __init__(self) -> None:
        super().__init__('description')
        robot = load_robot(
            self.declare_parameter('robot', 'dog').value,
            self.declare_parameter('spine', 'flexible').value,
        )
        self._choice = str(self.declare_parameter('publish_tf', 'auto').value).lower()
        self._period = 1.0 / float(self.declare_parameter('tf_rate', 50.0).value)
        if self._choice not in TF_CHOICES:
            raise InputError('publish_tf', '', self._choice, ', '.join(TF_CHOICES))
        description = self.create_publisher(String, '/robot_description', LATCHED)
        urdf = robot.urdf.read_text(encoding='utf-8')
        description.publish(String(data=add_base_link(urdf, robot.links[0].name)))
        self.is_on = self._choice != 'false'
        if self.is_on and TFMessage is None:
            self.get_logger().warning(NO_TF)
            self.is_on = False
        elif self.is_on:
            self._begin_tf(robot)

    def _begin_tf(self, robot: Robot) -> None:
        self._transforms = LinkTransforms(robot)
        self._last = -1.0
        self._moving = self.create_publisher(TFMessage, '/tf', 100)
        fixed = self.create_publisher(TFMessage, '/tf_static', LATCHED)
        if self._choice == 'auto':
            self.create_timer(LOOK_PERIOD, self._look_for_other)
            self._look_for_other()
        if self.is_on:
            fixed.publish(TFMessage(transforms=self._transforms.fixed))
        self.create_subscription(JointState, '/joint_states', self._take_joints, 10)

    def _look_for_other(self) -> None:
        is_on = OTHER_PUBLISHER not in self.get_node_names()
        if is_on != self.is_on:
            who = 'this node' if is_on else OTHER_PUBLISHER
            self.get_logger().info(f'tf of the links comes from {who}')
        self.is_on = is_on

    def _take_joints(self, message: JointState) -> None:
        stamp = message.header.stamp
        time = stamp.sec + 1e-9 * stamp.nanosec
        if not self.is_on or 0.0 <= time - self._last < self._period - 1e-6:
            return
        self._last = time
        self._transforms.move(message)
        self._moving.publish(TFMessage(transforms=self._transforms.moving))


class LinkTransforms:
    """
    The pose of each link in its parent, as messages that are used again and again.

    :ivar fixed: of the joints that do not move, and of the root in base_link.
    """

    def __init__(self, robot: Robot) -> None:
        self.fixed = [_make(BASE_LINK, robot.links[0].name, (0.0, 0.0, 0.0))]
        self.moving: list[TransformStamped] = []
        self._joints: dict[str, tuple[TransformStamped, str]] = {}
        for link in robot.links[1:]:
            self._add(link)

    def _add(self, link: Link) -> None:
        transform = _make(str(link.parent), link.name, link.origin)
        if link.axis == FIXED:
            self.fixed.append(transform)
        else:
            self.moving.append(transform)
            self._joints[link.joint_name] = (transform, 'xyz'[link.axis])

    def move(self, state: JointState) -> None:
        """Turn each link by the angle of its joint; joints of other names are passed over."""
        for name, angle in zip(state.name, state.position, strict=False):
            if name in self._joints:
                transform, axis = self._joints[name]
                rotation = transform.transform.rotation
                setattr(rotation, axis, sin(angle / 2))
                rotation.w = cos(angle / 2)
        for transform in self.moving:
            transform.header.stamp = state.header.stamp


def _make(parent: str, child: str, origin: tuple[float, float, float]) -> TransformStamped:
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = parent, child
    place = transform.transform.translation
    place.x, place.y, place.z = map(float, origin)
    return transform


def main() -> int:
    """Run the node as a process."""
    return run_node(DescriptionNode)


if __name__ == '__main__':
    raise SystemExit(main())
