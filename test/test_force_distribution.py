"""Force distribution against known solvers, on random problems of one to six feet."""

import numpy as np
import pytest
import quadprog
from scipy.optimize import linprog

from quadruped_control.control.force_distribution import distribute_forces
from quadruped_control.control.force_problem import Formulation, problem_type, work_type
from quadruped_control.kinematics.records import as_block, new_record

PROBLEMS = 2000
JOINTS = 7


def make_problem(rng, formulation, feet=4, rows=6):
    """Return a problem as legged robots have them, some with wrenches far beyond all limits."""
    problem = new_record(problem_type(feet, rows, JOINTS))
    problem['formulation'] = formulation
    problem['bears'] = rng.random(feet) < 0.7
    problem['bears'][rng.integers(feet)] = 1
    arms = rng.normal(size=(feet, 3)) * (0.3, 0.2, 0.05) - (0.0, 0.0, 0.45)
    for foot, arm in enumerate(arms):
        problem['matrix'][:3, foot] = np.eye(3)
        problem['matrix'][3:6, foot] = np.cross(arm, np.eye(3)).T
        problem['matrix'][6:, foot] = rng.normal(size=(max(rows - 6, 0), 3))
        tilt = rng.normal(size=3) * 0.2
        normal = np.array((0.0, 0.0, 1.0)) + tilt
        normal /= np.linalg.norm(normal)
        first = np.cross((0.0, 1.0, 0.0), normal)
        first /= np.linalg.norm(first)
        problem['normal'][foot] = normal
        problem['tangent'][foot] = first, np.cross(normal, first)
    hardness = rng.choice((0.3, 1.0, 3.0))
    problem['wanted'][:6] = (rng.normal(size=6) * (80, 80, 100, 30, 40, 20) * hardness
                             + (0, 0, 330, 0, 0, 0))
    problem['wanted'][6:] = rng.normal(size=max(rows - 6, 0)) * 100
    problem['weight'] = rng.uniform(0.5, 60.0, rows)
    problem['reference'] = rng.normal(size=(feet, 3)) * 30 + (0, 0, 80)
    problem['regularisation'] = 1e-3
    problem['friction'] = rng.uniform(0.1, 1.0, feet)
    problem['least'] = 5.0
    problem['most'] = rng.uniform(200, 900)
    problem['jacobian'] = rng.normal(size=(feet, JOINTS, 3)) * 0.2
    problem['torque_limit'] = np.where(rng.random((feet, JOINTS)) < 0.5, np.inf, 60.0)
    return problem, new_record(work_type(feet, rows, JOINTS))


def solve(problem, work):
    """Say whether it was solved."""
    before = int(problem['unsolved'])
    distribute_forces(as_block(problem)[0], as_block(work)[0])
    return int(problem['unsolved']) == before


def bearing_rows(problem):
    """Return A, b and inequalities C f >= d over the bearing feet, in plain matrices."""
    feet = np.flatnonzero(problem['bears'])
    rows = problem['wanted'].shape[0]
    matrix = problem['matrix'][:, feet].reshape(rows, -1)
    limits, bounds = [], []

    def add(place, row, bound):
        full = np.zeros(3 * len(feet))
        full[3 * place:3 * place + 3] = row
        limits.append(full)
        bounds.append(bound)

    for place, foot in enumerate(feet):
        normal = problem['normal'][foot]
        for tangent in problem['tangent'][foot]:
            for sign in (1, -1):
                add(place, problem['friction'][foot] * normal + sign * tangent, 0.0)
        add(place, normal, problem['least'][foot])
        add(place, -normal, -problem['most'][foot])
        for joint in range(JOINTS):
            limit = problem['torque_limit'][foot, joint]
            if np.isfinite(limit):
                for sign in (1, -1):
                    add(place, sign * problem['jacobian'][foot, joint], -limit)
    return feet, matrix, np.array(limits), np.array(bounds)


@pytest.mark.parametrize('feet, rows', [(4, 6), (4, 12), (6, 6), (2, 6)])
def test_squares_agree_with_a_known_solver(feet, rows):
    rng = np.random.default_rng(7)
    for _ in range(PROBLEMS // 4):
        problem, work = make_problem(rng, Formulation.SQUARES, feet, rows)
        assert solve(problem, work)
        there, matrix, limits, bounds = bearing_rows(problem)
        weighted = matrix.T * problem['weight']
        size = 3 * len(there)
        hessian = weighted @ matrix + problem['regularisation'] * np.eye(size)
        linear = (weighted @ problem['wanted']
                  + problem['regularisation'] * problem['reference'][there].ravel())
        known = quadprog.solve_qp(hessian, linear, limits.T, bounds)[0]

        def cost(x, hessian=hessian, linear=linear):
            return 0.5 * x @ hessian @ x - linear @ x

        found = problem['force'][there].ravel()
        assert (limits @ found - bounds).min() > -1e-6
        assert cost(found) - cost(known) < 1e-8 * (1 + abs(cost(known)))
        assert np.abs(found - known).max() < 1e-4


@pytest.mark.parametrize('feet, rows', [(4, 6), (4, 12), (6, 6), (2, 6)])
def test_absolute_errors_agree_with_a_known_solver(feet, rows):
    rng = np.random.default_rng(8)
    for _ in range(PROBLEMS // 4):
        problem, work = make_problem(rng, Formulation.ABSOLUTE, feet, rows)
        assert solve(problem, work)
        there, matrix, limits, bounds = bearing_rows(problem)
        size = 3 * len(there)
        known = linprog(
            np.concatenate((np.zeros(size), problem['weight'], problem['weight'])),
            A_ub=np.hstack((-limits, np.zeros((len(limits), 2 * rows)))), b_ub=-bounds,
            A_eq=np.hstack((matrix, np.eye(rows), -np.eye(rows))), b_eq=problem['wanted'],
            bounds=[(None, None)] * size + [(0, None)] * (2 * rows))
        assert known.status == 0
        found = problem['force'][there].ravel()
        cost = problem['weight'] @ np.abs(matrix @ found - problem['wanted'])
        assert (limits @ found - bounds).min() > -1e-6
        assert cost == pytest.approx(known.fun, rel=1e-7, abs=1e-5)


@pytest.mark.parametrize('formulation', list(Formulation))
def test_what_can_be_given_is_given_whole(formulation):
    """Standing on four feet, the weight and a small moment are met exactly."""
    rng = np.random.default_rng(1)
    problem, work = make_problem(rng, formulation)
    problem['bears'] = 1
    for foot, arm in enumerate([(0.3, 0.1), (0.3, -0.1), (-0.3, 0.1), (-0.3, -0.1)]):
        problem['matrix'][3:6, foot] = np.cross((*arm, -0.45), np.eye(3)).T
    problem['normal'] = 0.0, 0.0, 1.0
    problem['tangent'] = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    problem['friction'], problem['most'], problem['torque_limit'] = 0.6, 900.0, np.inf
    problem['regularisation'] = 1e-7
    problem['wanted'] = 10.0, -5.0, 330.0, 3.0, 2.0, 1.0
    assert solve(problem, work)
    given = np.einsum('rfk,fk->r', problem['matrix'], problem['force'])
    assert given == pytest.approx(problem['wanted'], abs=1e-3)


@pytest.mark.parametrize('formulation', list(Formulation))
def test_without_feet_there_is_no_force(formulation):
    problem, work = make_problem(np.random.default_rng(2), formulation)
    problem['bears'], problem['force'] = 0, 9.0
    assert solve(problem, work)
    assert not problem['force'].any()


def test_a_problem_without_solution_is_counted_and_keeps_the_last_forces():
    """Numbers that are not finite have no solution."""
    problem, work = make_problem(np.random.default_rng(3), Formulation.SQUARES)
    assert solve(problem, work)
    before = problem['force'].copy()
    problem['matrix'][0] = np.nan
    assert not solve(problem, work)
    assert problem['unsolved'] == 1
    assert (problem['force'] == before).all()


@pytest.mark.parametrize('formulation', list(Formulation))
def test_a_joint_too_weak_for_the_least_force_lowers_it(formulation):
    problem, work = make_problem(np.random.default_rng(4), formulation)
    problem['bears'], problem['torque_limit'] = 1, np.inf
    problem['jacobian'][0, 0] = problem['normal'][0]
    problem['torque_limit'][0, 0] = 2.0
    assert solve(problem, work)
    assert problem['jacobian'][0, 0] @ problem['force'][0] <= 2.0 + 1e-6
