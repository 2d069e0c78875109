"""
All skills of one robot with their numbers: those with code, and those of its posture files.

What page, teleop, services, scenarios and metrics know of skills, they know from here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.posture import KEYS, LIMP, Posture, Way
from quadruped_control.control.skill_numbers import CODED, NONE, Activity, Part, Player, Request
from quadruped_control.control.skill_registry import (
    FALLEN,
    PLAYERS,
    ROWS,
    STAND,
    Row,
    Skill,
    name,
)
from quadruped_control.errors import InputError
from quadruped_control.explanation import suggest
from quadruped_control.loading import load
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder

Table = NDArray[np.int64]


class Transition(NamedTuple):
    """From a state by a request to a state, played by a motion; by none where code plays."""

    state: str
    request: str
    motion: str
    activity: str
    goal: str


@dataclass(frozen=True)
class SkillBook:
    """
    The skills of a robot.

    :param folder: of the robot.
    :param skills: that can be asked for, in the order of their buttons.
    :param transitions: all that are legal.
    :param postures: motions by their names.
    """

    folder: Path
    skills: tuple[Skill, ...]
    transitions: tuple[Transition, ...]
    postures: dict[str, Posture]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of the states in which a robot can be at rest."""
        return STAND, FALLEN, *sorted({row.goal for row in self.transitions} - {STAND, FALLEN})

    @cached_property
    def activities(self) -> tuple[str, ...]:
        """Names by their numbers: those of Activity, states of postures, ways to these."""
        known = [name(activity) for activity in Activity]
        for names in (self.states, sorted({row.activity for row in self.transitions})):
            known += [word for word in names if word not in known]
        return tuple(known)

    @cached_property
    def requests(self) -> tuple[str, ...]:
        """Names by their numbers, those of Request first."""
        known = [name(request) for request in Request]
        return *known, *sorted(skill.name for skill in self.skills if skill.name not in known)

    @cached_property
    def motions(self) -> tuple[str, ...]:
        """Names by their numbers: those of Part, whether there are files or not, then others."""
        known = [name(part) for part in Part]
        return *known, *sorted(motion for motion in self.postures if motion not in known)

    @cached_property
    def goals(self) -> dict[str, str]:
        """The state that each request leads to, where it leads to another one."""
        return {STAND: STAND, **{row.request: row.goal for row in self.transitions}}

    @cached_property
    def ways(self) -> dict[int, tuple[str, int]]:
        """Request and number of the state that it leads to, by the number of the activity."""
        return {self.activities.index(row.activity): (row.request, self.activities.index(row.goal))
                for row in self.transitions}

    def find(self, request: str) -> Skill | None:
        """Return a skill that the robot offers by its name."""
        return next((skill for skill in self.skills if skill.name == request), None)

    def find_transition(self, state: str, request: str) -> Transition | None:
        """Return what a request does in a state, or None where it is not legal."""
        return next((row for row in self.transitions
                     if (row.state, row.request) == (state, request)), None)

    @cached_property
    def resting_motions(self) -> dict[str, str]:
        """Motions by which a standing robot takes a pose, by the state; it can start in these."""
        ways = [row for row in self.transitions
                if row.state == STAND and row.goal != STAND and row.motion]
        return {row.goal: row.motion for row in reversed(ways)
                if self.postures[row.motion].phases[-1].pose is not None}

    def find_way(self, state: str, request: str) -> tuple[str, ...]:
        """Return the shortest row of requests that ends with this one; empty if there is none."""
        begins_in = next((row.begins_in for row in ROWS if row.skill.name == request), ())
        waiting: deque[tuple[str, tuple[str, ...]]] = deque([(state, ())])
        seen = {state}
        while waiting:
            here, way = waiting.popleft()
            if self.find_transition(here, request) or here in begins_in:
                return (*way, request)
            for row in self.transitions:
                if row.state == here and row.goal not in seen:
                    seen.add(row.goal)
                    waiting.append((row.goal, (*way, row.request)))
        return ()

    def number_transitions(self) -> NDArray[np.int64]:
        """Return motion, activity and goal by state and request; -1 where it is not legal."""
        table = np.full((len(self.activities), len(self.requests), 3), NONE, np.int64)
        for row in self.transitions:
            table[self.activities.index(row.state), self.requests.index(row.request)] = (
                self.motions.index(row.motion) if row.motion else CODED,
                self.activities.index(row.activity), self.activities.index(row.goal))
        return table

    def number_players(self) -> Table:
        """Return the Player of each activity."""
        others = {word: Player.REST if word in self.states else Player.MOTION
                  for word in self.activities[len(Activity):]}
        return np.array([*(PLAYERS[activity] for activity in Activity), *others.values()],
                        np.int64)

    def explain_missing(self, skill: str) -> str:
        """Say why the robot does not offer a skill."""
        row = next((row for row in ROWS if row.skill.name == skill), None)
        if row is None:
            return f'{self.folder.name} has no file of postures/ whose request is {skill}'
        missing = list_missing(row, self.folder) or ['a file of postures/ for it']
        return f'{self.folder.name} has no {", no ".join(missing)} in its folder: no {skill}'


def list_missing(row: Row, folder: Path) -> list[str]:
    """Return the files that a robot lacks for a skill with code."""
    return [file for file in row.needs if not (folder / file).is_file()]


def load_book(robot: str = DEFAULT_ROBOT) -> SkillBook:
    """Return the skills of a robot."""
    return read_book(robot_folder(robot))


@cache
def read_book(folder: Path) -> SkillBook:
    """Read the posture files in a robot's folder, once in a process."""
    files = sorted((folder / 'postures').glob('*.yaml'))
    postures = {path.stem: load(path, Posture) for path in files}
    offered = [row for row in ROWS if not list_missing(row, folder)]
    headers = {word: posture.skill for word, posture in postures.items() if posture.skill}
    _refuse_wrong(folder, headers)
    coded = {row.skill.name for row in ROWS}
    legal = {word: way for word, way in headers.items()
             if way.request not in coded or way.request in {row.skill.name for row in offered}}
    skills = [row.skill for row in offered]
    for way in sorted(legal.values(), key=lambda way: (way.key is None, way.button is None)):
        if way.request not in {skill.name for skill in skills}:
            skills.append(Skill(way.request, way.key, way.button))
    played = {name(row.activity) for row in ROWS}       # by code: a plain motion is named first
    ordered = sorted(legal.items(), key=lambda item: item[1].activity in played)
    transitions = [Transition(state, way.request, word, way.activity, way.goal)
                   for word, way in ordered for state in way.begins_in]
    transitions += [Transition(state, row.skill.name, '', name(row.activity), row.goal)
                    for row in offered if row.goal for state in row.begins_in]
    missing = {name(Part.FALL): LIMP} if name(Part.FALL) not in postures else {}
    return SkillBook(folder, tuple(sorted(skills, key=_place)), tuple(transitions),
                     postures | missing)


def _place(skill: Skill) -> tuple[int, str]:
    return (100 if skill.button is None else skill.button), skill.name


def _refuse_wrong(folder: Path, headers: dict[str, Way]) -> None:
    """Raise InputError for what posture files say of their skills and cannot be."""
    states = [STAND, FALLEN, *(way.goal for way in headers.values()),
              *(row.goal for row in ROWS if row.goal)]
    coded = {name(row.activity): row.skill.name for row in ROWS}
    taken = {row.skill.key: row.skill.name for row in ROWS}
    goals: dict[str, tuple[str, str]] = {}
    for word, way in headers.items():
        file = folder / 'postures' / f'{word}.yaml'
        for state in way.begins_in:
            if state not in states:
                raise InputError(file, 'skill.from', state, suggest(state, sorted({*states})))
        if coded.get(way.activity, way.request) != way.request or way.activity in states:
            raise InputError(file, 'skill.activity', way.activity, 'a name of its own')
        if goals.setdefault(way.activity, (way.request, way.goal)) != (way.request, way.goal):
            request, goal = goals[way.activity]
            raise InputError(file, 'skill.activity', way.activity,
                             f'another name: it already leads from {request} to {goal}')
        if way.key is not None and taken.setdefault(way.key, way.request) != way.request:
            others = {row.skill.key for row in ROWS} | {way.key for way in headers.values()}
            free = ' '.join(key for key in KEYS if key not in others)
            raise InputError(file, 'skill.key', way.key, f'a key that is free, one of {free} '
                                                         f'({taken[way.key]} has this one)')
