"""The last word on a tuned gait: the same objective in PyBullet, on pushes it was not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import Gait
from quadruped_control.control.gait_file import replace_speed
from quadruped_control.control.gait_library import GaitLibrary, make_approach
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.tuning.bullet_evaluation import BulletEvaluator, run_until_fall
from quadruped_control.tuning.marker_motion import task_distance
from quadruped_control.tuning.objective import Weights, compute_cost, compute_steady_cost
from quadruped_control.tuning.task import DIRECTIONS, Task

PUSH_SEED = 20_000          # not one that a search draws from
FIRST_ROAD = 60_000         # the same


def accept_cost(name: str, numbers: NDArray[np.float64], task: Task, weights: Weights,
                rounds: int = 1) -> float:
    """
    Return the cost in PyBullet: undisturbed, and over eight pushes a round at random phases.

    A gait that is tuned for steps is judged on eight other roads, twice a round.
    """
    if task.steps:
        roads = BulletEvaluator(task, FIRST_ROAD)
        seeds = range(PUSH_SEED, PUSH_SEED + 2 * rounds)
        return float(np.mean([roads.cost(numbers, seed, weights) for seed in seeds]))
    rng = np.random.default_rng(PUSH_SEED)
    half = round(500 * task.settle)
    undisturbed = run_in_pybullet(name, numbers, task, [])
    if len(undisturbed) < 2 * half:
        return 3 * weights.fall
    steady = undisturbed.tail(half)
    robot = load_robot(task.robot, task.spine)
    first = compute_steady_cost(steady, task.speed, weights,
                                task_distance(task, robot, steady, numbers))
    steps = round(1000 * (task.settle + task.duration))
    costs = []
    for at, (x, y) in list(product(('front', 'rear'), DIRECTIONS)) * rounds:
        force, duration = task.pushes[int(rng.integers(len(task.pushes)))]
        push = {'t': task.settle, 'phase': float(rng.uniform(0, 1)), 'at': at,
                'duration': duration, 'force': [force * x, force * y, 0]}
        recording = run_in_pybullet(name, numbers, task, [push])
        costs.append(compute_cost(recording, steps, task.speed, 0.0, weights))
    return first + float(np.mean(costs))


def run_in_pybullet(name: str, numbers: NDArray[np.float64], task: Task,
                    pushes: list[Mapping[str, object]]) -> Recording:
    """Run a gait from a stand for a task's whole time, or until the dog falls."""
    duration = task.settle + task.duration
    scenario = validate({
        'name': 'acceptance', 'duration': duration, 'torque_limit': task.torque_limit,
        'robot': task.robot, 'spine': task.spine,
        'commands': [{'t': 0.0, 'vx': task.speed, 'gait': name}], 'pushes': pushes},
        Scenario, 'acceptance')
    library = GaitLibrary(task.robot)
    library.tables[name] = make_approach(library, name, task.speed, numbers)
    loop = Loop(scenario, library)
    run_until_fall(loop, round(duration * 1000))
    loop.world.close()
    return loop.recording


def keep_better(gait: Gait, changed: Gait, judge: Callable[[GaitAtSpeed], float]
                ) -> tuple[Gait, list[float]]:
    """
    Return a gait with those entries of a changed one that cost less, and the speeds of these.

    :param judge: gives the cost of an entry.
    """
    better = []
    for before, after in zip(gait.speeds, changed.speeds, strict=True):
        if before != after and judge(after) < judge(before):
            gait = replace_speed(gait, after)
            better.append(after.speed)
    return gait, better
