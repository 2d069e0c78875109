"""
The evaluation of a gait in PyBullet, for gaits that MuJoCo cannot speak for.

PyBullet cannot go back to a snapshot, but a process can be forked: one run leads to the limit
cycle of the gait that a search began from, each gait tried begins in a child of it, and each of
the eight pushes in a child of that (section 4).
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.gait_library import GaitLibrary, make_approach
from quadruped_control.loading import validate
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Push, Scenario
from quadruped_control.simulation.world import TIME_STEP
from quadruped_control.tuning.objective import Weights, compute_cost, compute_steady_cost
from quadruped_control.tuning.task import DIRECTIONS, Task

Array = NDArray[np.float64]
ADAPT = 1.2                 # s to the limit cycle of a gait that differs a little; half is judged
FALLEN = 0.2                # m of a leg frame's height
LOOK = 50                   # ticks between two looks at it


class BulletEvaluator:
    """A dog that goes in the gait that is searched around, for one process."""

    def __init__(self, task: Task) -> None:
        self._task = task
        library = GaitLibrary()
        start = GaitTable.of(load_gait(task.gait)).interpolate(task.speed)
        self._table = make_approach(library, task.gait, task.speed, start)
        library.tables[task.gait] = self._table
        scenario = validate({
            'name': 'tuning', 'duration': task.settle + ADAPT + task.duration,
            'robot': task.robot, 'spine': task.spine,
            'torque_limit': task.torque_limit, 'recover': False,
            'commands': [{'t': 0.0, 'vx': task.speed, 'gait': task.gait}]}, Scenario, 'tuning')
        self._loop = Loop(scenario, library)
        run_until_fall(self._loop, round(task.settle / TIME_STEP))

    def cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        """Return the cost of the undisturbed gait and the mean over eight pushes."""
        return compute_in_fork(partial(self._cost, numbers, seed, weights))

    def _cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        task, loop = self._task, self._loop
        self._table.rows[-1] = numbers
        steps = round(ADAPT / TIME_STEP)
        lasted = run_until_fall(loop, steps)
        if lasted < steps:
            return 3 * weights.fall * (2 - lasted / steps)
        steady = compute_steady_cost(loop.recording.tail(steps // 2), task.speed, weights)
        costs = [compute_in_fork(partial(self._cost_of_push, push, weights))
                 for push in self._draw_pushes(seed)]
        return steady + float(np.mean(costs))

    def _draw_pushes(self, seed: int) -> list[Mapping[str, object]]:
        rng = np.random.default_rng(seed)
        now = float(self._loop.world.state['time'])
        pushes: list[Mapping[str, object]] = []
        for at in ('front', 'rear'):
            for x, y in DIRECTIONS:
                force, duration = self._task.pushes[int(rng.integers(len(self._task.pushes)))]
                pushes.append({'t': now, 'phase': float(rng.uniform()), 'at': at,
                               'duration': duration, 'force': [force * x, force * y, 0]})
        return pushes

    def _cost_of_push(self, push: Mapping[str, object], weights: Weights) -> float:
        loop, steps = self._loop, round(self._task.duration / TIME_STEP)
        loop.pushes = list_pushes([validate(dict(push), Push, 'push')])
        lasted = run_until_fall(loop, steps)
        return compute_cost(loop.recording.tail(lasted), steps, self._task.speed, 0.0, weights)


def run_until_fall(loop: Loop, steps: int) -> int:
    """Run to the end or until a leg frame has sunk; return the number of steps done."""
    done = 0
    while done < steps:
        loop.run(min(LOOK, steps - done))
        done += min(LOOK, steps - done)
        if not loop.controller.memory['leg_frame_point'][:, 2].min() >= FALLEN:
            break
    return done


def compute_in_fork(compute: Callable[[], float]) -> float:
    """Return what a function computes in a copy of this process, which it leaves as it is."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_and_end(compute, sink)
    os.close(sink)
    with os.fdopen(source, encoding='utf-8') as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError('an evaluation in PyBullet ended without an answer')
    return float(json.loads(answer))


def _answer_and_end(compute: Callable[[], float], sink: int) -> None:
    """Write the answer and end this process; without one it has told why."""
    code = 1
    try:
        os.write(sink, json.dumps(compute()).encode())
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
