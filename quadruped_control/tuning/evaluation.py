"""One evaluation of a gait: eight pushes, each from the limit cycle (section 4)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controllers import make_controller
from quadruped_control.control.gait_library import GaitLibrary, make_approach
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.control.transition import TROT_TO_CANTER
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.scenario import Push, Start
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.mujoco_world import MujocoWorld
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.terrain.ground import Ground
from quadruped_control.tuning.bullet_evaluation import BulletEvaluator
from quadruped_control.tuning.fast_loop import FastRollout, Snapshot, make_push
from quadruped_control.tuning.marker_motion import task_distance
from quadruped_control.tuning.objective import Weights, compute_cost, compute_steady_cost
from quadruped_control.tuning.task import DIRECTIONS, TUNED, Engine, Task
from quadruped_control.tuning.transition_evaluation import TransitionEvaluator

Array = NDArray[np.float64]


class Evaluator:
    """A dog in the fast engine, for one process."""

    def __init__(self, task: Task, time_step: float = 1e-3) -> None:
        self._task, self._dt = task, time_step
        self._robot = robot = load_robot(task.robot, task.spine).limit(task.torque_limit)
        ground = Ground.from_features(())
        library = GaitLibrary(task.robot)
        self._table = make_approach(library, task.gait, task.speed, library.stand)
        self._scheduler = SkillScheduler(robot, library.stand, {TUNED: self._table},
                                        gait=TUNED, time_step=time_step)
        self._controller = make_controller(robot)
        self._world = MujocoWorld(robot, ContactModel(), time_step=time_step)
        self._rollout = FastRollout(robot, self._world, self._scheduler, self._controller,
                                    time_step=time_step)
        self._pose = compute_start_pose(robot, ground, Start())

    def settle(self, numbers: Array, speed: float | None = None) -> tuple[Snapshot, int]:
        """
        Run a gait from a stand; return where it is then, and how many steps it lasted.

        :param speed: m/s, if not that of the task.
        """
        self._table.rows[-1] = numbers
        self._world.reset(self._pose)
        self._controller.reset()
        self._rollout.reset()
        self._scheduler.reset(gait=TUNED)
        self._scheduler.command[:] = self._task.speed if speed is None else speed, 0.0, 0.0, 1.0
        self.last = self._rollout.run(round(self._task.settle / self._dt))
        return self._rollout.snapshot(), len(self.last)

    def cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        """
        Return the cost of the undisturbed gait and the mean over the eight scenarios.

        The forces and times of the pushes follow from the seed.
        """
        start, lasted = self.settle(numbers)
        wanted = round(self._task.settle / self._dt)
        if lasted < wanted:
            return 3 * weights.fall * (2 - lasted / wanted)
        rng = np.random.default_rng(seed)
        steps = round(self._task.duration / self._dt)
        heading = start.heading
        steady = self.last.tail(wanted // 2)
        costs = []
        for frame in range(2):
            for direction in DIRECTIONS:
                push = self._push(frame, direction, rng)
                recording = self._rollout.run(steps, start=start, pushes=(push,))
                costs.append(compute_cost(recording, steps, self._task.speed, heading, weights))
        undisturbed = compute_steady_cost(steady, self._task.speed, weights,
                                          task_distance(self._task, self._robot, steady, numbers))
        return undisturbed + float(np.mean(costs))

    def _push(self, frame: int, direction: tuple[float, float],
              rng: np.random.Generator) -> Push:
        force, duration = self._task.pushes[int(rng.integers(len(self._task.pushes)))]
        after = float(rng.uniform(0.1, 0.7)) * self._task.similarity.factor('s')
        return make_push(frame, after, duration,
                         (force * direction[0], force * direction[1]))


@cache
def evaluator(task: Task) -> Evaluator | BulletEvaluator | TransitionEvaluator:
    """Return this process's evaluator of a task."""
    if task.gait == TROT_TO_CANTER:
        return TransitionEvaluator(task)
    return BulletEvaluator(task) if task.engine is Engine.BULLET else Evaluator(task)


def evaluate(task: Task, numbers: Array, seeds: tuple[int, ...], weights: Weights) -> float:
    """Return the mean cost of a gait over several seeds; what a worker process runs."""
    return float(np.mean([evaluator(task).cost(numbers, seed, weights) for seed in seeds]))
