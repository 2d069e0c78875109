"""What a leg frame wants of its stance feet: force F_h + F_v, F_D, and torque (section 3.1)."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.leg_frames import count_bearing
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.trajectory import evaluate_span
from quadruped_control.kinematics.records import ABSENT, FRONT, REAR
from quadruped_control.kinematics.rotations import rotation_error
from quadruped_control.kinematics.virtual_forces import add_virtual_torque

Array = NDArray[np.float64]


@compiled
def compute_frame_force(gains: np.record, target: TargetRecord, seen: np.record, frame: int,
                        force: Array) -> None:
    """
    Write the force wanted on a leg frame, whatever feet can give.

    F_h = kp (h_target - h) - kd v_z plus the standing weight; F_v = k_v (v_target - v) along and
    across the heading; while standing also a spring towards the middle of the feet.
    """
    point, velocity = seen.leg_frame_point[frame], seen.leg_frame_velocity[frame]
    support = seen.support[frame]
    c, s = cos(target.heading), sin(target.heading)
    ex = target.velocity[frame, 0] - velocity[0]
    ey = target.velocity[frame, 1] - velocity[1]
    along = target.velocity_gain[frame, 0] * (c * ex + s * ey)
    turning, turned = _heading_force(target, seen, frame), target.rpy[frame, 2] - target.heading
    along -= sin(turned) * turning
    across = target.velocity_gain[frame, 1] * (c * ey - s * ex) + cos(turned) * turning
    spring = target.standing * gains.standing_spring
    ahead, left = _middle_place(target, seen, frame)
    force[0] = c * along - s * across + spring * (support[0] - c*ahead + s*left - point[0])
    force[1] = s * along + c * across + spring * (support[1] - s*ahead - c*left - point[1])
    height = point[2] - support[2]
    force[2] = (target.height_gain[frame, 0] * (target.height[frame] - height)
                + target.height_gain[frame, 1] * (target.velocity[frame, 2] + seen.climb[frame]
                                                 - velocity[2])
                + target.weight_share[frame] * gains.weight[frame])


@compiled
def limit_slant(most: float, force: Array) -> None:
    """
    Let a wanted force not pull, nor be more level, over its upward part, than it may.

    Feet push up a leg frame that should sink only to find the grip for the rest. On ice that is
    right; the transverse gallop fell by it in 7 of 24 pushes to the sides, with a limit in none.
    """
    force[2] = max(force[2], 0.0)
    level = sqrt(force[0]**2 + force[1]**2)
    if level > most * force[2]:
        force[0] *= most * force[2] / level
        force[1] *= most * force[2] / level


@compiled
def _heading_force(target: TargetRecord, seen: np.record, frame: int) -> float:
    """
    Return the force to the dog's left that turns it to its heading.

    A foot alone passes next to no torque to the ground: a dog that stands on one or two feet is
    turned by pushing shoulders and pelvis to opposite sides.
    """
    front, rear = seen.leg_frame_point[FRONT], seen.leg_frame_point[REAR]
    c, s = cos(target.heading), sin(target.heading)
    x, y = front[0] - rear[0], front[1] - rear[1]
    off = atan2(c * y - s * x, c * x + s * y)
    side = 1.0 if frame == FRONT else -1.0
    return -side * target.heading_gain[frame] * off


@compiled
def _middle_place(target: TargetRecord, seen: np.record, frame: int) -> tuple[float, float]:
    """Return the middle of the default places of a frame's bearing feet: forward, left."""
    ahead, left, count = 0.0, 0.0, count_bearing(seen, frame)
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            ahead += target.foot_place[leg, 0] / count
            left += target.foot_place[leg, 1] / count
    return ahead, left


@compiled
def add_leg_force(anatomy: np.record, target: TargetRecord, seen: np.record, leg: int,
                  force: Array) -> None:
    """
    Add F_D(D), with D how far the leg frame is ahead of the foot, to the ground's force on it.

    F_D is along the body: hind feet that drive and front feet that brake then turn it nowhere.
    """
    c, s = cos(target.heading), sin(target.heading)
    point, sole = seen.leg_frame_point[leg // 2], seen.sole[leg]
    progress = c * (point[0] - sole[0]) + s * (point[1] - sole[1])
    place = 0.5 + progress / (2 * anatomy.force_reach)
    forward = evaluate_span(target.leg_force[leg, :, 0], place)
    facing = target.rpy[leg // 2, 2]
    force[0] += cos(facing) * forward
    force[1] += sin(facing) * forward
    force[2] += evaluate_span(target.leg_force[leg, :, 1], place)


@compiled
def compute_frame_torque(anatomy: np.record, gains: np.record, motion: np.record, seen: np.record,
                         memory: np.record, frame: int) -> None:
    """Write kp e - kd w with e the rotation vector from the leg frame to its target."""
    link, wanted = anatomy.leg_frame[frame], seen.leg_frame_torque[frame]
    goal, vector, w = memory.goal[frame], np.empty(3), motion.angular_velocity[link]
    rotation_error(goal, motion.rotation[link], vector)
    wanted[:] = 0.0
    for axis in range(3):           # roll, pitch and yaw about the target's own axes
        angle, rate = 0.0, 0.0
        for k in range(3):
            angle += goal[k, axis] * vector[k]
            rate += goal[k, axis] * w[k]
        torque = gains.orientation_kp[axis] * angle - gains.orientation_kd[axis] * rate
        for k in range(3):
            wanted[k] += goal[k, axis] * torque


@compiled
def compute_lacking_torque(tree: np.record, anatomy: np.record, gains: np.record,
                           target: TargetRecord, motion: np.record, seen: np.record, frame: int,
                           torques: Array, lacking: Array) -> None:
    """
    Let the spine turn the front leg frame, and write what the frame's torque then still lacks.

    tau_LF - tau_swing - tau_spine of algorithm 2; that is what the stance legs are to give.
    """
    wanted, link = seen.leg_frame_torque[frame], anatomy.leg_frame[frame]
    if frame == FRONT:
        share = gains.spine_share * target.spine_share[frame]
        assistance = np.empty(3)
        for k in range(3):
            assistance[k] = share * wanted[k]
        add_virtual_torque(tree, motion, anatomy.leg_frame[REAR], link, assistance, torques)
    lacking[:] = wanted
    _subtract_neighbours(tree, anatomy, motion, seen, frame, torques, lacking)


@compiled
def _subtract_neighbours(tree: np.record, anatomy: np.record, motion: np.record, seen: np.record,
                         frame: int, torques: Array, lacking: Array) -> None:
    """Take off what spine, neck or tail and swing legs already do to the leg frame."""
    joints = anatomy.spine_joints
    if frame == FRONT:
        for n in range(max(joints - 3, 0), joints):
            _add_axis_torque(motion, anatomy.spine[n], -torques[anatomy.spine[n]], lacking)
        for n in range(min(anatomy.neck_joints, 3)):
            _add_axis_torque(motion, anatomy.neck[n], torques[anatomy.neck[n]], lacking)
    else:
        for n in range(3):
            if n < joints:
                _add_axis_torque(motion, anatomy.spine[n], torques[anatomy.spine[n]], lacking)
            if n < anatomy.tail_joints:
                _add_axis_torque(motion, anatomy.tail[n], torques[anatomy.tail[n]], lacking)
    for leg in range(2 * frame, 2 * frame + 2):
        if not seen.bears[leg]:
            for axis in range(3):
                joint = anatomy.hip[leg, axis]
                if joint != ABSENT:
                    _add_axis_torque(motion, joint, torques[joint], lacking)


@compiled
def _add_axis_torque(motion: np.record, joint: int, torque: float, total: Array) -> None:
    for k in range(3):
        total[k] += motion.axis[joint, k] * torque
