"""
Publishes the robot's description, and where all its links are (tf) if nobody else does.

On a machine with the whole of ROS 2, robot_state_publisher is there for tf; this node sees it
and leaves tf to it.
"""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from quadruped_control.errors import InputError
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import Spine
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.turns import Quaternion, Vector, slide_along, turn_about
from quadruped_control.model.user_description import (
    FIXED_JOINT,
    SLIDE,
    UserJoint,
    list_user_joints,
    write_user_urdf,
)
from quadruped_control.nodes.common_settings import WHO, read_who
from quadruped_control.nodes.graph_node import OK, WARN, GraphNode, Setting, run_nodes
from quadruped_control.nodes.qos import LATCHED, RELIABLE

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # ROS 2 from wheels, and tf2_msgs could not be built at set-up
    TFMessage = None

NAME = 'description'
TF_CHOICES = ('auto', 'true', 'false')
SPINES: tuple[Spine, ...] = ('flexible', 'rigid')
OF_SCENE = ''
OTHER_PUBLISHER = 'robot_state_publisher'
LOOK_PERIOD = 1.0  # s between looks for it
LISTENER_PERIOD = 0.1  # s between looks for somebody who listens to tf
NO_TF = (
    'tf is off: tf2_msgs is not installed; with a C++ compiler, '
    '`.venv/bin/python interfaces/tf2_msgs/build.py` in the repository builds it'
)


SETTINGS = {
    **WHO,
    'spine': Setting(OF_SCENE, 'flexible or rigid; empty: that of the scenario or the terrain',
                     fixed=True),
    'publish_tf': Setting('auto', 'tf of the links: true, false, or auto: unless a node '
                                  'robot_state_publisher is there', fixed=True),
    'tf_rate': Setting(50.0, 'tf messages per simulated s at most', 1.0, 1000.0),
}


class DescriptionNode(GraphNode):
    """Speaks once of the robot, and then of its links as the joints move."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        self._choice = self._choose('publish_tf', TF_CHOICES)
        scene = read_who(self)
        spine = self._choose('spine', (OF_SCENE, *SPINES)) or scene.spine
        robot = load_robot(scene.robot, spine)
        description = self.create_publisher(String, '/robot_description', LATCHED)
        description.publish(String(data=write_user_urdf(robot)))
        name = self.create_publisher(String, '/robot', LATCHED)
        name.publish(String(data=robot.name))
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
            raise InputError(NAME, key, value, ', '.join(filter(None, choices)))
        return value

    def _begin_tf(self, robot: Robot) -> None:
        self._transforms = LinkTransforms(robot)
        self._last = -1.0
        self._moving = self.create_publisher(TFMessage, '/tf', RELIABLE)
        self._joints: Any = None
        self._fixed = self.create_publisher(TFMessage, '/tf_static', LATCHED)
        if self._choice == 'auto':
            self.every(LOOK_PERIOD, self._look_for_other)
            self._look_for_other()
        if self.is_on:
            self._publish_fixed()
        self.every(LISTENER_PERIOD, self._follow_listeners)
        self._follow_listeners()

    def _follow_listeners(self) -> None:
        """Hear of the joints only while somebody wants tf: 67 of them cost the graph time."""
        is_wanted = self.is_on and self._moving.get_subscription_count() > 0
        if is_wanted and self._joints is None:
            self._joints = self.create_subscription(JointState, '/joint_states',
                                                    self._take_joints, RELIABLE)
        elif self._joints is not None and not is_wanted:
            self.destroy_subscription(self._joints)
            self._joints = None

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
        if 0.0 <= time - self._last < 1.0 / self.setting('tf_rate') - 1e-6:
            return
        self._last = time
        self._transforms.move(message)
        self._moving.publish(TFMessage(transforms=self._transforms.moving))


class LinkTransforms:
    """
    The pose of each link of the user's URDF in its parent, in messages that are used again.

    :ivar fixed: of the joints that do not move, and of the root in the base frame.
    """

    def __init__(self, robot: Robot) -> None:
        self.fixed: list[TransformStamped] = []
        self.moving: list[TransformStamped] = []
        self._joints: dict[str, tuple[TransformStamped, UserJoint]] = {}
        for joint in list_user_joints(robot):
            transform = _make(joint)
            if joint.kind == FIXED_JOINT:
                self.fixed.append(transform)
            else:
                self.moving.append(transform)
                self._joints[joint.name] = (transform, joint)

    def move(self, state: JointState) -> None:
        """Move each link by its joint; joints of other names are passed over."""
        for name, value in zip(state.name, state.position, strict=False):
            if name in self._joints:
                transform, joint = self._joints[name]
                if joint.kind == SLIDE:
                    _place(transform, slide_along(joint.place, joint.turn, joint.axis, value))
                else:
                    _turn(transform, turn_about(joint.turn, joint.axis, value))
        for transform in self.moving:
            transform.header.stamp = state.header.stamp


def _make(joint: UserJoint) -> TransformStamped:
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = joint.parent, joint.child
    _place(transform, joint.place)
    _turn(transform, joint.turn)
    return transform


def _place(transform: TransformStamped, place: Vector) -> None:
    point = transform.transform.translation
    point.x, point.y, point.z = place


def _turn(transform: TransformStamped, turn: Quaternion) -> None:
    rotation = transform.transform.rotation
    rotation.w, rotation.x, rotation.y, rotation.z = turn


def main() -> int:
    """Run the node as a process."""
    return run_nodes([DescriptionNode])


if __name__ == '__main__':
    raise SystemExit(main())
