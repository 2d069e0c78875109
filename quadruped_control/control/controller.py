"""The controller: from the measured state and the target to joint torques (algorithm 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.feet import add_swing_forces, observe_feet, set_foot_targets
from quadruped_control.control.gains import Gains, flatten_gains
from quadruped_control.control.gravity_compensation import add_gravity_compensation
from quadruped_control.control.joint_control import (
    add_joint_torques,
    choose_gains,
    make_implicit,
)
from quadruped_control.control.joint_targets import set_joint_targets
from quadruped_control.control.leg_frames import (
    add_stance_forces,
    apply_net_leg_frame_torque,
    observe_leg_frames,
    observe_tilt,
)
from quadruped_control.control.records import TargetRecord, memory_type
from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import (
    FRONT,
    REAR,
    as_block,
    dynamics_type,
    motion_type,
    new_record,
)
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.ground_table import GroundTable

Array = NDArray[np.float64]
Block = NDArray[np.record]


@compiled
def compute_torques(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                    ground: GroundTable, state: np.record, motion: np.record, work: np.record,
                    memory: np.record, dt: float, torques: Array) -> None:
    """Write the torque of every joint, before limits."""
    torques[:] = 0.0
    compute_motion(tree, state, motion)
    observe_tilt(anatomy, gains, motion, memory, dt)
    observe_feet(anatomy, gains, target, state, motion, memory, dt)
    observe_leg_frames(anatomy, target, motion, memory)
    set_foot_targets(anatomy, gains, target, ground, memory, dt)
    set_joint_targets(anatomy, target, motion, memory)
    choose_gains(anatomy, gains, target, memory)
    add_joint_torques(tree, state, memory, dt, torques)
    if memory.tilted > 0.0:
        make_implicit(tree, anatomy, gains, state, motion, work, memory, torques)
        return
    add_gravity_compensation(tree, anatomy, motion, memory, torques)
    if target.posed > 0.5:
        make_implicit(tree, anatomy, gains, state, motion, work, memory, torques)
        return
    add_swing_forces(tree, anatomy, gains, target, motion, memory, dt, torques)
    add_stance_forces(tree, anatomy, gains, target, motion, memory, torques)
    apply_net_leg_frame_torque(tree, anatomy, gains, target, motion, memory, FRONT, torques)
    apply_net_leg_frame_torque(tree, anatomy, gains, target, motion, memory, REAR, torques)
    make_implicit(tree, anatomy, gains, state, motion, work, memory, torques)


@compiled
def compute_torques_of_blocks(tree: Block, anatomy: Block, gains: Block, target: Block,
                              ground: GroundTable, state: Block, motion: Block, work: Block,
                              memory: Block, dt: float, torques: Array) -> None:
    """Call :func:`compute_torques` with records that come as arrays of one, the fast way in."""
    compute_torques(tree[0], anatomy[0], gains[0], target[0], ground, state[0], motion[0],
                    work[0], memory[0], dt, torques)


class Controller:
    """The compiled controller with its records."""

    def __init__(self, robot: Robot, gains: Gains, target: TargetRecord, ground: GroundTable, *,
                 time_step: float) -> None:
        links = len(robot.links)
        self.robot = robot
        self.time_step = time_step
        self.gains = flatten_gains(gains, robot)
        self.target = target
        self.motion = new_record(motion_type(links))
        self.memory = new_record(memory_type(links))
        self.torques = np.zeros(links)
        work = new_record(dynamics_type(links))
        self._constants = (as_block(robot.tree), as_block(robot.anatomy), as_block(self.gains),
                           as_block(self.target), ground)
        self._variables = as_block(self.motion), as_block(work), as_block(self.memory)

    def enter(self, ground: GroundTable) -> None:
        """Walk on another ground from now on."""
        self._constants = (*self._constants[:-1], ground)

    def reset(self) -> None:
        """Forget what outlives a tick."""
        as_block(self.memory)[:] = np.zeros(1, self.memory.dtype)

    def update(self, state: np.record) -> Array:
        """Return the torques for a state, one entry per link."""
        compute_torques_of_blocks(*self._constants, as_block(state), *self._variables,
                                  self.time_step, self.torques)
        return self.torques
