"""Virtual forces: internal torques by the transpose of a chain's Jacobian (section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
Vector = Array | tuple[float, float, float]


@compiled
def add_virtual_force(tree: np.record, motion: np.record, base: int, link: int, point: Array,
                      force: Vector, torques: Array) -> None:
    """
    Add the torques tau = J^T F with which a chain applies a force at a point of a link.

    J maps the speeds of the joints between base and link to the point's velocity relative to
    the base: tau_j = axis_j . ((point - r_j) x F). ``base`` must be an ancestor of ``link``.

    :param point: in the world, m.
    :param force: in the world, N.
    """
    i = link
    while i != base:
        torques[i] += _moment(motion, i, point, force)
        i = tree.parent[i]


@compiled
def add_virtual_force_below(tree: np.record, motion: np.record, base: int, link: int, point: Array,
                            force: Vector, torques: Array) -> None:
    """Add the torques of the same force where the base is a descendant of the link."""
    i = base
    while i != link:
        torques[i] -= _moment(motion, i, point, force)
        i = tree.parent[i]


@compiled
def add_virtual_torque(tree: np.record, motion: np.record, base: int, link: int, moment: Array,
                       torques: Array) -> None:
    """Add the torques with which a chain applies a pure moment (world, N m) to a link."""
    i = link
    while i != base:
        if tree.axis[i] >= 0:
            axis = motion.axis[i]
            torques[i] += axis[0] * moment[0] + axis[1] * moment[1] + axis[2] * moment[2]
        i = tree.parent[i]


@compiled
def _moment(motion: np.record, i: int, point: Array, force: Vector) -> float:
    axis = motion.axis[i]
    x = point[0] - motion.position[i, 0]
    y = point[1] - motion.position[i, 1]
    z = point[2] - motion.position[i, 2]
    return (axis[0] * (y * force[2] - z * force[1]) + axis[1] * (z * force[0] - x * force[2])
            + axis[2] * (x * force[1] - y * force[0]))
