"""What a robot can be asked for: it follows from the files in its folder."""

from __future__ import annotations

from typing import NamedTuple

from quadruped_control.control.controllers import choose_controller, find_kind
from quadruped_control.control.gait_library import available_requests
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_registry import LEAP, STAND
from quadruped_control.model.robot_files import DEFAULT_ROBOT


class Offers(NamedTuple):
    """Names of gaits (without `auto`), skills and postures to start in."""

    gaits: frozenset[str]
    skills: frozenset[str]
    postures: frozenset[str]


def list_offers(robot: str = DEFAULT_ROBOT, controller: str | None = None) -> Offers:
    """Return what a robot offers with a controller, its default one where none is named."""
    book, kind = load_book(robot), find_kind(robot, controller)
    skills = {skill.name for skill in book.skills} - (set() if kind.leaps else {LEAP})
    return Offers(available_requests(robot, kind.gaits), frozenset(skills),
                  frozenset({STAND, *book.resting_motions}))


def explain_missing(robot: str, skill: str, controller: str | None = None) -> str:
    """Say why a robot does not offer a skill."""
    if skill == LEAP and not find_kind(robot, controller).leaps:
        return f'{LEAP} is not possible with the controller {choose_controller(robot, controller)}'
    return load_book(robot).explain_missing(skill)
