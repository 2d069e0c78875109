"""What a leap keeps between ticks."""

from __future__ import annotations

from functools import cache

import numpy as np

NOT_LEAPING, LOADING, TAKE_OFF, AIRBORNE, LANDING = 0, 1, 2, 3, 4


@cache
def leap_type() -> np.dtype:
    """A leap: its parameters as in :class:`Leap`, and how far it is."""
    return np.dtype([
        ('loading', 'f8'),
        ('second_delay', 'f8'),
        ('first_ahead', 'f8'),
        ('second_ahead', 'f8'),
        ('front_height', 'f8'),
        ('rear_height', 'f8'),
        ('front_force', 'f8'),
        ('front_time', 'f8'),
        ('rear_delay', 'f8'),
        ('rear_force', 'f8'),
        ('rear_time', 'f8'),
        ('forward', 'f8'),
        ('pitch', 'f8'),
        ('neck_stiffening', 'f8'),
        ('spine_stiffening', 'f8'),
        ('rear_leg_stiffening', 'f8'),
        ('leg_length', 'f8'),
        ('waits', 'f8'),                              # 1: asked for, not yet begun
        ('strides', 'f8'),                            # half strides to go before it may begin
        ('requested', 'f8'),                          # s at which it was asked for
        ('stage', 'f8'),
        ('elapsed', 'f8'),                            # s in this stage
        ('since', 'f8'),                              # s since the leap began
        ('touched', 'f8'),                            # s since a foot first landed
        ('side', 'f8'),                               # 0: the left rear leg steps first, 1: right
        ('begun', 'f8'),                              # leaps so far
        ('start', 'f8', (3,)),                        # place of the rear leg frame at the begin
        ('begin_height', 'f8', (2,)),                 # of the leg frames in the trot, m
        ('crouch', 'f8', (2,)),                       # and where the loading begins
        ('height_gain', 'f8', (2, 2)),                # of the trot
        ('velocity_gain', 'f8', (2, 2)),
        ('rested', 'f8', (4,)),                       # s without contact, of each foot
        ('planted', 'f8', (4,)),                      # s of contact, of each foot
        ('line', 'f8'),                               # pitch of the line between the leg frames
        ('climb', 'f8'),                              # vertical speed of the centre of mass, m/s
    ], align=True)
