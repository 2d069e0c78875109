"""The controller's flat records: what it is asked to do, and what it keeps between ticks."""

from __future__ import annotations

import numpy as np


def target_type() -> np.dtype:
    """
    What each leg frame should do and which legs stand; the same for every skill.

    Gaits, postures and leaps all reach the controller as this record.
    """
    return np.dtype([
        ('stance', 'i8', (4,)),                       # 1: the leg should carry weight
        ('height', 'f8', (2,)),                       # of the leg frames over their feet, m
        ('rpy', 'f8', (2, 3)),                        # of the leg frames against the slope, rad
        ('velocity', 'f8', (2, 3)),                   # of the leg frames in the world, m/s
        ('spring', 'f8'),                             # 1: hold the leg frames over their feet
        ('foot_place', 'f8', (4, 2)),                 # of feet from their leg frame: forward, left
        ('heading', 'f8'),                            # rad
        ('pastern_pitch', 'f8', (4,)),                # in the world against the zero pose, rad
        ('head_pitch', 'f8'),                         # in the world, rad
    ], align=True)


def memory_type(links: int) -> np.dtype:
    """Values of this tick that later parts of the loop use, and the little that outlives it."""
    return np.dtype([
        ('airborne', 'f8', (4,)),                     # s since each foot last had contact
        ('bears', 'i8', (4,)),                        # 1: in stance and in contact
        ('foot_centre', 'f8', (4, 3)),                # in the world, m
        ('sole', 'f8', (4, 3)),                       # lowest point of each foot
        ('foot_target', 'f8', (4, 3)),                # where the foot centres should be
        ('leg_frame_point', 'f8', (2, 3)),
        ('leg_frame_velocity', 'f8', (2, 3)),
        ('support', 'f8', (2, 3)),                    # middle of the bearing feet of each frame
        ('slope', 'f8'),                              # of the ground from rear to front feet, rad
        ('goal', 'f8', (2, 3, 3)),                    # rotation wanted of each leg frame
        ('virtual_force', 'f8', (4, 3)),              # on the feet, N
        ('leg_frame_torque', 'f8', (2, 3)),           # wanted, N m
        ('joint_target', 'f8', (links,)),             # rad
        ('kp', 'f8', (links,)),                       # gains in force at this tick
        ('kd', 'f8', (links,)),
        ('armature', 'f8', (links,)),
    ], align=True)
