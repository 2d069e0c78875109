"""
Publishes the robot's description, and where all its links are (tf) if nobody else does.

On a machine with the whole of ROS 2, robot_state_publisher is there for tf; this node sees it
and leaves tf to it.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from quadruped_control.errors import InputError
from quadruped_control.model.base_link import BASE_LINK, add_base_link
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import DEFAULT_ROBOT, Spine
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.graph_node import OK, WARN, GraphNode, Setting, run_nodes
from quadruped_control.nodes.qos import LATCHED, RELIABLE

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # ROS 2 from wheels, and tf2_msgs could not be built at set-up
    TFMessage = None

NAME = 'description'
TF_CHOICES = ('auto', 'true', 'false')
SPINES: tuple[Spine, ...] = ('flexible', 'rigid')
OTHER_PUBLISHER = 'robot_state_publisher'
LOOK_PERIOD = 1.0  # s between looks for it
NO_TF = (
    'tf is off: tf2_msgs is not installed; with a C++ compiler, '
    '`.venv/bin/python interfaces/tf2_msgs/build.py` in the repository builds it'
)


SETTINGS = {
    'robot': Setting(DEFAULT_ROBOT, 'robot in config/robots', fixed=True),
    'spine': Setting('flexible', 'flexible or rigid', fixed=True),
    'publish_tf': Setting('auto', 'tf of the links: true, false, or auto: unless a node '
                                  'robot_state_publisher is there', fixed=True),
    'tf_rate': Setting(50.0, 'tf messages per simulated s at most', 1.0, 1000.0),
}


class DescriptionNode(GraphNode):
    """Speaks once of the robot, and then of its links as the joints move."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        self._choice = self._choose('publish_tf', TF_CHOICES)
        robot = load_robot(self.setting('robot'), self._choose('spine', SPINES))
        description = self.create_publisher(String, '/robot_description', LATCHED)
        urdf = robot.urdf.read_text(encoding='utf-8')
        description.publish(String(data=add_base_link(urdf, robot.links[0].name)))
        self.is_on = self._choice != 'false'
        if self.is_on and TFMessage is None:
            self.get_logger().warning(NO_TF)
            self.is_on = False
        elif self.is_on:
            self._begin_tf(robot)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell whether there is tf."""
        if TFMessage is None and self._choice != 'false':
            return WARN, NO_TF, {}
        return OK, 'works', {'publishes tf': self.is_on}

    def _choose(self, key: str, choices: tuple[Any, ...]) -> Any:
        value = self.setting(key)
        if value not in choices:
            raise InputError(NAME, key, value, ', '.join(choices))
        return value

    def _begin_tf(self, robot: Robot) -> None:
        self._transforms = LinkTransforms(robot)
        self._last = -1.0
        self._moving = self.create_publisher(TFMessage, '/tf', RELIABLE)
        self._fixed = self.create_publisher(TFMessage, '/tf_static', LATCHED)
        if self._choice == 'auto':
            self.every(LOOK_PERIOD, self._look_for_other)
            self._look_for_other()
        if self.is_on:
            self._publish_fixed()
        self.create_subscription(JointState, '/joint_states', self._take_joints, RELIABLE)

    def _look_for_other(self) -> None:
        is_on = OTHER_PUBLISHER not in self.get_node_names()
        if is_on != self.is_on:
            who = 'this node' if is_on else OTHER_PUBLISHER
            self.get_logger().info(f'tf of the links comes from {who}')
        if is_on and not self.is_on:
            self._publish_fixed()               # the other took its own with it
        self.is_on = is_on

    def _publish_fixed(self) -> None:
        self._fixed.publish(TFMessage(transforms=self._transforms.fixed))

    def _take_joints(self, message: JointState) -> None:
        stamp = message.header.stamp
        time = stamp.sec + 1e-9 * stamp.nanosec
        if not self.is_on or not self._moving.get_subscription_count():
            return
        if 0.0 <= time - self._last < 1.0 / self.setting('tf_rate') - 1e-6:
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
    return run_nodes([DescriptionNode])


if __name__ == '__main__':
    raise SystemExit(main())
