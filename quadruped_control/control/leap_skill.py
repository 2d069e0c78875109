"""The leap as a skill: its guard, when it begins in the stride, and what it leaves behind."""

from __future__ import annotations

import numpy as np

from quadruped_control.compiled import compiled
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.gait_scheduler import choose_aim, measure_speed
from quadruped_control.control.gears import Table
from quadruped_control.control.leap_player import (
    begin_leap,
    crouch,
    end_leap,
    find_trailing_pair,
    play_leap,
    rise,
)
from quadruped_control.control.leap_records import Stage
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.skill_numbers import NONE, Activity
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.control.skill_refusal import SkillRefusedError


def foresee_leap(skill: np.record, leap: np.record, clock: ClockRecord, activity: str) -> str:
    """Say when a leap will begin; raise SkillRefusedError unless the dog is on its way."""
    if leap['stage'] != Stage.NONE:
        raise SkillRefusedError('leap is not possible now: a leap is under way')
    moving = skill['motion'] != NONE or skill['state'] != Activity.STAND
    if moving or clock['stands'] == 1.0:
        raise SkillRefusedError(f'leap is not possible while {activity}; the way: trot, '
                                'then leap')
    return 'leap: begins where the pairs of the trot change'


@compiled
def leap_is_due(skills: SkillTables, clock: ClockRecord, gait: GaitRecord, dt: float) -> bool:
    """Count the changes of the trot's pairs; say whether a leap that waits begins at this one."""
    leap = skills.leap[0]
    if leap.stage != Stage.NONE or leap.waits == 0.0 or clock.stands == 1.0:
        return False
    half = (2.0 * (clock.phase + dt / gait.period)) // 1.0
    if half == (2.0 * clock.phase) // 1.0:
        return False
    leap.strides -= 1.0
    leap.side = 0.0 if half == 2.0 else 1.0
    return bool(leap.strides <= 0.0)


@compiled
def begin_leap_skill(leap: np.record, clock: ClockRecord, target: TargetRecord) -> None:
    """Start with the loading."""
    begin_leap(leap, target)
    clock.skill, clock.asked_at = Activity.LEAPING, leap.requested


@compiled
def play_leap_skill(table: Table, skills: SkillTables, anatomy: np.record, state: np.record,
                    clock: ClockRecord, target: TargetRecord, dt: float) -> bool:
    """Play the leap; say whether it is over and the trot has this tick."""
    leap, skill = skills.leap[0], skills.skill[0]
    measure_speed(state, clock, dt)
    choose_aim(anatomy, skill.command, table, state, clock, dt)
    if not play_leap(leap, skills.leap_measures[0], anatomy, skills.tree[0], state,
                     skills.motion[0], clock, target, dt):
        return False
    end_leap(leap, target)
    clock.phase = find_trailing_pair(anatomy, skills.motion[0], clock.heading)
    clock.waits[:] = 0.0
    clock.asked = max(min(skill.command[0], clock.speed[0]),
                      clock.speed[0] - anatomy.speed_lead)
    clock.skill, skill.low = Activity.STAND, 0.0
    return True


@compiled
def prepare_leap(skills: SkillTables, anatomy: np.record, clock: ClockRecord, gait: GaitRecord,
                 target: TargetRecord, dt: float) -> None:
    """Change what the gait wants: rise after a leap, crouch before one."""
    leap = skills.leap[0]
    rise(leap, target, dt)
    if leap.waits == 1.0 and leap.strides == 1.0:
        crouch(leap, skills.leap_measures[0], gait, anatomy, clock.phase, target)
