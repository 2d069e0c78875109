"""What an engine reports, laid out as the state record: joints by link, the root by its frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.rotations import rotation_from_quaternion

Array = NDArray[np.float64]


@compiled
def set_joints(positions: Array, velocities: Array, movable: NDArray[np.int64],
               block: NDArray[np.record]) -> None:
    """Write positions and velocities of the moving joints, given in the order of ``movable``."""
    state = block[0]
    for n in range(movable.shape[0]):
        state.joint_position[movable[n]] = positions[n]
        state.joint_velocity[movable[n]] = velocities[n]


@compiled
def limit_torques(torques: Array, limits: Array, movable: NDArray[np.int64], limited: Array,
                  chosen: Array) -> None:
    """Write the torques of all links cut to their limits, and those of moving joints in order."""
    for i in range(torques.shape[0]):
        limited[i] = min(max(torques[i], -limits[i]), limits[i])
    for n in range(movable.shape[0]):
        chosen[n] = limited[movable[n]]


@compiled
def set_base_from_centre_of_mass(measured: Array, offset: Array,
                                 block: NDArray[np.record]) -> None:
    """
    Write the root's pose and velocity: r = r_c - R c, v = v_c - w x R c.

    :param measured: position, quaternion (x, y, z, w), velocity and angular velocity (world) of
        the centre of mass.
    :param offset: c, the centre of mass in the root's frame.
    :param block: the state record, as an array of one.
    """
    rotation, arm, state = np.empty((3, 3)), np.empty(3), block[0]
    for k in range(4):
        state.base_quaternion[k] = measured[3 + k]
    rotation_from_quaternion(state.base_quaternion, rotation)
    for k in range(3):
        arm[k] = (rotation[k, 0] * offset[0] + rotation[k, 1] * offset[1]
                  + rotation[k, 2] * offset[2])
        state.base_position[k] = measured[k] - arm[k]
        state.base_angular_velocity[k] = measured[10 + k]
    w = state.base_angular_velocity
    state.base_velocity[0] = measured[7] - (w[1] * arm[2] - w[2] * arm[1])
    state.base_velocity[1] = measured[8] - (w[2] * arm[0] - w[0] * arm[2])
    state.base_velocity[2] = measured[9] - (w[0] * arm[1] - w[1] * arm[0])
