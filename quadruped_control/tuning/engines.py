"""The same gaits in both engines: how far PyBullet and MuJoCo differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.rollout.footfalls import compute_duty_factor, find_footfalls
from quadruped_control.rollout.recording import Recording
from quadruped_control.tuning.acceptance import run_in_pybullet
from quadruped_control.tuning.evaluation import Evaluator
from quadruped_control.tuning.task import Task

GAITS = (('walk', 0.5), ('trot', 1.0), ('trot', 2.2), ('pace', 1.0))       # and m/s
SETTLE = 3.0                # s from a stand, and
STEADY = 3.0                # s that are measured
FIGURES = {                 # with their units
    'speed': 'm/s', 'front_height': 'm', 'rear_height': 'm', 'mean_torque': 'N m',
    'peak_torque': 'N m', 'power': 'W', 'duty_factor': '',
}


@dataclass(frozen=True)
class Comparison:
    """The figures of a gait in each engine; none where the dog fell."""

    gait: str
    speed: float
    pybullet: dict[str, float] | None
    mujoco: dict[str, float] | None


def compare() -> Iterator[Comparison]:
    """Run all gaits from a stand in both engines."""
    fast = Evaluator(Task(0.0, (), settle=SETTLE + STEADY))
    for gait, speed in GAITS:
        numbers = GaitTable.of(load_gait(gait)).interpolate(speed)
        fast.settle(numbers, speed)
        task = Task(speed, (), settle=SETTLE, duration=STEADY)
        slow = run_in_pybullet(gait, numbers, task, [])
        yield Comparison(gait, speed, measure(slow), measure(fast.last))


def measure(recording: Recording) -> dict[str, float] | None:
    """
    Return the figures of the steady end of a run, or None if it fell.

    The torques are mean and greatest of the greatest joint torque of each step.
    """
    steps = round(STEADY / recording.time_step)
    if len(recording) < round((SETTLE + STEADY) / recording.time_step):
        return None
    steady = recording.tail(steps)
    heights = steady.leg_frame_position[:, :, 2].mean(axis=0)
    duty = [compute_duty_factor(feet) or 0.0 for feet in find_footfalls(steady).values()]
    values = (steady.leg_frame_velocity[:, :, 0].mean(), *heights, steady.peak_torque.mean(),
              steady.peak_torque.max(), steady.power.mean(), np.mean(duty))
    return {name: float(value) for name, value in zip(FIGURES, values, strict=True)}
