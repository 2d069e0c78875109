"""
A leap played tick by tick (section 5 of the paper): loading, take-off, airborne, landing.

It writes the same target as gaits and postures do; the controller does not know that it leaps.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.leap_records import (
    AIRBORNE,
    LANDING,
    LOADING,
    NOT_LEAPING,
    TAKE_OFF,
)
from quadruped_control.kinematics.forward_kinematics import (
    compute_motion,
    compute_point,
    compute_point_velocity,
)

Array = NDArray[np.float64]
LOST = 0.012                # s without contact after which a foot has left the ground
PLANTED = 0.015             # s of contact after which a foot stands
LATE = 0.10                 # s that the loading waits for rear feet which are late
PRESS = 0.02                # m below the ground that they aim for at the end, to be down in time
SECOND_SWING = 0.6          # of the loading that the other rear leg swings
STRETCH = 0.04              # m over the trot's height to which a push stretches the legs
LIFT = 0.06                 # m that the feet are lifted in loading
REACH = 0.95                # of the height of a leg frame, to which legs are stretched to land
SOFT_LANDING = 0.85         # of the pitch it has that the dog lands with; more torque would slip
LOADING_STANCE = 0.20       # s that a foot set down in loading will stand, for its placement
LANDING_STANCE = 0.10       # s that a landing foot will stand, for its placement
SETTLE = 0.20               # s after the first touch at which the trot goes on at the latest
LONGEST_FLIGHT = 1.5        # s


@compiled
def begin_leap(leap: np.record, target: np.record, side: float) -> None:
    """
    Start with the loading.

    :param side: 0 where front right and rear left are due to swing, 1 where the others are.
    """
    leap.waits, leap.stage, leap.elapsed, leap.touched = 0.0, LOADING, 0.0, 0.0
    leap.since = 0.0
    leap.side = side
    leap.crouch[:] = target.height
    leap.rested[:] = 0.0
    leap.height_gain[:] = target.height_gain
    leap.velocity_gain[:] = target.velocity_gain


@compiled
def crouch(leap: np.record, gait: np.record, phase: float, target: np.record) -> None:
    """Lower the leg frames in the half stride before a leap; the legs step as they do."""
    part = 2.0 * phase - (2.0 * phase) // 1.0
    smooth = 0.5 - 0.5 * cos(pi * part)
    for frame in range(2):
        low = leap.front_height if frame == 0 else leap.rear_height
        leap.begin_height[frame] = gait.height[frame, 0]
        target.height[frame] += smooth * (low - target.height[frame])


@compiled
def end_leap(leap: np.record, target: np.record) -> None:
    """Leave nothing of a leap in the target."""
    leap.stage = NOT_LEAPING
    target.hangs[:] = 0.0
    target.leg_length[:] = 0.0
    target.stiffening[:] = 0.0


@compiled
def play_leap(leap: np.record, anatomy: np.record, tree: np.record, state: np.record,
              motion: np.record, clock: np.record, target: np.record, dt: float) -> bool:
    """Write the target of this tick; say whether the dog has landed and may trot on."""
    compute_motion(tree, state, motion)
    leap.climb = _climb(tree, motion)
    leap.line = _pitch_of_line(anatomy, motion)
    leap.elapsed += dt
    leap.since += dt
    for leg in range(4):
        touches = state.foot_force[leg] > 0.0
        leap.rested[leg] = 0.0 if touches else leap.rested[leg] + dt
        leap.planted[leg] = leap.planted[leg] + dt if touches else 0.0
    _change_stage(leap)
    _write_common(leap, clock, target)
    if leap.stage == LOADING:
        _load(leap, anatomy, target)
    elif leap.stage == TAKE_OFF:
        _take_off(leap, anatomy, target)
    elif leap.stage == AIRBORNE:
        _fly(leap, target)
    else:
        _land(leap, target)
        leap.touched += dt if leap.touched > 0.0 or _touches(leap) else 0.0
        return _has_landed(leap)
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
def _change_stage(leap: np.record) -> None:
    """Go on to the next stage when its time, or what it waits for, has come."""
    elapsed = leap.elapsed
    if leap.stage == LOADING:
        first = 2 if leap.side == 0.0 else 3
        stands = leap.planted[first] >= PLANTED and leap.planted[3 - first] >= PLANTED
        if elapsed >= leap.loading + LATE or (elapsed >= leap.loading and stands):
            leap.stage, leap.elapsed = TAKE_OFF, 0.0
    elif leap.stage == TAKE_OFF:
        planned = leap.rear_delay + leap.rear_time
        left = min(leap.rested) > LOST and elapsed > leap.rear_delay + LOST
        if left or elapsed >= planned:
            leap.stage, leap.elapsed = AIRBORNE, 0.0
    elif leap.stage == AIRBORNE and leap.climb < 0.0:
        leap.stage, leap.elapsed = LANDING, 0.0


@compiled
def _touches(leap: np.record) -> bool:
    return min(leap.rested) == 0.0


@compiled
def _has_landed(leap: np.record) -> bool:
    """Say whether both leg frames are on the ground, or one has been for a while."""
    front = min(leap.rested[0], leap.rested[1]) == 0.0
    rear = min(leap.rested[2], leap.rested[3]) == 0.0
    return (front and rear) or leap.touched > SETTLE or leap.elapsed > LONGEST_FLIGHT


@compiled
def _write_common(leap: np.record, clock: np.record, target: np.record) -> None:
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


@compiled
def _swing_leg(target: np.record, leg: int, since: float, duration: float, ahead: float) -> None:
    """Let a leg swing from ``since`` = 0 on; it stands before and after."""
    part = min(max(since / duration, 0.0), 1.0)
    swings = since >= 0.0 and part < 1.0
    target.stance[leg] = 0.0 if swings else 1.0
    target.swing_phase[leg] = part
    target.swing_advance[leg] = 0.5 - 0.5 * cos(pi * part)
    target.swing_height[leg] = LIFT * sin(pi * part) - PRESS * part * part if swings else 0.0
    target.time_to_touchdown[leg] = duration - since if swings else 0.0
    target.stance_duration[leg] = LOADING_STANCE
    target.foot_place[leg, 0] = ahead
    target.pastern_pitch[leg] = 0.0


@compiled
def _load(leap: np.record, anatomy: np.record, target: np.record) -> None:
    """Plant the shoulders and lower them; bring both rear feet under the body."""
    part = min(leap.elapsed / leap.loading, 1.0)
    smooth = 0.5 - 0.5 * cos(pi * part)
    target.height[0] = (1 - smooth) * leap.crouch[0] + smooth * leap.front_height
    target.height[1] = (1 - smooth) * leap.crouch[1] + smooth * leap.rear_height
    first = 2 if leap.side == 0.0 else 3
    swings, stays = 3 - first, first - 2
    place = anatomy.foot_place
    _swing_leg(target, first, leap.elapsed, leap.loading, place[first, 0] + leap.first_ahead)
    _step_second(leap, anatomy, target)
    _swing_leg(target, swings, leap.elapsed, leap.loading, place[swings, 0])
    _swing_leg(target, stays, -1.0, 1.0, place[stays, 0])


@compiled
def _step_second(leap: np.record, anatomy: np.record, target: np.record) -> None:
    """Let the other rear leg follow; it may land in the take-off."""
    second = 3 if leap.side == 0.0 else 2
    since = leap.since - leap.second_delay
    if leap.stage == TAKE_OFF and since <= leap.elapsed:
        since = -1.0                    # too late to begin
    _swing_leg(target, second, since, SECOND_SWING * leap.loading,
               anatomy.foot_place[second, 0] + leap.second_ahead)


@compiled
def _push(leap: np.record, target: np.record, frame: int, force: float) -> None:
    """Push a leg frame up by a virtual force that holds no height, and to be faster."""
    target.height_gain[frame] = 0.0
    target.velocity[frame, 0] += cos(target.heading) * leap.forward
    target.velocity[frame, 1] += sin(target.heading) * leap.forward
    target.weight_share[frame] = force
    target.height[frame] = leap.begin_height[frame] + STRETCH


@compiled
def _take_off(leap: np.record, anatomy: np.record, target: np.record) -> None:
    """Stiffen the body, launch the shoulders, then the hips."""
    target.stiffening[0] = leap.neck_stiffening
    target.stiffening[1] = leap.spine_stiffening
    target.stiffening[2] = leap.rear_leg_stiffening
    for frame in range(2):
        target.rpy[frame, 1] = leap.line + leap.pitch
    _step_second(leap, anatomy, target)
    second = 3 if leap.side == 0.0 else 2
    for leg in range(4):
        if leg != second or target.stance[leg] > 0.5:
            _reach_down(leap, target, leg)
    if leap.elapsed < leap.front_time:
        _push(leap, target, 0, leap.front_force)
    else:
        for leg in range(2):
            _retract(leap, target, leg)
    since = leap.elapsed - leap.rear_delay
    if since >= 0.0:
        _push(leap, target, 1, leap.rear_force)


@compiled
def _reach_down(leap: np.record, target: np.record, leg: int) -> None:
    """Let a leg stand; if its foot loses the ground, stretch it after the ground at once."""
    target.stance[leg], target.hangs[leg] = 1.0, 1.0
    target.swing_height[leg] = 0.0
    target.leg_length[leg] = leap.begin_height[leg // 2] + STRETCH
    target.time_to_touchdown[leg] = target.stance_duration[leg] = 0.0


@compiled
def _retract(leap: np.record, target: np.record, leg: int) -> None:
    """Hang a leg below the body, drawn in."""
    target.stance[leg], target.hangs[leg] = 0.0, 1.0
    target.swing_phase[leg] = 0.0
    target.leg_length[leg] = leap.leg_length
    target.time_to_touchdown[leg] = target.stance_duration[leg] = 0.0


@compiled
def _fly(leap: np.record, target: np.record) -> None:
    for leg in range(4):
        _retract(leap, target, leg)
    target.rpy[:, 1] = 0.0


@compiled
def _land(leap: np.record, target: np.record) -> None:
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
def find_trailing_pair(anatomy: np.record, motion: np.record, heading: float) -> float:
    """Return the trot's phase at which the pair of legs that is further behind swings first."""
    c, s = cos(heading), sin(heading)
    foot, sums = np.empty(3), np.zeros(2)
    for leg in range(4):
        compute_point(motion, anatomy.toe[leg], anatomy.foot_centre[leg], foot)
        pair = 0 if leg == 1 or leg == 2 else 1
        sums[pair] += c * foot[0] + s * foot[1]
    return 0.0 if sums[0] < sums[1] else 0.5
