"""
Inverse kinematics of a leg of three joints with a point foot, in closed form.

The first joint rolls (x), then hip and knee pitch (y): the leg of most robots with four legs.
"""

from __future__ import annotations

from math import acos, atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
STRAIGHTEST = 0.995         # of the leg's full length: a straight knee cannot be controlled
SHORTEST = 0.1              # of the shorter bone, more than the folded leg
NEAREST = 0.2               # of the leg's length below the roll axis, at least


@compiled
def solve(anatomy: np.record, leg: int, frame_rotation: Array, hip: Array, foot: Array,
          joint_position: Array) -> bool:
    """
    Write roll, pitch and knee that bring the foot to its place; say whether it is in reach.

    With a, u and l the ways from the roll joint to the hip, the knee and the foot in the zero
    pose, foot = Rx(roll) (a + Ry(pitch) (u + Ry(knee) l)). Turning about y leaves y as it is, so
    d = a_y + u_y + l_y is the foot's place beside the roll axis in the leg's own plane, and
    f_y = cos(roll) d - sin(roll) w, f_z = sin(roll) d + cos(roll) w give the roll and w.
    """
    a, u, lo = anatomy.abduction[leg], anatomy.upper[leg], anatomy.foot_centre[leg]
    way = np.empty(3)
    for k in range(3):
        way[k] = 0.0
        for m in range(3):
            way[k] += frame_rotation[m, k] * (foot[m] - hip[m])
    length_u = sqrt(u[0]**2 + u[2]**2)
    length_l = sqrt(lo[0]**2 + lo[2]**2)
    aside = a[1] + u[1] + lo[1]
    square = way[1]**2 + way[2]**2 - aside**2
    least = NEAREST * (length_u + length_l)
    down = -sqrt(max(square, least**2))
    roll = atan2(way[2], way[1]) - atan2(down, aside)
    roll = atan2(sin(roll), cos(roll))
    reached, pitch, knee = _solve_plane(u, lo, length_u, length_l, way[0] - a[0], down - a[2])
    joint_position[anatomy.hip[leg, 1]] = roll
    joint_position[anatomy.hip[leg, 0]] = pitch
    joint_position[anatomy.knee[leg]] = knee
    return reached and square >= least**2


@compiled
def _solve_plane(u: Array, lo: Array, length_u: float, length_l: float, x: float,
                 z: float) -> tuple[bool, float, float]:
    """Return whether (x, z) is in reach of two bones, and the pitch of hip and knee to it."""
    longest = STRAIGHTEST * (length_u + length_l)
    shortest = abs(length_u - length_l) + SHORTEST * min(length_u, length_l)
    distance = sqrt(x * x + z * z)
    reach = min(max(distance, shortest), longest)
    rest = atan2(u[0] * lo[2] - u[2] * lo[0], u[0] * lo[0] + u[2] * lo[2])
    bend = acos((reach**2 - length_u**2 - length_l**2) / (2 * length_u * length_l))
    knee = rest - bend if rest > 0 else rest + bend
    c, s = cos(knee), sin(knee)
    px, pz = u[0] + c * lo[0] + s * lo[2], u[2] - s * lo[0] + c * lo[2]
    return reach == distance, atan2(x * pz - z * px, x * px + z * pz), knee
