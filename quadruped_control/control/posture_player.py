"""A motion played tick by tick: the target moves from where it was to what the phase says."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.fall_detection import has_tilted
from quadruped_control.control.leg_frames import compute_slope
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.skill_numbers import Condition
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.kinematics.forward_kinematics import compute_motion, compute_point
from quadruped_control.kinematics.records import ABSENT, FRONT, REAR
from quadruped_control.kinematics.rotations import rpy_from_rotation

Array = NDArray[np.float64]
REST_TIME = 0.15            # s without motion that count as rest
UPRIGHT_TILT = 0.85         # cosine of the tilt of both leg frames that counts as upright
LIMP = 0.5                  # stiffness below which joints are not where their pose says


@compiled
def begin_phase(tables: SkillTables, anatomy: np.record, state: np.record, target: TargetRecord,
                row: int) -> None:
    """Start a phase from the target as it is, and from what is measured where it says nothing."""
    skill, begin, phase = tables.skill[0], tables.begin[0], tables.phases[row]
    skill.phase, skill.elapsed = row, 0.0
    was_posed = target.posed > 0.5
    is_posed = phase.posed > 0.5
    tables.begin_numbers[:] = tables.target_numbers
    if is_posed and not was_posed:
        begin.stiffness, begin.damping = 1.0, 1.0
    if is_posed and (not was_posed or begin.stiffness < LIMP):
        _measure_pose(anatomy, state, begin)
    if was_posed and not is_posed:
        _measure_frames(tables, anatomy, state, begin)


@compiled
def _measure_pose(anatomy: np.record, state: np.record, begin: TargetRecord) -> None:
    """Write the joint angles as they are; a row of ball joints is summed up."""
    q = state.joint_position
    for leg in range(4):
        for axis in range(3):
            if anatomy.hip[leg, axis] != ABSENT:
                begin.leg_pose[leg, axis] = q[anatomy.hip[leg, axis]]
        begin.leg_pose[leg, 3] = q[anatomy.knee[leg]]
        if anatomy.ankle[leg, 0] != ABSENT:
            begin.leg_pose[leg, 4] = q[anatomy.ankle[leg, 0]]
    begin.spine_pose[:] = 0.0
    begin.neck_pose[:] = 0.0
    begin.tail_pose[:] = 0.0
    for n in range(anatomy.spine_joints):
        begin.spine_pose[n % 3] += q[anatomy.spine[n]]
    for n in range(anatomy.neck_joints):
        begin.neck_pose[n % 3] += q[anatomy.neck[n]]
    for n in range(anatomy.tail_joints):
        begin.tail_pose[n % 3] += q[anatomy.tail[n]]


@compiled
def _measure_frames(tables: SkillTables, anatomy: np.record, state: np.record,
                    begin: TargetRecord) -> None:
    """Write heading, heights, attitudes and foot places as they are."""
    motion, skill, tree = tables.motion[0], tables.skill[0], tables.tree[0]
    compute_motion(tree, state, motion)
    point, foot, rpy = np.empty(3), np.empty(3), np.empty(3)
    front, rear = (motion.position[anatomy.leg_frame[0]], motion.position[anatomy.leg_frame[1]])
    skill.heading = atan2(front[1] - rear[1], front[0] - rear[0])
    c, s = cos(skill.heading), sin(skill.heading)
    middle = np.zeros((2, 3))
    for frame in range(2):
        link = anatomy.leg_frame[frame]
        compute_point(motion, link, anatomy.leg_frame_point[frame], point)
        for leg in range(2 * frame, 2 * frame + 2):
            compute_point(motion, anatomy.toe[leg], anatomy.foot_centre[leg], foot)
            x, y = foot[0] - point[0], foot[1] - point[1]
            begin.foot_place[leg, 0], begin.foot_place[leg, 1] = c * x + s * y, c * y - s * x
            foot[2] -= anatomy.foot_radius[leg]
            middle[frame] += foot / 2
        begin.height[frame] = max(point[2] - middle[frame, 2], anatomy.narrowest_base)
        rpy_from_rotation(motion.rotation[link], rpy)
        begin.rpy[frame, 0], begin.rpy[frame, 1] = rpy[0], rpy[1]
    slope = compute_slope(anatomy, middle[FRONT], middle[REAR])
    begin.rpy[:, 1] += slope            # it is against the ground


@compiled
def play(tables: SkillTables, anatomy: np.record, target: TargetRecord, dt: float) -> bool:
    """Write the target of this tick; say whether the motion is over."""
    skill = tables.skill[0]
    phase = tables.phases[int(skill.phase)]
    skill.elapsed += dt
    part = min(skill.elapsed / phase.duration, 1.0)
    smooth = 0.5 - 0.5 * cos(pi * part)
    begin, numbers = tables.begin_numbers, tables.target_numbers
    for n in range(numbers.shape[0]):
        end = phase.end[n]
        numbers[n] = begin[n] if np.isnan(end) else begin[n] + smooth * (end - begin[n])
    _write_at_once(tables, phase, target)
    for leg in range(4):
        _write_leg(phase, target, leg, part, smooth)
    return phase.last == 1.0 and _is_over(anatomy, phase, skill)


@compiled
def _write_at_once(tables: SkillTables, phase: np.record, target: TargetRecord) -> None:
    """Write what does not change smoothly: modes, places of stepping feet, directions."""
    heading = tables.skill[0].heading
    target.posed = phase.posed
    if not np.isnan(phase.standing):
        target.standing = phase.standing
    target.heading = heading
    for frame in range(2):
        target.rpy[frame, 2] = heading
        target.velocity[frame, 0] = cos(heading) * phase.speed[frame]
        target.velocity[frame, 1] = sin(heading) * phase.speed[frame]
        target.velocity[frame, 2] = 0.0
    for leg in range(4):
        if phase.steps[leg] == 1.0 and not np.isnan(phase.foot_place[leg, 0]):
            target.foot_place[leg] = phase.foot_place[leg]


@compiled
def _write_leg(phase: np.record, target: TargetRecord, leg: int, part: float,
               smooth: float) -> None:
    """Write stance or swing of a leg."""
    steps = phase.steps[leg] == 1.0 and part < 1.0
    target.stance[leg] = 0.0 if steps else 1.0
    target.swing_phase[leg] = part if steps else 0.0
    target.swing_advance[leg] = smooth if steps else 0.0
    target.swing_height[leg] = phase.lift * 4 * part * (1 - part) if steps else 0.0
    target.time_to_touchdown[leg] = 0.0
    target.stance_duration[leg] = 0.0


@compiled
def _is_over(anatomy: np.record, phase: np.record, skill: np.record) -> bool:
    """Say whether a phase has reached its time, or sooner what it waits for."""
    if skill.elapsed >= phase.duration:
        return True
    if phase.until == Condition.REST:
        return skill.still >= REST_TIME
    upright = skill.up[0] > UPRIGHT_TILT and skill.up[1] > UPRIGHT_TILT
    if phase.until == Condition.UPRIGHT:
        return upright
    high = min(skill.height[0], skill.height[1]) > anatomy.up_height
    return phase.until == Condition.UP and upright and high


@compiled
def phase_is_over(tables: SkillTables, anatomy: np.record) -> bool:
    """Say whether the phase that is played has ended."""
    return _is_over(anatomy, tables.phases[int(tables.skill[0].phase)], tables.skill[0])


@compiled
def is_up(anatomy: np.record, skill: np.record) -> bool:
    """Say whether the dog is on its legs."""
    return (min(skill.up[0], skill.up[1]) > UPRIGHT_TILT and not has_tilted(skill)
            and min(skill.height[0], skill.height[1]) > anatomy.up_height - anatomy.up_room)
