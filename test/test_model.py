"""The dog has the numbers of the paper, is physically possible, and is read alike by all tools."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from states import accelerate, random_state

from quadruped_control.command_line.model import make_files
from quadruped_control.kinematics.forward_kinematics import compute_centre_of_mass
from quadruped_control.kinematics.records import (
    GRAVITY,
    LEGS,
)
from quadruped_control.kinematics.rotations import rotation_from_quaternion
from quadruped_control.model.description import RobotDescription
from quadruped_control.model.description_file import load_description
from quadruped_control.model.links import expand_links
from quadruped_control.model.mjcf_writer import write_mjcf
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import BODY, robot_folder
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.share import share_folder

MASS = 34.0


@pytest.fixture(scope='module', params=('flexible', 'rigid'))
def robot(request: pytest.FixtureRequest) -> Robot:
    return load_robot('dog', request.param)


@pytest.fixture(scope='module')
def dog() -> Robot:
    return load_robot('dog')


def describe() -> RobotDescription:
    return load_description(robot_folder('dog') / BODY)


def joint_group(name: str) -> str:
    for group in ('spine', 'tail', *LEGS):
        if name.startswith(group):
            return group
    return 'neck and head'


def test_numbers_of_the_paper(dog: Robot) -> None:
    assert dog.tree['total_mass'] == pytest.approx(MASS, abs=1e-6)
    assert sum(link.is_real for link in dog.links) == 30
    assert len(dog.joint_names) == 67
    groups = Counter(joint_group(name) for name in dog.joint_names)
    assert groups == {**dict.fromkeys(LEGS, 7), 'spine': 15, 'neck and head': 12, 'tail': 12}


def test_real_links_by_part(dog: Robot) -> None:
    real = [link.name for link in dog.links if link.is_real]
    legs = {leg: sum(name.startswith(leg) for name in real) for leg in LEGS}
    assert legs == dict.fromkeys(LEGS, 4)
    assert sum(name.startswith('tail') for name in real) == 4
    assert sum(name.startswith('neck') or name == 'head' for name in real) == 4
    assert len(dog.back) == 6


def test_rigid_spine_is_the_same_dog_with_fewer_joints(dog: Robot) -> None:
    rigid = load_robot('dog', 'rigid')
    assert len(rigid.joint_names) == 67 - 15
    assert set(dog.joint_names) - set(rigid.joint_names) == {
        name for name in dog.joint_names if name.startswith('spine')}
    assert [link.name for link in rigid.links] == [link.name for link in dog.links]
    np.testing.assert_array_equal(rigid.tree['mass'], dog.tree['mass'])
    np.testing.assert_array_equal(rigid.tree['inertia'], dog.tree['inertia'])


def test_heights_over_the_soles(robot: Robot) -> None:
    """Shoulder joints 0.47 m, hip joints 0.45 m over the soles of the zero pose."""
    np.testing.assert_allclose(robot.standing_height(), (0.47, 0.45), atol=5e-4)
    motion, anatomy = robot.zero_pose(), robot.anatomy
    for leg, height in enumerate((0.47, 0.47, 0.45, 0.45)):
        hip = motion['position'][anatomy['hip'][leg, 0]]
        foot = motion['position'][anatomy['toe'][leg]] + anatomy['foot_centre'][leg]
        assert hip[2] - foot[2] + anatomy['foot_radius'][leg] == pytest.approx(height, abs=5e-4)


def test_all_soles_are_level(robot: Robot) -> None:
    soles = robot.standing_feet()[:, 2] - robot.anatomy['foot_radius']
    assert np.ptp(soles) < 5e-4


def test_inertias_are_possible(robot: Robot) -> None:
    """Principal moments are positive, and none is greater than the sum of the other two."""
    for link in robot.links:
        np.testing.assert_allclose(link.inertia, link.inertia.T)
        least, middle, most = np.linalg.eigvalsh(link.inertia)
        assert least > 0, link.name
        assert most <= (least + middle) * (1 + 1e-6), link.name
        assert link.mass > 0, link.name


def test_inertias_of_real_links_are_not_negligible(dog: Robot) -> None:
    """Radii of gyration of millimetres or less make every integrator stiff."""
    for link in dog.links:
        assert np.sqrt(np.linalg.eigvalsh(link.inertia)[0] / link.mass) > 0.008, link.name


def test_all_joints_but_hips_are_limited(robot: Robot) -> None:
    hips = {int(joint) for joint in robot.anatomy['hip'].ravel()}
    for index in robot.movable:
        limited = np.isfinite([robot.tree['lower'][index], robot.tree['upper'][index]])
        assert limited.all() == (index not in hips), robot.links[index].joint_name
        assert robot.tree['lower'][index] < 0.0 < robot.tree['upper'][index]


def test_left_is_the_mirror_image_of_right(robot: Robot) -> None:
    mirror = np.array([1.0, -1.0, 1.0])
    by_name = {link.name: link for link in robot.links}
    lefts = [name for name in by_name if '_left_' in name]
    assert len(lefts) == 14         # 4 real links and 3 between revolutes, of two legs
    for name in lefts:
        left, right = by_name[name], by_name[name.replace('_left_', '_right_')]
        assert (left.mass, left.axis, left.position_range) == (
            right.mass, right.axis, right.position_range)
        np.testing.assert_allclose(left.origin, right.origin * mirror, atol=1e-9)
        np.testing.assert_allclose(left.centre_of_mass, right.centre_of_mass * mirror, atol=1e-9)
        flipped = right.inertia * np.outer(mirror, mirror)
        np.testing.assert_allclose(left.inertia, flipped, atol=1e-12)


def test_centre_of_mass_is_in_the_middle_and_over_the_feet(robot: Robot) -> None:
    centre, feet = np.empty(3), robot.standing_feet()
    compute_centre_of_mass(robot.tree, robot.zero_pose(), centre)
    assert centre[1] == pytest.approx(0.0, abs=1e-9)
    assert feet[2:, 0].max() < centre[0] < feet[:2, 0].min()
    front, rear = robot.standing_weight()
    assert front + rear == pytest.approx(MASS * GRAVITY)
    assert front > rear             # dogs carry more on their front legs


@pytest.mark.parametrize('name', ['dog', 'cat', 'horse'])
def test_checked_in_files_are_what_the_command_makes(name: str) -> None:
    """`./quadruped model` would change nothing, byte for byte."""
    files = make_files(name)
    for path, text in files.items():
        assert path.read_bytes() == text.encode(), f'{path} is old: run ./quadruped model {name}'
    meshes = {path for path in files if path.suffix == '.obj'}
    assert set((share_folder() / 'urdf' / 'meshes' / name).iterdir()) == meshes


def test_urdf_is_the_description(robot: Robot) -> None:
    """What is read back from the URDF is what the description says, to its nine digits."""
    rigid = len(robot.joint_names) == 52
    for read, made in zip(robot.links, expand_links(describe(), rigid_spine=rigid), strict=True):
        assert (read.name, read.parent, read.joint_name, read.axis) == (
            made.name, made.parent, made.joint_name, made.axis)
        assert read.mass == pytest.approx(made.mass, rel=1e-8)
        np.testing.assert_allclose(read.inertia, made.inertia, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(read.centre_of_mass, made.centre_of_mass, atol=1e-9)
        np.testing.assert_allclose(read.origin, made.origin, atol=1e-9)


def test_pybullet_has_the_same_masses(robot: Robot,
                                      load_in_pybullet: Callable[[Robot], Any]) -> None:
    engine, body, names = load_in_pybullet(robot)
    for i, link in enumerate(robot.links):
        dynamics = engine.getDynamicsInfo(body, names.get(link.name, -1))
        assert dynamics[0] == pytest.approx(robot.tree['mass'][i], rel=1e-9)
        moments = np.linalg.eigvalsh(robot.tree['inertia'][i])
        np.testing.assert_allclose(np.sort(dynamics[2]), moments, rtol=1e-6)


def test_check_urdf_accepts_it(robot: Robot) -> None:
    program = shutil.which('check_urdf')
    if program is None:
        pytest.skip('check_urdf is not installed (Debian: liburdfdom-tools)')
    checked = subprocess.run([program, str(robot.urdf)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert 'Successfully Parsed XML' in checked.stdout
    assert 'root Link: pelvis has' in checked.stdout


def test_yourdfpy_loads_it_with_all_meshes(robot: Robot) -> None:
    yourdfpy = pytest.importorskip('yourdfpy')

    def find(fname: str) -> str:
        return fname.replace('package://quadruped_control', str(share_folder()))

    model = yourdfpy.URDF.load(str(robot.urdf), filename_handler=find)
    assert model.base_link == 'pelvis'
    assert set(model.actuated_joint_names) == set(robot.joint_names)
    low, high = model.scene.bounds
    length, width, height = high - low
    assert 0.9 < length < 1.4 and 0.15 < width < 0.4 and 0.6 < height < 0.9


def test_urdf_parser_py_loads_it(robot: Robot) -> None:
    parser = pytest.importorskip('urdf_parser_py.urdf')
    model = parser.URDF.from_xml_string(robot.urdf.read_bytes())
    assert model.get_root() == 'pelvis'
    assert len(model.links) == len(robot.links)
    moving = {joint.name for joint in model.joints if joint.type != 'fixed'}
    assert moving == set(robot.joint_names)
    assert sum(link.inertial.mass for link in model.links) == pytest.approx(MASS, abs=1e-6)


def test_mujoco_agrees_on_masses_and_accelerations() -> None:
    """Our articulated body and MuJoCo give the same accelerations in free flight, anywhere."""
    mujoco = pytest.importorskip('mujoco')
    robot = load_robot('dog')
    text = write_mjcf(expand_links(describe()), time_step=1e-3, foot_spin_friction=0.02)
    model = mujoco.MjModel.from_xml_string(text)
    assert model.body_subtreemass[0] == pytest.approx(MASS, abs=1e-6)
    assert model.nv == 6 + 67
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT    # contacts, limits
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    joints = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
              for name in robot.joint_names]
    places, speeds = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
    for _ in range(5):
        state = random_state(robot, rng, height=10.0)
        torques = np.zeros(len(robot.links))
        torques[list(robot.movable)] = rng.normal(scale=5.0, size=67)
        rotation = np.empty((3, 3))
        rotation_from_quaternion(state['base_quaternion'], rotation)
        data.qpos[:3] = state['base_position']
        data.qpos[3:7] = state['base_quaternion'][[3, 0, 1, 2]]
        data.qpos[places] = state['joint_position'][list(robot.movable)]
        data.qvel[:3] = state['base_velocity']
        data.qvel[3:6] = rotation.T @ state['base_angular_velocity']
        data.qvel[speeds] = state['joint_velocity'][list(robot.movable)]
        data.qfrc_applied[speeds] = torques[list(robot.movable)]
        mujoco.mj_forward(model, data)
        ours, base = accelerate(robot, state, torques)
        size = np.abs(data.qacc[speeds]).max()
        np.testing.assert_allclose(ours, data.qacc[speeds], rtol=1e-6, atol=1e-6 * size)
        np.testing.assert_allclose(base[3:], data.qacc[:3], rtol=1e-6, atol=1e-6 * size)
        np.testing.assert_allclose(base[:3], rotation @ data.qacc[3:6], rtol=1e-6,
                                   atol=1e-6 * size)
