"""Target angles of all joints: legs by inverse kinematics, spine and neck by orientations."""

from __future__ import annotations

from math import asin, atan2, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.leg_kinds import solve_leg
from quadruped_control.kinematics.records import ABSENT, FRONT, REAR
from quadruped_control.kinematics.rotations import rotation_vector

Array = NDArray[np.float64]


@compiled
def set_joint_targets(anatomy: np.record, target: TargetRecord, motion: np.record,
                      seen: np.record, memory: np.record) -> None:
    """Write the target angle of every joint; those not named here stay at the zero pose."""
    memory.joint_target[:] = 0.0
    if target.posed > 0.5:
        take_pose(anatomy, target, memory.joint_target)
        return
    if memory.tilted > 0.0:
        return
    _bend_spine(anatomy, memory)
    _hold_head(anatomy, target, motion, memory)
    _share_bend(anatomy.tail, anatomy.tail_joints, target.tail_pose, memory.joint_target)
    for leg in range(4):
        _shape_leg(anatomy, target, motion, seen, memory, leg)


@compiled
def take_pose(anatomy: np.record, target: TargetRecord, angles: Array) -> None:
    """Write the joint angles of a pose; those of spine, neck and tail are shared evenly."""
    for leg in range(4):
        for axis in range(3):
            if anatomy.hip[leg, axis] != ABSENT:
                angles[anatomy.hip[leg, axis]] = target.leg_pose[leg, axis]
        angles[anatomy.knee[leg]] = target.leg_pose[leg, 3]
        if anatomy.ankle[leg, 0] != ABSENT:
            angles[anatomy.ankle[leg, 0]] = target.leg_pose[leg, 4]
    _share_bend(anatomy.spine, anatomy.spine_joints, target.spine_pose, angles)
    _share_bend(anatomy.neck, anatomy.neck_joints, target.neck_pose, angles)
    _share_bend(anatomy.tail, anatomy.tail_joints, target.tail_pose, angles)


@compiled
def _share_bend(joints: NDArray[np.int64], count: int, bend: Array, angles: Array) -> None:
    for n in range(count):
        angles[joints[n]] = 3 * bend[n % 3] / count


@compiled
def _shape_leg(anatomy: np.record, target: TargetRecord, motion: np.record, seen: np.record,
               memory: np.record, leg: int) -> None:
    """
    Target the shape that brings a foot to its place.

    A bearing leg's is the one it would have with its leg frame at the wanted height and attitude;
    a swing leg's starts from where the leg frame is.
    """
    frame = leg // 2
    hip = np.empty(3)
    rotation = memory.goal[frame] if seen.bears[leg] else motion.rotation[
        anatomy.leg_frame[frame]]
    place, middle = anatomy.hip_place[leg], anatomy.leg_frame_point[frame]
    for k in range(3):
        hip[k] = seen.leg_frame_point[frame, k]
        for m in range(3):
            hip[k] += rotation[k, m] * (place[m] - middle[m])
    if seen.bears[leg]:
        hip[2] += seen.support[frame, 2] + target.height[frame] - seen.leg_frame_point[
            frame, 2]
    solve_leg(anatomy, leg, rotation, hip, seen.foot_target[leg],
              target.rpy[frame, 2], target.pastern_pitch[leg], 0.0, memory.joint_target)


@compiled
def _bend_spine(anatomy: np.record, memory: np.record) -> None:
    """Divide the rotation from rear to front leg frame evenly among the joints of the spine."""
    joints = anatomy.spine_joints // 3
    if joints == 0:
        return
    rear, front = memory.goal[REAR], memory.goal[FRONT]
    between, vector = np.empty((3, 3)), np.empty(3)
    for r in range(3):
        for c in range(3):
            between[r, c] = (rear[0, r] * front[0, c] + rear[1, r] * front[1, c]
                             + rear[2, r] * front[2, c])
    rotation_vector(between, vector)
    for k in range(3):
        vector[k] /= joints
    pitch, roll, yaw = _ball_angles(vector)
    for n in range(joints):
        memory.joint_target[anatomy.spine[3 * n]] = pitch
        memory.joint_target[anatomy.spine[3 * n + 1]] = roll
        memory.joint_target[anatomy.spine[3 * n + 2]] = yaw


@compiled
def _ball_angles(vector: Array) -> tuple[float, float, float]:
    """Return pitch, roll and yaw with Ry(pitch) Rx(roll) Rz(yaw) the rotation of a vector."""
    angle = sqrt(vector[0]**2 + vector[1]**2 + vector[2]**2)
    if angle < 1e-9:
        return vector[1], vector[0], vector[2]
    x, y, z = vector[0] / angle, vector[1] / angle, vector[2] / angle
    c, s = cos(angle), sin(angle)
    t = 1 - c
    roll = asin(min(max(-(t*y*z - s*x), -1.0), 1.0))
    pitch = atan2(t*x*z + s*y, t*z*z + c)
    yaw = atan2(t*x*y + s*z, t*y*y + c)
    return pitch, roll, yaw


@compiled
def _hold_head(anatomy: np.record, target: TargetRecord, motion: np.record,
               memory: np.record) -> None:
    """Turn neck and head against the shoulders' pitch, and to where the target looks."""
    joints = anatomy.neck_joints // 3
    if joints == 0:
        return
    rotation = motion.rotation[anatomy.leg_frame[FRONT]]
    pitch = atan2(-rotation[2, 0], sqrt(rotation[2, 1]**2 + rotation[2, 2]**2))
    share = min(max(target.head_pitch - pitch + target.look[1], -pi / 3), pi / 3) / joints
    for n in range(joints):
        memory.joint_target[anatomy.neck[3 * n]] = share
        memory.joint_target[anatomy.neck[3 * n + 2]] = target.look[0] / joints
