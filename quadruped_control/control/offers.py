"""What a robot can be asked for: it follows from the files in its folder."""

from __future__ import annotations

from typing import NamedTuple

from quadruped_control.control.gait_library import available_requests
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_registry import STAND
from quadruped_control.model.robot_files import DEFAULT_ROBOT


class Offers(NamedTuple):
    """Names of gaits (without `auto`), skills and postures to start in."""

    gaits: frozenset[str]
    skills: frozenset[str]
    postures: frozenset[str]


def list_offers(robot: str = DEFAULT_ROBOT) -> Offers:
    """Return what a robot offers."""
    book = load_book(robot)
    return Offers(available_requests(robot), frozenset(skill.name for skill in book.skills),
                  frozenset({STAND, *book.resting_motions}))


def explain_missing(robot: str, skill: str) -> str:
    """Say why a robot does not offer a skill."""
    return load_book(robot).explain_missing(skill)
