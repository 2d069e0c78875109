"""Commands as they come from outside: for now, for a time, or not any more."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.control.skill_table import REQUESTS
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import as_block
from quadruped_control.loading import validate
from quadruped_control.rollout.commands import Commands
from quadruped_control.scenario import Command
from quadruped_control.simulation.world import TIME_STEP


class LiveCommands:
    """
    What a scenario commands, and what comes besides.

    Every command takes effect in the first tick that sees it; what it takes effect on is the
    scheduler alone, so that the same commands at the same ticks repeat a run bit for bit.

    :param silence: s of simulated time after which a velocity that came for now is given up.
    """

    def __init__(self, scheduler: SkillScheduler, commands: Sequence[Command] = (), *,
                 silence: float = 0.5) -> None:
        self.silence = silence
        self.late = 0
        self._scheduler = scheduler
        self._commands = commands
        self.reset()

    def reset(self) -> None:
        """Begin the scenario again; forget what came besides."""
        self._scenario = Commands(self._commands)
        self._fresh: list[Command] = []
        self._timed: list[tuple[Command, bool | None]] = []
        self.stamped = 0                        # how many came for a time
        self._heard: float | None = None        # when a velocity last came for now
        self._drives = bool(self._commands)     # somebody commands velocities
        self._last: list[object] = []

    def receive(self, vx: float, vy: float, wz: float) -> None:
        """Take a velocity (m/s, m/s, rad/s) for the next tick, or raise InputError."""
        velocity = _make(t=0.0, vx=vx, vy=vy, wz=wz)
        self._fresh = [command for command in self._fresh if command.vx is None]
        self._fresh.append(velocity)

    def receive_at(self, time: float, vx: float, vy: float, wz: float, *,
                   gait: str | None = None, on_spot: bool | None = None) -> None:
        """
        Take a velocity that holds from a time (s) on, or raise InputError.

        :param gait: to request at that time; None: as it is.
        :param on_spot: whether to step where the velocity is zero; None: as the gait asks for.
        """
        command = _make(t=time, vx=vx, vy=vy, wz=wz, gait=gait)
        insort(self._timed, (command, on_spot), key=lambda timed: timed[0].t)
        self.stamped += 1

    def request_gait(self, gait: str) -> None:
        """Take a gait for the next tick, or raise InputError."""
        known = sorted(self._scheduler.requests)
        if gait not in known:
            raise InputError('gait', '', gait, ', '.join(known))
        self._fresh.append(_make(t=0.0, gait=gait))

    def request_skill(self, skill: str) -> str:
        """Take a skill for the next tick; return what it will do, or raise QuadrupedError."""
        if skill not in REQUESTS:
            offered = self._scheduler.skills.offered
            raise InputError('skill', '', skill, ', '.join(sorted(offered)))
        answer = self._scheduler.skills.foresee(skill)
        self._fresh.append(_make(t=0.0, skill=skill))
        return answer

    def apply(self, state: np.record) -> bool:
        """Give what is due to the scheduler; say whether velocity or gait changed."""
        time = float(as_block(state)['time'][0])
        if not self._scenario.is_over:
            self._scenario.apply(self._scheduler, state)
        while self._timed and self._timed[0][0].t <= time + TIME_STEP / 2:
            command, on_spot = self._timed.pop(0)
            self.late += 0.0 < command.t < time - TIME_STEP / 2
            self._give(command, time)
            if on_spot is not None:
                self._drives = on_spot
                self._scheduler.command[3] = float(on_spot)
            self._heard = None                  # it holds until the next
        if self._fresh:
            for command in self._fresh:
                self._give(command, time)
                if command.vx is not None:
                    self._heard = time
            self._fresh = []
        if self._heard is not None and time - self._heard > self.silence + TIME_STEP / 2:
            self._heard, self._drives = None, False
            self._scheduler.command[:] = 0.0
        before = self._last
        self._last = [*self._scheduler.command.tolist(), self._scheduler.requested]
        return before != self._last

    def _give(self, command: Command, time: float) -> None:
        """Set what the command says, as one of a scenario would."""
        self._scenario.give(self._scheduler, command, time)
        if command.skill not in (None, 'get_up', 'leap'):
            self._heard, self._drives = None, False
        self._drives = self._drives or command.vx is not None
        steps_on_spot = self._drives and self._scheduler.requested != AUTO
        self._scheduler.command[3] = 1.0 if steps_on_spot else 0.0


def _make(**keys: object) -> Command:
    return validate(keys, Command, 'command')
