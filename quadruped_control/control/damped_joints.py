"""Joints that only damp: what moves a robot when there is no controller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.gains import flatten_gains, load_gains
from quadruped_control.control.observation import Observation, Observed
from quadruped_control.kinematics.articulated_body import begin_dynamics, compute_accelerations
from quadruped_control.kinematics.records import GRAVITY, as_block, dynamics_type, new_record
from quadruped_control.model.robot import Robot

Array = NDArray[np.float64]


class DampedJoints:
    """Torques -kd qd of a robot, taken at the end of the step, so that they are stable."""

    def __init__(self, robot: Robot) -> None:
        self._damping: Array = flatten_gains(load_gains(robot.name), robot)['kd'].copy()
        self._work = as_block(new_record(dynamics_type(len(robot.links))))

    def update(self, observation: Observation, dt: float, torques: Array) -> None:
        """Write the torques, one entry per link."""
        damp(observation.blocks, self._damping, self._work, dt, torques)


@compiled
def damp(observed: Observed, damping: Array, work: NDArray[np.record], dt: float,
         torques: Array) -> None:
    """Write tau = -kd (qd + dt qdd), with qdd from one articulated-body pass."""
    tree, state, here = observed.tree[0], observed.state[0], work[0]
    armature = dt * damping
    for i in range(torques.shape[0]):
        torques[i] = -damping[i] * state.joint_velocity[i]
    begin_dynamics(tree, observed.motion[0], state.joint_velocity, GRAVITY, here)
    compute_accelerations(tree, torques, armature, here)
    for i in range(1, torques.shape[0]):
        torques[i] -= armature[i] * here.joint_acceleration[i]
