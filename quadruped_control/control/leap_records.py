"""What a leap keeps between ticks."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np

from quadruped_control.control.leap import PARAMETERS


class Stage(IntEnum):
    """How far a leap is."""

    NONE = 0
    LOADING = 1
    TAKE_OFF = 2
    AIRBORNE = 3
    LANDING = 4


@cache
def leap_type() -> np.dtype:
    """A leap: its parameters as in :class:`Leap`, and how far it is."""
    return np.dtype([
        *((name, 'f8') for name in PARAMETERS),
        ('waits', 'f8'),                              # 1: asked for, not yet begun
        ('goes_on', 'f8'),                            # 1: at the speed it was asked for at
        ('strides', 'f8'),                            # half strides to go before it may begin
        ('requested', 'f8'),                          # s at which it was asked for
        ('stage', 'f8'),                              # of Stage
        ('elapsed', 'f8'),                            # s in this stage
        ('since', 'f8'),                              # s since the leap began
        ('touched', 'f8'),                            # s since a foot first landed
        ('side', 'f8'),                               # 0: rear left and front right swing
        ('begin_height', 'f8', (2,)),                 # of the leg frames in the trot, m
        ('crouch', 'f8', (2,)),                       # and where the loading begins
        ('height_gain', 'f8', (2, 2)),                # of the trot
        ('velocity_gain', 'f8', (2, 2)),
        ('rested', 'f8', (4,)),                       # s without contact, of each foot
        ('planted', 'f8', (4,)),                      # s of contact, of each foot
        ('stretch', 'f8', (2,)),                      # m from the leg frames to their feet
        ('rise', 'f8', (2,)),                         # and their height over them
        ('line', 'f8'),                               # pitch of the line between the leg frames
        ('turning', 'f8'),                            # and its rate, rad/s
        ('tail', 'f8'),                               # s that the tail is still raised
        ('thrust', 'f8'),                             # climb when the push ended, m/s
        ('rises', 'f8'),                              # s that the dog still rises after landing
        ('low', 'f8', (2,)),                          # from these heights of its leg frames, m
        ('climb', 'f8'),                              # vertical speed of the centre of mass, m/s
    ], align=True)
