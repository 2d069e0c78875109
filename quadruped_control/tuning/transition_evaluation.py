"""
The evaluation of the transition controller from trot to canter, in PyBullet.

As in section 4 it is judged by how far the speed is from the one wanted, during the shift and the
first cycles of the canter; here also by how the body turns. A dog trots, and eight times a copy of
it is told to canter: at another moment each, with a light push at that moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import FASTEST_CHANGE
from quadruped_control.control.ladder import AUTO
from quadruped_control.control.transition import (
    CHANGES,
    TROT_TO_CANTER,
    FrameChange,
    Transition,
    as_change,
    list_limits,
)
from quadruped_control.loading import validate
from quadruped_control.model.similarity import SAME, Similarity
from quadruped_control.rollout.commands import Commands
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Command, Push, Scenario
from quadruped_control.simulation.world import TIME_STEP
from quadruped_control.tuning.bullet_evaluation import run_until_fall
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.objective import Weights, compute_terms
from quadruped_control.tuning.parameters import Parameters
from quadruped_control.tuning.task import DIRECTIONS, Task

Array = NDArray[np.float64]
# for a body of the dog's size: gait asked for, m/s that it trots at, and then m/s in the canter
SHIFTS = ((AUTO, 2.1, 2.7), ('canter', 1.6, 2.3))
LATEST = 0.6                # s until the dog is told, more than a cycle
STRIDE = 0.4                # s over which a speed is averaged
FASTER = 4.0                # weight of the speed's error, against that of an undisturbed run


class TransitionEvaluator:
    """Dogs that trot, for one process."""

    def __init__(self, task: Task) -> None:
        self._task = task
        library = GaitLibrary(task.robot, shift=change_of(np.zeros(2 * len(CHANGES))))
        self._shifts = [table.shift for table in library.tables.values() if len(table.shift)]
        self._pace, self._time = (task.similarity.factor(unit) for unit in ('m/s', 's'))
        self._loops = [self._trot(library, gait, speed * self._pace) for gait, speed, _ in SHIFTS]

    def _trot(self, library: GaitLibrary, gait: str, speed: float) -> Loop:
        task = self._task
        scenario = validate({
            'name': 'transition', 'duration': task.settle + LATEST * self._time + task.duration,
            'robot': task.robot, 'spine': task.spine, 'torque_limit': task.torque_limit,
            'recover': False, 'commands': [{'t': 0.0, 'vx': speed, 'gait': gait}]},
            Scenario, 'transition')
        loop = Loop(scenario, library)
        run_until_fall(loop, round(task.settle / TIME_STEP))
        return loop

    def cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        """Return the mean cost over eight shifts; moments and pushes follow from the seed."""
        return compute_in_fork(partial(self._cost, numbers, seed, weights))

    def _cost(self, numbers: Array, seed: int, weights: Weights) -> float:
        for shift in self._shifts:
            shift[:] = change_of(numbers)
        rng = np.random.default_rng(seed)
        costs = []
        for loop, (gait, _, speed) in zip(self._loops, SHIFTS, strict=True):
            for x, y in DIRECTIONS:
                wait = float(rng.uniform(0.0, LATEST)) * self._time
                now = float(loop.world.state['time']) + wait
                force, duration = self._task.pushes[int(rng.integers(len(self._task.pushes)))]
                push = {'t': now, 'duration': duration, 'force': [force * x, force * y, 0.0],
                        'at': ('front', 'rear')[int(rng.integers(2))]}
                command = validate({'t': round(now, 3), 'vx': speed * self._pace, 'gait': gait},
                                   Command, 'transition')
                costs.append(compute_in_fork(partial(self._cost_of_shift, loop, command, push,
                                                     weights)))
        return float(np.mean(costs))

    def _cost_of_shift(self, loop: Loop, command: Command, push: Mapping[str, object],
                       weights: Weights) -> float:
        task, stride = self._task, STRIDE * self._time
        loop.commands = Commands([command])
        loop.pushes = list_pushes([validate(dict(push), Push, 'push')])
        before = float(loop.recording.leg_frame_velocity[-round(stride / TIME_STEP):, :, 0].mean())
        told = round((command.t - float(loop.world.state['time'])) / TIME_STEP)
        run_until_fall(loop, told)
        steps = round(task.duration / TIME_STEP)
        lasted = run_until_fall(loop, steps)
        if lasted < steps:
            return weights.fall * (2 - lasted / steps)
        return rate_shift(loop.recording.tail(steps), before, command.vx or 0.0, weights,
                          stride)


def rate_shift(recording: Recording, before: float, after: float, weights: Weights,
               stride: float) -> float:
    """
    Return the cost of a shift that the dog survived.

    :param before: m/s at its begin, and
    :param after: m/s wanted in the end.
    :param stride: s over which a speed is averaged.
    """
    terms = compute_terms(recording, after, 0.0)
    return float(FASTER * weights.speed * measure_speed_error(recording, before, after, stride)
                 + weights.rotation * terms['rotation'] + weights.head * terms['head']
                 + weights.slip * terms['slip'] + weights.drift * terms['drift'])


def measure_speed_error(recording: Recording, before: float, after: float,
                        stride: float = STRIDE) -> float:
    """Return the mean distance of the speed, over a stride, from one that rises evenly, m/s."""
    width = round(stride / recording.time_step)
    forward = recording.leg_frame_velocity[:, :, 0].mean(axis=1)
    smooth = np.convolve(forward, np.ones(width) / width, 'valid')
    time = (np.arange(len(smooth)) + width / 2) * recording.time_step
    wanted = np.minimum(before + FASTEST_CHANGE * time, after)
    return float(np.abs(smooth - wanted).mean())


def change_of(numbers: Array) -> Array:
    """Return what a transition of these numbers adds to the parameters of a gait."""
    return as_change(make_transition(numbers))


def make_transition(numbers: Array) -> Transition:
    """Return the transition of CHANGES in front, then behind."""
    front, rear = (FrameChange(**{key: round(float(value), 5)
                                  for key, value in zip(CHANGES, part, strict=True)})
                   for part in np.reshape(numbers, (2, -1)))
    return Transition(name=TROT_TO_CANTER, front=front, rear=rear)


def flatten_transition(transition: Transition) -> Array:
    """Return CHANGES in front, then behind, as numbers."""
    return np.array([getattr(frame, key) for frame in (transition.front, transition.rear)
                     for key in CHANGES])


def transition_parameters(similarity: Similarity = SAME) -> Parameters:
    """Return what a search may change, within its limits."""
    limits = np.tile(list_limits(similarity), 2)
    count = len(limits)
    return Parameters(tuple((n,) for n in range(count)), (False,) * count, -limits, limits)
