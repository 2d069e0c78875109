"""
A leap played tick by tick (section 5 of the paper): loading, take-off, airborne, landing.

It writes the same target as gaits and postures do; the controller does not know that it leaps.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.leap_records import Stage
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.kinematics.forward_kinematics import (
    compute_motion,
    compute_point,
    compute_point_velocity,
)

Array = NDArray[np.float64]
LOST = 0.012                # s without contact after which a foot has left the ground
PLANTED = 0.015             # s of contact after which a foot stands
LATE = 0.02                 # s that the loading waits for feet which are late
PITCH_GAIN = 6.0            # of the standing weight per rad of pitch that is lacking in a push
PITCH_DAMPING = 0.6         # and per rad/s
REACH = 0.95                # of the height of a leg frame, to which legs are stretched to land
SOFT_LANDING = 0.85         # of the pitch it has that the dog lands with; more torque would slip
UNDER = 0.05                # s of the take-off after which the body is over its feet
LANDING_STANCE = 0.10       # s that a landing foot will stand, for its placement
SETTLE = 0.20               # s after the first touch at which the trot goes on at the latest
LONGEST_FLIGHT = 1.5        # s
RISE = 0.4                  # s in which the dog then rises to the trot's height
TAIL_UP = 1.5               # s after a leap in which the tail is lowered
TAIL_PITCH = 1.3            # rad by which it is raised
SMOOTHING = 0.02            # s over which the velocity that places the feet is smoothed


@compiled
def begin_leap(leap: np.record, target: TargetRecord) -> None:
    """Start with the loading."""
    leap.waits, leap.stage, leap.elapsed, leap.touched = 0.0, Stage.LOADING, 0.0, 0.0
    leap.since = 0.0
    leap.crouch[:] = target.height
    leap.rested[:] = 0.0
    leap.height_gain[:] = target.height_gain
    leap.velocity_gain[:] = target.velocity_gain


@compiled
def crouch(leap: np.record, measures: np.record, gait: GaitRecord, anatomy: np.record,
           phase: float, target: TargetRecord) -> None:
    """
    Lower the leg frames in the half stride before a leap, and set its pair of legs further ahead.

    The body passes over these feet while the other pair swings: at the take-off all four shall
    be where the leap wants them.
    """
    part = 2.0 * phase - (2.0 * phase) // 1.0
    smooth = 0.5 - 0.5 * cos(pi * part)
    for frame in range(2):
        low = leap.front_height if frame == 0 else leap.rear_height
        leap.begin_height[frame] = gait.height[frame, 0]
        target.height[frame] += smooth * (low - target.height[frame])
    for leg in range(4):
        if target.stance[leg] < 0.5:
            ahead = leap.front_ahead if leg < 2 else leap.first_ahead
            _place(target, measures, anatomy, leg, ahead, leap.loading + UNDER)


@compiled
def _place(target: TargetRecord, measures: np.record, anatomy: np.record, leg: int, ahead: float,
           time: float) -> None:
    """Aim for a place that is ``ahead`` of the leg's own a ``time`` after touchdown."""
    c, s = cos(target.heading), sin(target.heading)
    velocity = target.velocity[leg // 2]
    way = (c * velocity[0] + s * velocity[1]) * time
    target.foot_place[leg, 0] = anatomy.foot_place[leg, 0] + min(ahead + way,
                                                                 measures.furthest_ahead)
    target.stance_duration[leg] = 0.0


@compiled
def end_leap(leap: np.record, target: TargetRecord) -> None:
    """Leave nothing of a leap in the target."""
    leap.stage = Stage.NONE
    target.hangs[:] = 0.0
    target.presses[:] = 0.0
    target.smoothing[:] = 0.0
    target.leg_length[:] = 0.0
    target.stiffening[:] = 0.0


@compiled
def play_leap(leap: np.record, measures: np.record, anatomy: np.record, tree: np.record,
              state: np.record, motion: np.record, clock: ClockRecord, target: TargetRecord,
              dt: float) -> bool:
    """Write the target of this tick; say whether the dog has landed and may trot on."""
    compute_motion(tree, state, motion)
    leap.climb = _climb(tree, motion)
    line = _pitch_of_line(anatomy, motion)
    leap.turning = (line - leap.line) / dt if leap.since > 0.0 else 0.0
    leap.line = line
    _measure_stretch(leap, anatomy, motion)
    leap.elapsed += dt
    leap.since += dt
    for leg in range(4):
        touches = state.foot_force[leg] > 0.0
        leap.rested[leg] = 0.0 if touches else leap.rested[leg] + dt
        leap.planted[leg] = leap.planted[leg] + dt if touches else 0.0
    _change_stage(leap, measures)
    _write_common(leap, clock, target)
    if leap.stage == Stage.LOADING:
        _load(leap, measures, anatomy, target)
    elif leap.stage == Stage.TAKE_OFF:
        _take_off(leap, measures, target)
    elif leap.stage == Stage.AIRBORNE:
        _fly(leap, target)
    else:
        _land(leap, target)
        leap.touched += dt if leap.touched > 0.0 or _touches(leap) else 0.0
        if _has_landed(leap, measures):
            leap.rises = RISE if leap.thrust > measures.high else 0.0
            leap.low[:] = leap.rise
            return True
    return False


@compiled
def _climb(tree: np.record, motion: np.record) -> float:
    """Return the vertical speed of the centre of mass."""
    velocity, total = np.empty(3), 0.0
    for link in range(tree.parent.shape[0]):
        compute_point_velocity(motion, link, motion.centre[link], velocity)
        total += tree.mass[link] * velocity[2]
    return total / tree.total_mass  # type: ignore[no-any-return]


@compiled
def _pitch_of_line(anatomy: np.record, motion: np.record) -> float:
    """Return the pitch of the line from the rear to the front leg frame."""
    rear, front = np.empty(3), np.empty(3)
    compute_point(motion, anatomy.leg_frame[1], anatomy.leg_frame_point[1], rear)
    compute_point(motion, anatomy.leg_frame[0], anatomy.leg_frame_point[0], front)
    level = sqrt((front[0] - rear[0])**2 + (front[1] - rear[1])**2)
    return -atan2(front[2] - rear[2], level)


@compiled
def _measure_stretch(leap: np.record, anatomy: np.record, motion: np.record) -> None:
    """Write how far each leg frame is from the middle of its feet, and how high over them."""
    point, foot, way = np.empty(3), np.empty(3), np.empty(3)
    for frame in range(2):
        compute_point(motion, anatomy.leg_frame[frame], anatomy.leg_frame_point[frame], point)
        way[:] = point
        for leg in range(2 * frame, 2 * frame + 2):
            compute_point(motion, anatomy.toe[leg], anatomy.foot_centre[leg], foot)
            way -= foot / 2
        leap.stretch[frame] = sqrt(way[0]**2 + way[1]**2 + way[2]**2)
        leap.rise[frame] = way[2] + anatomy.foot_radius[2 * frame]


@compiled
def _change_stage(leap: np.record, measures: np.record) -> None:
    """Go on to the next stage when its time, or what it waits for, has come."""
    elapsed = leap.elapsed
    if leap.stage == Stage.LOADING:
        stands = min(leap.planted) >= PLANTED
        if elapsed >= leap.loading + LATE or (elapsed >= leap.loading and stands):
            leap.stage, leap.elapsed = Stage.TAKE_OFF, 0.0
    elif leap.stage == Stage.TAKE_OFF:
        pushed = elapsed - leap.rear_delay
        left = pushed > LOST and min(leap.rested[2], leap.rested[3]) > LOST
        if pushed >= leap.rear_time or left or (
                pushed > 0.0 and _is_stretched(leap, measures, 1)):
            leap.stage, leap.elapsed = Stage.AIRBORNE, 0.0
            leap.thrust = leap.climb
    elif leap.stage == Stage.AIRBORNE and leap.climb < 0.0:
        leap.stage, leap.elapsed = Stage.LANDING, 0.0


@compiled
def _is_stretched(leap: np.record, measures: np.record, frame: int) -> bool:
    """Say whether the legs of a frame are as long as a push makes them."""
    longest = leap.begin_height[frame] + measures.stretch
    return leap.stretch[frame] >= longest  # type: ignore[no-any-return]


@compiled
def _touches(leap: np.record) -> bool:
    return min(leap.rested) == 0.0


@compiled
def _has_landed(leap: np.record, measures: np.record) -> bool:
    """
    Say whether both leg frames are on the ground and the fall is caught, or one has been a while.

    A trot that begins while the dog still falls lets one leg of each pair catch it.
    """
    front = min(leap.rested[0], leap.rested[1]) == 0.0
    rear = min(leap.rested[2], leap.rested[3]) == 0.0
    caught = front and rear and leap.climb > -measures.caught
    return caught or leap.touched > SETTLE or leap.elapsed > LONGEST_FLIGHT


@compiled
def _write_common(leap: np.record, clock: ClockRecord, target: TargetRecord) -> None:
    """Write what all stages share: the direction, and the speed that the dog is to have."""
    c, s = cos(clock.heading), sin(clock.heading)
    target.heading, target.yaw_rate, target.standing = clock.heading, 0.0, 0.0
    target.head_pitch = 0.0
    for frame in range(2):
        target.rpy[frame, 0], target.rpy[frame, 2] = 0.0, clock.heading
        target.velocity[frame, 0], target.velocity[frame, 1] = c * clock.aim[0], s * clock.aim[0]
        target.velocity[frame, 2] = 0.0
        target.weight_share[frame] = 1.0
    target.height_gain[:] = leap.height_gain
    target.velocity_gain[:] = leap.velocity_gain
    target.leg_force[:] = 0.0
    target.smoothing[:] = SMOOTHING


@compiled
def _load(leap: np.record, measures: np.record, anatomy: np.record,
          target: TargetRecord) -> None:
    """Let the other pair swing, lower shoulders and hips over the feet."""
    part = min(leap.elapsed / leap.loading, 1.0)
    smooth = 0.5 - 0.5 * cos(pi * part)
    target.height[0] = (1 - smooth) * leap.crouch[0] + smooth * leap.front_height
    target.height[1] = (1 - smooth) * leap.crouch[1] + smooth * leap.rear_height
    for leg in range(4):
        swings = part < 1.0 and _is_due(leap, leg)
        target.stance[leg] = 0.0 if swings else 1.0
        target.pastern_pitch[leg] = 0.0
        target.swing_height[leg] = target.time_to_touchdown[leg] = 0.0
        target.presses[leg] = leap.push_torque if part == 1.0 else 0.0
        if not swings:
            continue
        target.swing_phase[leg] = part
        target.swing_advance[leg] = smooth
        target.swing_height[leg] = measures.lift * sin(pi * part) - measures.press * part * part
        target.time_to_touchdown[leg] = leap.loading - leap.elapsed
        _place(target, measures, anatomy, leg,
               leap.front_ahead if leg < 2 else leap.second_ahead, UNDER)


@compiled
def _is_due(leap: np.record, leg: int) -> bool:
    """Say whether a leg is of the pair that swings in the loading."""
    return (leg == 1 or leg == 2) == (leap.side == 0.0)


@compiled
def _push(leap: np.record, target: TargetRecord, frame: int, force: float) -> None:
    """
    Push a leg frame up by a virtual force that holds no height, and to be faster.

    What the line between the leg frames lacks of its pitch is added in front or behind.
    """
    lacks = PITCH_GAIN * (leap.pitch - leap.line) - PITCH_DAMPING * leap.turning
    target.height_gain[frame] = 0.0
    target.velocity[frame, 0] += cos(target.heading) * leap.forward
    target.velocity[frame, 1] += sin(target.heading) * leap.forward
    target.weight_share[frame] = max(force + (lacks if frame == 1 else -lacks), 0.0)
    target.height[frame] = leap.rise[frame]     # no shape but the one it has


@compiled
def _take_off(leap: np.record, measures: np.record, target: TargetRecord) -> None:
    """Stiffen the body, launch the shoulders, then the hips."""
    target.stiffening[0] = leap.neck_stiffening
    target.stiffening[1] = leap.spine_stiffening
    target.stiffening[2] = leap.leg_stiffening
    for frame in range(2):
        target.rpy[frame, 1] = leap.line
    for leg in range(4):
        _press(leap, target, leg)
    if leap.elapsed < leap.front_time and not _is_stretched(leap, measures, 0):
        _push(leap, target, 0, leap.front_force)
    else:
        leap.front_time = 0.0
        for leg in range(2):
            _retract(leap, target, leg)
    if leap.elapsed >= leap.rear_delay:
        _push(leap, target, 1, leap.rear_force)
    else:
        target.height_gain[1] = 0.0         # bears its share: what holds a height loses the ground


@compiled
def _press(leap: np.record, target: TargetRecord, leg: int) -> None:
    """Let a leg push even where its foot has lost the ground: that brings it back."""
    target.stance[leg], target.presses[leg] = 1.0, leap.push_torque
    target.swing_height[leg] = 0.0
    target.time_to_touchdown[leg] = target.stance_duration[leg] = 0.0


@compiled
def _retract(leap: np.record, target: TargetRecord, leg: int) -> None:
    """Hang a leg below the body, drawn in."""
    target.stance[leg], target.hangs[leg], target.presses[leg] = 0.0, 1.0, 0.0
    target.swing_phase[leg] = 0.0
    target.leg_length[leg] = leap.leg_length
    target.time_to_touchdown[leg] = target.stance_duration[leg] = 0.0


@compiled
def _fly(leap: np.record, target: TargetRecord) -> None:
    for leg in range(4):
        _retract(leap, target, leg)
    target.rpy[:, 1] = 0.0


@compiled
def _land(leap: np.record, target: TargetRecord) -> None:
    """Stretch all legs to where the velocity foot placement wants them."""
    target.stiffening[:] = 0.0
    for frame in range(2):
        target.height[frame] = leap.begin_height[frame]
        target.rpy[frame, 1] = SOFT_LANDING * leap.line
    for leg in range(4):
        target.stance[leg], target.hangs[leg] = 1.0, 1.0
        target.leg_length[leg] = REACH * leap.begin_height[leg // 2]
        target.stance_duration[leg] = LANDING_STANCE
        target.foot_place[leg, 0] = 0.0         # under the leg frame, which it would else turn


@compiled
def rise(leap: np.record, target: TargetRecord, dt: float) -> None:
    """
    Let the leg frames rise slowly after a high leap, from as low as the landing pressed them.

    Legs that stretch at once throw the dog up again: the rear feet leave the ground for two steps.
    """
    if leap.rises <= 0.0:
        return
    smooth = 0.5 + 0.5 * cos(pi * leap.rises / RISE)
    leap.rises -= dt
    for frame in range(2):
        low = min(leap.low[frame], target.height[frame])
        target.height[frame] = low + smooth * (target.height[frame] - low)


@compiled
def hold_tail(leap: np.record, target: TargetRecord, dt: float) -> None:
    """Raise the tail in a leap and lower it some time after: a hanging one is caught by edges."""
    leap.tail = TAIL_UP if leap.stage >= Stage.TAKE_OFF else max(leap.tail - dt, 0.0)
    target.tail_pose[:] = 0.0
    target.tail_pose[0] = TAIL_PITCH * min(2.0 * leap.tail / TAIL_UP, 1.0)


@compiled
def find_trailing_pair(anatomy: np.record, motion: np.record, heading: float) -> float:
    """Return the trot's phase at which the pair of legs that is further behind swings first."""
    c, s = cos(heading), sin(heading)
    foot, sums = np.empty(3), np.zeros(2)
    for leg in range(4):
        compute_point(motion, anatomy.toe[leg], anatomy.foot_centre[leg], foot)
        pair = 0 if leg == 1 or leg == 2 else 1
        sums[pair] += c * foot[0] + s * foot[1]
    return 0.0 if sums[0] < sums[1] else 0.5
