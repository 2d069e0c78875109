"""Standing: all legs in stance, the leg frames over their feet at the height of the zero pose."""

from __future__ import annotations

import numpy as np

from quadruped_control.model.robot import Robot


def set_standing_target(robot: Robot, target: np.record, *, heading: float) -> None:
    """
    Write the target of a dog that stands and faces a direction.

    :param heading: rad.
    """
    middle = np.array([[robot.leg_frame_distance(), 0.0], [0.0, 0.0]])
    target['stance'] = 1
    target['height'] = robot.standing_height()
    target['rpy'] = 0.0
    target['rpy'][:, 2] = heading
    target['heading'] = heading
    target['velocity'] = 0.0
    target['spring'] = 1.0
    target['foot_place'] = robot.standing_feet()[:, :2] - np.repeat(middle, 2, axis=0)
    target['pastern_pitch'] = 0.0
    target['head_pitch'] = 0.0
