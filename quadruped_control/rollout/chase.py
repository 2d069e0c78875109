"""The pursuit of a target or a ball in the closed loop, and what a recording tells of it."""

from __future__ import annotations

import numpy as np

from quadruped_control.control.ball import Ball, throw
from quadruped_control.control.gait_scheduler import compute_yaw
from quadruped_control.control.pursuit import ROLL, STOP, Goal, Pace, Place, Pursuit, look_at
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.scenario import BallOffer
from quadruped_control.simulation.world import TIME_STEP

CHASE_EVERY = 20                # ticks from one command to the next


def make_ball(offer: BallOffer, seed: int, pace: Pace) -> Ball:
    """Return the ball of a scenario, for a robot of some pace."""
    return Ball(offer.position, offer.near, offer.away, offer.times, seed=seed,
                speed=ROLL * pace.speed)


def throw_ball(pace: Pace, state: np.record, seed: int) -> Chase:
    """Return the chase of a ball that lies somewhere ahead of a robot."""
    return Chase(throw(_locate(pace, state), pace, seed), pace)


def _locate(pace: Pace, state: np.record) -> Place:
    x, y, _ = state['base_position'].tolist()
    return pace.locate(x, y, float(compute_yaw(state['base_quaternion'])))


class Chase:
    """
    A robot after a target.

    The command is set anew every 20 ms, by the simulated time, so that it is the same in one
    process and over topics.

    :param target: where to go, or a ball to catch.
    :param fastest: m/s at most; 0: as the pace says.
    :param follows: a target that may move on when the robot is there.
    :ivar is_over: the robot stands there, and has caught the ball if it is one.
    """

    def __init__(self, target: Goal | Ball, pace: Pace, fastest: float = 0.0, *,
                 follows: bool = False) -> None:
        self.follows = follows
        self.ball = target if isinstance(target, Ball) else None
        goal = Goal(*target.place) if isinstance(target, Ball) else target
        stay = 0.0 if self.ball is None else 0.9 * self.ball.near
        self.pursuit = Pursuit(goal, pace, fastest, stay)
        self.is_over = False
        self._pace = pace
        self._begun = False

    @property
    def place(self) -> tuple[float, float]:
        """Where the target is, m."""
        return self.pursuit.goal.x, self.pursuit.goal.y

    def is_due(self, time: float) -> bool:
        """Say whether there is something to do at a time (s)."""
        return not self._begun or round(time / TIME_STEP) % CHASE_EVERY == 0

    def update(self, scheduler: SkillScheduler, state: np.record) -> None:
        """Set the command and the look, if they are due."""
        time = float(state['time'])
        if not self.is_due(time):
            return
        place, was_over = _locate(self._pace, state), self.is_over
        drive = self.advance(time, place, float(scheduler.clock['heading']))
        if self.is_over:
            scheduler.clock['look'] = 0.0
            if not was_over:                    # it stands, whatever its gait
                scheduler.command[:] = STOP
            return
        scheduler.command[:] = drive
        scheduler.clock['look'] = look_at(place, *self.place, self._pace.ball, self._pace)

    def advance(self, time: float, place: Place, heading: float) -> tuple[float, ...]:
        """Return the command at a time (s) for a measured place and the heading aimed for."""
        self._begun = True
        if self.ball is not None:
            self.ball.update(time, place)
            self.pursuit.aim(*self.ball.place)
        drive = self.pursuit.update(time, place, heading)
        self.is_over = self.pursuit.is_done and (self.ball is None or self.ball.is_caught)
        return drive
