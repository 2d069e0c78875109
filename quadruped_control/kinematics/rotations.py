"""Rotations as 3 x 3 matrices and quaternions (x, y, z, w), as PyBullet and ROS order them."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import euler2mat

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF and REP-103."""
    return np.asarray(euler2mat(roll, pitch, yaw, axes='sxyz'))


@compiled
def rotation_from_quaternion(quaternion: Array, rotation: Array) -> None:
    """Write the matrix of a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    rotation[0, 0] = 1 - 2 * (y*y + z*z)
    rotation[0, 1] = 2 * (x*y - z*w)
    rotation[0, 2] = 2 * (x*z + y*w)
    rotation[1, 0] = 2 * (x*y + z*w)
    rotation[1, 1] = 1 - 2 * (x*x + z*z)
    rotation[1, 2] = 2 * (y*z - x*w)
    rotation[2, 0] = 2 * (x*z - y*w)
    rotation[2, 1] = 2 * (y*z + x*w)
    rotation[2, 2] = 1 - 2 * (x*x + y*y)


@compiled
def quaternion_from_rotation(rotation: Array, quaternion: Array) -> None:
    """Write the unit quaternion (x, y, z, w) with w >= 0 of a rotation matrix."""
    m = rotation
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0:
        s = 2 * sqrt(1 + trace)
        quaternion[3] = s / 4
        quaternion[0] = (m[2, 1] - m[1, 2]) / s
        quaternion[1] = (m[0, 2] - m[2, 0]) / s
        quaternion[2] = (m[1, 0] - m[0, 1]) / s
        return
    i = 0
    if m[1, 1] > m[0, 0]:
        i = 1
    if m[2, 2] > m[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2 * sqrt(1 + m[i, i] - m[j, j] - m[k, k])
    quaternion[i] = s / 4
    quaternion[3] = (m[k, j] - m[j, k]) / s
    quaternion[j] = (m[j, i] + m[i, j]) / s
    quaternion[k] = (m[k, i] + m[i, k]) / s
    if quaternion[3] < 0:
        for n in range(4):
            quaternion[n] = -quaternion[n]


@compiled
def rotation_vector(rotation: Array, vector: Array) -> None:
    """Write axis times angle (at most pi) of a rotation matrix."""
    x = rotation[2, 1] - rotation[1, 2]
    y = rotation[0, 2] - rotation[2, 0]
    z = rotation[1, 0] - rotation[0, 1]
    twice_sine = sqrt(x*x + y*y + z*z)
    twice_cosine = rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1
    if twice_sine > 1e-7:
        scale = atan2(twice_sine, twice_cosine) / twice_sine
        vector[0], vector[1], vector[2] = x * scale, y * scale, z * scale
    elif twice_cosine > 0:
        vector[0], vector[1], vector[2] = x / 2, y / 2, z / 2
    else:
        _half_turn(rotation, vector)


@compiled
def rotation_error(goal: Array, here: Array, vector: Array) -> None:
    """Write the rotation vector that leads from one rotation to its goal."""
    error = np.empty((3, 3))
    for r in range(3):
        for c in range(3):
            error[r, c] = (goal[r, 0] * here[c, 0] + goal[r, 1] * here[c, 1]
                           + goal[r, 2] * here[c, 2])
    rotation_vector(error, vector)


@compiled
def _half_turn(rotation: Array, vector: Array) -> None:
    """Write the rotation vector of a turn by pi, where the skew part says nothing."""
    i = 0
    for n in range(3):
        if rotation[n, n] > rotation[i, i]:
            i = n
    length = 0.0
    for n in range(3):
        vector[n] = rotation[n, i] + (1.0 if n == i else 0.0)
        length += vector[n]**2
    for n in range(3):
        vector[n] *= np.pi / sqrt(length)


@compiled
def write_rotation_from_rpy(roll: float, pitch: float, yaw: float, rotation: Array) -> None:
    """Write Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = cy*cp, cy*sp*sr - sy*cr, cy*sp*cr + sy*sr
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = sy*cp, sy*sp*sr + cy*cr, sy*sp*cr - cy*sr
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = -sp, cp*sr, cp*cr


@compiled
def rpy_from_rotation(rotation: Array, rpy: Array) -> None:
    """Write roll, pitch and yaw in rad."""
    rpy[0] = atan2(rotation[2, 1], rotation[2, 2])
    rpy[1] = atan2(-rotation[2, 0], sqrt(rotation[2, 1]**2 + rotation[2, 2]**2))
    rpy[2] = atan2(rotation[1, 0], rotation[0, 0])
