"""The description and the tf of all links, by the node as its own process."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from ros_client import Client
from ros_processes import PATIENCE, choose_domain, node_program, running

pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from transforms3d.quaternions import quat2mat

from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import motion_type, new_record, state_type
from quadruped_control.model.base_link import add_base_link
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.description import LinkTransforms

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(name='robot', scope='module')
def _robot() -> Robot:
    return load_robot()


@pytest.fixture(name='client')
def _client() -> Iterator[Client]:
    client = Client(choose_domain())
    yield client
    client.close()


def place_links(transforms: list[Any], base: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Follow the transforms from the base; give position and rotation of each link in it."""
    placed = {base: (np.zeros(3), np.eye(3))}
    waiting = list(transforms)
    while waiting:
        ready = [t for t in waiting if t.header.frame_id in placed]
        assert ready, f'not connected: {[t.child_frame_id for t in waiting]}'
        for transform in ready:
            position, rotation = placed[transform.header.frame_id]
            move, turn = transform.transform.translation, transform.transform.rotation
            placed[transform.child_frame_id] = (
                position + rotation @ (move.x, move.y, move.z),
                rotation @ quat2mat((turn.w, turn.x, turn.y, turn.z)),
            )
        waiting = [t for t in waiting if t not in ready]
    return placed


def bend(robot: Robot) -> tuple[JointState, np.record]:
    """Return a joint state with every joint bent, and the motion of that pose."""
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
    angles = np.linspace(-0.5, 0.7, len(robot.movable))
    state['joint_position'][list(robot.movable)] = angles
    motion = new_record(motion_type(len(robot.links)))
    compute_motion(robot.tree, state, motion)
    message = JointState(name=list(robot.joint_names), position=angles.tolist())
    message.header.stamp.sec = 7
    return message, motion


class Later:
    """A joint state that is one second later each time: tf of one moment is published once."""

    def __init__(self, message: JointState) -> None:
        self.count = 0
        self._message = message

    def __call__(self) -> JointState:
        self.count += 1
        self._message.header.stamp.sec += 1
        return self._message


def assert_agrees(transforms: list[Any], robot: Robot, motion: np.record) -> None:
    placed = place_links(transforms, 'base_link')
    assert set(placed) == {'base_link', *(link.name for link in robot.links)}
    for i, link in enumerate(robot.links):
        np.testing.assert_allclose(placed[link.name][0], motion['position'][i], atol=1e-9)
        np.testing.assert_allclose(placed[link.name][1], motion['rotation'][i], atol=1e-9)


def test_transforms_are_the_forward_kinematics(robot: Robot) -> None:
    message, motion = bend(robot)
    transforms = LinkTransforms(robot)
    transforms.move(message)
    assert_agrees(transforms.fixed + transforms.moving, robot, motion)
    assert {t.header.stamp.sec for t in transforms.moving} == {7}


def test_unknown_joints_are_passed_over(robot: Robot) -> None:
    transforms = LinkTransforms(robot)
    transforms.move(JointState(name=['wheel'], position=[1.0]))
    assert all(t.transform.rotation.w == 1.0 for t in transforms.moving)


def test_base_link_is_the_new_root(robot: Robot) -> None:
    urdf = ElementTree.fromstring(add_base_link(robot.urdf.read_text(), 'pelvis'))
    links = [link.attrib['name'] for link in urdf.iter('link') if 'name' in link.attrib]
    children = {child.attrib['link'] for child in urdf.iter('child')}
    assert len(links) == len(robot.links) + 1
    assert [name for name in links if name not in children] == ['base_link']


def test_description_reaches_who_comes_late(client: Client) -> None:
    with running(node_program('description'), choose_domain()):
        client.wait(lambda: client.node.count_publishers('/robot_description'), 'the node')
        text = client.hear(String, '/robot_description', LATCHED).data
    assert '<link name="base_link"' in text
    assert text.rstrip().endswith('</robot>')


def test_wrong_choice_is_refused() -> None:
    program = node_program('description', publish_tf='perhaps')
    with running(program, choose_domain(), stderr=subprocess.PIPE, text=True) as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "'perhaps'; accepted: auto, true, false" in errors


# tf itself, where its message is installed


def test_tf_comes_from_joint_states(client: Client, robot: Robot) -> None:
    messages = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is not built here')
    static = client.listen(messages.TFMessage, '/tf_static', LATCHED)
    moving = client.listen(messages.TFMessage, '/tf', 10)
    message, motion = bend(robot)
    with running(node_program('description'), choose_domain()):
        client.publish_until('/joint_states', Later(message), lambda: static and moving, 'tf')
        assert_agrees([*static[0].transforms, *moving[0].transforms], robot, motion)


def test_tf_is_left_to_robot_state_publisher(client: Client, robot: Robot) -> None:
    messages = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is not built here')
    import rclpy

    namesake = rclpy.create_node('robot_state_publisher', context=client.context)
    static = client.listen(messages.TFMessage, '/tf_static', LATCHED)
    moving = client.listen(messages.TFMessage, '/tf', 10)
    message = Later(bend(robot)[0])

    def publishes() -> str:
        return client.value('description', 'publishes tf')

    with running(node_program('description'), choose_domain()):
        client.wait(lambda: publishes() == 'False', 'a node that gives way')
        joints = client.node.create_publisher(JointState, '/joint_states', 10)
        client.insist(lambda: joints.publish(message()), lambda: message.count > 20,
                      'joint states', 0.1)
        assert joints.get_subscription_count() == 0
        client.node.destroy_publisher(joints)
        client.wait_for_news('description')
        assert moving == []
        namesake.destroy_node()
        client.wait(lambda: publishes() == 'True', 'a node that takes over')
        client.publish_until('/joint_states', message, lambda: moving and static, 'tf')


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_a_node_that_is_told_to_end_is_out_of_the_graph_at_once(
        client: Client, number: signal.Signals) -> None:
    """Others would take it for there until its lease runs out, for 20 s."""
    def is_there() -> bool:
        return 'description' in client.node.get_node_names()

    with running(node_program('description'), choose_domain()) as process:
        client.wait(is_there, 'a node in the graph')
        client.wait_for_news('description')
        process.send_signal(number)
        process.wait(PATIENCE)
        client.wait(lambda: not is_there(), 'a graph without it', 10.0)
    assert process.returncode == 0


def test_missing_tf2_msgs_is_said_once(client: Client) -> None:
    program = node_program('description')
    program[2] = "import sys; sys.modules['tf2_msgs'] = None; " + program[2]
    with running(program, choose_domain(), stderr=subprocess.PIPE, text=True) as process:
        client.wait_for_news('description')
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert errors.count('tf is off') == 1
    assert 'Traceback' not in errors
