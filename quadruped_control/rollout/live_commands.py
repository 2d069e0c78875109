"""Commands as they come from outside: for now, for a time, or not any more."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import as_block
from quadruped_control.loading import validate
from quadruped_control.rollout.chase import Chase, throw_ball
from quadruped_control.rollout.commands import Commands
from quadruped_control.scenario import BallOffer, Command
from quadruped_control.simulation.world import TIME_STEP


class LiveCommands:
    """
    What a scenario commands, and what comes besides.

    Every command takes effect in the first tick that sees it; what it takes effect on is the
    scheduler alone, so that the same commands at the same ticks repeat a run bit for bit.

    :param ball: to pursue from the start on; its way is by the seed.
    :param silence: s of simulated time after which a velocity that came for now is given up.
    """

    def __init__(self, scheduler: SkillScheduler, commands: Sequence[Command] = (), *,
                 ball: BallOffer | None = None, seed: int = 0, silence: float = 0.5) -> None:
        self.silence = silence
        self.late = 0
        self._scheduler, self._look = scheduler, scheduler.clock['look']
        self._commands, self._ball, self._seed = commands, ball, seed
        self.reset()

    def reset(self) -> None:
        """Begin the scenario again; forget what came besides."""
        self._scenario = Commands(self._commands, self._ball, self._seed)
        self._fresh: list[Command] = []
        self._timed: list[tuple[Command, bool | None, tuple[float, float]]] = []
        self._point: Command | None = None      # newest place of a target that moves
        self._throws = False                    # a ball was asked for
        self._thrown = 0
        self.stamped = 0                        # how many came for a time
        self._heard: float | None = None        # when a velocity last came for now
        self._drives = bool(self._commands)     # somebody commands velocities
        self._last: tuple[object, ...] = ()

    def receive(self, vx: float, vy: float, wz: float) -> None:
        """Take a velocity (m/s, m/s, rad/s) for the next tick, or raise InputError."""
        velocity = _make(t=0.0, vx=vx, vy=vy, wz=wz)
        self._fresh = [command for command in self._fresh if command.vx is None]
        self._fresh.append(velocity)

    def receive_at(self, time: float, vx: float, vy: float, wz: float, *,
                   gait: str | None = None, on_spot: bool | None = None,
                   look: tuple[float, float] = (0.0, 0.0)) -> None:
        """
        Take a velocity that holds from a time (s) on, or raise InputError.

        :param gait: to request at that time; None: as it is.
        :param on_spot: whether to step where the velocity is zero; None: as the gait asks for.
        :param look: rad that the head is turned to the left and down.
        """
        command = _make(t=time, vx=vx, vy=vy, wz=wz, gait=gait)
        most = self._scheduler.pace.look
        look = (min(max(look[0], -most[0]), most[0]), min(max(look[1], -most[1]), most[1]))
        insort(self._timed, (command, on_spot, look), key=lambda timed: timed[0].t)
        self.stamped += 1

    def receive_goal(self, x: float, y: float, heading: float | None = None) -> None:
        """Take a place (m) to go to, and the heading (rad) to have there, or raise InputError."""
        goal = _make(t=0.0, target=(x, y), target_heading=heading)
        self._fresh = [command for command in self._fresh if command.target is None]
        self._fresh.append(goal)
        self._point, self._throws = None, False

    def receive_point(self, x: float, y: float) -> None:
        """
        Take the newest place (m) of a target that moves, or raise InputError.

        While velocities come for now it waits: a driver goes before what is only followed.
        """
        self._point, self._throws = _make(t=0.0, target=(x, y)), False

    def throw_ball(self) -> None:
        """Let a ball lie somewhere ahead, for the robot to pursue."""
        self._point, self._throws = None, True

    @property
    def chase(self) -> Chase | None:
        """The pursuit of a target, if there is one."""
        return self._scenario.chase

    def request_gait(self, gait: str) -> None:
        """Take a gait for the next tick, or raise InputError."""
        known = sorted(self._scheduler.requests)
        if gait not in known:
            raise InputError('gait', '', gait, ', '.join(known))
        self._fresh.append(_make(t=0.0, gait=gait))

    def request_skill(self, skill: str) -> str:
        """Take a skill for the next tick; return what it will do, or raise QuadrupedError."""
        if skill not in self._scheduler.skills.book.requests:
            offered = self._scheduler.skills.offered
            raise InputError('skill', '', skill, ', '.join(sorted(offered)))
        answer = self._scheduler.skills.foresee(skill)
        self._fresh.append(_make(t=0.0, skill=skill))
        return answer

    def apply(self, state: np.record) -> bool:
        """Give what is due to the scheduler; say whether velocity or gait changed."""
        time = float(as_block(state)['time'][0])
        if not self._scenario.is_over:
            self._scenario.give_due(self._scheduler, time)
        if self._timed:
            self._give_timed(time)
        if self._fresh:
            for command in self._fresh:
                self._give_fresh(command, time)
            self._fresh = []
        if self._heard is not None and time - self._heard > self.silence + TIME_STEP / 2:
            self._heard, self._drives = None, False
            self._scheduler.command[:] = 0.0
        if self._point is not None or self._throws or self.chase is not None:
            self._pursue(state)
        before = self._last
        self._last = (self._scheduler.command.tobytes(), self._scheduler.requested,
                      self._look.tobytes())
        return before != self._last

    def _give_timed(self, time: float) -> None:
        """Give what came for a time that has come."""
        while self._timed and self._timed[0][0].t <= time + TIME_STEP / 2:
            command, on_spot, look = self._timed.pop(0)
            self.late += 0.0 < command.t < time - TIME_STEP / 2
            self._give(command, time)
            if on_spot is not None:
                self._drives = on_spot
                self._scheduler.command[3] = float(on_spot)
                self._scheduler.clock.look[:] = look
            self._heard = None                  # it holds until the next

    def _give_fresh(self, command: Command, time: float) -> None:
        """Give what came for now; a driver at rest does not end a pursuit."""
        is_rest = command.sets_velocity and not any((command.vx, command.vy, command.wz))
        if is_rest and self.chase is not None:
            return
        self._give(command, time)
        if command.vx is not None:
            self._heard, self._scenario.speed = time, 0.0
        if command.target is not None:
            self._heard = None

    def _pursue(self, state: np.record) -> None:
        """Begin or go on with what is pursued."""
        scenario, scheduler = self._scenario, self._scheduler
        if self._point is not None and self._point.target and self._heard is None:
            scenario.follow(scheduler, *self._point.target)
        if self._throws:
            self._heard = None
            self._thrown += 1
            scenario.chase = throw_ball(scheduler.pace, state, self._seed + self._thrown)
        self._point, self._throws = None, False
        scenario.pursue(scheduler, state)

    def _give(self, command: Command, time: float) -> None:
        """Set what the command says, as one of a scenario would."""
        self._scenario.give(self._scheduler, command, time)
        if command.skill is not None and not self._scheduler.skills.keeps_command(command.skill):
            self._heard, self._drives = None, False
        self._drives = self._drives or command.vx is not None
        steps_on_spot = self._drives and self._scheduler.requested != AUTO
        self._scheduler.command[3] = 1.0 if steps_on_spot else 0.0


def _make(**keys: object) -> Command:
    return validate(keys, Command, 'command')
