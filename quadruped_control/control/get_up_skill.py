"""Getting up (section 6 of the paper): parts one after the other, by how the robot lies."""

from __future__ import annotations

import numpy as np

from quadruped_control.compiled import compiled
from quadruped_control.control.motion_skill import begin_motion, end_motion, play_motion
from quadruped_control.control.posture_player import is_up
from quadruped_control.control.records import ClockRecord, TargetRecord
from quadruped_control.control.skill_numbers import Part
from quadruped_control.control.skill_records import SkillTables

ON_BACK = -0.5              # cosine of the shoulders' tilt below which the dog lies on its back
ON_BELLY = 0.6              # above which it lies on its belly
SETTLE = 0.8                # s of stepping on the spot after getting up


@compiled
def begin_get_up(skills: SkillTables, anatomy: np.record, state: np.record,
                 target: TargetRecord) -> None:
    """Start with the part for how the robot lies."""
    skills.skill[0].attempts = 0.0
    _choose_part(skills, anatomy, state, target)


@compiled
def play_get_up(skills: SkillTables, anatomy: np.record, state: np.record, clock: ClockRecord,
                target: TargetRecord, dt: float) -> None:
    """Play the part; at its end be up, or go on with another."""
    skill = skills.skill[0]
    if not play_motion(skills, anatomy, state, clock, target, dt):
        return
    if not (skill.motion == Part.PUSH_UP and is_up(anatomy, skill)):
        _choose_part(skills, anatomy, state, target)
        return
    end_motion(skill, clock)
    skill.settles, skill.returns, skill.attempts = SETTLE, 1.0, 0.0


@compiled
def _choose_part(skills: SkillTables, anatomy: np.record, state: np.record,
                 target: TargetRecord) -> None:
    """Go on by how the dog lies; a belly that was reached is pushed up."""
    skill = skills.skill[0]
    up, side = skill.up[0], skill.side[0] + skill.side[1]
    skill.attempts += 1.0
    mirrored = 1.0 if side > 0.0 else 0.0           # files are for a dog on its left side
    if skill.attempts % 4.0 == 0.0:                 # what did not help is tried the other way
        mirrored = 1.0 - mirrored
    if skill.motion == Part.GATHER and min(skill.up[0], skill.up[1]) > ON_BELLY:
        begin_motion(skills, anatomy, state, target, Part.PUSH_UP, 0.0)
    elif min(skill.up[0], skill.up[1]) > ON_BELLY:
        begin_motion(skills, anatomy, state, target, Part.GATHER, 0.0)
    elif up < ON_BACK:
        begin_motion(skills, anatomy, state, target, Part.ROLL_OFF_BACK, mirrored)
    else:
        begin_motion(skills, anatomy, state, target, Part.ROLL_OVER, mirrored)
