"""Feet: which legs bear, and where each foot should be (stance, swing, late; section 3.1)."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.footholds import (
    FULL_HURDLE,
    advance_over,
    choose_foothold,
    lift_over,
    note_height,
)
from quadruped_control.control.ground_following import heeds_ground
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.virtual_forces import add_virtual_force
from quadruped_control.terrain.local_map import LocalMap, ground_height

Array = NDArray[np.float64]
FURTHEST = 0.7              # of a hanging leg's length that its foot may be ahead or behind
UNLIMITED = 1.0             # m: a reach above it limits nothing
RETURN = 0.2                # of the way strayed off level ground that feet are set further aside
EARLY = 0.8                 # swing phase from which a touch ends the swing (section 3.1)


@compiled
def observe_contacts(gains: np.record, target: TargetRecord, state: np.record, seen: np.record,
                     memory: np.record, dt: float) -> None:
    """Write which legs bear, and how long feet have been without contact."""
    for leg in range(4):
        touches = state.foot_force[leg] > 0.0
        memory.airborne[leg] = 0.0 if touches else memory.airborne[leg] + dt
        swings = target.stance[leg] < 0.5
        if not swings or memory.was_swinging[leg] == 0.0:
            memory.landed[leg] = 0.0
        elif touches and target.swing_phase[leg] > EARLY:
            memory.landed[leg] = 1.0
        in_touch = memory.airborne[leg] <= gains.lost_after or target.presses[leg] > 0.5
        stands = ((not swings or memory.landed[leg] == 1.0) and memory.tilted == 0.0
                  and target.posed < 0.5)
        seen.bears[leg] = 1 if stands and in_touch else 0
        memory.late[leg] = 0.0 if swings or in_touch else memory.late[leg] + dt


@compiled
def set_foot_targets(anatomy: np.record, gains: np.record, target: TargetRecord,
                     ground: LocalMap, seen: np.record, memory: np.record, dt: float) -> None:
    """Write where each foot's centre should be."""
    _smooth_velocity(target, seen, memory, dt)
    for leg in range(4):
        memory.last_foot_target[leg] = seen.foot_target[leg]
        swings = target.stance[leg] < 0.5
        if swings and memory.was_swinging[leg] == 0.0:
            _lift_off(target, ground, seen, memory, leg)
        memory.was_swinging[leg] = 1.0 if swings else 0.0
        if seen.bears[leg]:
            seen.foot_target[leg] = seen.foot_centre[leg]
        elif target.hangs[leg] > 0.5:
            _hang(anatomy, target, ground, seen, memory, leg)
        else:
            _swing(anatomy, gains, target, ground, seen, memory, leg)


@compiled
def _smooth_velocity(target: TargetRecord, seen: np.record, memory: np.record, dt: float) -> None:
    """
    Filter the velocity of the leg frames by which feet are placed.

    F_sw damps the foot against the speed of its target. Where that contains the velocity as it
    is, F_sw has a part that answers to acceleration a tick late, 5 kg for each leg, and a pelvis
    in flight with two such legs shakes at the rate of the ticks.
    """
    for frame in range(2):
        v, smooth = seen.leg_frame_velocity[frame], memory.smooth_velocity[frame]
        share = dt / (target.smoothing[frame] + dt)
        for k in range(2):
            smooth[k] = v[k] if share == 1.0 else smooth[k] + share * (v[k] - smooth[k])


@compiled
def _lift_off(target: TargetRecord, ground: LocalMap, seen: np.record, memory: np.record,
              leg: int) -> None:
    """Note where the swing begins, and ask for the ground's height where it will end."""
    memory.lift_off_place[leg] = seen.foot_centre[leg]
    memory.moved[leg] = memory.hurdle[leg] = 0.0
    memory.rolled[leg] = 0.0
    memory.last_foot_target[leg] = seen.foot_centre[leg]
    x, y = _foothold(target, seen, memory, leg)
    note_height(target, ground, seen, memory, leg, x, y)


@compiled
def _foothold(target: TargetRecord, seen: np.record, memory: np.record,
              leg: int) -> tuple[float, float]:
    """
    Return the next foothold P2 = P_LF + (v - v_d) s_fp in the world.

    P_LF is the default place under the leg frame at the time of touchdown, and half a stance
    ahead: where the leg frame passes over the foot in the middle of its stance.
    """
    frame = leg // 2
    c, s = cos(target.heading), sin(target.heading)
    ahead, left = _compute_place(target, leg)
    point, v, wanted = (seen.leg_frame_point[frame], memory.smooth_velocity[frame],
                        target.velocity[frame])
    ex, ey = v[0] - wanted[0], v[1] - wanted[1]
    ahead += target.placement[frame, 0] * (c * ex + s * ey)
    aside = target.placement[frame, 1] * (c * ey - s * ex)
    left += min(max(aside, -target.reach[frame]), target.reach[frame])
    left += RETURN * memory.strayed
    travel = target.time_to_touchdown[leg] + target.stance_duration[leg] / 2
    return (point[0] + c * ahead - s * left + wanted[0] * travel,
            point[1] + s * ahead + c * left + wanted[1] * travel)


@compiled
def _compute_place(target: TargetRecord, leg: int) -> tuple[float, float]:
    """Return the default place of a foot from its leg frame, along and across the heading."""
    place, turned = target.foot_place[leg], target.rpy[leg // 2, 2] - target.heading
    c, s = cos(turned), sin(turned)
    return c * place[0] - s * place[1], s * place[0] + c * place[1]


@compiled
def _swing(anatomy: np.record, gains: np.record, target: TargetRecord, ground: LocalMap,
           seen: np.record, memory: np.record, leg: int) -> None:
    """
    Follow P = (1 - t_sw) P1 + t_sw P2 at the swing's height.

    A late foot stays over its place and is lowered below where the ground should be, or below
    where it would stand if the leg frame is higher than that.
    """
    foot, start = seen.foot_target[leg], memory.lift_off_place[leg]
    x, y = _foothold(target, seen, memory, leg)
    if target.stance[leg] < 0.5 and heeds_ground(target):
        choose_foothold(anatomy, target, ground, seen, memory, leg, x, y)
    if memory.moved[leg] == 1.0:
        x, y = memory.foothold[leg, 0], memory.foothold[leg, 1]
    x, y = x - memory.rolled[leg, 0], y - memory.rolled[leg, 1]
    if target.standing > 0.5:
        memory.foothold_height[leg] = seen.support[leg // 2, 2]
    end = memory.foothold_height[leg] + anatomy.foot_radius[leg]
    if target.stance[leg] > 0.5:
        standing = seen.leg_frame_point[leg // 2, 2] - target.height[leg // 2]
        drop = min(gains.late_speed * memory.late[leg], gains.late_drop)
        low = max(end, standing + anatomy.foot_radius[leg]) - drop
        if target.standing > 0.5:
            foot[0], foot[1] = x, y
        else:
            _keep_in_reach(gains, target, seen, leg)
        foot[2] = low
        return
    part, hurdle = target.swing_advance[leg], memory.hurdle[leg]
    if hurdle > 0.0:
        part += min(1.0, hurdle / FULL_HURDLE / anatomy.uneven) * (
            advance_over(target.swing_phase[leg]) - part)
    foot[0] = (1 - part) * start[0] + part * x
    foot[1] = (1 - part) * start[1] + part * y
    foot[2] = (1 - part) * start[2] + part * end + target.swing_height[leg]
    foot[2] += hurdle * lift_over(target.swing_phase[leg])


@compiled
def _keep_in_reach(gains: np.record, target: TargetRecord, seen: np.record, leg: int) -> None:
    """
    Drag a late foot along when its leg frame leaves it behind: out of reach it never lands.

    It may be as far from its place as the gait plans. In a gait that limits how far aside feet are
    placed it may be so far aside, up to late_aside: drawn in at the touchdown it would not catch a
    dog that was pushed there.
    """
    c, s = cos(target.heading), sin(target.heading)
    foot, point = seen.foot_target[leg], seen.leg_frame_point[leg // 2]
    ahead, left = _compute_place(target, leg)
    wanted = target.velocity[leg // 2]
    planned = sqrt(wanted[0]**2 + wanted[1]**2) * target.stance_duration[leg] / 2
    reach = max(gains.late_reach, planned)
    if target.reach[leg // 2] > UNLIMITED:
        x = point[0] + c * ahead - s * left
        y = point[1] + s * ahead + c * left
        away = sqrt((foot[0] - x)**2 + (foot[1] - y)**2)
        if away > reach:
            foot[0] = x + (foot[0] - x) * reach / away
            foot[1] = y + (foot[1] - y) * reach / away
        return
    x, y = foot[0] - point[0], foot[1] - point[1]
    along, across = c * x + s * y - ahead, c * y - s * x - left
    aside = max(gains.late_reach, min(target.reach[leg // 2], gains.late_aside))
    ahead += min(max(along, -reach), reach)
    left += min(max(across, -aside), aside)
    foot[0] = point[0] + c * ahead - s * left
    foot[1] = point[1] + s * ahead + c * left


@compiled
def _hang(anatomy: np.record, target: TargetRecord, ground: LocalMap, seen: np.record,
          memory: np.record, leg: int) -> None:
    """
    Place the foot of a dog in the air from its leg frame, not deeper than the ground ahead.

    The foothold is where the velocity foot placement wants it; the leg's length keeps it within
    reach (section 5, landing).
    """
    foot, point = seen.foot_target[leg], seen.leg_frame_point[leg // 2]
    foot[0], foot[1] = _foothold(target, seen, memory, leg)
    c, s = anatomy.look_ahead * cos(target.heading), anatomy.look_ahead * sin(target.heading)
    low = max(ground_height(ground, foot[0], foot[1]),
              ground_height(ground, foot[0] + c, foot[1] + s)) + anatomy.foot_radius[leg]
    x, y = foot[0] - point[0], foot[1] - point[1]
    length = target.leg_length[leg]
    level = min(sqrt(x * x + y * y), FURTHEST * length)
    scale = level / max(sqrt(x * x + y * y), 1e-9)
    foot[0], foot[1] = point[0] + scale * x, point[1] + scale * y
    foot[2] = max(point[2] - sqrt(length * length - level * level), low)
    memory.lift_off_place[leg] = foot
    memory.foothold_height[leg] = low - anatomy.foot_radius[leg]


@compiled
def add_swing_forces(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                     motion: np.record, seen: np.record, memory: np.record, dt: float,
                     torques: Array) -> None:
    """Add F_sw, the virtual spring and damper that pulls a swing foot to its target."""
    force = np.empty(3)
    for leg in range(4):
        if seen.bears[leg] or target.standing > 0.5:
            continue
        stiffness = target.tracking[leg]
        damping = target.swing_damping[leg // 2] * gains.tracking_damping
        for k in range(3):
            rate = (seen.foot_target[leg, k] - memory.last_foot_target[leg, k]) / dt
            rate = min(max(rate, -anatomy.fastest_foot), anatomy.fastest_foot)
            force[k] = (stiffness * (seen.foot_target[leg, k] - seen.foot_centre[leg, k])
                        + damping * (rate - seen.foot_velocity[leg, k]))
        add_virtual_force(tree, motion, anatomy.leg_frame[leg // 2], anatomy.toe[leg],
                          seen.foot_centre[leg], force, torques)

