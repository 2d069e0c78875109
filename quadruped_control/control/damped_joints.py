"""Joints that only damp: what moves the dog when there is no controller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controller import Controller
from quadruped_control.control.gains import Gains
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.ground_table import GroundTable

NEVER_UPRIGHT = 2.0             # as the cosine of a tilt: the stance rules always rest


class DampedJoints:
    """
    Torques -kd qd, implicit as those of the controller, so that they are stable.

    :param damping: factor on the controller's damping gains.
    """

    def __init__(self, robot: Robot, gains: Gains, ground: GroundTable, *, time_step: float,
                 damping: float = 1.0) -> None:
        self._controller = Controller(robot, gains, make_record(TargetRecord), ground,
                                      time_step=time_step)
        record = self._controller.gains
        record['kp'] = 0.0
        record['kd'] *= damping
        record['least_upright'] = NEVER_UPRIGHT
        record['tilted_for'] = 1.0

    def update(self, state: np.record) -> NDArray[np.float64]:
        """Return the torques for a state, one entry per link."""
        return self._controller.update(state)
