"""One row of a recording from the records of a tick."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.observation import Observed
from quadruped_control.control.skill_numbers import Mode
from quadruped_control.control.skill_registry import MODES
from quadruped_control.kinematics.forward_kinematics import (
    compute_centre_of_mass,
    compute_point_velocity,
)
from quadruped_control.kinematics.rotations import rpy_from_rotation
from quadruped_control.rollout.recording import (
    ASKED_AT,
    BODY_CONTACT,
    CENTRE_OF_MASS,
    COMMAND,
    FOOT_CONTACT,
    FOOT_POSITION,
    FRICTION,
    GAIT,
    HEAD_VELOCITY,
    JAMS,
    LEG_FRAME_POSITION,
    LEG_FRAME_RPY,
    LEG_FRAME_VELOCITY,
    MODE,
    PEAK_TORQUE,
    POWER,
    SATURATED,
    SKILL,
    SLIPS,
    SOLE_VELOCITY,
    SQUARED_TORQUE,
    TARGET_HEADING,
    TARGET_STANCE,
    TIME,
    UNSOLVED,
)

Array = NDArray[np.float64]
Rows = tuple[Array, Array, Array]       # of a recording: samples, poses, velocities


@compiled
def write_sample(observed: Observed, echo: np.record, torques: Array, limits: Array,
                 movable: NDArray[np.int64], body_contact: bool, row: int, rows: Rows) -> None:
    """
    Write what a recording keeps of a tick.

    :param torques: as written to the world, after limits.
    :param rows: samples, poses and velocities of the recording.
    """
    samples, poses, velocities = rows
    state = observed.state[0]
    _write_body(observed.tree[0], observed.anatomy[0], state, observed.motion[0],
                observed.seen[0], samples[row])
    _write_effort(state, torques, limits, samples[row])
    samples[row, BODY_CONTACT] = 1.0 if body_contact else 0.0
    samples[row, COMMAND] = echo.command
    samples[row, TARGET_HEADING] = echo.target_heading
    samples[row, TARGET_STANCE] = echo.stance
    samples[row, GAIT] = echo.gait
    skill = int(echo.skill)
    samples[row, MODE] = MODES[skill] if skill < MODES.shape[0] else Mode.POSTURE
    samples[row, SKILL] = echo.skill
    samples[row, ASKED_AT] = echo.asked_at
    samples[row, SLIPS], samples[row, JAMS] = echo.slips, echo.jams
    samples[row, UNSOLVED], samples[row, FRICTION] = echo.unsolved, echo.friction
    _write_state(state, movable, poses[row], velocities[row])


@compiled
def _write_body(tree: np.record, anatomy: np.record, state: np.record, motion: np.record,
                seen: np.record, sample: Array) -> None:
    sample[TIME] = state.time
    sample[LEG_FRAME_POSITION] = seen.leg_frame_point.reshape(6)
    sample[LEG_FRAME_VELOCITY] = seen.leg_frame_velocity.reshape(6)
    for frame in range(2):
        start = LEG_FRAME_RPY.start + 3 * frame
        rpy_from_rotation(motion.rotation[anatomy.leg_frame[frame]], sample[start:start + 3])
    velocity, lowest = np.empty(3), np.empty(3)
    for leg in range(4):
        lowest[:] = seen.foot_centre[leg]       # a controller may say where soles touch a slope
        lowest[2] -= anatomy.foot_radius[leg]
        first = FOOT_POSITION.start + 3 * leg
        sample[first:first + 3] = lowest
        compute_point_velocity(motion, anatomy.toe[leg], lowest, velocity)
        sample[SOLE_VELOCITY.start + 2 * leg] = velocity[0]
        sample[SOLE_VELOCITY.start + 2 * leg + 1] = velocity[1]
        sample[FOOT_CONTACT.start + leg] = 1.0 if state.foot_force[leg] > 0.0 else 0.0
    sample[HEAD_VELOCITY] = motion.velocity[anatomy.head]
    compute_centre_of_mass(tree, motion, sample[CENTRE_OF_MASS])


@compiled
def _write_state(state: np.record, movable: NDArray[np.int64], pose: Array,
                 velocity: Array) -> None:
    pose[:3] = state.base_position
    pose[3:7] = state.base_quaternion
    velocity[:3] = state.base_velocity
    velocity[3:6] = state.base_angular_velocity
    for n in range(movable.shape[0]):
        pose[7 + n] = state.joint_position[movable[n]]
        velocity[6 + n] = state.joint_velocity[movable[n]]


@compiled
def _write_effort(state: np.record, torques: Array, limits: Array, sample: Array) -> None:
    peak, saturated, power, squared = 0.0, 0.0, 0.0, 0.0
    for i in range(1, torques.shape[0]):
        size = abs(torques[i])
        peak = max(peak, size)
        squared += size * size
        power += abs(torques[i] * state.joint_velocity[i])
        if size >= limits[i]:
            saturated += 1.0
    sample[PEAK_TORQUE] = peak
    sample[SATURATED] = saturated
    sample[POWER] = power
    sample[SQUARED_TORQUE] = squared
