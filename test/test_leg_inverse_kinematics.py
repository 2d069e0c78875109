"""Inverse kinematics of the legs is the inverse of the forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from states import moved

from quadruped_control.kinematics.forward_kinematics import compute_point
from quadruped_control.kinematics.leg_kinds import solve_leg
from quadruped_control.kinematics.records import LEGS, new_record, state_type
from quadruped_control.kinematics.rotations import quaternion_from_rotation, rotation_from_rpy
from quadruped_control.kinematics.toed_leg import STRAIGHTEST, solve_hip_and_knee
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot

LEG = pytest.mark.parametrize('leg', range(4), ids=LEGS)


@pytest.fixture(scope='module')
def robot() -> Robot:
    return load_robot('dog', 'rigid')       # so that both leg frames turn with the base


def bend(robot: Robot, rotation: np.ndarray, joints: np.ndarray) -> np.record:
    """Return the motion record of the dog at the origin, turned, with given joint angles."""
    state = new_record(state_type(len(robot.links)))
    quaternion_from_rotation(rotation, state['base_quaternion'])
    state['joint_position'] = joints
    return moved(robot, state)


def hip_of(robot: Robot, leg: int, rotation: np.ndarray) -> np.ndarray:
    still = bend(robot, rotation, np.zeros(len(robot.links)))
    return np.asarray(still['position'][robot.anatomy['hip'][leg, 0]].copy())


def foot_of(robot: Robot, leg: int, motion: np.record) -> np.ndarray:
    foot = np.empty(3)
    compute_point(motion, int(robot.anatomy['toe'][leg]), robot.anatomy['foot_centre'][leg], foot)
    return foot


@LEG
def test_zero_pose_gives_zero_angles(robot: Robot, leg: int) -> None:
    zero, joints = robot.zero_pose(), np.full(len(robot.links), np.nan)
    hip = zero['position'][robot.anatomy['hip'][leg, 0]]
    reached = solve_leg(robot.anatomy, leg, np.eye(3), hip, foot_of(robot, leg, zero), 0.0, 0.0,
                        0.0, joints)
    solved = joints[~np.isnan(joints)]
    assert reached
    assert len(solved) == 7
    np.testing.assert_allclose(solved, 0.0, atol=1e-6)


@LEG
def test_solved_angles_bring_the_foot_to_its_place(robot: Robot, leg: int) -> None:
    """For any attitude of the leg frame, foot pitch, and place in reach."""
    rng, anatomy = np.random.default_rng(leg), robot.anatomy
    longest = np.linalg.norm(anatomy['upper'][leg]) + np.linalg.norm(anatomy['lower'][leg])
    for _ in range(300):
        heading, pastern, toe = rng.uniform((-3.0, -0.6, -0.4), (3.0, 0.6, 0.4))
        rotation = rotation_from_rpy(*rng.uniform(-0.3, 0.3, 2), heading + rng.uniform(-0.3, 0.3))
        hip = hip_of(robot, leg, rotation)
        lean = rotation_from_rpy(rng.uniform(-0.5, 0.5), rng.uniform(-0.8, 0.8), heading)
        ankle = hip + lean @ (0.0, 0.0, -rng.uniform(0.6, 0.97) * longest)
        foot = (ankle + rotation_from_rpy(0.0, pastern, heading) @ anatomy['pastern'][leg]
                + rotation_from_rpy(0.0, toe, heading) @ anatomy['foot_centre'][leg])
        joints = np.zeros(len(robot.links))
        assert solve_leg(anatomy, leg, rotation, hip, foot, heading, pastern, toe, joints)
        found = foot_of(robot, leg, bend(robot, rotation, joints))
        np.testing.assert_allclose(found, foot, atol=1e-9)


@LEG
def test_foot_under_the_hip_has_the_wanted_pitches(robot: Robot, leg: int) -> None:
    """Where the leg does not lean, pastern and toe have exactly the pitch that is asked for."""
    rng, anatomy = np.random.default_rng(leg), robot.anatomy
    for _ in range(50):
        pastern, toe, pitch = rng.uniform((-0.5, -0.3, -0.4), (0.5, 0.3, 0.4))
        rotation, joints = rotation_from_rpy(0.0, pitch, 0.0), np.zeros(len(robot.links))
        hip = hip_of(robot, leg, rotation)
        foot = hip + np.array([rng.uniform(-0.1, 0.1), 0.0, -rng.uniform(0.33, 0.4)])
        assert solve_leg(anatomy, leg, rotation, hip, foot, 0.0, pastern, toe, joints)
        motion = bend(robot, rotation, joints)
        for link, wanted in ((anatomy['ankle'][leg, 1], pastern), (anatomy['toe'][leg], toe)):
            np.testing.assert_allclose(motion['rotation'][link],
                                       rotation_from_rpy(0.0, wanted, 0.0), atol=1e-9)


@LEG
@pytest.mark.parametrize('direction', [(0.1, 0.0, -1.0), (-0.5, 0.2, -0.9), (0.0, -0.3, -1.0)])
def test_out_of_reach_is_clamped_in_its_direction(robot: Robot, leg: int,
                                                  direction: tuple[float, ...]) -> None:
    anatomy, angles = robot.anatomy, np.empty(3)
    way = np.array(direction) / np.linalg.norm(direction)
    longest = np.linalg.norm(anatomy['upper'][leg]) + np.linalg.norm(anatomy['lower'][leg])
    assert not solve_hip_and_knee(anatomy, leg, *(way * 2.0), angles)
    np.testing.assert_allclose(ankle_at(robot, leg, angles), way * STRAIGHTEST * longest,
                               atol=1e-9)
    assert not solve_hip_and_knee(anatomy, leg, *(way * 0.001), angles)
    short = ankle_at(robot, leg, angles)
    np.testing.assert_allclose(short / np.linalg.norm(short), way, atol=1e-9)
    assert 0.0 < np.linalg.norm(short) < 0.2 * longest


@LEG
def test_knees_bend_the_way_a_dogs_do(robot: Robot, leg: int) -> None:
    """A shorter leg folds its elbow backwards, or its knee forwards, as in the zero pose."""
    anatomy, angles = robot.anatomy, np.empty(3)
    ankle = anatomy['upper'][leg] + anatomy['lower'][leg]
    for share in (1.0, 0.8, 0.6):
        assert solve_hip_and_knee(anatomy, leg, *(ankle * share), angles)
        knee = rotation_from_rpy(0.0, angles[0], 0.0) @ anatomy['upper'][leg]
        middle = ankle * share / 2
        assert (knee[0] > middle[0]) == (leg >= 2)


def ankle_at(robot: Robot, leg: int, angles: np.ndarray) -> np.ndarray:
    """Return Ry(pitch) Rx(roll) (u + Ry(knee) l), from the hip."""
    upper, lower = robot.anatomy['upper'][leg], robot.anatomy['lower'][leg]
    hip = rotation_from_rpy(0.0, angles[0], 0.0) @ rotation_from_rpy(angles[1], 0.0, 0.0)
    return np.asarray(hip @ (upper + rotation_from_rpy(0.0, angles[2], 0.0) @ lower))
