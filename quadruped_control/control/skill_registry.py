"""
The skills with code of their own, a row each; all others are posture files of a robot.

To add one: a module with its begin, play and end, a number in skill_numbers, a branch in
skill_players, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quadruped_control.control.leap_skill import foresee_leap
from quadruped_control.control.records import ClockRecord
from quadruped_control.control.skill_numbers import Activity, Mode, Part, Player, Request

# of the records of skills, leap and clock, and of the activity
Guard = Callable[[np.record, np.record, ClockRecord, str], str]


class Skill(NamedTuple):
    """
    What can be asked for.

    :param key: of the keyboard; button: of a joystick.
    :param keeps_command: what was commanded before goes on afterwards.
    """

    name: str
    key: str | None = None
    button: int | None = None
    keeps_command: bool = False

    @property
    def label(self) -> str:
        """The name in words."""
        return self.name.replace('_', ' ')


class Row(NamedTuple):
    """
    A skill with code of its own.

    :param activity: while it is played, by
    :param player: whose branch in skill_players begins, plays and ends it.
    :param mode: what that counts as in metrics.
    :param begins_in: names of states from which it begins without a posture file.
    :param goal: state to which it then leads; none if it waits for its moment, as a leap does.
    :param needs: files of a robot's folder without which it is not offered.
    :param guard: says what a request does now, or refuses it, where the states do not tell.
    """

    request: Request
    skill: Skill
    activity: Activity
    player: Player
    mode: Mode
    begins_in: tuple[str, ...] = ()
    goal: str = ''
    needs: tuple[str, ...] = ()
    guard: Guard | None = None


def name(number: Activity | Request | Part) -> str:
    """Return the name of what has a number, as files and users write it."""
    return number.name.lower()


STAND, FALLEN = name(Activity.STAND), name(Activity.FALLEN)
LEAP = name(Request.LEAP)
GET_UP_PARTS = tuple(name(part) for part in Part if part != Part.FALL)
ROWS = (
    Row(Request.STAND, Skill(STAND, 't', 0), Activity.STAND, Player.GAIT, Mode.LOCOMOTION),
    Row(Request.GET_UP, Skill('get_up', 'g', 3, keeps_command=True), Activity.GETTING_UP,
        Player.GET_UP, Mode.GET_UP, needs=tuple(f'postures/{part}.yaml' for part in GET_UP_PARTS)),
    Row(Request.LEAP, Skill(LEAP, 'j', 7, keeps_command=True), Activity.LEAPING, Player.LEAP,
        Mode.LEAP, begins_in=(STAND,), needs=('leaps/seed.yaml', 'leaps/measures.yaml'),
        guard=foresee_leap),
)
GUARDS = {row.skill.name: row.guard for row in ROWS if row.guard is not None}
PLAYERS = {Activity.FALLEN: Player.REST, Activity.FALLING: Player.MOTION,
           **{row.activity: row.player for row in ROWS}}
# A fall is nobody's wish: it counts as what was asked for before it. What a posture file adds is
# numbered behind these and counts as a posture.
MODES = np.full(len(Activity), float(Mode.LOCOMOTION))
for _row in ROWS:
    MODES[_row.activity] = _row.mode
