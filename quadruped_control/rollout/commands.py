"""The commands of a scenario, given to the scheduler when their time comes."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, floor, hypot, inf, pi

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.control.skills import SkillRefusedError
from quadruped_control.leaps.choice import choose_leap
from quadruped_control.scenario import Command
from quadruped_control.simulation.world import TIME_STEP

PURSUIT_SPEED = 1.0         # m/s towards a target where no speed was commanded
TURNING = 2.0               # rad/s of turning per rad that the target is off the heading
FASTEST_TURN = 1.0          # rad/s
LEAPING_GAIT = 'trot'
ARRIVED = 0.3               # m from a target at which the dog stops


def leap(scheduler: SkillScheduler, time: float) -> None:
    """Leap by what the dictionary has for the speed, or raise SkillRefusedError."""
    if scheduler.gait != LEAPING_GAIT:
        raise SkillRefusedError(f'leap is not possible in the {scheduler.gait}; the way: '
                                f'{LEAPING_GAIT}, then leap')
    scheduler.skills.leap_by(choose_leap(float(scheduler.clock['speed'][0])), time)


class Commands:
    """Each command holds until the next that sets the same key."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self._waiting = list(commands)
        self._target: tuple[float, float] | None = None
        self.refusals: list[tuple[float, str, str]] = []        # time, skill, why

    def apply(self, scheduler: SkillScheduler, state: np.record) -> None:
        """Give what is due to the scheduler, for the state as it is read in this tick."""
        time = float(state['time'])
        while self._waiting and self._waiting[0].t <= time + TIME_STEP / 2:
            self.give(scheduler, self._waiting.pop(0), time)
        if self._target is not None:
            self._pursue(scheduler, state, self._target)

    @property
    def is_over(self) -> bool:
        """Say whether there is nothing more to give, ever."""
        return not self._waiting and self._target is None

    def idle_ticks(self, time: float) -> float:
        """Return for how many ticks from now there is nothing to give, at least 1."""
        if self._target is not None:
            return 1
        if not self._waiting:
            return inf
        return max(1, floor((self._waiting[0].t - time) / TIME_STEP - 0.5))

    def give(self, scheduler: SkillScheduler, command: Command, time: float) -> None:
        """Give one command to the scheduler at a time (s)."""
        for n, value in enumerate((command.vx, command.vy, command.wz)):
            if value is not None:
                scheduler.command[n] = value
                self._target = None
        if command.target is not None:
            self._target = command.target
            scheduler.command[0] = scheduler.command[0] or PURSUIT_SPEED
        if command.gait is not None:
            scheduler.request(command.gait)
            scheduler.command[3] = 0.0 if command.gait == AUTO else 1.0
        if command.skill is not None:
            self._ask(scheduler, command.skill, time)

    def _ask(self, scheduler: SkillScheduler, skill: str, time: float) -> None:
        """Ask for a skill; all but getting up and leaping end what was commanded before."""
        try:
            if skill == 'leap':
                leap(scheduler, time)
                return
            scheduler.skills.request(skill, time)
        except SkillRefusedError as error:
            self.refusals.append((time, skill, str(error)))
            return
        if skill != 'get_up':
            scheduler.request(AUTO)
            scheduler.command[:] = 0.0
            self._target = None

    def _pursue(self, scheduler: SkillScheduler, state: np.record,
                target: tuple[float, float]) -> None:
        """Turn towards the target; stop there."""
        x, y = target[0] - state['base_position'][0], target[1] - state['base_position'][1]
        if hypot(x, y) < ARRIVED:
            scheduler.command[:3] = 0.0
            self._target = None
            return
        off = atan2(y, x) - float(scheduler.clock['heading'])
        off -= 2 * pi * round(off / (2 * pi))
        scheduler.command[2] = min(max(TURNING * off, -FASTEST_TURN), FASTEST_TURN)
