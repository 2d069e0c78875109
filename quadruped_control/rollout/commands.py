"""The commands of a scenario, given to the scheduler when their time comes."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.control.pursuit import Goal
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.choice import choose_leap
from quadruped_control.rollout.chase import CHASE_EVERY, Chase, make_ball
from quadruped_control.rollout.leap_driver import LEAPING_GAIT
from quadruped_control.scenario import BallOffer, Command
from quadruped_control.simulation.world import TIME_STEP


def leap(scheduler: SkillScheduler, time: float) -> None:
    """Leap by what the dictionary has for the speed, or raise SkillRefusedError."""
    scheduler.skills.foresee(LEAP)
    if scheduler.gait != LEAPING_GAIT:
        raise SkillRefusedError(f'leap is not possible in the {scheduler.gait}; the way: '
                                f'{LEAPING_GAIT}, then leap')
    speed = float(scheduler.clock['speed'][0])
    scheduler.skills.leap_by(choose_leap(speed, scheduler.skills.robot), time)


class Commands:
    """
    Each command holds until the next that sets the same key.

    :param ball: to pursue from the start on; its way is by the seed.
    :ivar chase: of a target, if there is one.
    """

    def __init__(self, commands: Sequence[Command], ball: BallOffer | None = None, seed: int = 0
                 ) -> None:
        self._waiting = list(commands)
        self._ball, self._seed = ball, seed
        self.chase: Chase | None = None
        self.speed = 0.0                # m/s that was commanded last, to pursue at
        self.refusals: list[tuple[float, str, str]] = []        # time, skill, why

    def apply(self, scheduler: SkillScheduler, state: np.record) -> None:
        """Give what is due to the scheduler, for the state as it is read in this tick."""
        self.give_due(scheduler, float(state['time']))
        self.pursue(scheduler, state)

    def give_due(self, scheduler: SkillScheduler, time: float) -> None:
        """Give the commands of the scenario whose time (s) has come."""
        if self._ball is not None:
            self.chase = Chase(make_ball(self._ball, self._seed, scheduler.pace), scheduler.pace)
            self._ball = None
        while self._waiting and self._waiting[0].t <= time + TIME_STEP / 2:
            self.give(scheduler, self._waiting.pop(0), time)

    def pursue(self, scheduler: SkillScheduler, state: np.record) -> None:
        """Set the command that leads to the target, where that is due."""
        if self.chase is not None:
            self.chase.update(scheduler, state)
            if self.chase.is_over and not self.chase.follows:
                self.chase = None

    @property
    def is_over(self) -> bool:
        """Say whether there is nothing more to give, ever."""
        return not self._waiting and self.chase is None and self._ball is None

    def idle_ticks(self, time: float) -> float:
        """Return for how many ticks from now there is nothing to give, at least 1."""
        idle = inf if self.chase is None else CHASE_EVERY - round(time / TIME_STEP) % CHASE_EVERY
        if not self._waiting:
            return idle
        return max(1, min(idle, floor((self._waiting[0].t - time) / TIME_STEP - 0.5)))

    def give(self, scheduler: SkillScheduler, command: Command, time: float) -> None:
        """Give one command to the scheduler at a time (s)."""
        if command.sets_velocity:
            self.end_chase(scheduler)
        for n, value in enumerate((command.vx, command.vy, command.wz)):
            if value is not None:
                scheduler.command[n] = value
        if command.vx is not None:
            self.speed = max(command.vx, 0.0)
        if command.gait is not None:
            scheduler.request(command.gait)
            scheduler.command[3] = 0.0 if command.gait == AUTO else 1.0
        if command.target is not None:
            goal = Goal(*command.target, command.target_heading)
            self.chase = Chase(goal, scheduler.pace, self.speed)
        if command.skill is not None:
            self._ask(scheduler, command.skill, time)

    def follow(self, scheduler: SkillScheduler, x: float, y: float) -> None:
        """Go after a target that moves, which is there now (m)."""
        if self.chase is not None and self.chase.follows:
            self.chase.pursuit.aim(x, y)
        else:
            self.chase = Chase(Goal(x, y), scheduler.pace, self.speed, follows=True)

    def end_chase(self, scheduler: SkillScheduler) -> None:
        """Let go of a target, and of the speed that led to it."""
        if self.chase is not None:
            self.chase = None
            scheduler.command[:3] = 0.0
            scheduler.clock['look'] = 0.0

    def _ask(self, scheduler: SkillScheduler, skill: str, time: float) -> None:
        """Ask for a skill, which ends what was commanded before unless it goes on after it."""
        try:
            if skill == LEAP:
                leap(scheduler, time)
            else:
                scheduler.skills.request(skill, time)
        except SkillRefusedError as error:
            self.refusals.append((time, skill, str(error)))
            return
        if not scheduler.skills.keeps_command(skill):
            self.end_chase(scheduler)
            scheduler.request(AUTO)
            scheduler.command[:] = 0.0
            self.speed = 0.0
