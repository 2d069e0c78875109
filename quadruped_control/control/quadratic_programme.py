"""
Strictly convex quadratic programmes by the dual active-set method (Goldfarb and Idnani 1983).

Minimise x H x / 2 + g x under inequalities that each concern three neighbouring unknowns, as the
limits of a foot's force do. It begins at the free minimum and takes in one broken limit after the
other, so that a problem without broken limits costs one factorisation.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
TOLERANCE = 1e-9            # of a limit, as a share of the largest force
TINY = 1e-11


@compiled
def solve_quadratic(work: np.record, size: int, scale: float, most: int) -> int:
    """
    Write the minimum into work.x; return the iterations, or -1 where it was not found.

    :param work: hessian and gradient, and the limits.
    :param size: number of unknowns.
    :param scale: magnitude of the unknowns.
    :param most: iterations.
    """
    if not _factorise(work.hessian, work.J, size):
        return -1
    _start(work, size)
    work.is_active[:] = 0
    count, left = 0, most
    while True:
        worst, missing = _find_broken(work, scale)
        if worst < 0:
            return most - left
        work.u[count] = 0.0
        while True:
            if left == 0:
                return -1
            left -= 1
            outcome, count = _take_in(work, size, count, worst, missing)
            if outcome < 0:
                return -1
            if outcome == 1:
                break
            missing = _miss(work, worst)


@compiled
def _factorise(matrix: Array, inverse: Array, size: int) -> bool:
    """Write the inverse of the transposed Cholesky factor; the matrix's lower half is used up."""
    for j in range(size):
        for k in range(j):
            for i in range(j, size):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
        if not matrix[j, j] > 0.0:
            return False
        root = sqrt(matrix[j, j])
        for i in range(j, size):
            matrix[i, j] /= root
    for j in range(size):                       # column j of L^-1 is row j of its transpose
        for i in range(j):
            inverse[j, i] = 0.0
        inverse[j, j] = 1.0 / matrix[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for k in range(j, i):
                total -= matrix[i, k] * inverse[j, k]
            inverse[j, i] = total / matrix[i, i]
    return True


@compiled
def _start(work: np.record, size: int) -> None:
    """Write the free minimum x = -J J^T g."""
    for i in range(size):
        work.d[i] = 0.0
        for k in range(size):
            work.d[i] -= work.J[k, i] * work.gradient[k]
    for i in range(size):
        work.x[i] = 0.0
        for k in range(i, size):
            work.x[i] += work.J[i, k] * work.d[k]


@compiled
def _miss(work: np.record, limit: int) -> float:
    """Return by what a limit is kept; negative: broken."""
    at, c = work.place[limit], work.coefficient[limit]
    return (c[0] * work.x[at] + c[1] * work.x[at + 1] + c[2] * work.x[at + 2]
            - work.bound[limit])


@compiled
def _find_broken(work: np.record, scale: float) -> tuple[int, float]:
    """Return the limit that is broken most, or -1, and by what."""
    worst, missing = -1, -TOLERANCE * scale
    for limit in range(work.limits):
        if work.is_active[limit] == 0:
            value = _miss(work, limit)
            if value < missing:
                worst, missing = limit, value
    return worst, missing


@compiled
def _take_in(work: np.record, size: int, count: int, limit: int,
             missing: float) -> tuple[int, int]:
    """
    Step towards a broken limit as far as the active ones allow.

    Return 1 where it is active now, 0 where another one was let go, -1 where no point keeps all
    limits; and how many are active.
    """
    at, c = work.place[limit], work.coefficient[limit]
    for i in range(size):
        work.d[i] = (work.J[at, i] * c[0] + work.J[at + 1, i] * c[1] + work.J[at + 2, i] * c[2])
    slope = 0.0
    for i in range(size):
        work.z[i] = 0.0
        for k in range(count, size):
            work.z[i] += work.J[i, k] * work.d[k]
    for k in range(count, size):
        slope += work.d[k] * work.d[k]
    for i in range(count - 1, -1, -1):
        work.r[i] = work.d[i]
        for k in range(i + 1, count):
            work.r[i] -= work.R[i, k] * work.r[k]
        work.r[i] /= work.R[i, i]
    leaves, partial = -1, inf
    for i in range(count):
        if work.r[i] > TINY and work.u[i] / work.r[i] < partial:
            leaves, partial = i, work.u[i] / work.r[i]
    full = -missing / slope if slope > TINY * (1.0 + _square(work.d, size)) else inf
    step = min(partial, full)
    if step == inf:
        return -1, count
    if full < inf:
        for i in range(size):
            work.x[i] += step * work.z[i]
    for i in range(count):
        work.u[i] = max(work.u[i] - step * work.r[i], 0.0)
    work.u[count] += step
    if full <= partial:
        _add(work, size, count, limit)
        return 1, count + 1
    _drop(work, size, count, leaves)
    return 0, count - 1


@compiled
def _square(vector: Array, size: int) -> float:
    total = 0.0
    for i in range(size):
        total += vector[i] * vector[i]
    return total


@compiled
def _add(work: np.record, size: int, count: int, limit: int) -> None:
    """Turn the columns of J so that the new limit's d ends after its place, and extend R."""
    for j in range(size - 1, count, -1):
        a, b = work.d[j - 1], work.d[j]
        if b == 0.0:
            continue
        length = sqrt(a * a + b * b)
        c, s = a / length, b / length
        work.d[j - 1], work.d[j] = length, 0.0
        for k in range(size):
            a, b = work.J[k, j - 1], work.J[k, j]
            work.J[k, j - 1], work.J[k, j] = c * a + s * b, c * b - s * a
    for i in range(count + 1):
        work.R[i, count] = work.d[i]
    work.active[count] = limit
    work.is_active[limit] = 1


@compiled
def _drop(work: np.record, size: int, count: int, leaves: int) -> None:
    """Take a limit out, and make R triangular again."""
    work.is_active[work.active[leaves]] = 0
    for i in range(leaves, count - 1):
        work.active[i], work.u[i] = work.active[i + 1], work.u[i + 1]
        for k in range(count):
            work.R[k, i] = work.R[k, i + 1]
    work.u[count - 1] = work.u[count]
    for j in range(leaves, count - 1):
        a, b = work.R[j, j], work.R[j + 1, j]
        length = sqrt(a * a + b * b)
        if length == 0.0:
            continue
        c, s = a / length, b / length
        for k in range(j, count - 1):
            a, b = work.R[j, k], work.R[j + 1, k]
            work.R[j, k], work.R[j + 1, k] = c * a + s * b, c * b - s * a
        for k in range(size):
            a, b = work.J[k, j], work.J[k, j + 1]
            work.J[k, j], work.J[k, j + 1] = c * a + s * b, c * b - s * a
