"""The skills that can be asked for: what a request leads to, or why it is refused."""

from __future__ import annotations

import numpy as np

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.leap import PARAMETERS
from quadruped_control.control.leap_records import NOT_LEAPING, leap_type
from quadruped_control.control.offers import explain_missing, list_offers
from quadruped_control.control.posture import load_posture
from quadruped_control.control.posture_table import (
    find_first_phases,
    tabulate_postures,
    write_end,
)
from quadruped_control.control.records import target_type
from quadruped_control.control.skill_records import SkillTables, skill_type
from quadruped_control.control.skill_table import (
    ACTIVITIES,
    MOTIONS,
    NONE,
    REQUESTS,
    SAME,
    STAND,
    STATES,
    TRANSITIONS,
    find_transition,
    find_way,
    name_motion_to,
)
from quadruped_control.errors import QuadrupedError
from quadruped_control.kinematics.records import as_block, motion_type, new_record
from quadruped_control.model.robot import Robot


class SkillRefusedError(QuadrupedError):
    """A skill was asked for that is not legal now; the message names the way there."""


class Skills:
    """
    The state machine's records and tables.

    :param clock: of the gait scheduler; its ``skill`` is what the dog is doing.
    :param target: that the gait scheduler writes, and the motions too.
    """

    def __init__(self, robot: Robot, clock: np.record, target: np.record) -> None:
        self._robot, self.offered = robot.name, list_offers(robot.name).skills
        postures = [load_posture(name, robot.name) for name in MOTIONS]
        self.record = new_record(skill_type())
        self.leap = new_record(leap_type())
        self._clock, self._target = clock, target
        begin = new_record(target_type())
        self.tables = SkillTables(
            as_block(self.record), tabulate_postures(postures, robot.anatomy),
            find_first_phases(postures), _number_transitions(), as_block(robot.tree),
            as_block(new_record(motion_type(len(robot.links)))), as_block(begin),
            as_numbers(begin), as_numbers(target), as_block(self.leap))
        self.reset()

    def reset(self, *, state: str = 'stand', heading: float = 0.0, recover: bool = False) -> None:
        """Begin in a state, facing a direction (rad); ``recover``: it gets up by itself."""
        self.tables.skill[:] = np.zeros(1, self.record.dtype)
        self.record['state'] = self.record['goal'] = STATES.index(state)
        self.record['motion'] = self.record['request'] = NONE
        self.record['recover'] = float(recover)
        self.tables.leap[:] = np.zeros(1, self.leap.dtype)
        self._clock['skill'] = STATES.index(state)
        if state != 'stand':
            self._take_posture(state, heading)

    def _take_posture(self, state: str, heading: float) -> None:
        """Aim at a posture as its motion leaves it."""
        first = self.tables.first[MOTIONS.index(name_motion_to(state))]
        write_end(self.tables.phases[first:], self._target)
        self._target['heading'] = self._target['rpy'][:, 2] = self.record['heading'] = heading

    @property
    def activity(self) -> str:
        """What the dog is doing: a state, or the way to another."""
        return ACTIVITIES[int(self._clock['skill'])]

    def request(self, skill: str, time: float) -> str:
        """
        Ask for a skill at a time (s); return what will happen, or raise SkillRefusedError.

        While a motion is played the request waits for its end; a later one takes its place.
        """
        answer = self.foresee(skill)
        if SAME.get(skill) == self._next_state:
            self.record['request'] = NONE
        else:
            self.record['request'], self.record['requested'] = REQUESTS.index(skill), time
        return answer

    def foresee(self, skill: str) -> str:
        """Say what a request would do now, or raise SkillRefusedError."""
        if skill not in self.offered:
            raise SkillRefusedError(explain_missing(self._robot, skill))
        if skill == 'leap':
            self._refuse_leap()
            return 'leap: begins where the pairs of the trot change'
        state, moving = self._next_state, self.record['motion'] != NONE
        where = f'{self.activity} (then {state})' if moving else state
        if SAME.get(skill) == state:
            return f'{skill}: already {where}'
        if find_transition(state, skill) is None:
            way = ', then '.join(find_way(state, skill)) or 'none'
            raise SkillRefusedError(f'{skill} is not possible while {where}; the way: {way}')
        waiting = int(self.record['request'])
        instead = '' if waiting == NONE else f' instead of {REQUESTS[waiting]}'
        if moving or self._clock['stands'] == 0.0:
            return f'{skill}: waits for the end of {where}{instead}'
        return f'{skill}: begins{instead}'

    @property
    def _next_state(self) -> str:
        """The state that the dog is in, or that its motion leads to."""
        moving = self.record['motion'] != NONE
        return STATES[int(self.record['goal' if moving else 'state'])]

    def leap_by(self, parameters: np.ndarray[tuple[int], np.dtype[np.float64]], time: float, *,
                half_strides: int = 2) -> None:
        """
        Leap by the parameters of :class:`Leap` when the trot's pairs change next.

        :param half_strides: how many of these changes to wait for.
        """
        self._refuse_leap()
        for name, value in zip(PARAMETERS, parameters, strict=True):
            self.leap[name] = value
        self.leap['waits'], self.leap['strides'] = 1.0, half_strides
        self.leap['requested'] = time

    def _refuse_leap(self) -> None:
        """Raise SkillRefusedError unless the dog is on its way on its feet."""
        if self.leap['stage'] != NOT_LEAPING:
            raise SkillRefusedError('leap is not possible now: a leap is under way')
        moving = self.record['motion'] != NONE or self.record['state'] != STAND
        if moving or self._clock['stands'] == 1.0:
            raise SkillRefusedError(f'leap is not possible while {self.activity}; the way: trot, '
                                    'then leap')


def _number_transitions() -> np.ndarray[tuple[int, int, int], np.dtype[np.int64]]:
    """Return motion, activity and goal by state and request; -1 where it is not legal."""
    table = np.full((len(STATES), len(REQUESTS), 3), NONE, np.int64)
    for row in TRANSITIONS:
        table[STATES.index(row.state), REQUESTS.index(row.request)] = (
            MOTIONS.index(row.motion), ACTIVITIES.index(row.activity), STATES.index(row.goal))
    return table
