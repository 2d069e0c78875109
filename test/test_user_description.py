"""What users are told of a robot: their own URDF, names, axes and angles."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from numpy.typing import NDArray
from quadruped_urdf import Design, write
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import motion_type, new_record, state_type
from quadruped_control.model.base_link import BASE_LINK, add_base_link
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import SEARCH_PATH
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.turns import slide_along, turn_about
from quadruped_control.model.user_description import (
    FIXED_JOINT,
    SLIDE,
    find_base_frame,
    list_user_joints,
    write_user_urdf,
)

Array = NDArray[np.float64]
TURNED = np.asarray(euler2mat(0.3, -0.2, 1.1, axes='sxyz'))
HELD = 0.03                     # m


def make_strange(folder: Path, root: str, parent: str | None = None) -> None:
    """Write a robot whose frames are all turned, with a mast that slides and is held."""
    element = write(Design(seed=5, root_turn=TURNED, with_brackets=True))
    for mention in (*element.iter('link'), *element.iter('parent')):
        for key in ('name', 'link'):
            if mention.get(key) == 'trunk':
                mention.set(key, root)
    mast = Xml.SubElement(element, 'joint', name='mast_joint', type='prismatic')
    Xml.SubElement(mast, 'origin', xyz='0.1 0 0.2', rpy='0.4 0.1 -0.3')
    Xml.SubElement(mast, 'parent', link=root)
    Xml.SubElement(mast, 'child', link='mast')
    Xml.SubElement(mast, 'axis', xyz='0 0.6 0.8')
    Xml.SubElement(mast, 'limit', lower='0', upper=str(2 * HELD), effort='1', velocity='1')
    element.append(Xml.fromstring(
        '<link name="mast"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link>'))
    if parent is not None:
        Xml.SubElement(element, 'link', name=parent)
        top = Xml.SubElement(element, 'joint', name='top', type='fixed')
        Xml.SubElement(top, 'origin', xyz='0 0.1 0', rpy='0 0 0.5')
        Xml.SubElement(top, 'parent', link=parent)
        Xml.SubElement(top, 'child', link=root)
    home = folder / 'strange'
    home.mkdir()
    (home / 'strange.urdf').write_bytes(Xml.tostring(element))
    (home / 'robot.yaml').write_text(
        f'name: strange\nurdf: strange.urdf\nheld: {{mast_joint: {HELD}}}\n')


@pytest.fixture(name='robot', params=['dog', 'a1', 'mini_cheetah', 'trunk', 'base_link', 'below'])
def _robot(request: pytest.FixtureRequest, tmp_path: Path,
           monkeypatch: pytest.MonkeyPatch) -> Robot:
    if request.param in ('trunk', 'base_link', 'below'):
        below = request.param == 'below'
        make_strange(tmp_path, BASE_LINK if below else request.param, 'odd' if below else None)
        monkeypatch.setenv(SEARCH_PATH, str(tmp_path))
        return load_robot('strange')
    if request.param != 'dog':
        pytest.importorskip('pybullet_data')
    return load_robot(request.param)


def bend(robot: Robot) -> tuple[dict[str, float], np.record]:
    """Return the user's angles of all joints, each a little off, and the motion of that pose."""
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
    angles = np.linspace(-0.4, 0.3, len(robot.movable))
    state['joint_position'][list(robot.movable)] = angles
    motion = new_record(motion_type(len(robot.links)))
    compute_motion(robot.tree, state, motion)
    told = robot.convention.tell_angles(angles).tolist()
    names = robot.convention.name_all(robot.joint_names)
    return dict(zip(names, told, strict=True)), motion


def place_links(robot: Robot, angles: dict[str, float]) -> dict[str, Array]:
    """Return the pose of every link in the base frame, by the joints that users are told of."""
    poses = {find_base_frame(robot).name: np.eye(4)}
    for joint in list_user_joints(robot):
        place, turn, value = joint.place, joint.turn, angles.get(joint.name, 0.0)
        if joint.kind == SLIDE:
            place = slide_along(place, turn, joint.axis, value)
        elif joint.kind != FIXED_JOINT:
            turn = turn_about(turn, joint.axis, value)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = quat2mat(turn), place
        poses[joint.child] = poses[joint.parent] @ pose
    return poses


def read_by_library(urdf: str) -> Any:
    yourdfpy = pytest.importorskip('yourdfpy')
    return yourdfpy.URDF.load(BytesIO(urdf.encode()), load_meshes=False)


def test_all_links_are_where_another_reader_of_the_urdf_puts_them(robot: Robot) -> None:
    angles, _ = bend(robot)
    other = read_by_library(write_user_urdf(robot))
    other.update_cfg(angles)
    base = find_base_frame(robot).name
    assert other.base_link == base
    places = place_links(robot, angles)
    assert set(places) == set(other.link_map)
    for link, pose in places.items():
        np.testing.assert_allclose(pose, other.get_transform(link, base), atol=1e-9)


def test_joints_are_where_the_simulated_ones_are(robot: Robot) -> None:
    """The user's description in the user's angles is the body that is simulated."""
    angles, motion = bend(robot)
    base, places = find_base_frame(robot), place_links(robot, angles)
    for n, link in enumerate(robot.links[1:], 1):
        ours = base.rotation.T @ (motion['position'][n] - base.place)
        np.testing.assert_allclose(places[link.name][:3, 3], ours, atol=1e-6, err_msg=link.name)


def test_only_a_urdf_without_base_link_gets_one(robot: Robot) -> None:
    element = Xml.fromstring(write_user_urdf(robot))
    names = [link.get('name') for link in element.findall('link')]
    assert names.count(BASE_LINK) == 1 and len(set(names)) == len(names)
    own = [link.get('name') for link in Xml.parse(robot.source).getroot().findall('link')]
    assert set(names) == {*own, BASE_LINK}


def test_meshes_are_named_by_where_they_are() -> None:
    pytest.importorskip('pybullet_data')
    for mesh in Xml.fromstring(write_user_urdf(load_robot('a1'))).iter('mesh'):
        name = mesh.get('filename', '')
        assert name.startswith('file:///') and Path(name.removeprefix('file://')).is_file()


def test_of_a_robot_that_is_described_here_nothing_changes() -> None:
    dog = load_robot('dog')
    assert write_user_urdf(dog) == add_base_link(dog.urdf.read_text(), dog.links[0].name)
    angles = np.linspace(-1.0, 1.0, len(dog.movable))
    assert dog.convention.tell_angles(angles) is angles
    assert dog.convention.tell_rates(angles) is angles
    assert dog.convention.name_all(dog.joint_names) == list(dog.joint_names)


def test_power_is_the_same_in_the_users_convention(robot: Robot) -> None:
    """Speed and torque change their signs together, and a held joint does nothing."""
    random = np.random.default_rng(1)
    speeds, torques = random.normal(size=(2, len(robot.movable)))
    told = robot.convention
    assert told.tell_rates(speeds) @ told.tell_rates(torques) == pytest.approx(speeds @ torques)
    assert len(told.tell_rates(speeds)) == len(told.name_all(robot.joint_names))
