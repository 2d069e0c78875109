"""
What a robot sees of the ground ahead, and what it makes of it: how fast at most, in which gait.

Slopes and steps limit the speed in every gait, and what cannot be passed is stopped before; `auto`
also changes its gait for them. Where leaps are planned, what will be leapt over is come to in the
trot, and no faster than leaps begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_scheduler import NO_TOP
from quadruped_control.control.ladder import AUTO, find_ground_rules
from quadruped_control.control.leap_measures import LeapMeasures, load_leap_measures
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.obstacles import find_obstacles
from quadruped_control.leaps.scouting import PLAIN, SCAN_EVERY, Scan
from quadruped_control.model.robot import Robot
from quadruped_control.simulation.world import TIME_STEP

Array = NDArray[np.float64]
BRAKING = 1.0                   # m/s^2 at which a robot slows down to what it sees, and
LAG = 0.3                       # s that it takes to begin
FREED = 1.0                     # m/s^2 at which it is let go again
CHANGE = 1.3                    # s before it at which the gait should be changed, and
KEEP = 1.5                      # s that it is kept after the last that asks for it
LENGTHS = 2.0                   # of its body before the hips where it must be slow,
ROOM = 3.0                      # before what it cannot pass, where it can turn on the spot, and
RUN_UP = 7.0                    # before what it leaps over
NEAREST = 2.5                   # nearer to what it cannot pass it steps back while it is driven,
BACK = 0.3                      # m/s at most, and
BACK_RATE = 1.5                 # 1/s: m/s for each m that it is too near


@dataclass(frozen=True)
class Hindrance:
    """
    What is ahead.

    :param begin: m from the hips.
    :param most: m/s at which it is passed; 0 where it is not.
    :param gait: in which it is passed, or none.
    :param leapt: it is leapt over.
    """

    begin: float
    most: float
    gait: str
    words: str
    leapt: bool = False

    def describe(self) -> str:
        """Say it in words."""
        what = f'{self.words}, {self.begin:.1f} m ahead'
        if self.most == 0.0:
            return f'stops before {what}'
        return f'at most {self.most:g} m/s{", " if self.gait else ""}{self.gait} for {what}'


class Eyes:
    """
    Finds what a robot heeds in a scan.

    :param leaps: measures of its leaps, if it has any.
    """

    def __init__(self, robot: Robot, leaps: LeapMeasures | None) -> None:
        self._rules = find_ground_rules(robot)
        self._window = robot.measures.map_window
        self._leaps = leaps
        self._least_step = min((rule.start for rule in self._rules.steps), default=inf)

    def find(self, heights: Array, spacing: float, *, leaps: bool) -> list[Hindrance]:
        """
        Return what is ahead, at most one for each rule.

        :param leaps: take out what will be leapt over.
        """
        rises = np.diff(heights)
        edges = np.abs(rises) >= self._least_step
        found = self._find_slopes(heights, edges, spacing)
        if edges.any():
            leapt = self._find_leaps(heights, edges, spacing) if leaps else []
            found += [*leapt, *self._find_steps(np.where(edges, rises, 0.0), spacing)]
        return found

    def _find_slopes(self, heights: Array, edges: NDArray[np.bool_], spacing: float
                     ) -> list[Hindrance]:
        """Return the first place of each slope, over windows with no step in them."""
        reach = round(self._window / spacing)
        slopes = np.abs(heights[2 * reach:] - heights[:-2 * reach]) / (2 * reach * spacing)
        before = np.concatenate([[0], np.cumsum(edges)])
        slopes[before[2 * reach:] > before[:-2 * reach]] = 0.0
        return [Hindrance(place * spacing, rule.most, rule.gait or '',
                          f'a slope of {degrees(np.arctan(slopes[place])):.0f} degrees')
                for rule in self._rules.slopes
                if (place := _first(slopes >= np.tan(np.radians(rule.start)))) >= 0]

    def _find_leaps(self, heights: Array, edges: NDArray[np.bool_], spacing: float
                    ) -> list[Hindrance]:
        """Return what will be leapt over, and take it out of the edges."""
        if self._leaps is None:
            return []
        found = find_obstacles(heights, spacing, self._leaps.obstacles)
        for obstacle in found:
            first, last = (round(place / spacing) for place in (obstacle.begin, obstacle.end))
            edges[max(first - 1, 0):last + 1] = False
        fastest = self._leaps.grid.speeds[-1]
        return [Hindrance(found[0].begin, fastest, '', 'a leap', leapt=True)] if found else []

    def _find_steps(self, rises: Array, spacing: float) -> list[Hindrance]:
        return [Hindrance(place * spacing, rule.most, rule.gait or '',
                          f'a {"step" if rises[place] > 0.0 else "drop"} of '
                          f'{100 * abs(rises[place]):.0f} cm')
                for rule in self._rules.steps
                if (place := _first(np.abs(rises) >= rule.start)) >= 0]


def _first(where: NDArray[np.bool_]) -> int:
    """Return the index of the first that is true, or -1."""
    place = int(np.argmax(where)) if len(where) else 0
    return place if len(where) and where[place] else -1


class LookOut:
    """Tells a scheduler what the ground ahead allows."""

    def __init__(self, scheduler: SkillScheduler, robot: Robot) -> None:
        self._scheduler = scheduler
        skills = scheduler.skills
        leaps = LEAP in skills.offered and LEAP not in skills.barred
        self._eyes = Eyes(robot, load_leap_measures(robot.name) if leaps else None)
        self._fastest = scheduler.find_top(AUTO)
        self._length = robot.leg_frame_distance()
        self.reset()

    def reset(self) -> None:
        """Begin a run."""
        self._left = 0.0                # s that the gait is still kept
        self.words = PLAIN
        self.gait = ''                  # in which the ground is to be gone over

    def update(self, scan: Scan, *, leaps: bool) -> None:
        """
        Set top speed and gait by a scan.

        :param leaps: over what is ahead are planned.
        """
        clock = self._scheduler.clock
        seconds = SCAN_EVERY * TIME_STEP
        chooses = self._scheduler.requested == AUTO
        found = self._eyes.find(scan.heights, scan.spacing, leaps=leaps)
        tops = [self._limit(item) for item in found]
        freed = float(clock.top) + FREED * seconds
        clock.top = min([*tops, freed if freed < self._fastest else NO_TOP])
        speed = max(float(clock.speed[0]), 0.0)
        near = [item.gait for item in found
                if chooses and item.gait and item.begin <= LENGTHS * self._length + CHANGE * speed]
        self._left = KEEP if near else self._left - seconds
        self.gait = near[0] if near else self.gait if self._left > 0.0 else ''
        self.words = found[tops.index(min(tops))].describe() if found else PLAIN

    def _limit(self, item: Hindrance) -> float:
        """
        Return the speed from which a robot still slows down to what is ahead.

        It is negative where it came too near: it turns there, and its head needs room for that.
        """
        too_near = NEAREST * self._length - item.begin
        if item.most == 0.0 and too_near > 0.0:
            return -min(BACK, BACK_RATE * too_near)
        lengths = RUN_UP if item.leapt else ROOM if item.most == 0.0 else LENGTHS
        lag = LAG * max(float(self._scheduler.clock.speed[0]), 0.0)
        way = max(item.begin - lengths * self._length - lag, 0.0)
        return sqrt(item.most**2 + 2 * BRAKING * way)


def hold_gait(scheduler: SkillScheduler, gaits: Sequence[str]) -> None:
    """Hold the first gait that is asked for, once the robot is slow enough for it; or none."""
    gait = next((gait for gait in gaits if gait in scheduler.requests), '')
    clock = scheduler.clock
    fast = clock.gear > 0.0 or clock.speed[0] > scheduler.find_top(gait or AUTO)
    if not (gait and fast):
        scheduler.hold(gait)
