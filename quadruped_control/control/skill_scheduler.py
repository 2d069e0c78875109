"""
The skills' state machine, compiled: on its feet the gait scheduler decides, else a motion.

Activities, requests and motions are numbered as in the robot's skill_book.
"""

from __future__ import annotations

from functools import cached_property
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.fall_detection import LOOK, has_sunk, has_tilted, look
from quadruped_control.control.gait import GaitTable
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.gait_scheduler import (
    GaitScheduler,
    Tables,
    advance,
    compute_yaw,
)
from quadruped_control.control.gaze import turn_head
from quadruped_control.control.leap_player import hold_tail
from quadruped_control.control.leap_records import Stage
from quadruped_control.control.leap_skill import prepare_leap
from quadruped_control.control.pursuit import Pace, find_pace
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.skill_numbers import CODED, NONE, Activity, Part, Request
from quadruped_control.control.skill_players import (
    begin_in_gait,
    begin_skill,
    break_off,
    play_skill,
)
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.control.skills import Skills
from quadruped_control.kinematics.record_class import Block
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot

Array = NDArray[np.float64]
STEADY = 0.4                # rad off its heading within which a dog is not being turned over
RETURNED = 0.2              # rad from the heading before a fall
HARDEST_TURN = 2.5          # m/s^2 to the side in the fast gear; from 3.5 on the canter falls
SLOWEST = 1.0               # m/s of a dog in the fast gear, which is slow after a push only
CLOSE = 0.4                 # of their places that feet of a dog which stands are apart at least


@compiled
def schedule(tables: Tables, skills: SkillTables, anatomy: NDArray[np.record], command: Array,
             state: NDArray[np.record], clock: Block[ClockRecord], gait: Block[GaitRecord],
             numbers: Array, target: Block[TargetRecord], dt: float) -> None:
    """Advance by one tick and write the target, by the gait scheduler or by a skill's player."""
    skill = skills.skill[0]
    if skill.ticks % LOOK == 0:
        look(anatomy[0], skills.tree[0], state[0], skills.motion[0], skill, dt)
        _watch(skills, anatomy[0], state[0], clock[0], target[0])
    skill.ticks += 1.0
    _take_request(skills, anatomy[0], command, state[0], clock[0], target[0])
    on_feet = skill.motion == NONE and skill.state == Activity.STAND
    if on_feet:
        _steer(skill, state[0], clock[0])
        _settle(skill, skills.leap[0], command, clock[0], dt)
        begin_in_gait(skills, clock[0], gait[0], target[0], dt)
    else:
        clock[0].stands, clock[0].phase, clock[0].asked = 1.0, 0.0, 0.0
    player = skills.players[int(clock[0].skill)]
    if play_skill(player, tables[1], skills, anatomy[0], state[0], clock[0], target[0], dt):
        advance(tables, anatomy, skill.command, state, clock, gait, numbers, target, dt)
        prepare_leap(skills, anatomy[0], clock[0], gait[0], target[0], dt)
    if on_feet:
        hold_tail(skills.leap[0], target[0], dt)
    _choose_stance_rule(skill, skills.leap[0], clock[0], target[0])
    turn_head(clock[0], target[0], dt)


@compiled
def _choose_stance_rule(skill: np.record, leap: np.record, clock: ClockRecord,
                        target: TargetRecord) -> None:
    """
    Let stance legs go by algorithm 2 on the way down, and from a leap's request to its end.

    Both were found with it. By optimisation 30 of 40 leaps landed, in this way 39; and a dog that
    lay down with its hind feet on a block lay still in 9 of 20 runs.
    """
    lands = leap.tail > 0.0
    lowers = skill.motion != NONE and skill.goal != Activity.STAND
    target.by_hips = 1.0 if _leaps(leap, clock) or lands or lowers else 0.0


@compiled
def _leaps(leap: np.record, clock: ClockRecord) -> bool:
    """Say whether a leap is played, or waits for its moment in the stride."""
    return (leap.waits == 1.0 and clock.stands == 0.0) or leap.stage != Stage.NONE


@compiled
def _watch(skills: SkillTables, anatomy: np.record, state: np.record, clock: ClockRecord,
           target: TargetRecord) -> None:
    """Go limp when the dog falls, whatever it was doing."""
    skill = skills.skill[0]
    busy = (clock.skill == Activity.FALLING or clock.skill == Activity.GETTING_UP
            or skill.state == Activity.FALLEN)
    in_gait = skill.motion == NONE and clock.skill == Activity.STAND
    if busy or not (has_tilted(skill) or (in_gait and has_sunk(skill))):
        off = clock.heading - compute_yaw(state.base_quaternion)
        off -= 2 * pi * np.round(off / (2 * pi))
        if skill.returns == 0.0 and not busy and abs(off) < STEADY:
            skill.wanted = clock.heading
        return
    skill.returns, skill.settles, skill.attempts = 0.0, 0.0, 0.0
    break_off(skills, target)
    skill.state, skill.goal = Activity.FALLEN, Activity.FALLEN
    skill.requested = clock.asked_at = state.time
    clock.skill = Activity.FALLING
    begin_skill(skills.players[Activity.FALLING], skills, anatomy, state, target, Part.FALL)


@compiled
def _take_request(skills: SkillTables, anatomy: np.record, command: Array, state: np.record,
                  clock: ClockRecord, target: TargetRecord) -> None:
    """Begin the motion that was asked for, once the dog is at rest in a state."""
    skill = skills.skill[0]
    if skill.motion != NONE or (skill.state == Activity.STAND and clock.stands == 0.0):
        return
    idle = command[0] == 0.0 and command[1] == 0.0 and command[2] == 0.0 and command[3] == 0.0
    fallen = skill.state == Activity.FALLEN
    if skill.request == NONE and not idle and not fallen and skill.state != Activity.STAND:
        skill.request, skill.requested = Request.STAND, state.time
    if fallen and skill.recover == 1.0 and skill.request == NONE:
        skill.request, skill.requested = Request.GET_UP, state.time
    if skill.request == NONE:
        return
    found = skills.transitions[int(skill.state), int(skill.request)]
    skill.request = NONE
    if found[0] == NONE:
        return
    skill.goal, skill.heading = found[2], clock.heading
    clock.skill, clock.asked_at = found[1], skill.requested
    if found[0] == CODED:
        skill.motion = CODED
    begin_skill(skills.players[found[1]], skills, anatomy, state, target, found[0])


@compiled
def _settle(skill: np.record, leap: np.record, command: Array, clock: ClockRecord,
            dt: float) -> None:
    """
    Write the command in force: to put its feet in order the dog steps on the spot (section 6).

    It does so for a moment after getting up, and whenever the feet of a pair are too close. It
    goes no faster than the ground ahead allows, and turns no harder than a fast gait can. From
    when a leap is asked for until it lands it goes straight on with the speed of that moment: one
    that turned in the air came down across its way, and one that was slowed fell into the gap.
    """
    if not _leaps(leap, clock):
        leap.goes_on = 0.0
    if leap.goes_on == 0.0:
        skill.command[:] = command
        idle = command[0] == 0.0 and command[1] == 0.0 and command[2] == 0.0
        skill.command[0] = min(command[0], max(clock.top, 0.0) if idle else clock.top)
        if clock.fast == 1.0 or clock.gear > 0.0:
            most = HARDEST_TURN / max(clock.speed[0], clock.aim[0], SLOWEST)
            skill.command[2] = min(max(command[2], -most), most)
    if _leaps(leap, clock):
        skill.command[1] = skill.command[2] = 0.0
        leap.goes_on = 1.0
    if skill.settles > 0.0:
        skill.settles -= dt
        skill.command[3] = 1.0
    if min(skill.apart) < CLOSE:
        skill.command[3] = 1.0


@compiled
def _steer(skill: np.record, state: np.record, clock: ClockRecord) -> None:
    """Turn back to the heading before the fall."""
    if skill.returns == 0.0:
        return
    ahead = skill.wanted - compute_yaw(state.base_quaternion)
    ahead -= 2 * pi * np.round(ahead / (2 * pi))
    clock.heading = skill.wanted
    if abs(ahead) < RETURNED:
        skill.returns = 0.0


class Planning(NamedTuple):
    """The scheduler as compiled code takes it; ``gaits``: number of the gait of each table row."""

    tables: Tables
    skills: SkillTables
    anatomy: NDArray[np.record]
    command: Array
    clock: Block[ClockRecord]
    gait: Block[GaitRecord]
    numbers: Array
    target: Block[TargetRecord]
    gaits: NDArray[np.int64]


class SkillScheduler(GaitScheduler):
    """The gait scheduler with the other skills around it."""

    def __init__(self, robot: Robot, stand: Array, tables: dict[str, GaitTable], *,
                 time_step: float, gait: str = 'auto') -> None:
        super().__init__(robot, stand, tables, time_step=time_step, gait=gait)
        self.skills = Skills(robot, self.clock, self.target)
        self._robot = robot

    @cached_property
    def pace(self) -> Pace:
        """How the robot pursues a target."""
        return find_pace(self._robot)

    def reset(self, *, heading: float = 0.0, gait: str = 'auto', posture: str = 'stand') -> None:
        """
        Be in a posture, facing a direction (rad), with a gait chosen for when a command comes.

        :param posture: a state of the skills.
        """
        super().reset(heading=heading, gait=gait)
        self.skills.reset(state=posture, heading=heading)

    @property
    def planning(self) -> Planning:
        """What the compiled loop works on, until another gait is requested."""
        return Planning(self.tables(), self.skills.tables, self._anatomy, self.command,
                        self._clock, self._parameters, self._numbers, self._target,
                        np.array(self.indices))

    def save(self) -> list[NDArray[Any]]:
        """Return copies of what outlives a tick."""
        tables = self.skills.tables
        return [block.copy() for block in (self._clock, tables.skill, tables.leap, self._target)]

    def restore(self, saved: list[NDArray[Any]]) -> None:
        """Go back to what was saved."""
        tables = self.skills.tables
        blocks: list[NDArray[Any]] = [self._clock, tables.skill, tables.leap, self._target]
        for block, kept in zip(blocks, saved, strict=True):
            block[:] = kept

    def update(self, state: np.record) -> TargetRecord:
        """Return the target of this tick for a state, the command and the skill asked for."""
        schedule(self.tables(), self.skills.tables, self._anatomy, self.command, as_block(state),
                 self._clock, self._parameters, self._numbers, self._target, self._time_step)
        return self.target
