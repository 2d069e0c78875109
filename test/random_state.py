"""States for tests: every joint and the base anywhere and moving."""

from __future__ import annotations

import numpy as np

from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import motion_type, new_record, state_type
from quadruped_control.model.robot import Robot


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
