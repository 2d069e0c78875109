"""
The closed loop of a tick, compiled, in the order the data flows.

Read the state, choose the target, compute torques, write them, push, record, step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import Controller, compute_torques
from quadruped_control.control.gait_scheduler import Tables
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.control.skill_scheduler import SkillScheduler, schedule
from quadruped_control.kinematics.records import as_block
from quadruped_control.rollout.pushes import apply_pushes
from quadruped_control.rollout.sample import Blocks, Rows, write_sample
from quadruped_control.simulation.bullet_engine import read_engine, step_engine, write_engine
from quadruped_control.terrain.ground_table import GroundTable

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Block = NDArray[np.record]


def gather_blocks(state: np.record, scheduler: SkillScheduler, controller: Controller) -> Blocks:
    """Return all records of the loop."""
    tree, anatomy, gains, target, _ = controller._constants
    motion, work, memory = controller._variables
    return (tree, anatomy, gains, target, scheduler._clock, scheduler._parameters,
            as_block(state), motion, work, memory)


@compiled
def decide(blocks: Blocks, tables: Tables, skills: SkillTables, command: Array, numbers: Array,
           ground: GroundTable, dt: float, torques: Array) -> None:
    """Write the torques that scheduler and controller want for the state and the command."""
    tree, anatomy, gains, target, clock, gait, state, motion, work, memory = blocks
    schedule(tables, skills, anatomy, command, state, clock, gait, numbers, target, dt)
    compute_torques(tree[0], anatomy[0], gains[0], target[0], ground, state[0], motion[0],
                    work[0], memory[0], dt, torques)


@compiled
def act(engine: Block, blocks: Blocks, command: Array, gait: int, pushes: Block, trunk: Indices,
        torques: Array, row: int, rows: Rows) -> None:
    """
    Do the world's half of a tick: write the torques, push, record, step.

    :param gait: number of the gait that the dog is in.
    :param trunk: links whose contact counts as the body's.
    :param row: of the recording; negative where nothing is recorded.
    """
    anatomy, clock, state, memory = blocks[1], blocks[4], blocks[6], blocks[9]
    e = engine[0]
    write_engine(engine, torques)
    apply_pushes(pushes, engine, anatomy[0], memory[0], clock[0], state[0].time)
    if row >= 0:
        touches = False
        for n in range(trunk.shape[0]):
            touches = touches or e.touches[trunk[n]] > 0
        write_sample(blocks, e.limited, e.torque_limit, e.movable, touches, command, gait, row,
                     rows)
    step_engine(engine, state)


@compiled
def run_ticks(count: int, engine: Block, blocks: Blocks, tables: Tables, skills: SkillTables,
              gaits: Indices, command: Array, numbers: Array, ground: GroundTable, pushes: Block,
              trunk: Indices, torques: Array, row: int, rows: Rows) -> None:
    """
    Run so many ticks under one command.

    :param gaits: number of the gait in each row of the table that was requested.
    :param trunk: links whose contact counts as the body's.
    :param row: of the recording, for the first tick.
    """
    clock, state = blocks[4], blocks[6]
    for tick in range(count):
        read_engine(engine, state)
        decide(blocks, tables, skills, command, numbers, ground, engine[0].time_step, torques)
        gait = 0 if clock[0].stands == 1.0 else gaits[int(clock[0].row)]
        act(engine, blocks, command, gait, pushes, trunk, torques, row + tick, rows)
