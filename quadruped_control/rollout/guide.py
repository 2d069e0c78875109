"""
What is seen of the ground, in one process: the controller's map, the look-out, the leap planner.

Over topics the nodes of controller and gait scheduler do the same with what comes to them.
"""

from __future__ import annotations

import numpy as np

from quadruped_control.control.controller import Controller
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.leaps.planner import Planner
from quadruped_control.leaps.scouting import LOOK, SCAN_EVERY, Scan
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.leap_driver import LeapDriver, LeapScout
from quadruped_control.rollout.look_out import LookOut, hold_gait
from quadruped_control.rollout.sensing import MapSensor, scan_from
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.local_map import LocalMap


class Guide:
    """
    Looks ahead for a scheduler, and around for a controller.

    :param leaps: over what is ahead.
    :ivar driver: carries out the planner's orders.
    :ivar leaps_ahead: what is to be leapt over is not what the dog stops before.
    """

    def __init__(self, scheduler: SkillScheduler, controller: Controller, robot: Robot,
                 ground: Ground, *, leaps: bool) -> None:
        self._scheduler, self._controller = scheduler, controller
        self._robot, self._ground = robot, ground
        self._sensor = MapSensor(robot, ground)
        self._map: LocalMap | None = None
        self.driver = LeapDriver(scheduler)
        self.leaps_ahead = leaps
        self.scout: LeapScout | None = None
        if leaps:
            self.scout = LeapScout(Planner(load_dictionary(robot=robot.name)), self.driver)
        self.look_out = LookOut(scheduler, robot)
        self._scan: Scan | None = None

    def update(self, state: np.record, tick: int) -> None:
        """Do what is due at a tick, after the commands and before the scheduler."""
        if self.scout is not None:
            self.driver.heed()
        if tick % LOOK != 0:
            return
        self._look_around(state, tick)
        if tick < SCAN_EVERY:
            return
        if tick % SCAN_EVERY == 0:
            self._scan = scan_from(state, self._ground.height, self._robot.measures.scan_spacing)
        if self._scan is None:
            return
        if self.scout is not None:
            self.scout.update(state, self._scan)
        if tick % SCAN_EVERY == LOOK:
            self.look_out.update(self._scan, leaps=self.leaps_ahead and not self.driver.refuses)
            hold_gait(self._scheduler, (self.driver.gait, self.look_out.gait))

    def _look_around(self, state: np.record, tick: int) -> None:
        """Map the ground where that is due; the controller gets the map a little later."""
        if tick % SCAN_EVERY == 0:
            self._map = self._sensor.survey(state)
        if self._map is not None and (tick == 0 or tick % SCAN_EVERY == LOOK):
            self._controller.enter(self._map)

    def idle_ticks(self, tick: int) -> int:
        """Return for how many ticks from now on nothing is due."""
        if self.scout is not None or tick % SCAN_EVERY < LOOK:
            return LOOK - tick % LOOK
        return SCAN_EVERY - tick % SCAN_EVERY
