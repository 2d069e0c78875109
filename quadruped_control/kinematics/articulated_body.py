"""
Forward dynamics by the articulated-body method (Featherstone 2008, chapter 7).

All spatial vectors are (angular, linear), in world axes about one common point, the root's
origin: inertias of a branch then add up without any transformation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
Spatial = tuple[float, float, float, float, float, float]


@compiled
def compute_accelerations(tree: np.record, torques: Array, armature: Array,
                          work: np.record) -> None:
    """
    Solve (M + diag(armature)) qdd + bias = tau for a free root.

    :func:`begin_dynamics` must have been called before. The joint accelerations are left in
    ``work.joint_acceleration``, the root's spatial acceleration in ``work.acceleration[0]``.

    :param armature: kg m^2 added to each joint's own inertia.
    """
    links = tree.parent.shape[0]
    for i in range(links - 1, 0, -1):
        _fold_into_parent(tree, work, i, torques[i], armature[i])
    _solve_root(work)
    for i in range(1, links):
        p = tree.parent[i]
        a = work.acceleration[i]
        for k in range(6):
            a[k] = work.acceleration[p, k] + work.drift[i, k]
        if tree.axis[i] < 0:
            continue
        rate = work.rest[i]
        for k in range(6):
            rate -= work.product[i, k] * a[k]
        rate /= work.pivot[i]
        work.joint_acceleration[i] = rate
        for k in range(6):
            a[k] += work.subspace[i, k] * rate


@compiled
def begin_dynamics(tree: np.record, motion: np.record, joint_velocity: Array, gravity: float,
                   work: np.record) -> None:
    """
    Write inertias, bias forces (velocity products and weight) and joint axes of all links.

    :param gravity: m/s^2, downwards.
    """
    origin = motion.position[0]
    for i in range(tree.parent.shape[0]):
        _write_inertia(tree, motion, origin, i, work.inertia[i])
        _write_bias(tree, motion, origin, i, gravity, work)
        if i > 0:
            _write_joint(tree, motion, origin, i, joint_velocity[i], work)


@compiled
def add_point_mass(motion: np.record, link: int, point: Array, mass: float,
                   work: np.record) -> None:
    """Add a mass without weight at a point of a link: a foot that the ground holds."""
    x = point[0] - motion.position[0, 0]
    y = point[1] - motion.position[0, 1]
    z = point[2] - motion.position[0, 2]
    inertia = work.inertia[link]
    _add_steiner(inertia, mass, x, y, z)


@compiled
def _add_steiner(inertia: Array, mass: float, x: float, y: float, z: float) -> None:
    """Add mass [[-r~ r~, r~], [-r~, 1]] with r~ the cross-product matrix of (x, y, z)."""
    inertia[0, 0] += mass * (y*y + z*z)
    inertia[1, 1] += mass * (x*x + z*z)
    inertia[2, 2] += mass * (x*x + y*y)
    inertia[0, 1] -= mass * x * y
    inertia[1, 0] -= mass * x * y
    inertia[0, 2] -= mass * x * z
    inertia[2, 0] -= mass * x * z
    inertia[1, 2] -= mass * y * z
    inertia[2, 1] -= mass * y * z
    inertia[0, 4] -= mass * z
    inertia[0, 5] += mass * y
    inertia[1, 3] += mass * z
    inertia[1, 5] -= mass * x
    inertia[2, 3] -= mass * y
    inertia[2, 4] += mass * x
    inertia[4, 0] -= mass * z
    inertia[5, 0] += mass * y
    inertia[3, 1] += mass * z
    inertia[5, 1] -= mass * x
    inertia[3, 2] -= mass * y
    inertia[4, 2] += mass * x
    inertia[3, 3] += mass
    inertia[4, 4] += mass
    inertia[5, 5] += mass


@compiled
def _write_inertia(tree: np.record, motion: np.record, origin: Array, i: int,
                   inertia: Array) -> None:
    rotation, local = motion.rotation[i], tree.inertia[i]
    inertia[:, :] = 0.0
    for r in range(3):
        x, y, z = rotation[r, 0], rotation[r, 1], rotation[r, 2]
        half_x = x * local[0, 0] + y * local[1, 0] + z * local[2, 0]
        half_y = x * local[0, 1] + y * local[1, 1] + z * local[2, 1]
        half_z = x * local[0, 2] + y * local[1, 2] + z * local[2, 2]
        for c in range(3):
            inertia[r, c] = (half_x * rotation[c, 0] + half_y * rotation[c, 1]
                             + half_z * rotation[c, 2])
    _add_steiner(inertia, tree.mass[i], motion.centre[i, 0] - origin[0],
                 motion.centre[i, 1] - origin[1], motion.centre[i, 2] - origin[2])


@compiled
def _velocity_at(motion: np.record, origin: Array, i: int) -> Spatial:
    """Return the spatial velocity of a link about the common origin."""
    w, v = motion.angular_velocity[i], motion.velocity[i]
    x = origin[0] - motion.position[i, 0]
    y = origin[1] - motion.position[i, 1]
    z = origin[2] - motion.position[i, 2]
    return (w[0], w[1], w[2], v[0] + w[1] * z - w[2] * y, v[1] + w[2] * x - w[0] * z,
            v[2] + w[0] * y - w[1] * x)


@compiled
def _times(inertia: Array, row: int, v: Spatial) -> float:
    """Return an entry of I v."""
    return (inertia[row, 0] * v[0] + inertia[row, 1] * v[1] + inertia[row, 2] * v[2]
            + inertia[row, 3] * v[3] + inertia[row, 4] * v[4] + inertia[row, 5] * v[5])


@compiled
def _write_bias(tree: np.record, motion: np.record, origin: Array, i: int, gravity: float,
                work: np.record) -> None:
    """Write v x* (I v) - weight."""
    v, inertia, bias = _velocity_at(motion, origin, i), work.inertia[i], work.bias[i]
    h = _times(inertia, 0, v), _times(inertia, 1, v), _times(inertia, 2, v)
    f = _times(inertia, 3, v), _times(inertia, 4, v), _times(inertia, 5, v)
    weight = tree.mass[i] * gravity
    x, y = motion.centre[i, 0] - origin[0], motion.centre[i, 1] - origin[1]
    bias[0] = v[1]*h[2] - v[2]*h[1] + v[4]*f[2] - v[5]*f[1] + y * weight
    bias[1] = v[2]*h[0] - v[0]*h[2] + v[5]*f[0] - v[3]*f[2] - x * weight
    bias[2] = v[0]*h[1] - v[1]*h[0] + v[3]*f[1] - v[4]*f[0]
    bias[3] = v[1]*f[2] - v[2]*f[1]
    bias[4] = v[2]*f[0] - v[0]*f[2]
    bias[5] = v[0]*f[1] - v[1]*f[0] + weight


@compiled
def _write_joint(tree: np.record, motion: np.record, origin: Array, i: int, speed: float,
                 work: np.record) -> None:
    """Write the joint's axis as a spatial vector, and v x axis qd."""
    s, c = work.subspace[i], work.drift[i]
    if tree.axis[i] < 0:
        s[:] = 0.0
        c[:] = 0.0
        return
    a = motion.axis[i]
    x = motion.position[i, 0] - origin[0]
    y = motion.position[i, 1] - origin[1]
    z = motion.position[i, 2] - origin[2]
    s[0], s[1], s[2] = a[0], a[1], a[2]
    s[3], s[4], s[5] = y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0]
    v = _velocity_at(motion, origin, i)
    c[0] = (v[1]*s[2] - v[2]*s[1]) * speed
    c[1] = (v[2]*s[0] - v[0]*s[2]) * speed
    c[2] = (v[0]*s[1] - v[1]*s[0]) * speed
    c[3] = (v[1]*s[5] - v[2]*s[4] + v[4]*s[2] - v[5]*s[1]) * speed
    c[4] = (v[2]*s[3] - v[0]*s[5] + v[5]*s[0] - v[3]*s[2]) * speed
    c[5] = (v[0]*s[4] - v[1]*s[3] + v[3]*s[1] - v[4]*s[0]) * speed


@compiled
def _fold_into_parent(tree: np.record, work: np.record, i: int, torque: float,
                      armature: float) -> None:
    """Add the articulated inertia and bias force of a link, through its joint, to its parent."""
    inertia, bias, s = work.inertia[i], work.bias[i], work.subspace[i]
    u, c = work.product[i], work.drift[i]
    above, above_bias = work.inertia[tree.parent[i]], work.bias[tree.parent[i]]
    if tree.axis[i] < 0:
        for r in range(6):
            above_bias[r] += bias[r]
            for k in range(6):
                above[r, k] += inertia[r, k]
        return
    pivot, rest = armature, torque
    for r in range(6):
        total = 0.0
        for k in range(6):
            total += inertia[r, k] * s[k]
        u[r] = total
        pivot += s[r] * total
        rest -= s[r] * bias[r]
    work.pivot[i], work.rest[i] = pivot, rest
    scale = rest / pivot
    for r in range(6):
        factor = u[r] / pivot
        total = 0.0
        for k in range(6):
            entry = inertia[r, k] - factor * u[k]
            above[r, k] += entry
            total += entry * c[k]
        above_bias[r] += bias[r] + total + u[r] * scale


@compiled
def _solve_root(work: np.record) -> None:
    """Solve I a = -bias for the free root by Cholesky factors."""
    lower, a = work.inertia[0], work.acceleration[0]
    for j in range(6):
        for k in range(j):
            lower[j, j] -= lower[j, k]**2
        lower[j, j] = np.sqrt(lower[j, j])
        for i in range(j + 1, 6):
            for k in range(j):
                lower[i, j] -= lower[i, k] * lower[j, k]
            lower[i, j] /= lower[j, j]
    for i in range(6):
        a[i] = -work.bias[0, i]
        for k in range(i):
            a[i] -= lower[i, k] * a[k]
        a[i] /= lower[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            a[i] -= lower[k, i] * a[k]
        a[i] /= lower[i, i]
