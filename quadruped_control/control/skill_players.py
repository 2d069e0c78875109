"""
The one place where the scheduler calls the code of a skill, by the number of its player.

A skill with code of its own is a module with begin, play and end, and a branch in each function
here; its row in skill_registry says the rest. A posture file needs neither.
"""

from __future__ import annotations

import numpy as np

from quadruped_control.compiled import compiled
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.gears import Table
from quadruped_control.control.get_up_skill import begin_get_up, play_get_up
from quadruped_control.control.leap_player import end_leap
from quadruped_control.control.leap_skill import begin_leap_skill, leap_is_due, play_leap_skill
from quadruped_control.control.motion_skill import begin_motion, end_motion, play_motion
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.skill_numbers import Player
from quadruped_control.control.skill_records import SkillTables


@compiled
def begin_skill(player: int, skills: SkillTables, anatomy: np.record, state: np.record,
                target: TargetRecord, motion: int) -> None:
    """Start what a transition leads by."""
    if player == Player.GET_UP:
        begin_get_up(skills, anatomy, state, target)
    else:
        begin_motion(skills, anatomy, state, target, motion, 0.0)


@compiled
def begin_in_gait(skills: SkillTables, clock: ClockRecord, gait: GaitRecord, target: TargetRecord,
                  dt: float) -> None:
    """Start a skill that waits for its moment in the stride, if this is it."""
    if leap_is_due(skills, clock, gait, dt):
        begin_leap_skill(skills.leap[0], clock, target)


@compiled
def play_skill(player: int, table: Table, skills: SkillTables, anatomy: np.record,
               state: np.record, clock: ClockRecord, target: TargetRecord, dt: float) -> bool:
    """Write the target of a tick, and end what is over; say whether the gait has this tick."""
    if player == Player.LEAP:
        return play_leap_skill(table, skills, anatomy, state, clock, target, dt)
    if player == Player.GET_UP:
        play_get_up(skills, anatomy, state, clock, target, dt)
    elif player == Player.MOTION and play_motion(skills, anatomy, state, clock, target, dt):
        end_motion(skills.skill[0], clock)
    return player == Player.GAIT


@compiled
def break_off(skills: SkillTables, target: TargetRecord) -> None:
    """Leave nothing of a skill that a fall ends."""
    end_leap(skills.leap[0], target)
