"""What is known of the ground under the feet: its slope, and the friction as believed."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt, tan

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.records import FRONT, REAR

Array = NDArray[np.float64]


@compiled
def observe_ground(anatomy: np.record, numbers: np.record, target: TargetRecord, seen: np.record,
                   memory: np.record, dt: float) -> None:
    """Write the plane through the places that the feet last bore on: slopes, and its height."""
    c, s = cos(target.heading), sin(target.heading)
    trodden, middle = memory.trodden, np.zeros(3)
    for leg in range(4):
        for k in range(3):
            middle[k] += trodden[leg, k] / 4
    front, rear = (trodden[0] + trodden[1]) / 2, (trodden[2] + trodden[3]) / 2
    left, right = (trodden[0] + trodden[2]) / 2, (trodden[1] + trodden[3]) / 2
    ahead = max(c * (front[0] - rear[0]) + s * (front[1] - rear[1]), anatomy.shortest_base)
    aside = max(c * (left[1] - right[1]) - s * (left[0] - right[0]), anatomy.narrowest_base)
    x = (seen.leg_frame_point[0, 0] + seen.leg_frame_point[1, 0]) / 2 - middle[0]
    y = (seen.leg_frame_point[0, 1] + seen.leg_frame_point[1, 1]) / 2 - middle[1]
    part = 1.0 if memory.begun == 0.0 else dt / (numbers.ground_filter + dt)
    memory.slope[0] += part * (atan2(front[2] - rear[2], ahead) - memory.slope[0])
    memory.slope[1] += part * (atan2(left[2] - right[2], aside) - memory.slope[1])
    height = (middle[2] + tan(memory.slope[0]) * (c * x + s * y)
              + tan(memory.slope[1]) * (c * y - s * x))
    if memory.begun == 0.0:
        memory.ground_height = height
    v = memory.mass_velocity
    climb = (tan(memory.slope[0]) * (c * v[0] + s * v[1])
             + tan(memory.slope[1]) * (c * v[1] - s * v[0]))
    memory.ground_height += climb * dt + part * (height - memory.ground_height)
    seen.slope = memory.slope[0]
    for frame in range(2):
        side = 1.0 if frame == FRONT else -1.0
        far = side * (anatomy.lever[FRONT] - anatomy.lever[REAR]) / 2
        seen.support[frame] = seen.leg_frame_point[frame]
        seen.support[frame, 2] = memory.ground_height + far * sin(memory.slope[0])


@compiled
def notice_slips(numbers: np.record, seen: np.record, memory: np.record, dt: float) -> float:
    """
    Count feet that slide while they bear, and believe in less friction then.

    Return which share of the wanted speed is dared.
    """
    if memory.begun == 0.0:
        memory.friction = numbers.friction
    memory.friction += (numbers.friction - memory.friction) * dt / numbers.recovers
    for leg in range(4):
        v = seen.foot_velocity[leg]
        slides = (memory.stood[leg] > numbers.slip_after
                  and sqrt(v[0]**2 + v[1]**2) > numbers.slip_speed)
        before = memory.slid[leg]
        memory.slid[leg] = before + dt if slides else 0.0
        if before <= numbers.slip_after < memory.slid[leg]:
            memory.slips += 1.0
            memory.friction = max(numbers.slip_factor * memory.friction, numbers.least_friction)
    return min(memory.friction / numbers.careful_below, 1.0)
