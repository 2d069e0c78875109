"""
The kinds of legs, and inverse kinematics by kind.

A kind is a module beside this one with a compiled ``solve`` of the same arguments; here it gets a
number and a branch. All kinds share the anatomy's fields; joints that a leg lacks are ABSENT.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics import point_foot_leg, toed_leg

Array = NDArray[np.float64]
solve_toed_leg = toed_leg.solve
solve_point_foot_leg = point_foot_leg.solve


class LegKind(IntEnum):
    """How a leg is jointed."""

    TOED = 0                # ball hip, knee, universal ankle, toe: 7 joints
    POINT_FOOT = 1          # hip roll, hip pitch, knee: 3 joints and a round foot


@compiled
def solve_leg(anatomy: np.record, leg: int, frame_rotation: Array, hip: Array, foot: Array,
              heading: float, pastern_pitch: float, toe_pitch: float,
              joint_position: Array) -> bool:
    """
    Write the joint angles that bring a foot to its place; say whether it is in reach.

    :param frame_rotation: of the leg frame in the world.
    :param hip: the leg's first joint in the world, m.
    :param foot: the centre of the foot's sphere in the world, m.
    :param heading: yaw in which the foot points, rad; of feet that have a direction.
    :param pastern_pitch: world pitch of the pastern against the zero pose, rad; likewise the toe.
    :param joint_position: per link; the leg's joints are written.
    """
    if anatomy.leg_kind == LegKind.POINT_FOOT:
        return solve_point_foot_leg(anatomy, leg, frame_rotation, hip, foot, joint_position)
    return solve_toed_leg(anatomy, leg, frame_rotation, hip, foot, heading, pastern_pitch,
                          toe_pitch, joint_position)
