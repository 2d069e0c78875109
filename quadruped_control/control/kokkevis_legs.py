"""
The gait controller of Kokkevis et al. 1995: the leg automaton and where feet go (section 7).

When a leg should stand and when it should swing comes from the gait scheduler's clock. The
automaton of Figure 4 makes of it what the leg does: push, move to the centre of its motion, reach
for its set-down point, or free itself where it was jammed.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.kokkevis_records import LegState
from quadruped_control.control.records import TargetRecord
from quadruped_control.terrain.local_map import LocalMap, ground_height

Array = NDArray[np.float64]
EARLY = 0.8                 # swing phase from which a touch ends the swing


@compiled
def observe_contacts(gains: np.record, target: TargetRecord, state: np.record, seen: np.record,
                     memory: np.record, dt: float) -> None:
    """Write which legs bear: those that push, and touch the ground."""
    for leg in range(4):
        touches = state.foot_force[leg] > 0.0
        memory.airborne[leg] = 0.0 if touches else memory.airborne[leg] + dt
        pushes = memory.state[leg] == LegState.PUSHING
        rests = memory.tilted > 0.0 or target.posed > 0.5
        bears = pushes and not rests and memory.airborne[leg] <= gains.lost_after
        seen.bears[leg] = 1 if bears else 0
        memory.late[leg] = 0.0 if bears or not pushes else memory.late[leg] + dt
        memory.stood[leg] = memory.stood[leg] + dt if bears else 0.0
        if bears or memory.begun == 0.0:
            memory.trodden[leg] = seen.sole[leg]


@compiled
def advance_automaton(numbers: np.record, anatomy: np.record, target: TargetRecord,
                      ground: LocalMap, state: np.record, motion: np.record, seen: np.record,
                      memory: np.record) -> None:
    """Let each leg change its state by time, by touch, or because it left its range."""
    for leg in range(4):
        swings = target.stance[leg] < 0.5
        now = memory.state[leg]
        if now == 0:
            _enter(seen, memory, target, leg, LegState.PUSHING)
        elif now == LegState.PUSHING:
            if swings and not (target.swing_phase[leg] > EARLY and memory.stood[leg] > 0.0):
                _enter(seen, memory, target, leg, LegState.LIFTED)
            elif seen.bears[leg] and _strays(numbers, anatomy, target, motion, seen, leg) > 1.0:
                _enter(seen, memory, target, leg, LegState.JAMMED)
                memory.jams += 1.0
        elif now == LegState.JAMMED:
            if _strays(numbers, anatomy, target, motion, seen, leg) < numbers.safe:
                _enter(seen, memory, target, leg,
                       LegState.REACHING if swings else LegState.PUSHING)
        elif not swings or (state.foot_force[leg] > 0.0 and target.swing_phase[leg] > EARLY):
            _enter(seen, memory, target, leg, LegState.PUSHING)
        elif now == LegState.LIFTED and _is_centred(target, seen, memory, leg):
            _enter(seen, memory, target, leg, LegState.REACHING)
        _look_at_ground(numbers, target, ground, seen, memory, leg)


@compiled
def _enter(seen: np.record, memory: np.record, target: TargetRecord, leg: int,
           state: LegState) -> None:
    memory.state[leg] = state
    memory.from_place[leg] = seen.foot_centre[leg]
    if state == LegState.LIFTED:
        memory.left[leg] = seen.foot_centre[leg, 2]
    if state == LegState.REACHING and memory.begun == 1.0:
        memory.from_place[leg] = seen.foot_target[leg]
    memory.from_advance[leg] = 0.0 if state == LegState.LIFTED else target.swing_advance[leg]


@compiled
def _centre(target: TargetRecord, seen: np.record, leg: int) -> tuple[float, float]:
    """Return the centre of a leg's motion in the world: its place under the leg frame."""
    c, s = cos(target.heading), sin(target.heading)
    point, place = seen.leg_frame_point[leg // 2], target.foot_place[leg]
    return (point[0] + c * place[0] - s * place[1], point[1] + s * place[0] + c * place[1])


@compiled
def _set_down(numbers: np.record, target: TargetRecord, seen: np.record, memory: np.record,
              leg: int) -> tuple[float, float]:
    """
    Return the set-down point, by velocity and turning rate.

    The leg passes its centre in the middle of the stance. What the body goes faster than wanted is
    caught by a longer step (ours; 0 s in the paper).
    """
    x, y = _centre(target, seen, leg)
    v = memory.smooth_velocity
    travel = target.time_to_touchdown[leg] + target.stance_duration[leg] / 2
    turn_x = -target.yaw_rate * (y - memory.mass_centre[1])
    turn_y = target.yaw_rate * (x - memory.mass_centre[0])
    wanted_x = (target.velocity[0, 0] + target.velocity[1, 0]) / 2
    wanted_y = (target.velocity[0, 1] + target.velocity[1, 1]) / 2
    return (x + travel * (v[0] + turn_x) + numbers.placement * (v[0] - wanted_x),
            y + travel * (v[1] + turn_y) + numbers.placement * (v[1] - wanted_y))


@compiled
def _is_centred(target: TargetRecord, seen: np.record, memory: np.record, leg: int) -> bool:
    """Say whether a lifted leg has passed the centre of its motion, or should have."""
    x, y = _centre(target, seen, leg)
    foot, start = seen.foot_centre[leg], memory.from_place[leg]
    passed = (x - start[0]) * (x - foot[0]) + (y - start[1]) * (y - foot[1]) <= 0.0
    return passed or target.swing_advance[leg] >= 0.5


@compiled
def _strays(numbers: np.record, anatomy: np.record, target: TargetRecord, motion: np.record,
            seen: np.record, leg: int) -> float:
    """Return how far a hip has turned from its centre, as a share of its range."""
    c, s = cos(target.heading), sin(target.heading)
    x, y = _centre(target, seen, leg)
    sole = seen.sole[leg]
    hip = motion.position[anatomy.hip[leg, 0]]
    height = max(hip[2] - sole[2], anatomy.narrowest_base)
    along = atan2(abs(c * (sole[0] - x) + s * (sole[1] - y)), height)
    aside = atan2(abs(c * (sole[1] - y) - s * (sole[0] - x)), height)
    return max(along / numbers.range[0], aside / numbers.range[1])


@compiled
def _look_at_ground(numbers: np.record, target: TargetRecord, ground: LocalMap,
                    seen: np.record, memory: np.record, leg: int) -> None:
    """Note the ground where a foot will be set down; the body is held for it before it is."""
    if memory.state[leg] == LegState.PUSHING:
        x, y = seen.foot_target[leg, 0], seen.foot_target[leg, 1]
    elif memory.state[leg] == LegState.JAMMED:
        x, y = _centre(target, seen, leg)
    else:
        x, y = _set_down(numbers, target, seen, memory, leg)
    memory.ground[leg] = ground_height(ground, x, y)
    reaches = memory.state[leg] == LegState.REACHING or memory.late[leg] > 0.0
    if reaches and memory.begun == 1.0:
        support = memory.trodden[leg]
        support[0], support[1], support[2] = x, y, memory.ground[leg]


@compiled
def set_foot_targets(numbers: np.record, gains: np.record, anatomy: np.record,
                     target: TargetRecord, seen: np.record, memory: np.record,
                     dt: float) -> None:
    """Write where the centre of each foot should be."""
    for leg in range(4):
        memory.last_foot_target[leg] = seen.foot_target[leg]
        if seen.bears[leg]:
            seen.foot_target[leg] = seen.foot_centre[leg]
        elif memory.state[leg] == LegState.PUSHING:
            _reach_down(gains, anatomy, target, seen, memory, leg)
        elif memory.state[leg] == LegState.JAMMED:
            _free(numbers, anatomy, target, seen, memory, leg, dt)
        else:
            _swing(numbers, anatomy, target, seen, memory, leg)
        if memory.begun == 0.0:
            memory.last_foot_target[leg] = seen.foot_target[leg]


@compiled
def _swing(numbers: np.record, anatomy: np.record, target: TargetRecord, seen: np.record,
           memory: np.record, leg: int) -> None:
    """Move a lifted foot to the centre of its motion, or from there to its set-down point."""
    foot, start = seen.foot_target[leg], memory.from_place[leg]
    advance, before = target.swing_advance[leg], memory.from_advance[leg]
    end = memory.ground[leg] + anatomy.foot_radius[leg]
    if memory.state[leg] == LegState.LIFTED:
        x, y = _centre(target, seen, leg)
        part = min(advance / 0.5, 1.0)
    else:
        x, y = _set_down(numbers, target, seen, memory, leg)
        part = min(max((advance - before) / max(1.0 - before, 1e-6), 0.0), 1.0)
    foot[0] = (1 - part) * start[0] + part * x
    foot[1] = (1 - part) * start[1] + part * y
    foot[2] = (1 - advance) * memory.left[leg] + advance * end + target.swing_height[leg]


@compiled
def _reach_down(gains: np.record, anatomy: np.record, target: TargetRecord, seen: np.record,
                memory: np.record, leg: int) -> None:
    """Lower a foot that should push but has no ground, and keep it within reach of its place."""
    foot = seen.foot_target[leg]
    x, y = _centre(target, seen, leg)
    wanted = target.velocity[leg // 2]
    planned = sqrt(wanted[0]**2 + wanted[1]**2) * target.stance_duration[leg] / 2
    away = sqrt((foot[0] - x)**2 + (foot[1] - y)**2)
    reach = max(gains.late_reach, planned)
    if target.standing > 0.5:
        foot[0], foot[1] = x, y
    elif away > reach:
        foot[0] = x + (foot[0] - x) * reach / away
        foot[1] = y + (foot[1] - y) * reach / away
    low = memory.ground[leg] + anatomy.foot_radius[leg]
    foot[2] = low - min(gains.late_speed * memory.late[leg], gains.late_drop)


@compiled
def _free(numbers: np.record, anatomy: np.record, target: TargetRecord, seen: np.record,
          memory: np.record, leg: int, dt: float) -> None:
    """Lift a jammed foot and move it towards the centre of its motion."""
    foot = seen.foot_target[leg]
    x, y = _centre(target, seen, leg)
    away = sqrt((foot[0] - x)**2 + (foot[1] - y)**2)
    part = min(numbers.jam_speed * dt / max(away, 1e-9), 1.0)
    foot[0] += part * (x - foot[0])
    foot[1] += part * (y - foot[1])
    high = (max(memory.ground[leg], memory.trodden[leg, 2]) + anatomy.foot_radius[leg]
            + numbers.jam_lift)
    foot[2] = min(foot[2] + numbers.jam_speed * dt, high)
