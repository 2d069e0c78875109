"""Positions and velocities of all links from the measured state."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.rotations import rotation_from_quaternion

Array = NDArray[np.float64]


@compiled
def compute_motion(tree: np.record, state: np.record, motion: np.record) -> None:
    """
    Write pose and velocity of every link.

    For link i with parent p: R_i = R_p R(axis_i, q_i), r_i = r_p + R_p offset_i,
    w_i = w_p + axis_i qd_i, v_i = v_p + w_p x (r_i - r_p).
    """
    rotation_from_quaternion(state.base_quaternion, motion.rotation[0])
    for k in range(3):
        motion.position[0, k] = state.base_position[k]
        motion.velocity[0, k] = state.base_velocity[k]
        motion.angular_velocity[0, k] = state.base_angular_velocity[k]
    for i in range(1, tree.parent.shape[0]):
        _place_link(tree, motion, i, state.joint_position[i], state.joint_velocity[i])
    _place_centres(tree, motion)


@compiled
def _place_link(tree: np.record, motion: np.record, i: int, angle: float, speed: float) -> None:
    p = tree.parent[i]
    above, here = motion.rotation[p], motion.rotation[i]
    w, offset = motion.angular_velocity[p], tree.offset[i]
    x = above[0, 0] * offset[0] + above[0, 1] * offset[1] + above[0, 2] * offset[2]
    y = above[1, 0] * offset[0] + above[1, 1] * offset[1] + above[1, 2] * offset[2]
    z = above[2, 0] * offset[0] + above[2, 1] * offset[1] + above[2, 2] * offset[2]
    motion.position[i, 0] = motion.position[p, 0] + x
    motion.position[i, 1] = motion.position[p, 1] + y
    motion.position[i, 2] = motion.position[p, 2] + z
    motion.velocity[i, 0] = motion.velocity[p, 0] + w[1] * z - w[2] * y
    motion.velocity[i, 1] = motion.velocity[p, 1] + w[2] * x - w[0] * z
    motion.velocity[i, 2] = motion.velocity[p, 2] + w[0] * y - w[1] * x
    a = tree.axis[i]
    if a < 0:
        for k in range(3):
            motion.angular_velocity[i, k] = w[k]
            for m in range(3):
                here[k, m] = above[k, m]
        return
    c, s = cos(angle), sin(angle)
    b, d = (a + 1) % 3, (a + 2) % 3
    for k in range(3):
        here[k, a] = above[k, a]
        here[k, b] = c * above[k, b] + s * above[k, d]
        here[k, d] = c * above[k, d] - s * above[k, b]
        motion.axis[i, k] = above[k, a]
        motion.angular_velocity[i, k] = w[k] + above[k, a] * speed


@compiled
def _place_centres(tree: np.record, motion: np.record) -> None:
    for i in range(tree.parent.shape[0]):
        for k in range(3):
            motion.centre[i, k] = motion.position[i, k] + (
                motion.rotation[i, k, 0] * tree.centre_of_mass[i, 0]
                + motion.rotation[i, k, 1] * tree.centre_of_mass[i, 1]
                + motion.rotation[i, k, 2] * tree.centre_of_mass[i, 2])


@compiled
def compute_point(motion: np.record, link: int, offset: Array, point: Array) -> None:
    """Write the world position of a point fixed in a link's frame."""
    for k in range(3):
        point[k] = motion.position[link, k] + (
            motion.rotation[link, k, 0] * offset[0] + motion.rotation[link, k, 1] * offset[1]
            + motion.rotation[link, k, 2] * offset[2])


@compiled
def compute_point_velocity(motion: np.record, link: int, point: Array, velocity: Array) -> None:
    """Write the world velocity of the point of a link that is at ``point`` now."""
    w = motion.angular_velocity[link]
    x = point[0] - motion.position[link, 0]
    y = point[1] - motion.position[link, 1]
    z = point[2] - motion.position[link, 2]
    velocity[0] = motion.velocity[link, 0] + w[1] * z - w[2] * y
    velocity[1] = motion.velocity[link, 1] + w[2] * x - w[0] * z
    velocity[2] = motion.velocity[link, 2] + w[0] * y - w[1] * x


@compiled
def compute_centre_of_mass(tree: np.record, motion: np.record, centre: Array) -> None:
    """Write the centre of mass of the whole robot in the world."""
    centre[:] = 0.0
    for i in range(tree.parent.shape[0]):
        for k in range(3):
            centre[k] += tree.mass[i] / tree.total_mass * motion.centre[i, k]
