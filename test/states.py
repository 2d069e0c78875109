"""States for tests, and what follows from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.kinematics.articulated_body import begin_dynamics, compute_accelerations
from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import (
    GRAVITY,
    dynamics_type,
    motion_type,
    new_record,
    state_type,
)
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.rollout import Loop
from quadruped_control.simulation.world import TIME_STEP


def random_state(robot: Robot, rng: np.random.Generator, *, height: float = 0.0) -> np.record:
    """Return a state with the base within a metre of a height, and all joints moving."""
    state, movable = new_record(state_type(len(robot.links))), list(robot.movable)
    state['base_position'] = rng.uniform(-1, 1, 3) + (0.0, 0.0, height)
    quaternion = rng.normal(size=4)
    state['base_quaternion'] = quaternion / np.linalg.norm(quaternion)
    state['base_velocity'] = rng.normal(size=3)
    state['base_angular_velocity'] = rng.normal(size=3)
    state['joint_position'][movable] = rng.uniform(-1, 1, len(movable))
    state['joint_velocity'][movable] = rng.normal(size=len(movable))
    return state


def moved(robot: Robot, state: np.record) -> np.record:
    """Return where all links of a state are and how they move."""
    motion = new_record(motion_type(len(robot.links)))
    compute_motion(robot.tree, state, motion)
    return motion


def accelerate(robot: Robot, state: np.record,
               torques: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the joints' accelerations, and the root's: angular, then of its origin."""
    links = len(robot.links)
    work = new_record(dynamics_type(links))
    begin_dynamics(robot.tree, moved(robot, state), state['joint_velocity'], GRAVITY, work)
    compute_accelerations(robot.tree, torques, np.zeros(links), work)
    base = work['acceleration'][0].copy()
    base[3:] += np.cross(state['base_angular_velocity'], state['base_velocity'])
    return work['joint_acceleration'][list(robot.movable)], base


def control(loop: Loop) -> NDArray[np.float64]:
    """Return the torques for a loop's state as it is and its scheduler's target."""
    loop.world.read()
    loop.observation.update()
    return loop.controller.update(loop.observation, loop.scheduler.target, TIME_STEP)
