"""
The problem of force distribution: which forces of the feet give a wanted wrench.

Find the ground's forces f on the feet that bear, so that the rows A f come as near as possible to
what is wanted, while every foot pushes within its friction pyramid, between a least and a most
normal force, and with no joint torque J^T f beyond its limit.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np

PYRAMID = 4                 # sides of a friction pyramid


class Formulation(IntEnum):
    """What is made least of the errors of the rows."""

    SQUARES = 0             # sum of weighted squares: a quadratic programme
    ABSOLUTE = 1            # sum of weighted absolute values: the linear programme of the paper


@cache
def problem_type(feet: int, rows: int, joints: int) -> np.dtype:
    """
    Return NumPy's type of a problem, in the world.

    :param rows: of the wanted wrench, 6 for one body.
    :param joints: of a leg.
    """
    return np.dtype([
        ('formulation', 'i8'),
        ('bears', 'i8', (feet,)),                     # 1: the foot may push
        ('matrix', 'f8', (rows, feet, 3)),            # A
        ('wanted', 'f8', (rows,)),
        ('weight', 'f8', (rows,)),                    # of an error of one unit
        ('reference', 'f8', (feet, 3)),               # what forces are drawn to, N
        ('regularisation', 'f8'),                     # weight of 1 N off the reference; squares
        ('normal', 'f8', (feet, 3)),                  # of the ground
        ('tangent', 'f8', (feet, 2, 3)),              # two directions along the ground
        ('friction', 'f8', (feet,)),
        ('least', 'f8', (feet,)),                     # normal force, N
        ('most', 'f8', (feet,)),
        ('jacobian', 'f8', (feet, joints, 3)),        # N m of each joint per N
        ('torque_limit', 'f8', (feet, joints)),       # N m; infinite where there is none
        ('force', 'f8', (feet, 3)),                   # the solution, the last one if unsolved, N
        ('unsolved', 'i8'),                           # how often there was none in time
    ], align=True)


@cache
def work_type(feet: int, rows: int, joints: int) -> np.dtype:
    """Return NumPy's type of the work space that both formulations share."""
    unknowns, limits = 3 * feet, feet * (PYRAMID + 2 + 2 * joints)
    basic, free = rows + feet * (2 + 2 * joints), PYRAMID * feet + rows
    return np.dtype([
        # the inequalities coefficient . f[foot] >= bound
        ('limits', 'i8'),                             # how many there are
        ('place', 'i8', (limits,)),                   # of the foot's force among the unknowns
        ('coefficient', 'f8', (limits, 3)),
        ('bound', 'f8', (limits,)),
        # quadratic programme: names as in Goldfarb and Idnani 1983
        ('hessian', 'f8', (unknowns, unknowns)),
        ('gradient', 'f8', (unknowns,)),
        ('J', 'f8', (unknowns, unknowns)),
        ('R', 'f8', (unknowns, unknowns)),
        ('x', 'f8', (unknowns,)),
        ('u', 'f8', (unknowns + 1,)),
        ('d', 'f8', (unknowns,)),
        ('z', 'f8', (unknowns,)),
        ('r', 'f8', (unknowns,)),
        ('active', 'i8', (unknowns,)),
        ('is_active', 'i8', (limits,)),
        # linear programme: a condensed tableau, its last row the cost
        ('tableau', 'f8', (basic + 1, free + 1)),
        ('basis', 'i8', (basic,)),                    # variable of each row
        ('outside', 'i8', (free,)),                   # variable of each column
    ], align=True)
