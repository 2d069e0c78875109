"""
How a gait goes by the ground: the height of a leg frame, its slope, its rate of climbing.

Feet tell the height of the ground where they stand; what is under the leg frame, and what it comes
to, the map tells. Only differences of the map count, so that level ground changes nothing.
"""

from __future__ import annotations

from math import atan, atan2, cos, sin, sqrt

import numpy as np

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.terrain.local_map import (
    LocalMap,
    face_slope,
    ground_height,
    mean_height,
    mean_slope,
)

FORGETS = 1.0               # s, on level ground
MOST_STRAY = 2.0            # of the reach of footholds


@compiled
def heeds_ground(target: TargetRecord) -> bool:
    """Say whether a gait goes by the ground: not in a leap, a posture or a stand."""
    return target.by_hips < 0.5 and target.standing < 0.5 and target.posed < 0.5


@compiled
def find_contacts(anatomy: np.record, target: TargetRecord, ground: LocalMap,
                  seen: np.record) -> None:
    """
    Write where round soles touch the ground: on a slope uphill of the lowest point.

    Across 15 degrees these are 8 mm: a walk strayed down by 0.3 m/s, and by 0.2 with them known.
    """
    if not heeds_ground(target):
        return
    slope = np.empty(2)
    for leg in range(4):
        if seen.bears[leg]:
            centre, radius = seen.foot_centre[leg], anatomy.foot_radius[leg]
            face_slope(ground, centre[0], centre[1], anatomy.uneven, slope)
            part = radius / sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1])
            seen.sole[leg, 0] = centre[0] + part * slope[0]
            seen.sole[leg, 1] = centre[1] + part * slope[1]
            seen.sole[leg, 2] = centre[2] - part


@compiled
def follow_ground(anatomy: np.record, target: TargetRecord, ground: LocalMap,
                  seen: np.record, memory: np.record, dt: float) -> None:
    """
    Raise each leg frame's support to the ground under it, and write slope and rate of climbing.

    The support is measured by the bearing soles, and swings as the body passes over a foot on a
    slope or a stair; the mean of the ground over a window goes on evenly.
    """
    seen.climb[:] = 0.0
    for leg in range(4):
        seen.tilt[leg, 0], seen.tilt[leg, 1] = seen.slope, 0.0
    if not heeds_ground(target):
        memory.strayed = 0.0
        return
    c, s, reach = cos(target.heading), sin(target.heading), anatomy.map_window
    mean, under = np.empty(2), np.empty(2)
    for frame in range(2):
        x, y = seen.leg_frame_point[frame, 0], seen.leg_frame_point[frame, 1]
        mean[frame] = mean_height(ground, x, y, c, s, reach)
        under[frame] = _height_under_feet(ground, seen, frame)
        velocity = target.velocity[frame]
        seen.climb[frame] = (
            (c * velocity[0] + s * velocity[1]) * mean_slope(ground, x, y, c, s, reach)
            + (c * velocity[1] - s * velocity[0]) * mean_slope(ground, x, y, -s, c, reach))
        if seen.bears[2 * frame] + seen.bears[2 * frame + 1] > 0:
            seen.support[frame, 2] += mean[frame] - under[frame]
    front, rear = seen.leg_frame_point[FRONT], seen.leg_frame_point[REAR]
    frames = sqrt((front[0] - rear[0])**2 + (front[1] - rear[1])**2)
    front, rear = seen.support[FRONT], seen.support[REAR]
    feet = sqrt((front[0] - rear[0])**2 + (front[1] - rear[1])**2)
    shortest = anatomy.shortest_base
    body = atan2(mean[FRONT] - mean[REAR], max(frames, shortest))
    off: float = seen.slope - atan2(under[FRONT] - under[REAR], max(feet, shortest))
    seen.slope = off + body
    off_level = abs(mean[FRONT] - mean[REAR])
    face = np.empty(2)
    for leg in range(4):
        if seen.bears[leg]:
            face_slope(ground, seen.sole[leg, 0], seen.sole[leg, 1], anatomy.uneven, face)
            seen.tilt[leg, 0] = off + atan(c * face[0] + s * face[1])
            seen.tilt[leg, 1] = atan(c * face[1] - s * face[0])
            off_level += abs(face[0]) + abs(face[1])
    _note_stray(anatomy, target, seen, memory, off_level > 0.0, dt)


@compiled
def _note_stray(anatomy: np.record, target: TargetRecord, seen: np.record, memory: np.record,
                off_level: bool, dt: float) -> None:
    """
    Sum up how far to the left a robot off level ground has strayed; on level ground forget it.

    A push of a few newtons, as every slope and stair gives, lets a walk drift by 0.3 m/s for ever.
    """
    if not off_level:
        memory.strayed -= memory.strayed * min(dt / FORGETS, 1.0)
        return
    c, s, drift = cos(target.heading), sin(target.heading), 0.0
    for frame in range(2):
        x = seen.leg_frame_velocity[frame, 0] - target.velocity[frame, 0]
        y = seen.leg_frame_velocity[frame, 1] - target.velocity[frame, 1]
        drift += (c * y - s * x) / 2
    furthest = MOST_STRAY * anatomy.foothold_reach
    memory.strayed = min(max(memory.strayed + drift * dt, -furthest), furthest)


@compiled
def _height_under_feet(ground: LocalMap, seen: np.record, frame: int) -> float:
    """Return the mean of the ground, as the map has it, under the bearing feet of a leg frame."""
    total, count = 0.0, 0
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            total += ground_height(ground, seen.sole[leg, 0], seen.sole[leg, 1])
            count += 1
    if count == 0:
        return ground_height(ground, seen.support[frame, 0], seen.support[frame, 1])
    return total / count
