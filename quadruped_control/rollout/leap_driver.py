"""The planner of leaps in the closed loop: a scan at each gait cycle, then speeds and leaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.control.skills import SkillRefusedError
from quadruped_control.leaps.planner import Plan, Planner

Array = NDArray[np.float64]
SCAN_LENGTH, SCAN_SPACING = 4.0, 0.02       # m
LOOK = 10                   # ticks between two looks at the clock
LEAD = 3                    # half strides before its begin at which a leap is given
Scan = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class PlannedLeap:
    """A plan that was carried out, and when (s) and where (x, y of the hips) it was made."""

    time: float
    place: tuple[float, float]
    plan: Plan


class LeapDriver:
    """
    Gives leaps and approach speeds to a scheduler.

    :param scan: heights of the ground at points x and y (m), as a range sensor measures them.
    """

    def __init__(self, planner: Planner, scheduler: SkillScheduler, scan: Scan) -> None:
        self._planner, self._scheduler, self._scan = planner, scheduler, scan
        self._ahead = np.arange(0.0, SCAN_LENGTH + SCAN_SPACING / 2, SCAN_SPACING)
        self._cycles = -1.0
        self._wanted = 0.0
        self._given = 0.0
        self.leaps: list[PlannedLeap] = []
        self.refused: list[PlannedLeap] = []

    def update(self, state: np.record) -> None:
        """Plan when a gait cycle has begun, for the state of this tick."""
        scheduler = self._scheduler
        clock, leap, command = scheduler.clock, scheduler.skills.leap, scheduler.command
        if command[0] != self._given:
            self._wanted = self._given = float(command[0])
        busy = leap['waits'] == 1.0 or leap['stage'] != 0.0
        if clock['cycles'] == self._cycles or busy or clock['stands'] == 1.0:
            return
        self._cycles = float(clock['cycles'])
        plan = self._plan(state)
        if plan is None:
            self._approach(self._wanted)
            return
        self._approach(plan.speed)
        place = float(state['base_position'][0]), float(state['base_position'][1])
        made = PlannedLeap(float(state['time']), place, plan)
        if plan.is_refusal:
            self.refused.append(made)
        elif plan.leaps_now(LEAD):
            self._leap(made)

    def _plan(self, state: np.record) -> Plan | None:
        heading = float(self._scheduler.clock['heading'])
        x, y, _ = state['base_position']
        heights = self._scan(x + cos(heading) * self._ahead, y + sin(heading) * self._ahead)
        return self._planner.plan(heights, spacing=SCAN_SPACING, ahead=0.0,
                                  speed=float(self._scheduler.clock['speed'][0]),
                                  stride_time=float(self._scheduler._parameters['period'][0]))

    def _approach(self, speed: float) -> None:
        self._scheduler.command[0] = self._given = speed

    def _leap(self, made: PlannedLeap) -> None:
        parameters = self._planner.dictionary.parameters[made.plan.leap]
        try:
            self._scheduler.skills.leap_by(parameters, made.time,
                                           half_strides=made.plan.half_strides)
        except SkillRefusedError:
            return                      # the dog is down: getting up comes first
        self.leaps.append(made)
