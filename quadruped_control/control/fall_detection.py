"""
When the dog has fallen, or stands badly, as the scheduler can tell from joints and base.

What a fall is says :mod:`fall`; heights are those over the lower foot of a leg frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.fall import (
    LOW_TIME,
    TILTED_TIME,
    is_falling,
    is_low,
    is_tilted,
)
from quadruped_control.control.observation import Observed
from quadruped_control.kinematics.forward_kinematics import compute_motion, compute_point

Array = NDArray[np.float64]
LOOK = 10                   # ticks between two looks
STILL_SPEED = 0.5           # rad/s, root of the mean square over the joints


@compiled
def look(anatomy: np.record, tree: np.record, state: np.record, motion: np.record,
         skill: np.record, dt: float) -> None:
    """Measure height, tilt and feet of the leg frames, and for how long they have been wrong."""
    compute_motion(tree, state, motion)
    point, foot, step = np.empty(3), np.empty(3), LOOK * dt
    tilted, low = False, False
    for frame in range(2):
        link = anatomy.leg_frame[frame]
        compute_point(motion, link, anatomy.leg_frame_point[frame], point)
        lowest, apart = np.inf, 0.0
        left = motion.rotation[link, :, 1]
        for leg in range(2 * frame, 2 * frame + 2):
            compute_point(motion, anatomy.toe[leg], anatomy.foot_centre[leg], foot)
            lowest = min(lowest, foot[2] - anatomy.foot_radius[leg])
            out = 1.0 if leg == 2 * frame else -1.0
            apart += out * (left[0] * foot[0] + left[1] * foot[1])
        skill.apart[frame] = apart / (anatomy.foot_place[2 * frame, 1]
                                      - anatomy.foot_place[2 * frame + 1, 1])
        skill.height[frame] = point[2] - lowest
        skill.up[frame] = motion.rotation[link, 2, 2]
        skill.side[frame] = motion.rotation[link, 2, 1]
        tilted = tilted or is_tilted(skill.up[frame])
        low = low or is_low(skill.height[frame], anatomy.fallen_height)
    skill.tilted = skill.tilted + step if tilted else 0.0
    skill.low = skill.low + step if low else 0.0
    skill.still = skill.still + step if _is_still(anatomy, state) else 0.0


@compiled
def _is_still(anatomy: np.record, state: np.record) -> bool:
    total = 0.0
    for speed in state.joint_velocity:
        total += speed * speed
    v = state.base_velocity
    drift = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    return (total < STILL_SPEED**2 * state.joint_velocity.shape[0]
            and drift < anatomy.still_speed**2)


@compiled
def has_collapsed(observed: Observed) -> bool:
    """Say whether a leg frame is low over the flat ground, far from level, or nowhere, now."""
    anatomy, motion, seen = observed.anatomy[0], observed.motion[0], observed.seen[0]
    for frame in range(2):
        height = seen.leg_frame_point[frame, 2]
        upright = motion.rotation[anatomy.leg_frame[frame], 2, 2]
        if is_falling(height, upright, anatomy.fallen_height):
            return True
    return False


@compiled
def has_tilted(skill: np.record) -> bool:
    """Say whether the dog lies on its side or back."""
    return skill.tilted >= TILTED_TIME


@compiled
def has_sunk(skill: np.record) -> bool:
    """Say whether the legs of a dog that should be on them have given way."""
    return skill.low >= LOW_TIME
