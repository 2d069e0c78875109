"""
The gait scheduler: from the command and the measured speed to the target of this tick.

It advances the cycle phase, chooses the speed to aim for (section 4: within 0.5 m/s of the
measured one), interpolates the parameters for that speed, and evaluates what depends on phase.
"""

from __future__ import annotations

from math import atan2, cos, floor, pi, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.gait import STAND, GaitTable, as_numbers
from quadruped_control.control.gait_fields import ANY_SLANT, GaitRecord
from quadruped_control.control.gears import (
    EXCHANGE,
    SHIFT,
    Table,
    exchange_feet,
    mix_gears,
    shift_gear,
    trim_speed,
)
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.trajectory import evaluate_cycle, evaluate_rate, evaluate_span
from quadruped_control.kinematics.record_class import Block, make_record
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot

Array = NDArray[np.float64]
Tables = tuple[Table, Table, Array]
FADE = 1.0                  # s over which one gait is blended into another that is requested
FAST_FADE = 0.3             # s, between two fast gaits
SAME = 0.05                 # of a cycle that footfalls which count as the same may differ
EARLY_ENOUGH = 0.02         # of a cycle after lift-off that a leg may still begin to swing
FASTEST_CHANGE = 2.0        # m/s^2 at which a new command is taken up
SPEED_FILTER = 0.15         # s, time constant of the measured speed
FURTHEST_TURN = 0.5         # rad that the heading aimed for may be ahead of the dog's, and
FURTHEST_TURN_FAST = 1.5    # rad, of a fast gait, whose course hardly turns with its body
LEAST_RETURN = 1.0          # 1/s at which a heading that gave way returns
USUAL_STRAY = 0.06          # rad off its heading that the course of a dog is within a stride
UNSEEN = 1e-3               # rad
NO_TOP = 1000.0             # m/s, where the ground ahead allows any speed
FASTEST_RETURN = 3.0        # rad/s at which a dog off its heading turns back to it


@compiled
def advance(tables: Tables, anatomy: NDArray[np.record], command: Array,
            state: NDArray[np.record], clock: Block[ClockRecord], gait: Block[GaitRecord],
            numbers: Array, target: Block[TargetRecord], dt: float) -> None:
    """
    Advance by one tick and write the target.

    :param tables: of the gait before and of the gait requested, and the numbers of the stand.
    :param command: vx, vy in m/s, wz in rad/s, and 1 to step on the spot rather than stand.
    :param numbers: the numbers of ``gait``, the same memory.
    """
    now, goal = clock[0], target[0]
    measure_speed(state[0], now, dt)
    choose_aim(anatomy[0], command, tables[1], state[0], now, dt)
    _choose_stand(anatomy[0], command, now)
    if now.stands == 1.0:
        numbers[:] = tables[2]
    else:
        shift_gear(tables[1][2], now, dt)
        trim_speed(anatomy[0], tables[1][2], command[0], now, dt)
        swings = min(goal.time_to_touchdown[0], goal.time_to_touchdown[1])
        exchange_feet(tables[1][0], tables[1][2], swings, now, dt)
        _fade(tables[0][2], tables[1][2], swings, now, dt)
        if now.fade < 1.0:
            mix_gears(tables[0], 1.0, now, numbers)
        mix_gears(tables[1], now.fade, now, numbers)
    now.phase += dt / gait[0].period
    if now.phase >= 1.0:
        now.phase -= 1.0
        now.cycles += 1.0
    _yield_heading(anatomy[0], gait[0], state[0], now, dt)
    _write_frames(anatomy[0], gait[0], state[0], now, command, goal)
    for leg in range(4):
        _write_leg(anatomy[0], gait[0], now, goal, leg)


@compiled
def _fade(before: Array, gears: Array, swings: float, now: ClockRecord, dt: float) -> None:
    """
    Blend on into the gait requested.

    What lies between two fast gaits is no gait (half-way from the transverse to the rotary gallop
    both front feet land at once), so that it is quick, and begins while both front feet swing and
    none is about to land: if the hind legs go on as they did, it ends before one does.
    """
    if before[0] == 0.0 or gears[0] == 0.0 or now.gear < 1.0:
        now.fade = min(now.fade + dt / FADE, 1.0)
    elif now.fade > 0.0 or swings > EXCHANGE:
        now.fade = min(now.fade + dt / now.fade_time, 1.0)


@compiled
def _choose_stand(anatomy: np.record, command: Array, now: ClockRecord) -> None:
    """Stand when nothing is asked and the dog is slow; begin a cycle when something is."""
    idle = command[0] == 0.0 and command[1] == 0.0 and command[2] == 0.0 and command[3] == 0.0
    slow = max(abs(now.speed[0]), abs(now.speed[1])) < anatomy.standing_speed
    if idle and slow:
        now.stands = 1.0
        now.asked = now.fast = now.gear = now.trim = 0.0
    elif now.stands == 1.0 and not idle:
        now.stands = 0.0
        now.phase = 0.0
        now.fade = 1.0
        now.waits[:] = 1.0


@compiled
def measure_speed(state: np.record, now: ClockRecord, dt: float) -> None:
    """Filter the speed of the base, along and across the heading."""
    c, s = cos(now.heading), sin(now.heading)
    v = state.base_velocity
    share = dt / SPEED_FILTER
    now.speed[0] += share * (c * v[0] + s * v[1] - now.speed[0])
    now.speed[1] += share * (c * v[1] - s * v[0] - now.speed[1])


@compiled
def compute_yaw(q: Array) -> float:
    """Return the yaw of a quaternion x y z w, rad."""
    return atan2(2 * (q[3]*q[2] + q[0]*q[1]), 1 - 2 * (q[1]*q[1] + q[2]*q[2]))


@compiled
def choose_aim(anatomy: np.record, command: Array, table: Table, state: np.record,
               now: ClockRecord, dt: float) -> None:
    """
    Aim for the commanded speed, but within a lead of the measured one; turn the heading.

    No speed beyond the last row of a ladder is aimed for.
    """
    most = FASTEST_CHANGE * dt
    forward = command[0] if table[2][1] == 0.0 else min(command[0], table[0][-1])
    asked: float = now.asked + min(max(forward - now.asked, -most), most)
    now.asked = asked
    lead = anatomy.speed_lead
    now.aim[0] = min(max(asked, now.speed[0] - lead), now.speed[0] + lead)
    if asked > 0.0:                     # a dog that is dragged back does not run backwards
        now.aim[0] = max(now.aim[0], 0.0)
    now.aim[1] = command[1]
    yaw = compute_yaw(state.base_quaternion)
    heading: float = now.heading + command[2] * dt
    ahead = heading - yaw
    ahead -= 2 * pi * np.round(ahead / (2 * pi))
    now.heading = heading
    furthest = FURTHEST_TURN_FAST if now.gear == 1.0 else FURTHEST_TURN
    if abs(ahead) > furthest:
        now.heading = yaw + min(max(ahead, -furthest), furthest)


@compiled
def _yield_heading(anatomy: np.record, gait: GaitRecord, state: np.record, now: ClockRecord,
                   dt: float) -> None:
    """
    Turn with the course of a dog that is pushed aside, and slowly back to the heading asked for.

    What is left of a push at high speed is a small turn, while to stop it sideways takes strides.
    """
    follow, back = gait.yielding[0], max(gait.yielding[1], LEAST_RETURN)
    yields: float = now.yields
    if follow == 0.0 and yields == 0.0:
        return
    v = state.base_velocity
    c, s = cos(now.heading), sin(now.heading)
    turning = state.base_angular_velocity[2] * anatomy.middle
    off = compute_yaw(state.base_quaternion) - now.heading
    ahead = c * v[0] + s * v[1] - sin(off) * turning
    left = c * v[1] - s * v[0] + cos(off) * turning
    stray = atan2(left, max(ahead, anatomy.standing_speed)) - yields
    stray -= min(max(stray, -USUAL_STRAY), USUAL_STRAY)
    yields += dt * (follow * stray - back * yields)
    now.yields = 0.0 if follow == 0.0 and abs(yields) < UNSEEN else yields


@compiled
def _turn_back(gait: GaitRecord, state: np.record, heading: float) -> float:
    """
    Return the rate (rad/s) at which the leg frames should turn a dog to its heading.

    It is part of their velocities: feet are placed for it, and not only pushed with.
    """
    if gait.turning == 0.0:
        return 0.0
    back = -gait.turning * _compute_off(state, heading)
    return min(max(back, -FASTEST_RETURN), FASTEST_RETURN)


@compiled
def _compute_off(state: np.record, heading: float) -> float:
    """Return how far the pelvis is turned off a heading to the left, rad."""
    off: float = compute_yaw(state.base_quaternion) - heading
    return off - 2 * pi * np.round(off / (2 * pi))


@compiled
def _write_frames(anatomy: np.record, gait: GaitRecord, state: np.record, now: ClockRecord,
                  command: Array, goal: TargetRecord) -> None:
    """
    Write what the leg frames should do: height, attitude, velocity, and their gains.

    They go along the heading psi but may face where the dog does, psi + facing (yaw - psi): pitch,
    F_D, places of feet and the force that turns it back are then in the axes of a body that a push
    turned far off. In those of the heading its pitch would be a roll, and what drives it would
    spin it.
    """
    heading: float = now.heading + now.yields
    goal.heading = heading
    goal.yaw_rate = 0.0 if now.stands == 1.0 else command[2]
    goal.standing = now.stands
    goal.grip, goal.slant = gait.grip, gait.slant
    goal.head_pitch = evaluate_cycle(gait.head_pitch, now.phase)
    c, s = cos(heading), sin(heading)
    turn = goal.yaw_rate + _turn_back(gait, state, heading)
    facing = heading + gait.facing * _compute_off(state, heading)
    for frame in range(2):
        goal.height[frame] = evaluate_cycle(gait.height[frame], now.phase)
        goal.rpy[frame, 0] = 0.0
        goal.rpy[frame, 1] = evaluate_cycle(gait.pitch[frame], now.phase)
        goal.rpy[frame, 2] = facing
        lever = anatomy.lever[frame]
        forward = 0.0 if now.stands == 1.0 else now.aim[0] + now.trim
        left = 0.0 if now.stands == 1.0 else now.aim[1] + turn * lever
        goal.velocity[frame, 0] = c * forward - s * left
        goal.velocity[frame, 1] = s * forward + c * left
        goal.velocity[frame, 2] = evaluate_rate(gait.height[frame], now.phase) / gait.period
        goal.weight_share[frame] = gait.weight_share[frame]
        goal.heading_gain[frame] = gait.heading_gain[frame]
        goal.spine_share[frame] = gait.spine_share[frame]
        goal.swing_damping[frame] = gait.swing_damping[frame]
        goal.stance_shape[frame] = gait.stance_shape[frame]
        goal.smoothing[frame] = gait.smoothing[frame]
        goal.reach[frame] = gait.reach[frame]
        for k in range(2):
            goal.placement[frame, k] = gait.placement[frame, k]
            goal.velocity_gain[frame, k] = gait.velocity_gain[frame, k]
            goal.height_gain[frame, k] = gait.height_gain[frame, k]


@compiled
def _write_leg(anatomy: np.record, gait: GaitRecord, now: ClockRecord, goal: TargetRecord,
               leg: int) -> None:
    """Write stance or swing of a leg, and what its foot should do."""
    frame = leg // 2
    length = gait.touchdown[leg] - gait.lift_off[leg]
    since = now.phase - gait.lift_off[leg]
    since -= floor(since)
    if since >= length or since < EARLY_ENOUGH:
        now.waits[leg] = 0.0
    swings = since < length and now.stands == 0.0 and now.waits[leg] == 0.0
    swing = min(since / length, 1.0)
    goal.stance[leg] = 0.0 if swings else 1.0
    goal.swing_phase[leg] = swing
    goal.time_to_touchdown[leg] = (length - since) * gait.period if swings else 0.0
    goal.stance_duration[leg] = 0.0 if now.stands == 1.0 else (1 - length) * gait.period
    goal.swing_height[leg] = evaluate_span(gait.swing_height[frame], swing)
    goal.swing_advance[leg] = evaluate_span(gait.swing_advance[frame], swing)
    goal.tracking[leg] = evaluate_span(gait.tracking[frame], swing)
    goal.pastern_pitch[leg] = _foot_pitch(gait, frame, since * gait.period, length * gait.period)
    if now.stands == 1.0:
        goal.pastern_pitch[leg] = 0.0
    out = 1.0 if leg % 2 == 0 else -1.0
    goal.foot_place[leg, 0] = (anatomy.foot_place[leg, 0] + gait.step_ahead[frame]
                               + gait.leg_step[leg, 0])
    goal.foot_place[leg, 1] = (anatomy.foot_place[leg, 1] + out * gait.step_aside[frame]
                               + gait.leg_step[leg, 1])
    for n in range(gait.leg_force.shape[1]):
        goal.leg_force[leg, n, 0] = gait.leg_force[leg, n, 0]
        goal.leg_force[leg, n, 1] = gait.leg_force[leg, n, 1]


@compiled
def _foot_pitch(gait: GaitRecord, frame: int, since: float, swing: float) -> float:
    """
    Return the pastern's pitch: towards theta_a before lift-off, theta_b before touchdown.

    :param since: s since the last lift-off.
    :param swing: s that a swing lasts.
    """
    off, off_time = gait.toe_off[frame, 0], gait.toe_off[frame, 1]
    strike, strike_time = gait.foot_strike[frame, 0], gait.foot_strike[frame, 1]
    to_lift_off = gait.period - since
    if since >= swing:
        rolling = max(0.0, 1 - to_lift_off / off_time) * off
        return rolling + max(0.0, 1 - (since - swing) / strike_time) * strike
    fold = max(0.0, 1 - since / (0.5 * swing)) * off
    return fold + max(0.0, 1 - (swing - since) / strike_time) * strike


def name_gaits(tables: dict[str, GaitTable]) -> tuple[str, ...]:
    """Return the gaits that a robot with these tables may be in, by number; first the stand."""
    return (STAND, *sorted({name for table in tables.values() for name in table.names}))


class GaitScheduler:
    """
    The compiled scheduler with its records and tables.

    :param tables: by the name of the gait that may be requested.
    """

    def __init__(self, robot: Robot, stand: Array, tables: dict[str, GaitTable], *,
                 time_step: float, gait: str = 'auto') -> None:
        self.clock = make_record(ClockRecord)
        self.target = make_record(TargetRecord)
        self.command = np.zeros(4)
        parameters = make_record(GaitRecord)
        self._tables = tables
        self._stand = stand
        self._time_step = time_step
        self._anatomy = as_block(robot.anatomy)
        self._clock, self._parameters = as_block(self.clock), as_block(parameters)
        self._numbers = as_numbers(parameters)
        self.gait_names = name_gaits(tables)
        self.requests = frozenset(tables)
        self._indices = {request: tuple(self.gait_names.index(name) for name in table.names)
                         for request, table in tables.items()}
        self._target = as_block(self.target)
        GaitScheduler.reset(self, gait=gait)

    def reset(self, *, heading: float = 0.0, gait: str = 'auto') -> None:
        """Stand, facing a direction (rad), with a gait chosen for when a command comes."""
        self._clock[:] = np.zeros(1, self.clock.dtype)
        self._target[:] = np.zeros(1, self.target.dtype)        # a limp dog's would stay limp
        for share in (self.target.swing_damping, self.target.stance_shape):
            share[:] = 1.0
        self.target.grip, self.target.slant = 1.0, ANY_SLANT
        self.clock.heading = heading
        self.clock.stands = 1.0
        self.clock.top = NO_TOP
        self.clock.fade, self.clock.fade_time = 1.0, FAST_FADE
        self.command[:] = 0.0
        self.requested = self._playing = gait
        self._before = self._tables[gait]
        self._held = ''

    def join(self, state: np.record) -> None:
        """Take over a dog that may be on its way: it steps on until it is slow, then stands."""
        heading = compute_yaw(state['base_quaternion'])
        c, s = cos(heading), sin(heading)
        vx, vy = state['base_velocity'][:2]
        self.clock.heading, self.clock.stands = heading, 0.0
        self.clock.speed[:] = c * vx + s * vy, c * vy - s * vx
        self.clock.asked = self.clock.speed[0]
        self.clock.waits[:] = 1.0

    def request(self, gait: str) -> None:
        """Change to another gait by blending; a change while one is under way starts from it."""
        self.requested = gait
        self._change(self._held or gait)

    def hold(self, gait: str = '') -> None:
        """Go in a gait in place of the one requested, until this is called without one."""
        self._held = gait
        self._change(gait or self.requested)

    def _change(self, gait: str) -> None:
        if gait == self._playing:
            return
        before, after, clock = self._tables[self._playing], self._tables[gait], self.clock
        blends = (clock.fade < 1.0 or 0.0 < clock.exchange < 1.0) and clock.stands == 0.0
        self._before = before.freeze(self._numbers) if blends else before
        self._playing = gait
        clock.fade = 1.0 if clock.stands == 1.0 else 0.0
        same = np.abs(_hind_footfalls(after) - _hind_footfalls(self._before)).max() < SAME
        clock.fade_time = EXCHANGE if same else FAST_FADE

    @property
    def gait_index(self) -> int:
        """The gait that the dog is in, as an index of ``gait_names``."""
        if self._clock['stands'][0] == 1.0:
            return 0
        return self.indices[int(self._clock['row'][0])]

    def find_top(self, gait: str) -> float:
        """Return the greatest speed of a gait, m/s."""
        return float(self._tables[gait].speeds[-1])

    def find_delay(self, gait: str) -> float:
        """Return how long it takes until the robot goes in a gait alone once it is held, s."""
        clock = self.clock
        if self._playing == gait:
            return (1.0 - float(clock.fade)) * FADE
        slows = max(float(clock.speed[0]) - self.find_top(gait), 0.0) / FASTEST_CHANGE
        return FADE + slows + (SHIFT if clock.gear > 0.0 else 0.0)

    @property
    def indices(self) -> tuple[int, ...]:
        """The gait of each row of the table that is gone by, as an index of ``gait_names``."""
        return self._indices[self._playing]

    @property
    def stride_time(self) -> float:
        """How long a stride takes now, s."""
        return float(self._parameters['period'][0])

    @property
    def gait(self) -> str:
        """The name of the gait that the dog is in, or stand."""
        return self.gait_names[self.gait_index]

    def update(self, state: np.record) -> TargetRecord:
        """Return the target of this tick for a state and the command as it is set."""
        advance(self.tables(), self._anatomy, self.command, as_block(state), self._clock,
                self._parameters, self._numbers, self._target, self._time_step)
        return self.target

    def tables(self) -> Tables:
        """Return the numbers of the gait before, the one that is gone in, and the stand."""
        before, after = self._before, self._tables[self._playing]
        return ((before.speeds, before.rows, before.gears, before.shift),
                (after.speeds, after.rows, after.gears, after.shift), self._stand)


def _hind_footfalls(table: GaitTable) -> Array:
    """Return lift-off and touchdown of the hind legs at the greatest speed of a table."""
    gait = make_record(GaitRecord)
    as_numbers(gait)[:] = table.rows[-1]
    return np.concatenate([gait.lift_off[2:], gait.touchdown[2:]])
