"""
The skills' state machine, compiled: on its feet the gait scheduler decides, else a motion.

States, requests and motions are numbered as in skill_table.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.fall_detection import LOOK, has_sunk, has_tilted, look
from quadruped_control.control.gait import GaitTable
from quadruped_control.control.gait_scheduler import (
    GaitScheduler,
    Tables,
    advance,
    choose_aim,
    compute_yaw,
    measure_speed,
)
from quadruped_control.control.gears import Table
from quadruped_control.control.leap_player import (
    begin_leap,
    crouch,
    end_leap,
    find_trailing_pair,
    hold_tail,
    play_leap,
    rise,
)
from quadruped_control.control.leap_records import NOT_LEAPING
from quadruped_control.control.posture_player import begin_phase, is_up, phase_is_over, play
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.control.skill_table import (
    FALL,
    FALLEN,
    FALLING,
    GATHER,
    GETTING_UP,
    LEAPING,
    NONE,
    PUSH_UP,
    REQUESTS,
    ROLL_OFF_BACK,
    ROLL_OVER,
    STAND,
)
from quadruped_control.control.skills import Skills
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot

Array = NDArray[np.float64]
Block = NDArray[np.record]
GET_UP, STAND_UP = REQUESTS.index('get_up'), REQUESTS.index('stand')
ON_BACK = -0.5              # cosine of the shoulders' tilt below which the dog lies on its back
ON_BELLY = 0.6              # above which it lies on its belly
SETTLE = 0.8                # s of stepping on the spot after getting up
STEADY = 0.4                # rad off its heading within which a dog is not being turned over
RETURNED = 0.2              # rad from the heading before a fall


@compiled
def schedule(tables: Tables, skills: SkillTables, anatomy: Block, command: Array, state: Block,
             clock: Block, gait: Block, numbers: Array, target: Block, dt: float) -> None:
    """Advance by one tick and write the target, by the gait scheduler or by a motion."""
    skill = skills.skill[0]
    if skill.ticks % LOOK == 0:
        look(anatomy[0], skills.tree[0], state[0], skills.motion[0], skill, dt)
        _watch(skills, anatomy[0], state[0], clock[0], target[0])
    skill.ticks += 1.0
    _take_request(skills, anatomy[0], command, state[0], clock[0], target[0])
    if skill.motion == NONE and skill.state == STAND:
        _steer(skill, state[0], clock[0])
        _settle(skill, command, dt)
        if not _leap(tables[1], skills, anatomy[0], state[0], clock[0], gait[0], target[0], dt):
            advance(tables, anatomy, skill.command, state, clock, gait, numbers, target, dt)
            rise(skills.leap[0], target[0], dt)
            if skills.leap[0].waits == 1.0 and skills.leap[0].strides == 1.0:
                crouch(skills.leap[0], gait[0], anatomy[0], clock[0].phase, target[0])
        hold_tail(skills.leap[0], target[0], dt)
        return
    clock[0].stands, clock[0].phase, clock[0].asked = 1.0, 0.0, 0.0
    if skill.motion != NONE:
        _play(skills, anatomy[0], state[0], clock[0], target[0], dt)


@compiled
def _leap(table: Table, skills: SkillTables, anatomy: np.record, state: np.record,
          clock: np.record, gait: np.record, target: np.record, dt: float) -> bool:
    """Begin a leap that waits where the trot's pairs change, play it; say whether it did."""
    leap, skill = skills.leap[0], skills.skill[0]
    if leap.stage == NOT_LEAPING:
        if leap.waits == 0.0 or clock.stands == 1.0:
            return False
        half = (2.0 * (clock.phase + dt / gait.period)) // 1.0
        if half == (2.0 * clock.phase) // 1.0:
            return False
        leap.strides -= 1.0
        if leap.strides > 0.0:
            return False
        begin_leap(leap, target, 0.0 if half == 2.0 else 1.0)
        clock.skill, clock.asked_at = LEAPING, leap.requested
    measure_speed(state, clock, dt)
    choose_aim(anatomy, skill.command, table, state, clock, dt)
    if play_leap(leap, anatomy, skills.tree[0], state, skills.motion[0], clock, target, dt):
        end_leap(leap, target)
        clock.phase = find_trailing_pair(anatomy, skills.motion[0], clock.heading)
        clock.waits[:] = 0.0
        clock.asked = max(min(skill.command[0], clock.speed[0]),
                          clock.speed[0] - anatomy.speed_lead)
        clock.skill, skill.low = STAND, 0.0
        return False
    return True


@compiled
def _watch(skills: SkillTables, anatomy: np.record, state: np.record, clock: np.record,
           target: np.record) -> None:
    """Go limp when the dog falls, whatever it was doing."""
    skill = skills.skill[0]
    busy = clock.skill == FALLING or clock.skill == GETTING_UP or skill.state == FALLEN
    on_feet = (skill.motion == NONE and skill.state == STAND
               and skills.leap[0].stage == NOT_LEAPING)
    if busy or not (has_tilted(skill) or (on_feet and has_sunk(skill))):
        off = clock.heading - compute_yaw(state.base_quaternion)
        off -= 2 * pi * np.round(off / (2 * pi))
        if skill.returns == 0.0 and not busy and abs(off) < STEADY:
            skill.wanted = clock.heading
        return
    skill.returns, skill.settles, skill.attempts = 0.0, 0.0, 0.0
    end_leap(skills.leap[0], target)
    skill.state, skill.goal, skill.requested = FALLEN, FALLEN, state.time
    clock.skill, clock.asked_at = FALLING, state.time
    _begin(skills, anatomy, state, target, FALL, 0.0)


@compiled
def _take_request(skills: SkillTables, anatomy: np.record, command: Array, state: np.record,
                  clock: np.record, target: np.record) -> None:
    """Begin the motion that was asked for, once the dog is at rest in a state."""
    skill = skills.skill[0]
    if skill.motion != NONE or (skill.state == STAND and clock.stands == 0.0):
        return
    idle = command[0] == 0.0 and command[1] == 0.0 and command[2] == 0.0 and command[3] == 0.0
    if skill.state != STAND and skill.request == NONE and not idle and skill.state != FALLEN:
        skill.request, skill.requested = STAND_UP, state.time
    if skill.state == FALLEN and skill.recover == 1.0 and skill.request == NONE:
        skill.request, skill.requested = GET_UP, state.time
    if skill.request == NONE:
        return
    found = skills.transitions[int(skill.state), int(skill.request)]
    skill.request = NONE
    if found[0] == NONE:
        return
    skill.goal, skill.heading = found[2], clock.heading
    clock.skill, clock.asked_at = found[1], skill.requested
    if found[1] == GETTING_UP:
        skill.attempts = 0.0
        _choose_part(skills, anatomy, state, target)
    else:
        _begin(skills, anatomy, state, target, found[0], 0.0)


@compiled
def _begin(skills: SkillTables, anatomy: np.record, state: np.record, target: np.record,
           motion: int, mirrored: float) -> None:
    skill = skills.skill[0]
    skill.motion, skill.mirrored = motion, mirrored
    row = skills.first[motion] + (skills.phases.shape[0] // 2 if mirrored == 1.0 else 0)
    begin_phase(skills, anatomy, state, target, row)


@compiled
def _play(skills: SkillTables, anatomy: np.record, state: np.record, clock: np.record,
          target: np.record, dt: float) -> None:
    """Play the motion; at its end be in the state it leads to, or try to get up again."""
    skill = skills.skill[0]
    is_over = play(skills, anatomy, target, dt)
    if not is_over:
        if phase_is_over(skills, anatomy):
            begin_phase(skills, anatomy, state, target, int(skill.phase) + 1)
        return
    clock.heading = skill.heading
    if clock.skill == GETTING_UP and not (skill.motion == PUSH_UP and is_up(anatomy, skill)):
        _choose_part(skills, anatomy, state, target)
        return
    skill.motion, skill.state = NONE, skill.goal
    clock.skill = skill.goal
    if skill.goal == STAND:
        clock.stands, clock.fade = 0.0, 1.0
        clock.waits[:] = 1.0
        clock.speed[:] = 0.0
        skill.low = 0.0
        if skill.attempts > 0.0:
            skill.settles, skill.returns, skill.attempts = SETTLE, 1.0, 0.0


@compiled
def _choose_part(skills: SkillTables, anatomy: np.record, state: np.record,
                 target: np.record) -> None:
    """Go on with getting up by how the dog lies; a belly that was reached is pushed up."""
    skill = skills.skill[0]
    up, side = skill.up[0], skill.side[0] + skill.side[1]
    skill.attempts += 1.0
    mirrored = 1.0 if side > 0.0 else 0.0           # files are for a dog on its left side
    if skill.attempts % 4.0 == 0.0:                 # what did not help is tried the other way
        mirrored = 1.0 - mirrored
    if skill.motion == GATHER and min(skill.up[0], skill.up[1]) > ON_BELLY:
        _begin(skills, anatomy, state, target, PUSH_UP, 0.0)
    elif min(skill.up[0], skill.up[1]) > ON_BELLY:
        _begin(skills, anatomy, state, target, GATHER, 0.0)
    elif up < ON_BACK:
        _begin(skills, anatomy, state, target, ROLL_OFF_BACK, mirrored)
    else:
        _begin(skills, anatomy, state, target, ROLL_OVER, mirrored)


@compiled
def _settle(skill: np.record, command: Array, dt: float) -> None:
    """Write the command in force: for a moment after getting up, step on the spot (section 6)."""
    skill.command[:] = command
    if skill.settles > 0.0:
        skill.settles -= dt
        skill.command[3] = 1.0


@compiled
def _steer(skill: np.record, state: np.record, clock: np.record) -> None:
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
    anatomy: Block
    command: Array
    clock: Block
    gait: Block
    numbers: Array
    target: Block
    gaits: NDArray[np.int64]


class SkillScheduler(GaitScheduler):
    """The gait scheduler with the other skills around it."""

    def __init__(self, robot: Robot, stand: Array, tables: dict[str, GaitTable], *,
                 time_step: float, gait: str = 'auto') -> None:
        super().__init__(robot, stand, tables, time_step=time_step, gait=gait)
        self.skills = Skills(robot, self.clock, self.target)

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
                        np.array(self._indices[self.requested]))

    def save(self) -> list[Block]:
        """Return copies of what outlives a tick."""
        tables = self.skills.tables
        return [block.copy() for block in (self._clock, tables.skill, tables.leap, self._target)]

    def restore(self, saved: list[Block]) -> None:
        """Go back to what was saved."""
        tables = self.skills.tables
        for block, kept in zip((self._clock, tables.skill, tables.leap, self._target), saved,
                               strict=True):
            block[:] = kept

    def update(self, state: np.record) -> np.record:
        """Return the target of this tick for a state, the command and the skill asked for."""
        schedule(self.tables(), self.skills.tables, self._anatomy, self.command, as_block(state),
                 self._clock, self._parameters, self._numbers, self._target, self._time_step)
        return self.target
