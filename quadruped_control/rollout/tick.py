"""
The closed loop of a tick, compiled, in the order the data flows.

Read the state, observe, choose the target, compute torques; then write them, push, record, step.
Any engine and any controller: they are found by the types of their memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import compute_torques
from quadruped_control.control.fall_detection import has_collapsed
from quadruped_control.control.observation import Observed, observe
from quadruped_control.control.skill_scheduler import Planning, schedule
from quadruped_control.rollout.echo import write_echo
from quadruped_control.rollout.pushes import apply_pushes
from quadruped_control.rollout.recording import TORQUE_CHANGE
from quadruped_control.rollout.sample import Rows, write_sample
from quadruped_control.simulation import bullet_engine  # noqa: F401  registers its functions
from quadruped_control.simulation.engine import Effort, read, step, write
from quadruped_control.simulation.engine import effort as effort_of

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Block = NDArray[np.record]


class Body(NamedTuple):
    """
    A robot in a world, as the loop takes it.

    :param echo: of the scheduler's state.
    :param trunk: links whose contact counts as the body's.
    :param torques: by link, before limits.
    """

    engine: Any
    observed: Observed
    echo: Block
    trunk: Indices
    torques: Array


@compiled
def sense(body: Body) -> None:
    """Read the state and observe it."""
    read(body.engine, body.observed.state)
    observe(body.observed)


@compiled
def decide(body: Body, planning: Planning, parts: Any, dt: float) -> None:
    """Write the torques that scheduler and controller want for the state and the command."""
    p = planning
    schedule(p.tables, p.skills, p.anatomy, p.command, body.observed.state, p.clock, p.gait,
             p.numbers, p.target, dt)
    compute_torques(parts, body.observed, p.target, dt, body.torques)
    write_echo(planning, body.observed, body.echo)


@compiled
def measure_change(torques: Array, before: Effort) -> float:
    """Return by how much torques differ from those of the last tick, after limits, in all."""
    change = 0.0
    for n in range(before.movable.shape[0]):
        i = before.movable[n]
        limited = min(max(torques[i], -before.limits[i]), before.limits[i])
        change += abs(limited - before.limited[i])
    return change


@compiled
def act(body: Body, pushes: Block, dt: float, row: int, rows: Rows) -> None:
    """
    Do the world's half of a tick: write the torques, push, record, step.

    :param row: of the recording; negative where nothing is recorded.
    """
    change = measure_change(body.torques, effort_of(body.engine))
    write(body.engine, body.torques)
    apply_pushes(pushes, body.engine, body.observed, body.echo[0])
    if row >= 0:
        effort = effort_of(body.engine)
        touches = False
        for n in range(body.trunk.shape[0]):
            touches = touches or effort.touches[body.trunk[n]] > 0
        write_sample(body.observed, body.echo[0], effort.limited, effort.limits, effort.movable,
                     touches, row, rows)
        rows[0][row, TORQUE_CHANGE] = change
    step(body.engine, body.observed.state, dt)


@compiled
def run_ticks(count: int, body: Body, planning: Planning, parts: Any, pushes: Block, dt: float,
              row: int, rows: Rows, until_fall: bool) -> int:
    """
    Run so many ticks under one command; return how many were run.

    :param row: of the recording, for the first tick.
    :param until_fall: end before the tick in which the robot has collapsed.
    """
    for tick in range(count):
        sense(body)
        if until_fall and has_collapsed(body.observed):
            return tick
        decide(body, planning, parts, dt)
        act(body, pushes, dt, row + tick, rows)
    return count
