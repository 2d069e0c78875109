"""The leg-frame controller (algorithm 1): virtual forces, inverse kinematics and joint control."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import CompiledController, register
from quadruped_control.control.feet import add_swing_forces, observe_contacts, set_foot_targets
from quadruped_control.control.gains import Gains, flatten_gains, load_gains
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
    observe_tilt,
    set_leg_frame_goals,
)
from quadruped_control.control.observation import Observed
from quadruped_control.control.records import memory_type
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import FRONT, REAR, as_block, dynamics_type, new_record
from quadruped_control.loading import Schema
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.ground_table import GroundTable

Array = NDArray[np.float64]
Block = NDArray[np.record]


class LegFrameParts(NamedTuple):
    """The controller's records, and the ground that its feet are set on."""

    gains: Block
    ground: GroundTable
    work: Block
    memory: Block


@compiled
def compute(parts: LegFrameParts, observed: Observed, aims: Block, dt: float,
            torques: Array) -> None:
    """Write the torque of every joint, before limits."""
    gains, work, memory, target = parts.gains[0], parts.work[0], parts.memory[0], aims[0]
    tree, anatomy, state = observed.tree[0], observed.anatomy[0], observed.state[0]
    motion, seen = observed.motion[0], observed.seen[0]
    torques[:] = 0.0
    observe_tilt(anatomy, gains, motion, memory, dt)
    observe_contacts(gains, target, state, seen, memory, dt)
    set_leg_frame_goals(anatomy, target, seen, memory)
    set_foot_targets(anatomy, gains, target, parts.ground, seen, memory, dt)
    set_joint_targets(anatomy, target, motion, seen, memory)
    choose_gains(anatomy, gains, target, seen, memory)
    add_joint_torques(tree, state, memory, dt, torques)
    if memory.tilted > 0.0:
        make_implicit(tree, anatomy, gains, state, motion, work, seen, memory, torques)
        return
    add_gravity_compensation(tree, anatomy, motion, seen, torques)
    if target.posed > 0.5:
        make_implicit(tree, anatomy, gains, state, motion, work, seen, memory, torques)
        return
    add_swing_forces(tree, anatomy, gains, target, motion, seen, memory, dt, torques)
    add_stance_forces(tree, anatomy, gains, target, motion, seen, memory, torques)
    apply_net_leg_frame_torque(tree, anatomy, gains, target, motion, seen, FRONT, torques)
    apply_net_leg_frame_torque(tree, anatomy, gains, target, motion, seen, REAR, torques)
    make_implicit(tree, anatomy, gains, state, motion, work, seen, memory, torques)


register(LegFrameParts, compute)


class LegFrameController(CompiledController):
    """The compiled controller with its records."""

    name = 'leg_frames'

    def __init__(self, robot: Robot, gains: Gains, ground: GroundTable) -> None:
        links = len(robot.links)
        self._robot = robot
        self.parameters = gains
        self._gains = as_block(flatten_gains(gains, robot))
        self._work = as_block(new_record(dynamics_type(links)))
        self._memory = as_block(new_record(memory_type(links)))
        super().__init__(links, ground, self._memory)

    @property
    def parts(self) -> LegFrameParts:
        """What the compiled function works on."""
        return LegFrameParts(self._gains, self._ground, self._work, self._memory)

    def tune(self, parameters: Schema) -> None:
        """Go on with other gains."""
        if not isinstance(parameters, Gains):
            raise InputError(self.name, 'parameters', type(parameters).__name__, 'gains')
        self.parameters = parameters
        self._gains[:] = as_block(flatten_gains(parameters, self._robot))


def make_leg_frame_controller(robot: Robot, ground: GroundTable) -> LegFrameController:
    """Return the controller with the gains of a robot's folder."""
    return LegFrameController(robot, load_gains(robot.name), ground)
