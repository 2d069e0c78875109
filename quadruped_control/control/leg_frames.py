"""Leg frames: where each stands, how it should be turned, and when its rules rest."""

from __future__ import annotations

from math import atan2, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.ground_following import find_contacts, follow_ground
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.kinematics.rotations import write_rotation_from_rpy
from quadruped_control.terrain.local_map import LocalMap

Array = NDArray[np.float64]


@compiled
def observe_tilt(anatomy: np.record, gains: np.record, motion: np.record, memory: np.record,
                 dt: float) -> None:
    """
    Note for how long the stance rules are still to rest after a leg frame was far from upright.

    Rules made for a dog on its feet drive one that lies or tumbles to ever greater speeds.
    """
    memory.tilted = max(memory.tilted - dt, 0.0)
    for frame in range(2):
        if motion.rotation[anatomy.leg_frame[frame], 2, 2] < gains.least_upright:
            memory.tilted = gains.tilted_for


@compiled
def compute_slope(anatomy: np.record, front: Array, rear: Array) -> float:
    """Return how the ground rises from the middle of the rear soles to the front's (rad)."""
    level = sqrt((front[0] - rear[0])**2 + (front[1] - rear[1])**2)
    return atan2(front[2] - rear[2], max(level, anatomy.shortest_base))


@compiled
def set_leg_frame_goals(anatomy: np.record, target: TargetRecord, ground: LocalMap,
                        seen: np.record, memory: np.record, dt: float) -> None:
    """
    Write where each leg frame stands, and the orientation wanted of it, tilted with the ground.

    Feet that press may be in the air and tell nothing of the ground.
    """
    find_contacts(anatomy, target, ground, seen)
    for frame in range(2):
        _place_support(seen, frame)
    if max(target.presses) < 0.5:
        seen.slope = compute_slope(anatomy, seen.support[FRONT], seen.support[REAR])
    follow_ground(anatomy, target, ground, seen, memory, dt)
    for frame in range(2):
        rpy = target.rpy[frame]
        write_rotation_from_rpy(rpy[0], rpy[1] - seen.slope, rpy[2], memory.goal[frame])


@compiled
def count_bearing(seen: np.record, frame: int) -> int:
    """Return how many feet of a leg frame bear."""
    return seen.bears[2 * frame] + seen.bears[2 * frame + 1]


@compiled
def _place_support(seen: np.record, frame: int) -> None:
    """Write the middle of the frame's bearing soles; the last one stays where there is none."""
    count = count_bearing(seen, frame)
    if count == 0:
        return
    seen.support[frame] = 0.0
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            for k in range(3):
                seen.support[frame, k] += seen.sole[leg, k] / count
