"""The skills that can be asked for: what a request leads to, or why it is refused."""

from __future__ import annotations

import numpy as np

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.leap import PARAMETERS
from quadruped_control.control.leap_measures import load_leap_measures, record_measures
from quadruped_control.control.leap_records import leap_type
from quadruped_control.control.posture_table import (
    find_first_phases,
    tabulate_postures,
    write_end,
)
from quadruped_control.control.records import ClockRecord, TargetRecord, target_type
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_numbers import NONE
from quadruped_control.control.skill_records import SkillTables, skill_type
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.control.skill_registry import GUARDS, LEAP, STAND
from quadruped_control.kinematics.records import as_block, motion_type, new_record
from quadruped_control.model.robot import Robot


class Skills:
    """
    The state machine's records and tables.

    :param clock: of the gait scheduler; its ``skill`` is what the dog is doing.
    :param target: that the gait scheduler writes, and the motions too.
    """

    def __init__(self, robot: Robot, clock: ClockRecord, target: TargetRecord) -> None:
        self.robot, self.book = robot.name, load_book(robot.name)
        self.offered = frozenset(skill.name for skill in self.book.skills)
        postures = [self.book.postures.get(name) for name in self.book.motions]
        self.record = new_record(skill_type())
        self.leap = new_record(leap_type())
        self._clock, self._target = clock, target
        begin = new_record(target_type())
        leaps = load_leap_measures(robot.name) if LEAP in self.offered else None
        self.tables = SkillTables(
            as_block(self.record),
            tabulate_postures([posture for posture in postures if posture], robot.anatomy),
            find_first_phases(postures), self.book.number_transitions(), as_block(robot.tree),
            as_block(new_record(motion_type(len(robot.links)))), as_block(begin),
            as_numbers(begin), as_numbers(target), as_block(self.leap),
            as_block(record_measures(leaps)), self.book.number_players())
        self.reset()

    def reset(self, *, state: str = STAND, heading: float = 0.0, recover: bool = False) -> None:
        """Begin in a state, facing a direction (rad); ``recover``: it gets up by itself."""
        number = self.book.activities.index(state)
        self.tables.skill[:] = np.zeros(1, self.record.dtype)
        self.record['state'] = self.record['goal'] = self._clock['skill'] = number
        self.record['motion'] = self.record['request'] = NONE
        self.record['recover'] = float(recover)
        self.tables.leap[:] = np.zeros(1, self.leap.dtype)
        if state != STAND:
            self._take_posture(state, heading)

    def _take_posture(self, state: str, heading: float) -> None:
        """Aim at a posture as its motion leaves it."""
        first = self.tables.first[self.book.motions.index(self.book.resting_motions[state])]
        write_end(self.tables.phases[first:], self._target)
        self._target['heading'] = self._target['rpy'][:, 2] = self.record['heading'] = heading

    @property
    def activity(self) -> str:
        """What the dog is doing: a state, or the way to another."""
        return self.book.activities[int(self._clock['skill'])]

    def request(self, skill: str, time: float) -> str:
        """
        Ask for a skill at a time (s); return what will happen, or raise SkillRefusedError.

        While a motion is played the request waits for its end; a later one takes its place.
        """
        answer = self.foresee(skill)
        if self._is_there(skill):
            self.record['request'] = NONE
        else:
            self.record['request'] = self.book.requests.index(skill)
            self.record['requested'] = time
        return answer

    def foresee(self, skill: str) -> str:
        """Say what a request would do now, or raise SkillRefusedError."""
        book = self.book
        if skill not in self.offered:
            raise SkillRefusedError(book.explain_missing(skill))
        if skill in GUARDS:
            return GUARDS[skill](self.record, self.leap, self._clock, self.activity)
        state, moving = self._next_state, self.record['motion'] != NONE
        where = f'{self.activity} (then {state})' if moving else state
        if self._is_there(skill):
            return f'{skill}: already {where}'
        if book.find_transition(state, skill) is None:
            way = ', then '.join(book.find_way(state, skill)) or 'none'
            raise SkillRefusedError(f'{skill} is not possible while {where}; the way: {way}')
        waiting = int(self.record['request'])
        instead = '' if waiting == NONE else f' instead of {book.requests[waiting]}'
        if moving or self._clock['stands'] == 0.0:
            return f'{skill}: waits for the end of {where}{instead}'
        return f'{skill}: begins{instead}'

    def _is_there(self, skill: str) -> bool:
        """Say whether a request is for the state that the robot is in, or on its way to."""
        state = self._next_state
        return (self.book.goals.get(skill) == state
                and self.book.find_transition(state, skill) is None)

    def keeps_command(self, skill: str) -> bool:
        """Say whether what was commanded before a skill goes on after it."""
        found = self.book.find(skill)
        return found is not None and found.keeps_command

    @property
    def _next_state(self) -> str:
        """The state that the dog is in, or that its motion leads to."""
        moving = self.record['motion'] != NONE
        return self.book.activities[int(self.record['goal' if moving else 'state'])]

    def leap_by(self, parameters: np.ndarray[tuple[int], np.dtype[np.float64]], time: float, *,
                half_strides: int = 2) -> None:
        """
        Leap by the parameters of :class:`Leap` when the trot's pairs change next.

        :param half_strides: how many of these changes to wait for.
        """
        self.foresee(LEAP)
        for name, value in zip(PARAMETERS, parameters, strict=True):
            self.leap[name] = value
        self.leap['waits'], self.leap['strides'] = 1.0, half_strides
        self.leap['requested'] = time
