"""A motion of a posture file as a skill: begin, play, and be in the state that it leads to."""

from __future__ import annotations

import numpy as np

from quadruped_control.compiled import compiled
from quadruped_control.control.posture_player import begin_phase, phase_is_over, play
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.skill_numbers import NONE, Activity
from quadruped_control.control.skill_records import SkillTables


@compiled
def begin_motion(skills: SkillTables, anatomy: np.record, state: np.record, target: TargetRecord,
                 motion: int, mirrored: float) -> None:
    """Start a motion, or the one with left and right exchanged."""
    skill = skills.skill[0]
    skill.motion, skill.mirrored = motion, mirrored
    row = skills.first[motion] + (skills.phases.shape[0] // 2 if mirrored == 1.0 else 0)
    begin_phase(skills, anatomy, state, target, row)


@compiled
def play_motion(skills: SkillTables, anatomy: np.record, state: np.record, clock: ClockRecord,
                target: TargetRecord, dt: float) -> bool:
    """Write the target of this tick; say whether the motion is over."""
    skill = skills.skill[0]
    if play(skills, anatomy, target, dt):
        clock.heading = skill.heading
        return True
    if phase_is_over(skills, anatomy):
        begin_phase(skills, anatomy, state, target, int(skill.phase) + 1)
    return False


@compiled
def end_motion(skill: np.record, clock: ClockRecord) -> None:
    """Be in the state that the motion leads to; on its feet it takes up a gait."""
    skill.motion, skill.state = NONE, skill.goal
    clock.skill = skill.goal
    if skill.goal == Activity.STAND:
        clock.stands, clock.fade = 0.0, 1.0
        clock.waits[:] = 1.0
        clock.speed[:] = 0.0
        skill.low = 0.0
