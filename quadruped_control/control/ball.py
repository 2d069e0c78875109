"""A ball that rolls away when a robot comes near, and is caught in the end (Kokkevis 1995)."""

from __future__ import annotations

from math import atan2, cos, hypot, sin

import numpy as np

from quadruped_control.control.pursuit import ROLL, Pace, Place

ASIDE = 1.7                 # rad off the way from the robot that a ball rolls at most
# of a ball that is thrown by hand, in times the distance at which its robot stops before a target
NEAR, AWAY, TIMES = 4.0, (8.0, 18.0), 3
THROWN_ASIDE = 1.0          # rad off the heading at most


class Ball:
    """
    A target without a body.

    :param place: at first, m.
    :param near: m from it at which a robot makes it roll, or catches it.
    :param away: least and most distance (m) that it rolls.
    :param times: that it rolls; then it stays.
    :param seed: of the places that it rolls to.
    :param speed: m/s at which it begins to roll.
    :ivar rolls: how often it rolled.
    """

    def __init__(self, place: tuple[float, float], near: float, away: tuple[float, float],
                 times: int, *, seed: int, speed: float) -> None:
        self.place, self.near, self.rolls = place, near, 0
        self.is_caught = False
        self._away, self._times, self._speed = away, times, speed
        self._random = np.random.default_rng(seed)
        self._from = self._to = place
        self._begin = self._end = 0.0

    def update(self, time: float, robot: Place) -> None:
        """Roll on to where it is at a time (s), or away from a robot that is near."""
        rest = max(self._end - time, 0.0) / max(self._end - self._begin, 1e-9)
        done = 1.0 - rest * rest                # slower and slower
        self.place = (self._from[0] + done * (self._to[0] - self._from[0]),
                      self._from[1] + done * (self._to[1] - self._from[1]))
        x, y = self.place[0] - robot.x, self.place[1] - robot.y
        if rest > 0.0 or self.is_caught or hypot(x, y) >= self.near:
            return
        if self.rolls == self._times:
            self.is_caught = True
            return
        self.rolls += 1
        length = float(self._random.uniform(*self._away))
        course = atan2(y, x) + float(self._random.uniform(-ASIDE, ASIDE))
        self._from = self.place
        self._to = (self.place[0] + length * cos(course), self.place[1] + length * sin(course))
        self._begin, self._end = time, time + 2 * length / self._speed


def throw(robot: Place, pace: Pace, seed: int) -> Ball:
    """Return a ball by a robot's size that lies somewhere ahead of it."""
    random = np.random.default_rng(seed)
    away = AWAY[0] * pace.arrived, AWAY[1] * pace.arrived
    length = float(random.uniform(*away))
    course = robot.yaw + float(random.uniform(-THROWN_ASIDE, THROWN_ASIDE))
    place = robot.x + length * cos(course), robot.y + length * sin(course)
    return Ball(place, NEAR * pace.arrived, away, TIMES, seed=seed, speed=ROLL * pace.speed)
