"""The pose in which a scenario begins."""

from __future__ import annotations

from math import asin, cos, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.joint_targets import take_pose
from quadruped_control.control.posture_table import tabulate_postures, write_end
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.skill_book import load_book
from quadruped_control.kinematics.forward_kinematics import compute_centre_of_mass, compute_motion
from quadruped_control.kinematics.leg_kinds import solve_leg
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import FRONT, REAR, motion_type, new_record, state_type
from quadruped_control.kinematics.rotations import quaternion_from_rotation, rotation_from_rpy
from quadruped_control.model.robot import Robot
from quadruped_control.scenario import Start
from quadruped_control.simulation.pose import Pose
from quadruped_control.terrain.ground import Ground

Array = NDArray[np.float64]
PITCHES = np.linspace(-1.0, 0.3, 66)        # of the pelvis of a resting dog, rad


def compute_start_pose(robot: Robot, ground: Ground, start: Start, seed: int = 0) -> Pose:
    """
    Return the pose of a start: in a posture on the ground, or turned and above it.

    :param seed: of the joint noise.
    """
    joints = np.zeros(len(robot.links))
    if start.joint_noise > 0.0:
        random = np.random.default_rng(seed)
        joints[list(robot.movable)] = random.uniform(-start.joint_noise, start.joint_noise,
                                                     len(robot.movable))
        joints = np.clip(joints, robot.tree['lower'], robot.tree['upper'])
    if start.rpy is not None:
        rotation = rotation_from_rpy(0.0, 0.0, start.heading) @ rotation_from_rpy(*start.rpy)
        return _lift(robot, ground, start, _quaternion(rotation), joints)
    pose = (_standing(robot, ground, start) if start.posture == 'stand'
            else _resting(robot, ground, start))
    if start.joint_noise == 0.0:
        return pose
    joints = np.clip(joints + pose.joint_position, robot.tree['lower'], robot.tree['upper'])
    return _lift(robot, ground, start, pose.base_quaternion, joints)


def _quaternion(rotation: Array) -> Array:
    quaternion = np.empty(4)
    quaternion_from_rotation(rotation, quaternion)
    return quaternion


def _standing(robot: Robot, ground: Ground, start: Start) -> Pose:
    """Stand with every foot on the ground, the trunk along the slope from rear to front feet."""
    feet, height = robot.standing_feet(), robot.standing_height()
    c, s = cos(start.heading), sin(start.heading)
    turn = np.array([[c, -s], [s, c]])
    places = feet[:, :2] @ turn.T + start.position
    sole = ground.height(places[:, 0], places[:, 1])
    up = ground.normal(places[:, 0], places[:, 1])[:, 2]
    front, rear = sole[:2].mean() + height[FRONT], sole[2:].mean() + height[REAR]
    length = robot.leg_frame_distance()
    level = height[FRONT] - height[REAR]
    pitch = -asin(np.clip((front - rear - level) / length, -0.9, 0.9))
    rotation = rotation_from_rpy(0.0, pitch, start.heading)
    point = np.array([*start.position, rear + start.drop])
    joints = np.zeros(len(robot.links))
    for leg in range(4):
        frame = leg // 2
        shift = np.array([length, 0.0, level]) if frame == FRONT else np.zeros(3)
        middle = robot.anatomy['leg_frame_point'][frame]
        hip = point + rotation @ (shift + robot.anatomy['hip_place'][leg] - middle)
        radius = robot.anatomy['foot_radius'][leg]
        foot = np.array([*places[leg], sole[leg] + radius / up[leg] + start.drop])
        solve_leg(robot.anatomy, leg, rotation, hip, foot, start.heading, 0.0, 0.0, joints)
    base = point - rotation @ robot.anatomy['leg_frame_point'][REAR]
    return Pose(base, _quaternion(rotation), joints)


def _resting(robot: Robot, ground: Ground, start: Start) -> Pose:
    """Rest in a posture, pitched so that the centre of mass is as low as it can be."""
    book = load_book(robot.name)
    motion = book.postures[book.resting_motions[start.posture]]
    target = make_record(TargetRecord)
    write_end(tabulate_postures([motion], robot.anatomy), target)
    joints = np.zeros(len(robot.links))
    take_pose(robot.anatomy, target, joints)
    joints = np.clip(joints, robot.tree['lower'], robot.tree['upper'])
    tried = [_lift(robot, ground, start,
                   _quaternion(rotation_from_rpy(0.0, float(pitch), start.heading)), joints)
             for pitch in PITCHES]
    return min(tried, key=lambda pose: _height_of_mass(robot, pose))


def _height_of_mass(robot: Robot, pose: Pose) -> float:
    state = new_record(state_type(len(robot.links)))
    state['base_position'], state['base_quaternion'] = pose.base_position, pose.base_quaternion
    state['joint_position'] = pose.joint_position
    motion, centre = new_record(motion_type(len(robot.links))), np.empty(3)
    compute_motion(robot.tree, state, motion)
    compute_centre_of_mass(robot.tree, motion, centre)
    return float(centre[2])


def _lift(robot: Robot, ground: Ground, start: Start, quaternion: Array, joints: Array) -> Pose:
    """Turn a pose and lift it until its lowest point is ``drop`` above the ground."""
    state = new_record(state_type(len(robot.links)))
    state['base_position'][:2] = start.position
    state['base_quaternion'] = quaternion
    state['joint_position'] = joints
    motion = new_record(motion_type(len(robot.links)))
    compute_motion(robot.tree, state, motion)
    lowest = min(_clearance(robot, motion, ground))
    base = np.array([*start.position, start.drop - lowest])
    return Pose(base, state['base_quaternion'].copy(), joints)


def _clearance(robot: Robot, motion: np.record, ground: Ground) -> list[float]:
    """Return how far each collision sphere of the robot is above the ground under it."""
    found = []
    for link, sphere in robot.spheres():
        centre = motion['position'][link] + motion['rotation'][link] @ sphere.centre
        found.append(centre[2] - sphere.radius - ground.height_at(centre[0], centre[1]))
    return found

