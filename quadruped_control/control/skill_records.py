"""What the skills keep between ticks, and what the compiled scheduler reads of them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Block = NDArray[np.record]


@cache
def skill_type() -> np.dtype:
    """The state machine of the skills."""
    return np.dtype([
        ('state', 'f8'),                              # number of the state that holds, or was left
        ('goal', 'f8'),                               # number of that which the motion leads to
        ('motion', 'f8'),                             # number of a motion; -1: none
        ('mirrored', 'f8'),                           # 1: the motion with left and right exchanged
        ('phase', 'f8'),                              # row of the phases
        ('elapsed', 'f8'),                            # s in this phase
        ('request', 'f8'),                            # number of a request that waits; -1: none
        ('requested', 'f8'),                          # s at which it came
        ('heading', 'f8'),                            # of the motion, rad
        ('wanted', 'f8'),                             # heading before the fall, rad
        ('returns', 'f8'),                            # 1: turns back to it
        ('recover', 'f8'),                            # 1: gets up by itself
        ('attempts', 'f8'),                           # to get up, since the fall
        ('settles', 'f8'),                            # s of stepping on the spot that are left
        ('ticks', 'f8'),
        ('tilted', 'f8'),                             # s that a leg frame has been far from level
        ('low', 'f8'),                                # s that a leg frame has been low
        ('still', 'f8'),                              # s that nothing has moved
        ('height', 'f8', (2,)),                       # of the leg frames over their lower foot, m
        ('up', 'f8', (2,)),                           # cosine of their tilt
        ('side', 'f8', (2,)),                         # z of their left axis: 1 on the right side
        ('apart', 'f8', (2,)),                        # feet of a pair, as a share of their places
        ('command', 'f8', (4,)),                      # in force while it settles
    ], align=True)


class SkillTables(NamedTuple):
    """Records and tables of the skills, as arrays."""

    skill: Block
    phases: Block
    first: NDArray[np.int64]                          # row of each motion's first phase
    transitions: NDArray[np.int64]                    # motion, activity, goal by state and request
    tree: Block
    motion: Block
    begin: Block                                      # the target as it was at a phase's begin
    begin_numbers: Array
    target_numbers: Array
    leap: Block
    leap_measures: Block
    players: NDArray[np.int64]                        # Player of each activity
