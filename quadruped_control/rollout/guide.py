"""
What the ground ahead makes of the commands: the look-out and, if asked for, the leap planner.

In one process; over topics the gait scheduler's node does the same with scans that come to it.
"""

from __future__ import annotations

import numpy as np

from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.leaps.planner import Planner
from quadruped_control.leaps.scouting import LOOK, SCAN_EVERY, Heights, Scan
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.leap_driver import LeapDriver, LeapScout, scan_from
from quadruped_control.rollout.look_out import LookOut, hold_gait


class Guide:
    """
    Looks ahead for a scheduler.

    :param leaps: over what is ahead.
    :ivar driver: carries out the planner's orders.
    """

    def __init__(self, scheduler: SkillScheduler, robot: Robot, heights: Heights, *,
                 leaps: bool) -> None:
        self._scheduler, self._robot, self._heights = scheduler, robot, heights
        self.driver = LeapDriver(scheduler)
        self.scout: LeapScout | None = None
        if leaps:
            self.scout = LeapScout(Planner(load_dictionary(robot=robot.name)), self.driver)
        self.look_out = LookOut(scheduler, robot)
        self._scan: Scan | None = None

    def update(self, state: np.record, tick: int) -> None:
        """Do what is due at a tick, after the commands and before the scheduler."""
        if self.scout is not None:
            self.driver.heed()
        if tick % LOOK != 0 or tick < SCAN_EVERY:
            return
        if tick % SCAN_EVERY == 0:
            self._scan = scan_from(state, self._heights, self._robot.measures.scan_spacing)
        if self._scan is None:
            return
        if self.scout is not None:
            self.scout.update(state, self._scan)
        if tick % SCAN_EVERY == LOOK:
            self.look_out.update(self._scan, leaps=self.scout is not None)
            hold_gait(self._scheduler, (self.driver.gait, self.look_out.gait))

    def idle_ticks(self, tick: int) -> int:
        """Return for how many ticks from now on nothing is due."""
        if self.scout is not None or tick % SCAN_EVERY < LOOK:
            return LOOK - tick % LOOK
        return SCAN_EVERY - tick % SCAN_EVERY
