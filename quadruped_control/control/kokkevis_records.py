"""What the controller of Kokkevis et al. 1995 keeps, and the states of its leg automaton."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np


class LegState(IntEnum):
    """States of a leg, numbered as in Figure 4."""

    LIFTED = 1              # moves to the centre of its motion
    REACHING = 2            # moves from there to its set-down point
    JAMMED = 3              # left its range: lifted for a moment, towards the centre
    PUSHING = 4             # on the ground


@cache
def kokkevis_memory_type(links: int) -> np.dtype:
    """What later parts of a tick use, and what outlives it; the first as joint control has it."""
    return np.dtype([
        ('joint_target', 'f8', (links,)),             # rad
        ('kp', 'f8', (links,)),                       # gains in force at this tick
        ('kd', 'f8', (links,)),
        ('armature', 'f8', (links,)),
        ('goal', 'f8', (2, 3, 3)),                    # rotation wanted of each leg frame
        ('tilted', 'f8'),                             # s that the stance rules still rest
        ('last_foot_target', 'f8', (4, 3)),
        # legs
        ('state', 'i8', (4,)),                        # a LegState; 0 before the first tick
        ('airborne', 'f8', (4,)),                     # s since each foot last had contact
        ('late', 'f8', (4,)),                         # s that a pushing foot has had no contact
        ('stood', 'f8', (4,)),                        # s that a foot has borne
        ('slid', 'f8', (4,)),                         # s that a bearing foot has slipped
        ('from_place', 'f8', (4, 3)),                 # where a state's path begins
        ('from_advance', 'f8', (4,)),                 # how far the swing was then
        ('left', 'f8', (4,)),                         # height that a foot was lifted from, m
        ('ground', 'f8', (4,)),                       # height of the ground at the set-down, m
        ('trodden', 'f8', (4, 3)),                    # soles where they bear, bore or will
        # body
        ('mass_centre', 'f8', (3,)),
        ('mass_velocity', 'f8', (3,)),
        ('inertia', 'f8', (3, 3)),                    # about the centre of mass, kg m^2
        ('smooth_velocity', 'f8', (2,)),              # of the centre of mass, in the world
        ('driven', 'f8', (2,)),                       # integrals of the velocity controllers
        ('begun', 'f8'),                              # 1: the filters have begun
        ('slope', 'f8', (2,)),                        # of the ground ahead and to the left, rad
        ('ground_height', 'f8'),                      # below the middle of the leg frames, m
        # ground
        ('friction', 'f8'),                           # as believed now
        ('slips', 'f8'),                              # counts
        ('jams', 'f8'),
    ], align=True)
