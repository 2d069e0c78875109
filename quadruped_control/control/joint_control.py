"""
Joint control: proportional-derivative torques towards target angles, taken implicitly.

With light links and a step of 1 ms an explicit PD of useful gains is unstable. The torque
wanted is the one at the end of the step, kp (target - q') - kd qd' with qd' = qd + dt qdd and
q' = q + dt qd'. Written out,

    tau = kp (target - q) - (kd + dt kp) qd - (dt kd + dt^2 kp) qdd,

where the last factor acts like an armature: one articulated-body pass with it gives qdd.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.articulated_body import (
    add_point_mass,
    begin_dynamics,
    compute_accelerations,
)
from quadruped_control.kinematics.records import ABSENT, GRAVITY

Array = NDArray[np.float64]


@compiled
def choose_gains(anatomy: np.record, gains: np.record, target: TargetRecord,
                 seen: np.record, memory: np.record) -> None:
    """
    Weaken the gains of bearing legs, whose hips belong to the leg frames (section 3.1).

    A pose says by itself how stiffly it is taken.
    """
    memory.kp[:] = gains.kp
    memory.kd[:] = gains.kd
    if target.posed > 0.5:
        memory.kp *= target.stiffness
        memory.kd *= target.damping
    _stiffen(memory, anatomy.neck, anatomy.neck_joints, target.stiffening[0])
    _stiffen(memory, anatomy.spine, anatomy.spine_joints, target.stiffening[1])
    for leg in range(4):
        _scale(memory, anatomy.knee[leg], 1.0 + target.stiffening[2])
        _scale(memory, anatomy.ankle[leg, 0], 1.0 + target.stiffening[2])
    for leg in range(4):
        if not seen.bears[leg]:
            continue
        shape = target.stance_shape[leg // 2] * gains.stance_shape
        for axis in range(2):
            _scale(memory, anatomy.hip[leg, axis], 0.0)
            _scale(memory, anatomy.ankle[leg, axis], shape)
        _scale(memory, anatomy.knee[leg], shape)


@compiled
def _stiffen(memory: np.record, joints: NDArray[np.int64], count: int, share: float) -> None:
    for n in range(count):
        _scale(memory, joints[n], 1.0 + share)


@compiled
def _scale(memory: np.record, joint: int, factor: float) -> None:
    if joint != ABSENT:
        memory.kp[joint] *= factor
        memory.kd[joint] *= factor


@compiled
def add_joint_torques(tree: np.record, state: np.record, memory: np.record, dt: float,
                      torques: Array) -> None:
    """Add the explicit part of the PD torques, and note the armature of the implicit one."""
    for i in range(1, tree.parent.shape[0]):
        error = memory.joint_target[i] - state.joint_position[i]
        error -= 2 * pi * np.round(error / (2 * pi))
        kp, kd = memory.kp[i], memory.kd[i]
        torques[i] += kp * error - (kd + dt * kp) * state.joint_velocity[i]
        memory.armature[i] = dt * kd + dt * dt * kp


@compiled
def make_implicit(tree: np.record, anatomy: np.record, gains: np.record, state: np.record,
                  motion: np.record, work: np.record, seen: np.record, memory: np.record,
                  torques: Array) -> None:
    """Subtract armature times acceleration; bearing feet are taken as held by the ground."""
    begin_dynamics(tree, motion, state.joint_velocity, GRAVITY, work)
    for leg in range(4):
        if seen.bears[leg]:
            add_point_mass(motion, anatomy.toe[leg], seen.sole[leg], gains.held_mass, work)
    compute_accelerations(tree, torques, memory.armature, work)
    for i in range(1, tree.parent.shape[0]):
        torques[i] -= memory.armature[i] * work.joint_acceleration[i]
