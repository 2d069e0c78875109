"""Inverse kinematics of a leg of known foot pitch (section 3.1): two links, in closed form."""

from __future__ import annotations

from math import acos, asin, atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
STRAIGHTEST = 0.995         # of the leg's full length: a straight knee cannot be controlled


@compiled
def solve_hip_and_knee(anatomy: np.record, leg: int, x: float, y: float, z: float,
                       angles: Array) -> bool:
    """
    Write hip pitch, hip roll and knee that bring the ankle to (x, y, z); the hip's yaw is 0.

    With u and l the upper and lower bone in the zero pose, ankle = Ry(pitch) Rx(roll) p and
    p = u + Ry(knee) l. A place out of reach is replaced by the nearest one in its direction.

    :param x: y, z: from the hip, in the leg frame's axes, m.
    :return: whether the place was in reach.
    """
    u, lo = anatomy.upper[leg], anatomy.lower[leg]
    length_u = sqrt(u[0]**2 + u[2]**2)
    length_l = sqrt(lo[0]**2 + lo[2]**2)
    longest = STRAIGHTEST * (length_u + length_l)
    shortest = abs(length_u - length_l) + 0.1 * min(length_u, length_l)
    distance = sqrt(x*x + y*y + z*z)
    reach = min(max(distance, shortest), longest)
    scale = reach / max(distance, 1e-9)
    x, y, z = x * scale, y * scale, z * scale
    rest = atan2(u[0] * lo[2] - u[2] * lo[0], u[0] * lo[0] + u[2] * lo[2])
    bend = acos((reach**2 - length_u**2 - length_l**2) / (2 * length_u * length_l))
    knee = rest - bend if rest > 0 else rest + bend
    c, s = cos(knee), sin(knee)
    px = u[0] + c * lo[0] + s * lo[2]
    pz = u[2] - s * lo[0] + c * lo[2]
    roll = asin(min(max(-y / pz, -1.0), 1.0))
    down = cos(roll) * pz
    angles[0] = atan2(x * down - z * px, x * px + z * down)
    angles[1] = roll
    angles[2] = knee
    return scale == 1.0


@compiled
def solve_leg(anatomy: np.record, leg: int, frame_rotation: Array, hip: Array, foot: Array,
              heading: float, pastern_pitch: float, toe_pitch: float,
              joint_position: Array) -> bool:
    """
    Write the joint angles that bring a foot to its place.

    :param frame_rotation: of the leg frame in the world.
    :param hip: the hip joint in the world, m.
    :param foot: the centre of the foot's sphere in the world, m.
    :param heading: yaw in which the foot points, rad.
    :param pastern_pitch: world pitch of the pastern against the zero pose, rad; likewise the toe.
    :param joint_position: per link; the leg's seven joints are written.
    :return: whether the place is in reach.
    """
    c, s = cos(pastern_pitch), sin(pastern_pitch)
    ct, st = cos(toe_pitch), sin(toe_pitch)
    bone, tip = anatomy.pastern[leg], anatomy.foot_centre[leg]
    forward = c * bone[0] + s * bone[2] + ct * tip[0] + st * tip[2]
    up = -s * bone[0] + c * bone[2] - st * tip[0] + ct * tip[2]
    dx = foot[0] - hip[0] - cos(heading) * forward
    dy = foot[1] - hip[1] - sin(heading) * forward
    dz = foot[2] - hip[2] - up
    r = frame_rotation
    angles = np.empty(3)
    reached = solve_hip_and_knee(
        anatomy, leg, r[0, 0] * dx + r[1, 0] * dy + r[2, 0] * dz,
        r[0, 1] * dx + r[1, 1] * dy + r[2, 1] * dz, r[0, 2] * dx + r[1, 2] * dy + r[2, 2] * dz,
        angles)
    frame_pitch = atan2(-r[2, 0], sqrt(r[2, 1]**2 + r[2, 2]**2))
    frame_roll = atan2(r[2, 1], r[2, 2])
    ankle = pastern_pitch - frame_pitch - angles[0] - angles[2]
    joint_position[anatomy.hip[leg, 0]] = angles[0]
    joint_position[anatomy.hip[leg, 1]] = angles[1]
    joint_position[anatomy.hip[leg, 2]] = 0.0
    joint_position[anatomy.knee[leg]] = angles[2]
    joint_position[anatomy.ankle[leg, 0]] = ankle
    joint_position[anatomy.ankle[leg, 1]] = -angles[1] - frame_roll
    joint_position[anatomy.toe[leg]] = toe_pitch - pastern_pitch
    return reached
