"""What a robot can be asked for: it follows from the files in its folder."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from quadruped_control.control.gait_library import available_requests
from quadruped_control.control.skill_table import LEAP, STATES, TRANSITIONS, motions_of
from quadruped_control.model.robot_files import DEFAULT_ROBOT, list_files

SEED = 'seed'                   # of leaps/: the leap from which a dictionary grows


class Offers(NamedTuple):
    """Names of gaits (without `auto`), skills and postures to start in."""

    gaits: frozenset[str]
    skills: frozenset[str]
    postures: frozenset[str]


@cache
def list_offers(robot: str = DEFAULT_ROBOT) -> Offers:
    """Return what a robot offers."""
    motions = frozenset(list_files(robot, 'postures'))
    legal = [row for row in TRANSITIONS if motions_of(row) <= motions]
    skills = {row.request for row in legal} | {'stand'}
    if SEED in list_files(robot, 'leaps'):
        skills.add(LEAP)
    states = {row.goal for row in legal if row.state == 'stand'} | {'stand'}
    return Offers(available_requests(robot), frozenset(skills), frozenset(states & {*STATES}))


def explain_missing(robot: str, skill: str) -> str:
    """Say why a robot does not offer a skill."""
    part = 'leaps' if skill == LEAP else 'postures'
    return f'{robot} has no files for {skill} in {part}/ of its folder'
