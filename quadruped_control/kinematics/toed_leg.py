"""Inverse kinematics of a leg of seven joints and known foot pitch (section 3.1)."""

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
    p = u + Ry(knee) l. A place too far away or too near is replaced by the nearest one in its
    direction; one too far to the side by the nearest that the hip's roll can bring.

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
    angles[0] = _pitch_between(px, down, x, z)
    angles[1] = roll
    angles[2] = knee
    return scale == 1.0 and abs(y) <= abs(pz)


@compiled
def solve(anatomy: np.record, leg: int, frame_rotation: Array, hip: Array, foot: Array,
          heading: float, pastern_pitch: float, toe_pitch: float,
          joint_position: Array) -> bool:
    """
    Write the joint angles that bring a foot to its place.

    With the toe's angle known, pastern and toe are one bone v from ankle to foot. The ankle
    goes where v, in the vertical plane of the heading and at its wanted pitch, reaches the
    place. The ankle's pitch and roll then point v there, however the leg above it leans.

    :param frame_rotation: of the leg frame in the world.
    :param hip: the hip joint in the world, m.
    :param foot: the centre of the foot's sphere in the world, m.
    :param heading: yaw in which the foot points, rad.
    :param pastern_pitch: world pitch of the pastern against the zero pose, rad; likewise the toe.
    :param joint_position: per link; the leg's seven joints are written.
    :return: whether the place is in reach.
    """
    bone, tip = anatomy.pastern[leg], anatomy.foot_centre[leg]
    toe = toe_pitch - pastern_pitch
    vx = bone[0] + cos(toe) * tip[0] + sin(toe) * tip[2]
    vz = bone[2] - sin(toe) * tip[0] + cos(toe) * tip[2]
    c, s = cos(pastern_pitch), sin(pastern_pitch)
    forward = c * vx + s * vz
    way, local, angles, turn = np.empty(3), np.empty(3), np.empty(3), frame_rotation.copy()
    way[0], way[1], way[2] = cos(heading) * forward, sin(heading) * forward, c * vz - s * vx
    _turn_back(turn, foot - hip - way, local)
    reached = solve_hip_and_knee(anatomy, leg, local[0], local[1], local[2], angles)
    _turn_on(turn, 1, angles[0])
    _turn_on(turn, 0, angles[1])
    _turn_on(turn, 1, angles[2])
    _turn_back(turn, way, local)
    roll = asin(min(max(-local[1] / vz, -1.0), 1.0))
    joint_position[anatomy.hip[leg, 0]] = angles[0]
    joint_position[anatomy.hip[leg, 1]] = angles[1]
    joint_position[anatomy.hip[leg, 2]] = 0.0
    joint_position[anatomy.knee[leg]] = angles[2]
    joint_position[anatomy.ankle[leg, 0]] = _pitch_between(vx, cos(roll) * vz, local[0], local[2])
    joint_position[anatomy.ankle[leg, 1]] = roll
    joint_position[anatomy.toe_joint[leg]] = toe
    return reached and abs(local[1]) <= abs(vz)


@compiled
def _turn_back(rotation: Array, vector: Array, turned: Array) -> None:
    """Write R^T v."""
    for k in range(3):
        turned[k] = (rotation[0, k] * vector[0] + rotation[1, k] * vector[1]
                     + rotation[2, k] * vector[2])


@compiled
def _turn_on(rotation: Array, axis: int, angle: float) -> None:
    """Replace R by R R(axis, angle)."""
    c, s = cos(angle), sin(angle)
    b, d = (axis + 1) % 3, (axis + 2) % 3
    for k in range(3):
        second, third = rotation[k, b], rotation[k, d]
        rotation[k, b] = c * second + s * third
        rotation[k, d] = c * third - s * second


@compiled
def _pitch_between(x: float, z: float, goal_x: float, goal_z: float) -> float:
    """Return the angle about y that turns (x, z) into the direction of the goal."""
    return atan2(goal_x * z - goal_z * x, goal_x * x + goal_z * z)
