"""What sensors on a robot tell of the ground: a scan of what is ahead, a map of what is around."""

from __future__ import annotations

import numpy as np

from quadruped_control.control.gait_scheduler import compute_yaw
from quadruped_control.leaps.scouting import Heights, Scan, scan_ground
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.local_map import LocalMap
from quadruped_control.terrain.surveyor import Surveyor

REACH = 2.0                     # of the distance of the leg frames, from a map's middle on
MIDDLE = 0.5                    # of it, before the hips, and
SOON = 0.2                      # s by which the middle is where the robot will be


def scan_from(state: np.record, heights: Heights, spacing: float) -> Scan:
    """Measure the ground ahead of the hips, every so many m."""
    x, y, _ = state['base_position'].tolist()
    return scan_ground(heights, x, y, float(compute_yaw(state['base_quaternion'])), spacing)


class MapSensor:
    """Maps the ground around a robot."""

    def __init__(self, robot: Robot, ground: Ground) -> None:
        length = robot.leg_frame_distance()
        self._ahead = MIDDLE * length
        self._surveyor = Surveyor(tabulate(ground), robot.measures.scan_spacing, REACH * length)

    def survey(self, state: np.record) -> LocalMap:
        """Return the map around a robot and a little ahead of it, where feet will land."""
        yaw = float(compute_yaw(state['base_quaternion']))
        x, y = (state['base_position'] + SOON * state['base_velocity'])[:2].tolist()
        return self._surveyor.survey(x + self._ahead * float(np.cos(yaw)),
                                     y + self._ahead * float(np.sin(yaw)))
