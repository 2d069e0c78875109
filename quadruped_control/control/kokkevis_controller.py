"""
The controller of Kokkevis et al. 1995, "Autonomous Animation and Control of Four-Legged Animals".

The body is rigid. Six controllers want a force and a torque at its centre of mass; they are
distributed to the feet that push by optimisation, under the friction that the ground is believed
to have. The other legs move as the leg automaton says.
"""

from __future__ import annotations

from math import pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import Controller, register
from quadruped_control.control.feet import add_swing_forces
from quadruped_control.control.foot_limits import (
    add_wrench_rows,
    count_leg_joints,
    lay_plane,
    level_axes,
    limit_foot,
)
from quadruped_control.control.force_distribution import distribute_forces
from quadruped_control.control.force_problem import Formulation, problem_type, work_type
from quadruped_control.control.gains import Gains, flatten_gains, load_gains
from quadruped_control.control.gravity_compensation import add_gravity_compensation
from quadruped_control.control.joint_control import (
    add_joint_torques,
    choose_gains,
    make_implicit,
)
from quadruped_control.control.joint_targets import set_joint_targets
from quadruped_control.control.kokkevis_body import compute_wrench, observe_body, set_body_goal
from quadruped_control.control.kokkevis_ground import notice_slips, observe_ground
from quadruped_control.control.kokkevis_legs import (
    advance_automaton,
    observe_contacts,
    set_foot_targets,
)
from quadruped_control.control.kokkevis_parameters import (
    Kokkevis,
    flatten_kokkevis,
    load_kokkevis,
)
from quadruped_control.control.kokkevis_records import kokkevis_memory_type
from quadruped_control.control.leg_frames import observe_tilt
from quadruped_control.control.observation import Observed
from quadruped_control.control.records import TargetRecord
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import GRAVITY, as_block, dynamics_type, new_record
from quadruped_control.kinematics.virtual_forces import add_virtual_force
from quadruped_control.loading import Schema
from quadruped_control.model.robot import Robot
from quadruped_control.terrain.local_map import LocalMap

Array = NDArray[np.float64]
Block = NDArray[np.record]
WRENCH = 6                  # rows of the wanted wrench


class KokkevisParts(NamedTuple):
    """The controller's records, and the ground that its feet are set on."""

    numbers: Block
    gains: Block
    ground: LocalMap
    problem: Block
    solver: Block
    dynamics: Block
    memory: Block


@compiled
def compute(parts: KokkevisParts, observed: Observed, aims: Block, dt: float,
            torques: Array) -> None:
    """Write the torque of every joint, before limits."""
    numbers, gains, memory, target = parts.numbers[0], parts.gains[0], parts.memory[0], aims[0]
    tree, anatomy, state = observed.tree[0], observed.anatomy[0], observed.state[0]
    motion, seen = observed.motion[0], observed.seen[0]
    torques[:] = 0.0
    observe_tilt(anatomy, gains, motion, memory, dt)
    observe_contacts(gains, target, state, seen, memory, dt)
    observe_body(tree, motion, numbers, memory, dt)
    observe_ground(anatomy, numbers, target, seen, memory, dt)
    care = notice_slips(numbers, seen, memory, dt)
    advance_automaton(numbers, anatomy, target, parts.ground, state, motion, seen, memory)
    set_body_goal(target, memory)
    set_foot_targets(numbers, gains, anatomy, target, seen, memory, dt)
    set_joint_targets(anatomy, target, motion, seen, memory)
    _sway(anatomy, numbers, target, state.time, memory)
    choose_gains(anatomy, gains, target, seen, memory)
    add_joint_torques(tree, state, memory, dt, torques)
    if memory.tilted == 0.0:
        add_gravity_compensation(tree, anatomy, motion, seen, torques)
        if target.posed < 0.5:
            add_swing_forces(tree, anatomy, gains, target, motion, seen, memory, dt, torques)
            _push(parts, observed, target, care, dt, torques)
    seen.slips, seen.jams, seen.friction = memory.slips, memory.jams, memory.friction
    seen.unsolved = parts.problem[0].unsolved
    memory.begun = 0.0 if memory.tilted > 0.0 or target.posed > 0.5 else 1.0
    make_implicit(tree, anatomy, gains, state, motion, parts.dynamics[0], seen, memory, torques)


@compiled
def _push(parts: KokkevisParts, observed: Observed, target: TargetRecord, care: float, dt: float,
          torques: Array) -> None:
    """Distribute the force and torque wanted to the feet that bear, and add their torques."""
    numbers, problem, memory = parts.numbers[0], parts.problem[0], parts.memory[0]
    tree, anatomy = observed.tree[0], observed.anatomy[0]
    motion, seen = observed.motion[0], observed.seen[0]
    compute_wrench(anatomy, numbers, target, motion, seen, memory, tree.total_mass, dt, care,
                   problem.wanted)
    _state_problem(numbers, tree, anatomy, target, motion, seen, memory, problem)
    distribute_forces(problem, parts.solver[0])
    for leg in range(4):
        for k in range(3):
            seen.virtual_force[leg, k] = -problem.force[leg, k]
        if seen.bears[leg]:
            add_virtual_force(tree, motion, anatomy.leg_frame[leg // 2], anatomy.toe[leg],
                              seen.sole[leg], seen.virtual_force[leg], torques)


@compiled
def _state_problem(numbers: np.record, tree: np.record, anatomy: np.record, target: TargetRecord,
                   motion: np.record, seen: np.record, memory: np.record,
                   problem: np.record) -> None:
    """Write the problem of this tick."""
    axes = np.empty((3, 3))
    level_axes(target.heading, axes)
    problem.regularisation = numbers.regularisation
    problem.weight[:] = numbers.row_weight
    count = 0
    for leg in range(4):
        problem.bears[leg] = seen.bears[leg]
        count += seen.bears[leg]
    for leg in range(4):
        if problem.bears[leg] == 0:
            continue
        add_wrench_rows(axes, memory.mass_centre, seen.sole[leg], leg, 0, problem)
        problem.reference[leg] = 0.0
        problem.reference[leg, 2] = tree.total_mass * GRAVITY / count
        lay_plane(memory.slope[0], memory.slope[1], target.heading, problem.tangent[leg],
                  problem.normal[leg])
        limit_foot(numbers, tree, anatomy, motion, seen, leg, memory.friction, problem)


@compiled
def _sway(anatomy: np.record, numbers: np.record, target: TargetRecord, time: float,
          memory: np.record) -> None:
    """Wag the tail, and turn a head that looks at nothing as if by chance (section 8)."""
    if target.posed > 0.5 or memory.tilted > 0.0:
        return
    calm = 0.0 if target.look[0] != 0.0 or target.look[1] != 0.0 else 1.0
    wag = numbers.tail[0] * sin(2 * pi * time / numbers.tail[1])
    turn, rate = numbers.head[0] / 3, 2 * pi * time / numbers.head[1]
    look = calm * turn * (sin(rate) + sin(1.618 * rate + 1.0) + sin(2.414 * rate + 2.0))
    for n in range(2, anatomy.tail_joints, 3):
        memory.joint_target[anatomy.tail[n]] += 3 * wag / anatomy.tail_joints
    for n in range(2, anatomy.neck_joints, 3):
        memory.joint_target[anatomy.neck[n]] += 3 * look / anatomy.neck_joints


register(KokkevisParts, compute)


class KokkevisController(Controller):
    """The compiled controller with its records."""

    def __init__(self, robot: Robot, parameters: Kokkevis, gains: Gains,
                 formulation: Formulation = Formulation.SQUARES) -> None:
        links, joints = len(robot.links), count_leg_joints(robot)
        self.name = 'kokkevis' if formulation == Formulation.SQUARES else 'kokkevis_lp'
        self._robot = robot
        self.parameters = parameters
        self._numbers = as_block(flatten_kokkevis(parameters, robot))
        self._gains = as_block(flatten_gains(gains, robot))
        self._problem = as_block(new_record(problem_type(4, WRENCH, joints)))
        self._problem['torque_limit'] = np.inf
        self._problem['formulation'] = formulation
        self._solver = as_block(new_record(work_type(4, WRENCH, joints)))
        self._dynamics = as_block(new_record(dynamics_type(links)))
        self._memory = as_block(new_record(kokkevis_memory_type(links)))
        super().__init__(links, self._memory, self._problem)

    @property
    def parts(self) -> KokkevisParts:
        """What the compiled function works on."""
        return KokkevisParts(self._numbers, self._gains, self._ground, self._problem,
                             self._solver, self._dynamics, self._memory)

    def tune(self, parameters: Schema) -> None:
        """Go on with other parameters."""
        if not isinstance(parameters, Kokkevis):
            raise InputError(self.name, 'parameters', type(parameters).__name__, 'kokkevis')
        self.parameters = parameters
        self._numbers[:] = as_block(flatten_kokkevis(parameters, self._robot))


def make_kokkevis_controller(robot: Robot, formulation: Formulation = Formulation.SQUARES
                             ) -> KokkevisController:
    """Return the controller with the parameters of a robot's folder."""
    return KokkevisController(robot, load_kokkevis(robot.name), load_gains(robot.name),
                              formulation)
