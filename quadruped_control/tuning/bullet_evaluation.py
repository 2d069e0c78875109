"""
The evaluation of a gait in PyBullet, for gaits that MuJoCo cannot speak for.

PyBullet cannot go back to a snapshot, but a process can be forked: one run leads to the limit
cycle of the gait that a search began from, each gait tried begins in a child of it, and each of
the eight pushes in a child of that (section 4). For a gait that is to run over steps there are
eight roads, a dog before the steps of each, and the pushes are weak: they make each run another.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.fall import find_low
from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.gait_library import GaitLibrary, make_approach
from quadruped_control.errors import QuadrupedError
from quadruped_control.loading import validate
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Push, Scenario
from quadruped_control.simulation.world import TIME_STEP
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.marker_motion import task_distance
from quadruped_control.tuning.objective import Weights, compute_cost, compute_steady_cost
from quadruped_control.tuning.parameters import period_of
from quadruped_control.tuning.task import DIRECTIONS, Task

Array = NDArray[np.float64]
# for a body of the dog's size:
ADAPT = 1.2                 # s to the limit cycle of a gait that differs a little; half is judged
CYCLES = 2.1                # or so many cycles, where half of them are beside a reference
LOOK = 50                   # ticks between two looks whether a leg frame is low
ROADS = 8                   # one for each push, and
FIRST_ROAD = 50_000         # the seed of the first one's steps, no matrix of evaluate has it
RUN_UP, LENGTH = 12.0, 10.0     # m of a road before the steps, and of steps
DEPTH, ASIDE = 0.3, 5.0     # m of a step, and of the road to each side
BEFORE = 2.0                # m before them where a gait is tried
WEAKER = 0.3                # share of the pushes' forces on a road
LONGEST = 20.0              # s to get there


class BulletEvaluator:
    """A dog that goes in the gait that is searched around, for one process."""

    def __init__(self, task: Task, first_road: int = FIRST_ROAD) -> None:
        """
        Lead the dog to its limit cycle, and before the steps of each road if there are any.

        :param first_road: seed of the first road's steps.
        """
        self._task = task
        library = GaitLibrary(task.robot)
        start = GaitTable.of(load_gait(task.gait, task.robot)).interpolate(task.speed)
        self._table = make_approach(library, task.gait, task.speed, start)
        library.tables[task.gait] = self._table
        cycles = CYCLES * period_of(start) if task.reference else 0.0
        self._adapt = round(max(ADAPT * task.similarity.factor('s'), cycles) / TIME_STEP)
        self._loop = self._make_loop(library, task.settle + self._adapt * TIME_STEP
                                     + task.duration)
        self._lead(self._loop, round(task.settle / TIME_STEP))
        self._roads = [self._loop] * ROADS
        if task.steps:
            self._roads = [self._approach(library, first_road + n) for n in range(ROADS)]

    def _make_loop(self, library: GaitLibrary, duration: float, **more: object) -> Loop:
        task = self._task
        scenario = validate({
            'name': 'tuning', 'duration': duration, 'robot': task.robot, 'spine': task.spine,
            'torque_limit': task.torque_limit, 'recover': False,
            'commands': [{'t': 0.0, 'vx': task.speed, 'gait': task.gait}], **more},
            Scenario, 'tuning')
        return Loop(scenario, library)

    def _approach(self, library: GaitLibrary, seed: int) -> Loop:
        """Return a dog shortly before the steps of a road."""
        length, time = (self._task.similarity.factor(unit) for unit in ('m', 's'))
        loop = self._make_loop(
            library, LONGEST * time + self._task.duration, seed=seed, terrain=[{
                'kind': 'steps', 'x': [RUN_UP * length, (RUN_UP + LENGTH) * length],
                'y': [-ASIDE * length, ASIDE * length], 'depth': DEPTH * length,
                'height': [0.0, self._task.steps]}])
        for _ in range(round(LONGEST * time / TIME_STEP) // LOOK):
            self._lead(loop, LOOK)
            if loop.recording.leg_frame_position[-1, 1, 0] > (RUN_UP - BEFORE) * length:
                break
        return loop

    def _lead(self, loop: Loop, steps: int) -> None:
        if run_until_fall(loop, steps) < steps or has_fallen(loop):
            time = float(loop.world.state['time'])
            raise QuadrupedError(f'{self._task.gait} at {self._task.speed:g} m/s: the dog fell '
                                 f'after {time:.1f} s, before anything was changed')

    def cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        """Return the cost of the undisturbed gait and the mean over eight pushes."""
        return compute_in_fork(partial(self._cost, numbers, seed, weights))

    def _cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        task, loop = self._task, self._loop
        self._table.rows[-1] = numbers
        lasted = run_until_fall(loop, self._adapt)
        if lasted < self._adapt:
            return 3 * weights.fall * (2 - lasted / self._adapt)
        judged = loop.recording.tail(self._adapt // 2)
        steady = compute_steady_cost(judged, task.speed, weights,
                                     task_distance(task, loop.robot, judged, numbers))
        costs = [compute_in_fork(partial(self._cost_of_push, road, push, weights))
                 for road, push in zip(self._roads, self._draw_pushes(seed), strict=True)]
        return steady + float(np.mean(costs))

    def _draw_pushes(self, seed: int) -> list[Mapping[str, object]]:
        rng = np.random.default_rng(seed)
        share = WEAKER if self._task.steps else 1.0
        pushes: list[Mapping[str, object]] = []
        for at in ('front', 'rear'):
            for x, y in DIRECTIONS:
                force, duration = self._task.pushes[int(rng.integers(len(self._task.pushes)))]
                pushes.append({'phase': float(rng.uniform()), 'at': at, 'duration': duration,
                               'force': [share * force * x, share * force * y, 0]})
        return pushes

    def _cost_of_push(self, loop: Loop, push: Mapping[str, object], weights: Weights) -> float:
        steps = round(self._task.duration / TIME_STEP)
        now = float(loop.world.state['time'])
        loop.pushes = list_pushes([validate({'t': now, **push}, Push, 'push')])
        lasted = run_until_fall(loop, steps)
        return compute_cost(loop.recording.tail(lasted), steps, self._task.speed, 0.0, weights)


def run_until_fall(loop: Loop, steps: int) -> int:
    """Run to the end or until a leg frame has sunk; return the number of steps done."""
    done = 0
    while done < steps:
        loop.run(min(LOOK, steps - done))
        done += min(LOOK, steps - done)
        if has_fallen(loop):
            break
    return done


def has_fallen(loop: Loop) -> bool:
    """Say whether a leg frame has sunk, or is nowhere."""
    heights = loop.observation.record['leg_frame_point'][np.newaxis, :, 2]
    return bool(find_low(heights, loop.robot.measures.fallen_height)[0])
