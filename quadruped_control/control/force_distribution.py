"""
Forces of the bearing feet that give wanted wrenches: one problem, two formulations.

Weighted squares are the default: forces change smoothly. The linear programme of Kokkevis et al.
1995 (section 5) makes the sum of weighted absolute errors least; its solutions are corners, which
jump.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.force_problem import PYRAMID, Formulation
from quadruped_control.control.linear_programme import solve_linear
from quadruped_control.control.quadratic_programme import solve_quadratic

Array = NDArray[np.float64]
MOST_ITERATIONS = 100


@compiled
def distribute_forces(problem: np.record, work: np.record) -> None:
    """
    Write the forces into problem.force, or keep the last ones and count that as unsolved.

    A foot that does not bear has no force.
    """
    feet = _count(problem)
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot] == 0:
            problem.force[foot] = 0.0
        else:
            _make_least_possible(problem, foot)
    if feet == 0:
        return
    if problem.formulation == Formulation.ABSOLUTE:
        iterations = _solve_absolute(problem, work, feet)
    else:
        iterations = _solve_squares(problem, work, feet)
    if iterations < 0:
        problem.unsolved += 1


@compiled
def _count(problem: np.record) -> int:
    total = 0
    for foot in range(problem.bears.shape[0]):
        total += problem.bears[foot]
    return total


@compiled
def _make_least_possible(problem: np.record, foot: int) -> None:
    """Lower the least normal force to what the joints can bear, so that there is a solution."""
    for joint in range(problem.jacobian.shape[1]):
        torque = abs(_along(problem, foot, problem.jacobian[foot, joint], 0))
        if torque * problem.least[foot] > problem.torque_limit[foot, joint]:
            problem.least[foot] = problem.torque_limit[foot, joint] / torque
    problem.most[foot] = max(problem.most[foot], problem.least[foot])


@compiled
def _edge(problem: np.record, foot: int, edge: int, k: int) -> float:
    """Return a coordinate of an edge of the friction pyramid, with a normal part of 1."""
    first = 1.0 if edge % 2 == 0 else -1.0
    second = 1.0 if edge // 2 == 0 else -1.0
    return (problem.normal[foot, k] + problem.friction[foot]
            * (first * problem.tangent[foot, 0, k] + second * problem.tangent[foot, 1, k]))


@compiled
def _along(problem: np.record, foot: int, row: Array, edge: int) -> float:
    """Return the product of a row with an edge."""
    return (row[0] * _edge(problem, foot, edge, 0) + row[1] * _edge(problem, foot, edge, 1)
            + row[2] * _edge(problem, foot, edge, 2))


@compiled
def _can_be_broken(problem: np.record, foot: int, joint: int) -> bool:
    """Say whether any force in the pyramid brings a joint to its limit."""
    limit, row = problem.torque_limit[foot, joint], problem.jacobian[foot, joint]
    if limit == inf:
        return False
    for edge in range(PYRAMID):
        if abs(_along(problem, foot, row, edge)) * problem.most[foot] > limit:
            return True
    return False


@compiled
def _solve_squares(problem: np.record, work: np.record, feet: int) -> int:
    """Solve the quadratic programme; return its iterations or -1."""
    _write_objective(problem, work)
    work.limits = 0
    at, scale = 0, 0.0
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot]:
            _add_limits(problem, work, foot, at)
            scale = max(scale, problem.most[foot])
            at += 3
    iterations = solve_quadratic(work, 3 * feet, scale, MOST_ITERATIONS)
    if iterations < 0:
        return -1
    at = 0
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot]:
            for k in range(3):
                problem.force[foot, k] = work.x[at + k]
            at += 3
    return iterations


@compiled
def _write_objective(problem: np.record, work: np.record) -> None:
    """Write H = A^T W A + r and g = -A^T W b - r f_ref over the bearing feet, H's lower half."""
    rows, at = problem.wanted.shape[0], 0
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot] == 0:
            continue
        for k in range(3):
            total, other_at = 0.0, 0
            for row in range(rows):
                total -= problem.weight[row] * problem.matrix[row, foot, k] * problem.wanted[row]
            work.gradient[at + k] = total - problem.regularisation * problem.reference[foot, k]
            for other in range(foot + 1):
                if problem.bears[other] == 0:
                    continue
                for n in range(3):
                    total = 0.0
                    for row in range(rows):
                        total += (problem.weight[row] * problem.matrix[row, foot, k]
                                  * problem.matrix[row, other, n])
                    work.hessian[at + k, other_at + n] = total
                other_at += 3
            work.hessian[at + k, at + k] += problem.regularisation
        at += 3


@compiled
def _add_limits(problem: np.record, work: np.record, foot: int, at: int) -> None:
    """Add the inequalities of a foot: pyramid, least and most normal force, joint torques."""
    normal = problem.normal[foot]
    for side in range(PYRAMID):
        sign = 1.0 if side % 2 == 0 else -1.0
        row = _new_limit(work, at, 0.0)
        for k in range(3):
            row[k] = (problem.friction[foot] * normal[k]
                      + sign * problem.tangent[foot, side // 2, k])
    row = _new_limit(work, at, problem.least[foot])
    row[:] = normal
    row = _new_limit(work, at, -problem.most[foot])
    for k in range(3):
        row[k] = -normal[k]
    for joint in range(problem.jacobian.shape[1]):
        if _can_be_broken(problem, foot, joint):
            for sign in (1.0, -1.0):
                row = _new_limit(work, at, -problem.torque_limit[foot, joint])
                for k in range(3):
                    row[k] = sign * problem.jacobian[foot, joint, k]


@compiled
def _new_limit(work: np.record, at: int, bound: float) -> Array:
    """Return the coefficients, to be written, of a new inequality."""
    n = work.limits
    work.place[n], work.bound[n] = at, bound
    work.limits += 1
    return work.coefficient[n]


@compiled
def _solve_absolute(problem: np.record, work: np.record, feet: int) -> int:
    """
    Solve the linear programme; return its pivots or -1.

    A force is a sum of the edges of its pyramid: the unknowns are then not negative, as the method
    wants them, and friction needs no rows. The start is the least force along the first edge e_0;
    what leads on from there is more of e_0, and another edge instead of it.
    """
    columns = PYRAMID * feet + problem.wanted.shape[0]
    scale = 0.0
    for foot in range(problem.bears.shape[0]):
        scale = max(scale, problem.bears[foot] * problem.most[foot])
    work.tableau[:] = 0.0
    rows = _write_errors(problem, work, feet, scale, columns)
    rows = _write_bounds(problem, work, scale, rows, columns)
    _write_cost(problem, work, rows, columns)
    for j in range(columns):
        work.outside[j] = j
    for i in range(rows):
        work.basis[i] = columns + i
    pivots = solve_linear(work.tableau, work.basis, work.outside, rows, columns, MOST_ITERATIONS)
    if pivots >= 0:
        _read_forces(problem, work, scale, rows, columns)
    return pivots


@compiled
def _write_row(problem: np.record, foot: int, row: Array, sign: float, line: Array,
               at: int) -> None:
    """Write how a row of force coefficients changes with the four unknowns of a foot."""
    first = sign * _along(problem, foot, row, 0)
    line[at] = first
    for edge in range(1, PYRAMID):
        line[at + edge] = sign * _along(problem, foot, row, edge) - first


@compiled
def _write_errors(problem: np.record, work: np.record, feet: int, scale: float,
                  columns: int) -> int:
    """Write a row for each error, its sign such that it begins positive; return their number."""
    rows = problem.wanted.shape[0]
    for row in range(rows):
        line, at, rest = work.tableau[row], 0, problem.wanted[row]
        for foot in range(problem.bears.shape[0]):
            if problem.bears[foot]:
                rest -= problem.least[foot] * _along(problem, foot, problem.matrix[row, foot], 0)
        sign = -1.0 if rest < 0.0 else 1.0
        for foot in range(problem.bears.shape[0]):
            if problem.bears[foot]:
                _write_row(problem, foot, problem.matrix[row, foot], sign, line, at)
                at += PYRAMID
        line[PYRAMID * feet + row] = -1.0           # the error of the other sign
        line[columns] = sign * rest / scale
    return rows


@compiled
def _write_bounds(problem: np.record, work: np.record, scale: float, rows: int,
                  columns: int) -> int:
    """Write rows for first edge, greatest normal force and torques; return the number of all."""
    at, tableau = 0, work.tableau
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot] == 0:
            continue
        tableau[rows, at], tableau[rows, columns] = -1.0, problem.least[foot] / scale
        tableau[rows, at + 1:at + PYRAMID] = 1.0
        tableau[rows + 1, at] = 1.0
        tableau[rows + 1, columns] = (problem.most[foot] - problem.least[foot]) / scale
        rows += 2
        for joint in range(problem.jacobian.shape[1]):
            if _can_be_broken(problem, foot, joint):
                row = problem.jacobian[foot, joint]
                for sign in (1.0, -1.0):
                    rest = (problem.torque_limit[foot, joint]
                            - sign * problem.least[foot] * _along(problem, foot, row, 0))
                    _write_row(problem, foot, row, sign, tableau[rows], at)
                    tableau[rows, columns] = max(rest, 0.0) / scale
                    rows += 1
        at += PYRAMID
    return rows


@compiled
def _write_cost(problem: np.record, work: np.record, rows: int, columns: int) -> None:
    """Write what each column costs, at the start where all errors are basic."""
    errors, cost = problem.wanted.shape[0], work.tableau[rows]
    first, heaviest = columns - errors, problem.weight.max()
    for row in range(errors):
        weight = problem.weight[row] / heaviest
        for j in range(columns + 1):
            cost[j] -= weight * work.tableau[row, j]
        cost[first + row] += weight


@compiled
def _read_forces(problem: np.record, work: np.record, scale: float, rows: int,
                 columns: int) -> None:
    """Write the forces of the solution."""
    first = 0
    for foot in range(problem.bears.shape[0]):
        if problem.bears[foot] == 0:
            continue
        share = np.zeros(PYRAMID)
        for i in range(rows):
            unknown = work.basis[i] - first
            if 0 <= unknown < PYRAMID:
                share[unknown] = scale * work.tableau[i, columns]
        share[0] += problem.least[foot] - share[1] - share[2] - share[3]
        for k in range(3):
            problem.force[foot, k] = 0.0
            for edge in range(PYRAMID):
                problem.force[foot, k] += share[edge] * _edge(problem, foot, edge, k)
        first += PYRAMID
