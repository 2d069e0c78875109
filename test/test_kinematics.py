"""The library's kinematics and dynamics against PyBullet, finite differences and power balance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from states import moved, random_state

from quadruped_control.kinematics.articulated_body import begin_dynamics, compute_accelerations
from quadruped_control.kinematics.forward_kinematics import (
    compute_centre_of_mass,
    compute_point,
    compute_point_velocity,
)
from quadruped_control.kinematics.records import (
    dynamics_type,
    new_record,
)
from quadruped_control.kinematics.rotations import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_vector,
    rpy_from_rotation,
)
from quadruped_control.kinematics.virtual_forces import (
    add_virtual_force,
    add_virtual_force_below,
    add_virtual_torque,
)
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot

SPINES = ('flexible', 'rigid')


@pytest.fixture(scope='module', params=SPINES)
def robot(request: pytest.FixtureRequest) -> Robot:
    return load_robot('dog', request.param)


def advanced(state: np.record, dt: float) -> np.record:
    """Return the state a short time later at constant velocities."""
    later = state.copy()
    later['base_position'] += state['base_velocity'] * dt
    rotation, turned = np.empty((3, 3)), np.empty(4)
    rotation_from_quaternion(state['base_quaternion'], rotation)
    w = state['base_angular_velocity'] * dt
    skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    rotation = (np.eye(3) + skew + skew @ skew / 2) @ rotation
    quaternion_from_rotation(rotation, turned)
    later['base_quaternion'] = turned / np.linalg.norm(turned)
    later['joint_position'] += state['joint_velocity'] * dt
    return later


def test_links_agree_with_pybullet(robot: Robot,
                                   load_in_pybullet: Callable[[Robot], Any]) -> None:
    engine, body, names = load_in_pybullet(robot)
    rng = np.random.default_rng(1)
    for _ in range(5):
        state = random_state(robot, rng)
        motion = moved(robot, state)
        w, r, v = (state['base_angular_velocity'], motion['centre'][0], state['base_velocity'])
        engine.resetBasePositionAndOrientation(body, r, state['base_quaternion'])
        engine.resetBaseVelocity(body, v + np.cross(w, r - state['base_position']), w)
        for i, link in enumerate(robot.links[1:], 1):
            engine.resetJointState(body, names[link.name], state['joint_position'][i],
                                   state['joint_velocity'][i])
        for i, link in enumerate(robot.links[1:], 1):
            found = engine.getLinkState(body, names[link.name], 1, 1)
            rotation = np.array(engine.getMatrixFromQuaternion(found[5])).reshape(3, 3)
            point = np.array(found[0])
            speed = np.empty(3)
            compute_point_velocity(motion, i, point, speed)
            np.testing.assert_allclose(motion['centre'][i], point, atol=1e-6)
            np.testing.assert_allclose(motion['position'][i], found[4], atol=1e-6)
            np.testing.assert_allclose(motion['rotation'][i], rotation, atol=1e-6)
            np.testing.assert_allclose(speed, found[6], atol=1e-6)
            np.testing.assert_allclose(motion['angular_velocity'][i], found[7], atol=1e-6)


def test_velocities_are_the_rates_of_positions(robot: Robot) -> None:
    state = random_state(robot, np.random.default_rng(2))
    dt = 1e-6
    before, after = moved(robot, advanced(state, -dt)), moved(robot, advanced(state, dt))
    motion = moved(robot, state)
    np.testing.assert_allclose((after['position'] - before['position']) / (2 * dt),
                               motion['velocity'], atol=1e-7, rtol=1e-6)


def test_virtual_force_power_is_joint_power(robot: Robot) -> None:
    """Joint power of J^T F equals F times the point's velocity relative to the base link."""
    rng = np.random.default_rng(3)
    state = random_state(robot, rng)
    motion = moved(robot, state)
    point, at_link, at_base = np.empty(3), np.empty(3), np.empty(3)
    shoulders, rear = robot.anatomy['leg_frame']
    pairs = [(int(rear), int(toe)) for toe in robot.anatomy['toe']] + [(int(shoulders),
             int(robot.anatomy['head']))]
    for base, link in pairs:
        force = rng.normal(size=3) * 100
        compute_point(motion, link, rng.normal(size=3), point)
        compute_point_velocity(motion, link, point, at_link)
        compute_point_velocity(motion, base, point, at_base)
        torques = np.zeros(len(robot.links))
        add_virtual_force(robot.tree, motion, base, link, point, force, torques)
        assert torques @ state['joint_velocity'] == pytest.approx(force @ (at_link - at_base))


def test_virtual_force_with_the_base_below(robot: Robot) -> None:
    """A force on the pelvis with the shoulders as base: the same power balance."""
    rng = np.random.default_rng(4)
    state = random_state(robot, rng)
    motion = moved(robot, state)
    shoulders = int(robot.anatomy['leg_frame'][0])
    point, at_link, at_base = motion['centre'][0].copy(), np.empty(3), np.empty(3)
    compute_point_velocity(motion, 0, point, at_link)
    compute_point_velocity(motion, shoulders, point, at_base)
    force = rng.normal(size=3)
    torques = np.zeros(len(robot.links))
    add_virtual_force_below(robot.tree, motion, shoulders, 0, point, force, torques)
    assert torques @ state['joint_velocity'] == pytest.approx(force @ (at_link - at_base))


def test_virtual_torque_power_is_joint_power(robot: Robot) -> None:
    rng = np.random.default_rng(5)
    state = random_state(robot, rng)
    motion = moved(robot, state)
    moment, link = rng.normal(size=3), int(robot.anatomy['toe'][0])
    torques = np.zeros(len(robot.links))
    add_virtual_torque(robot.tree, motion, 0, link, moment, torques)
    relative = motion['angular_velocity'][link] - motion['angular_velocity'][0]
    assert torques @ state['joint_velocity'] == pytest.approx(moment @ relative)


def kinetic_energy(robot: Robot, state: np.record) -> float:
    motion, total, speed = moved(robot, state), 0.0, np.empty(3)
    for i in range(len(robot.links)):
        compute_point_velocity(motion, i, motion['centre'][i], speed)
        spin = motion['rotation'][i].T @ motion['angular_velocity'][i]
        total += robot.tree['mass'][i] * speed @ speed / 2
        total += spin @ robot.tree['inertia'][i] @ spin / 2
    return total


def test_accelerations_keep_the_power_balance(robot: Robot) -> None:
    """Rate of kinetic and potential energy equals the power of the joint torques."""
    rng = np.random.default_rng(6)
    state = random_state(robot, rng)
    links = len(robot.links)
    torques = np.zeros(links)
    torques[list(robot.movable)] = rng.normal(size=len(robot.movable))
    work, centre = new_record(dynamics_type(links)), np.empty(3)
    motion = moved(robot, state)
    begin_dynamics(robot.tree, motion, state['joint_velocity'], 9.81, work)
    compute_accelerations(robot.tree, torques, np.zeros(links), work)

    def energy(dt: float) -> float:
        later = advanced(state, dt)
        later['joint_velocity'] += work['joint_acceleration'] * dt
        w, v, a = state['base_angular_velocity'], state['base_velocity'], work['acceleration'][0]
        later['base_angular_velocity'] = w + a[:3] * dt
        later['base_velocity'] = v + (a[3:] + np.cross(w, v)) * dt
        compute_centre_of_mass(robot.tree, moved(robot, later), centre)
        return kinetic_energy(robot, later) + robot.tree['total_mass'] * 9.81 * centre[2]

    dt = 1e-6
    rate = (energy(dt) - energy(-dt)) / (2 * dt)
    assert rate == pytest.approx(torques @ state['joint_velocity'], abs=1e-3)


def test_free_fall_accelerates_nothing_but_the_root(robot: Robot) -> None:
    state = random_state(robot, np.random.default_rng(7))
    for name in ('base_velocity', 'base_angular_velocity', 'joint_velocity'):
        state[name] = 0.0
    links = len(robot.links)
    work = new_record(dynamics_type(links))
    begin_dynamics(robot.tree, moved(robot, state), state['joint_velocity'], 9.81, work)
    compute_accelerations(robot.tree, np.zeros(links), np.zeros(links), work)
    np.testing.assert_allclose(work['joint_acceleration'], 0, atol=1e-9)
    np.testing.assert_allclose(work['acceleration'][0], [0, 0, 0, 0, 0, -9.81], atol=1e-9)


def test_rotation_conversions_are_inverse() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        rpy = rng.uniform([-3, -1.5, -3], [3, 1.5, 3])
        rotation = rotation_from_rpy(*rpy)
        quaternion, back, found = np.empty(4), np.empty((3, 3)), np.empty(3)
        quaternion_from_rotation(rotation, quaternion)
        rotation_from_quaternion(quaternion, back)
        rpy_from_rotation(back, found)
        np.testing.assert_allclose(back, rotation, atol=1e-12)
        np.testing.assert_allclose(found, rpy, atol=1e-9)


@pytest.mark.parametrize('angle', [0.0, 1e-9, 0.3, 3.0, np.pi - 1e-9, np.pi])
def test_rotation_vector_is_axis_times_angle(angle: float) -> None:
    axis = np.array([0.48, -0.6, 0.64])
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    found = np.empty(3)
    rotation_vector(rotation, found)
    if angle == np.pi:      # both signs are right
        found *= np.sign(found @ axis)
    np.testing.assert_allclose(found, angle * axis, atol=1e-6)
