"""What a distribution of forces costs: the problems of a trot, each solved again and timed."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.drive_limits import find_drive_limits
from quadruped_control.control.force_distribution import distribute_forces
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

Block = NDArray[np.record]
# by what is solved: a controller that solves it every tick
FORMULATIONS = {'two leg frames, weighted squares': 'leg_frames',
                'whole body, weighted squares': 'kokkevis',
                'whole body, linear programme': 'kokkevis_lp'}
SETTLE, PROBLEMS = 2000, 2000       # ticks of a trot
AGAIN = 10                          # solves of each problem, of which the mean counts


@compiled
def solve_again(problem: Block, work: Block, times: int) -> None:
    """Solve a problem so many times."""
    for _ in range(times):
        distribute_forces(problem[0], work[0])


def time_solver(robot: str, controller: str) -> dict[str, float]:
    """
    Return median and 99th percentile of a solve (us), and how many problems were not solved.

    It trots, so that feet land and lift off; what a problem costs depends on how many limits hold.
    """
    scenario = validate({
        'name': 'bench', 'robot': robot, 'controller': controller,
        'duration': (SETTLE + PROBLEMS) * TIME_STEP, 'commands': [
            {'t': 0.0, 'vx': find_drive_limits(load_robot(robot)).back, 'gait': 'trot'}]},
        Scenario, 'bench')
    loop, times = Loop(scenario), np.empty(PROBLEMS)
    parts = loop.controller.parts
    problem, work = parts.problem.copy(), parts.solver.copy()
    solve_again(problem, work, 1)
    loop.run(SETTLE)
    for n in range(PROBLEMS):
        loop.run(1)
        problem[:] = parts.problem
        start = time.perf_counter_ns()
        solve_again(problem, work, AGAIN)
        times[n] = (time.perf_counter_ns() - start) / AGAIN / 1e3
    loop.world.close()
    return {'median_us': float(np.median(times)), 'p99_us': float(np.percentile(times, 99)),
            'unsolved': float(parts.problem[0]['unsolved'])}
