"""The leg-frame controller (algorithm 1): virtual forces, inverse kinematics and joint control."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.algorithm_2 import add_equal_forces, turn_by_hips
from quadruped_control.control.controller import Controller, register
from quadruped_control.control.feet import add_swing_forces, observe_contacts, set_foot_targets
from quadruped_control.control.foot_limits import count_leg_joints
from quadruped_control.control.force_problem import problem_type, work_type
from quadruped_control.control.gains import Gains, flatten_gains, load_gains
from quadruped_control.control.gravity_compensation import add_gravity_compensation
from quadruped_control.control.joint_control import (
    add_joint_torques,
    choose_gains,
    make_implicit,
)
from quadruped_control.control.joint_targets import set_joint_targets
from quadruped_control.control.leg_frames import (
    count_bearing,
    observe_tilt,
    set_leg_frame_goals,
)
from quadruped_control.control.observation import Observed
from quadruped_control.control.records import TargetRecord, memory_type
from quadruped_control.control.stance_forces import ROWS, add_distributed_forces, want_wrench
from quadruped_control.control.wanted_forces import compute_frame_torque, compute_lacking_torque
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import as_block, dynamics_type, new_record
from quadruped_control.loading import Schema
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.local_map import LocalMap

Array = NDArray[np.float64]
Block = NDArray[np.record]


class LegFrameParts(NamedTuple):
    """The controller's records, and the ground that its feet are set on."""

    gains: Block
    ground: LocalMap
    work: Block
    memory: Block
    problem: Block
    solver: Block
    rule: int


class Rule(IntEnum):
    """How the stance legs give the leg frames their torque."""

    FORCES = 0              # by forces of the feet: one optimisation over both leg frames
    HIPS = 1                # by the hips: algorithm 2 of the paper


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
    set_leg_frame_goals(anatomy, target, parts.ground, seen, memory, dt)
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
    _push(parts, observed, target, torques)
    make_implicit(tree, anatomy, gains, state, motion, work, seen, memory, torques)


@compiled
def _push(parts: LegFrameParts, observed: Observed, target: TargetRecord,
          torques: Array) -> None:
    """Let the bearing feet push as the leg frames want it."""
    gains, memory, problem = parts.gains[0], parts.memory[0], parts.problem[0]
    tree, anatomy = observed.tree[0], observed.anatomy[0]
    motion, seen = observed.motion[0], observed.seen[0]
    lacking = np.empty(3)
    problem.bears[:] = 0
    seen.virtual_force[:] = 0.0
    for frame in range(2):
        compute_frame_torque(anatomy, gains, motion, seen, memory, frame)
    by_hips = parts.rule == Rule.HIPS or target.by_hips > 0.5
    for frame in range(2):
        if count_bearing(seen, frame) == 0:
            continue
        if by_hips:
            add_equal_forces(tree, anatomy, gains, target, motion, seen, frame, torques)
        compute_lacking_torque(tree, anatomy, gains, target, motion, seen, frame, torques,
                               lacking)
        if by_hips:
            turn_by_hips(tree, anatomy, motion, seen, frame, lacking, torques)
        else:
            want_wrench(tree, anatomy, gains, target, motion, seen, frame, lacking, problem)
    add_distributed_forces(tree, anatomy, gains, motion, seen, problem, parts.solver[0], torques)
    seen.unsolved = problem.unsolved


register(LegFrameParts, compute)


NAMES = {Rule.FORCES: 'leg_frames', Rule.HIPS: 'algorithm_2'}


class LegFrameController(Controller):
    """The compiled controller with its records."""

    def __init__(self, robot: Robot, gains: Gains, rule: Rule = Rule.FORCES) -> None:
        links, joints = len(robot.links), count_leg_joints(robot)
        self.name = NAMES[rule]
        self._robot = robot
        self._rule = int(rule)
        self.parameters = gains
        self._gains = as_block(flatten_gains(gains, robot))
        self._work = as_block(new_record(dynamics_type(links)))
        self._memory = as_block(new_record(memory_type(links)))
        self._problem = as_block(new_record(problem_type(4, ROWS, joints)))
        self._problem['torque_limit'] = np.inf
        self._solver = as_block(new_record(work_type(4, ROWS, joints)))
        super().__init__(links, self._memory, self._problem)

    @property
    def parts(self) -> LegFrameParts:
        """What the compiled function works on."""
        return LegFrameParts(self._gains, self._ground, self._work, self._memory, self._problem,
                             self._solver, self._rule)

    def tune(self, parameters: Schema) -> None:
        """Go on with other gains."""
        if not isinstance(parameters, Gains):
            raise InputError(self.name, 'parameters', type(parameters).__name__, 'gains')
        self.parameters = parameters
        self._gains[:] = as_block(flatten_gains(parameters, self._robot))


def make_leg_frame_controller(robot: Robot, rule: Rule = Rule.FORCES) -> LegFrameController:
    """Return the controller with the gains of a robot's folder."""
    return LegFrameController(robot, load_gains(robot.name), rule)
