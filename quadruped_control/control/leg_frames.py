"""Leg frames: virtual forces on the stance feet, and the net torque of algorithm 2."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.trajectory import evaluate_span
from quadruped_control.kinematics.records import ABSENT, FRONT, REAR
from quadruped_control.kinematics.rotations import rotation_error, write_rotation_from_rpy
from quadruped_control.kinematics.virtual_forces import add_virtual_force, add_virtual_torque

Array = NDArray[np.float64]
STEEPEST = 0.9              # most horizontal force of a foot, as a share of its vertical one


@compiled
def observe_tilt(anatomy: np.record, gains: np.record, motion: np.record, memory: np.record,
                 dt: float) -> None:
    """
    Note for how long the stance rules are still to rest after a leg frame was far from upright.

    Rules made for a dog on its feet drive one that lies or tumbles to ever greater speeds.
    """
    memory.tilted = max(memory.tilted - dt, 0.0)
    for frame in range(2):
        if motion.rotation[anatomy.leg_frame[frame], 2, 2] < gains.least_upright:
            memory.tilted = gains.tilted_for


@compiled
def compute_slope(anatomy: np.record, front: Array, rear: Array) -> float:
    """Return how the ground rises from the middle of the rear soles to the front's (rad)."""
    level = sqrt((front[0] - rear[0])**2 + (front[1] - rear[1])**2)
    return atan2(front[2] - rear[2], max(level, anatomy.shortest_base))


@compiled
def set_leg_frame_goals(anatomy: np.record, target: TargetRecord, seen: np.record,
                        memory: np.record) -> None:
    """
    Write where each leg frame stands, and the orientation wanted of it, tilted with the ground.

    Feet that press may be in the air and tell nothing of the ground.
    """
    for frame in range(2):
        _place_support(seen, frame)
    if max(target.presses) < 0.5:
        seen.slope = compute_slope(anatomy, seen.support[FRONT], seen.support[REAR])
    for frame in range(2):
        rpy = target.rpy[frame]
        write_rotation_from_rpy(rpy[0], rpy[1] - seen.slope, rpy[2], memory.goal[frame])


@compiled
def _bearing(seen: np.record, frame: int) -> int:
    return seen.bears[2 * frame] + seen.bears[2 * frame + 1]


@compiled
def _place_support(seen: np.record, frame: int) -> None:
    """Write the middle of the frame's bearing soles; the last one stays where there is none."""
    count = _bearing(seen, frame)
    if count == 0:
        return
    seen.support[frame] = 0.0
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            for k in range(3):
                seen.support[frame, k] += seen.sole[leg, k] / count


@compiled
def add_stance_forces(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                      motion: np.record, seen: np.record, memory: np.record,
                      torques: Array) -> None:
    """Add F_i = -F_D - (F_h + F_v) / n on every bearing foot, its leg frame as base link."""
    forces = np.zeros((2, 3))
    for frame in range(2):
        _orientation_torque(anatomy, gains, motion, seen, memory, frame)
        _share_force(gains, target, seen, frame, forces[frame])
    for frame in range(2):
        if _bearing(seen, frame) == 2:
            _shift_load(anatomy, gains, target.rpy[frame, 2], forces[frame], seen, frame)
        if target.presses[2 * frame] > 0.5:
            _limit_push(tree, anatomy, gains, target, motion, seen, frame)
    for leg in range(4):
        if seen.bears[leg]:
            _add_leg_force(anatomy, target, seen, leg)
            _aim_leg_force(anatomy, target, motion, seen, leg)
            add_virtual_force(tree, motion, anatomy.leg_frame[leg // 2], anatomy.toe[leg],
                              seen.sole[leg], seen.virtual_force[leg], torques)


@compiled
def _limit_push(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                motion: np.record, seen: np.record, frame: int) -> None:
    """
    Lessen the forces of pressing feet to the torque that their joints may give.

    A torque cut off at one joint turns the force, and with it the body.
    """
    _aim_push(anatomy, gains, target.heading, seen, frame)
    limit = target.presses[2 * frame]
    most = limit
    for leg in range(2 * frame, 2 * frame + 2):
        torques = np.zeros(tree.parent.shape[0])
        add_virtual_force(tree, motion, anatomy.leg_frame[frame], anatomy.toe[leg],
                          seen.sole[leg], seen.virtual_force[leg], torques)
        most = max(most, np.abs(torques).max())
    for leg in range(2 * frame, 2 * frame + 2):
        for k in range(3):
            seen.virtual_force[leg, k] *= limit / most


@compiled
def _aim_push(anatomy: np.record, gains: np.record, heading: float, seen: np.record,
              frame: int) -> None:
    """
    Let the force of two pressing feet pass so near the leg frame that the spine can hold it.

    With the feet x ahead of the leg frame and h below it, the ground's force gives the leg frame
    the pitch torque -h f_x - x f_z, which no hip can take off it.
    """
    c, s = cos(heading), sin(heading)
    point, support = seen.leg_frame_point[frame], seen.support[frame]
    ahead = c * (support[0] - point[0]) + s * (support[1] - point[1])
    height = max(point[2] - support[2], anatomy.narrowest_base)
    force = seen.virtual_force[2 * frame] + seen.virtual_force[2 * frame + 1]
    along, up = -(c * force[0] + s * force[1]), -force[2]
    least = (-ahead * up - anatomy.push_moment) / height
    most = (-ahead * up + anatomy.push_moment) / height
    wanted = min(max(along, least), most)
    wanted = min(max(wanted, -gains.grip * up), gains.grip * up)
    for leg in range(2 * frame, 2 * frame + 2):
        seen.virtual_force[leg, 0] -= c * (wanted - along) / 2
        seen.virtual_force[leg, 1] -= s * (wanted - along) / 2


@compiled
def _share_force(gains: np.record, target: TargetRecord, seen: np.record, frame: int,
                 force: Array) -> None:
    """Share the force wanted on a leg frame equally among its bearing feet."""
    count = _bearing(seen, frame)
    if count > 0:
        _frame_force(gains, target, seen, frame, force)
    for leg in range(2 * frame, 2 * frame + 2):
        seen.virtual_force[leg] = 0.0
        if seen.bears[leg]:
            for k in range(3):
                seen.virtual_force[leg, k] = -force[k] / count


@compiled
def _add_leg_force(anatomy: np.record, target: TargetRecord, seen: np.record, leg: int) -> None:
    """
    Add -F_D(D), with D how far the leg frame is ahead of the foot.

    F_D is along the body: hind feet that drive and front feet that brake then turn it nowhere.
    """
    c, s = cos(target.heading), sin(target.heading)
    point, sole = seen.leg_frame_point[leg // 2], seen.sole[leg]
    progress = c * (point[0] - sole[0]) + s * (point[1] - sole[1])
    place = 0.5 + progress / (2 * anatomy.force_reach)
    forward = evaluate_span(target.leg_force[leg, :, 0], place)
    facing = target.rpy[leg // 2, 2]
    seen.virtual_force[leg, 0] -= cos(facing) * forward
    seen.virtual_force[leg, 1] -= sin(facing) * forward
    seen.virtual_force[leg, 2] -= evaluate_span(target.leg_force[leg, :, 1], place)


@compiled
def _aim_leg_force(anatomy: np.record, target: TargetRecord, motion: np.record, seen: np.record,
                   leg: int) -> None:
    """
    Turn a foot's force along the body towards the hip, until its moment is what the hip may give.

    With the hip x ahead of the foot and h above it the force gives the hip the pitch moment
    h f_x - x f_z. To brake with a foot that is behind, or to drive with one ahead, would take more
    torque than there is; cut off at the hip it would be another force, and the leg gives way.
    """
    force, hip = seen.virtual_force[leg], motion.position[anatomy.hip[leg, 0]]
    sole, up = seen.sole[leg], -seen.virtual_force[leg, 2]
    height, most = hip[2] - sole[2], target.hip_moment[leg // 2]
    if up <= 0.0 or height < anatomy.narrowest_base or most == 0.0:
        return
    c, s = cos(target.rpy[leg // 2, 2]), sin(target.rpy[leg // 2, 2])
    through = up * (c * (hip[0] - sole[0]) + s * (hip[1] - sole[1])) / height
    along = -(c * force[0] + s * force[1])
    wanted = min(max(along, through - most / height), through + most / height)
    if wanted == along:
        return
    x, y = -force[0] + c * (wanted - along), -force[1] + s * (wanted - along)
    part = min(1.0, STEEPEST * up / max(sqrt(x * x + y * y), 1e-9))
    force[0], force[1] = -part * x, -part * y


@compiled
def _shift_load(anatomy: np.record, gains: np.record, facing: float, force: Array,
                seen: np.record, frame: int) -> None:
    """
    Give the roll torque of a leg frame that stands on both feet by loading one of them more.

    Hip torques would have to push the feet sideways for it. With y_i the feet left of the leg
    frame and h its height over them, the ground's forces f_i and F_y give the roll torque
    y_L f_L + y_R f_R + h F_y. No foot can pull: where that limits, F_y is what yields.
    The roll torque is then taken off the torque that is left to the hips.
    """
    c, s = cos(facing), sin(facing)
    left, right = 2 * frame, 2 * frame + 1
    point, wanted = seen.leg_frame_point[frame], seen.leg_frame_torque[frame]
    y_left = c * (seen.sole[left, 1] - point[1]) - s * (seen.sole[left, 0] - point[0])
    y_right = c * (seen.sole[right, 1] - point[1]) - s * (seen.sole[right, 0] - point[0])
    height = point[2] - seen.support[frame, 2]
    least = anatomy.narrowest_base
    if y_left - y_right < least or height < least or force[2] <= 0.0:
        return
    roll = c * wanted[0] + s * wanted[1]
    sideways = c * force[1] - s * force[0]
    load = (roll - height * sideways - y_right * force[2]) / (y_left - y_right)
    least = gains.least_load * force[2]
    load = min(max(load, least), force[2] - least)
    possible = (roll - y_left * load - y_right * (force[2] - load)) / height
    for leg in range(left, right + 1):
        seen.virtual_force[leg, 0] += s * (possible - sideways) / 2
        seen.virtual_force[leg, 1] -= c * (possible - sideways) / 2
    seen.virtual_force[left, 2] = -load
    seen.virtual_force[right, 2] = load - force[2]
    wanted[0] -= c * roll
    wanted[1] -= s * roll


@compiled
def _frame_force(gains: np.record, target: TargetRecord, seen: np.record, frame: int,
                 force: Array) -> None:
    """
    Write the force wanted on a leg frame.

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
                + target.height_gain[frame, 1] * (target.velocity[frame, 2] - velocity[2])
                + target.weight_share[frame] * gains.weight[frame])
    force[2] = max(force[2], 0.0)           # feet do not pull
    level = sqrt(force[0]**2 + force[1]**2)
    if level > gains.grip * force[2]:
        force[0] *= gains.grip * force[2] / level
        force[1] *= gains.grip * force[2] / level


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
    ahead, left, count = 0.0, 0.0, _bearing(seen, frame)
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            ahead += target.foot_place[leg, 0] / count
            left += target.foot_place[leg, 1] / count
    return ahead, left


@compiled
def apply_net_leg_frame_torque(tree: np.record, anatomy: np.record, gains: np.record,
                               target: TargetRecord, motion: np.record, seen: np.record,
                               frame: int, torques: Array) -> None:
    """
    Let the bearing hips give what the leg frame's torque still lacks (algorithm 2).

    tau_stance = (tau_LF - tau_swing - tau_spine) / N. The torque of the virtual forces in the
    stance hips is kept and this added to it; the algorithm as printed would replace it.
    """
    wanted = seen.leg_frame_torque[frame]
    count = _bearing(seen, frame)
    if count == 0:
        return
    link = anatomy.leg_frame[frame]
    share = np.empty(3)
    if frame == FRONT:
        for k in range(3):
            share[k] = gains.spine_share * target.spine_share[frame] * wanted[k]
        add_virtual_torque(tree, motion, anatomy.leg_frame[REAR], link, share, torques)
    lacking = wanted.copy()
    _subtract_neighbours(tree, anatomy, motion, seen, frame, torques, lacking)
    for k in range(3):
        share[k] = -lacking[k] / count
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            add_virtual_torque(tree, motion, link, anatomy.thigh[leg], share, torques)


@compiled
def _orientation_torque(anatomy: np.record, gains: np.record, motion: np.record, seen: np.record,
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
