"""
Where a swinging foot is set down, and how it gets over what lies between.

The place that the gait wants is kept where the ground around it is even. Else it is moved to the
nearest even one, away from edges, until the swing is well on its way.
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.terrain.local_map import (
    LocalMap,
    face_slope,
    ground_height,
    highest_over_line,
    mean_slope,
    unevenness,
)

DECIDED = 0.6               # swing phase from which a foothold is not changed any more
BEGIN, END = 0.2, 0.85      # of the swing, between which a foot goes on over a hurdle
FULL_HURDLE = 2.0           # of the unevenness allowed, from which on it does so wholly
STEPS, ASIDE = 8, 2         # of the search to either side, along and across the heading
DEEPEST = 0.8               # of the height of a leg frame that a foot steps down at most


def _list_offsets() -> NDArray[np.float64]:
    """Return the places of the search as shares of its reach, the nearest first."""
    found = [(a / STEPS, 0.5 * b / ASIDE) for a in range(-STEPS, STEPS + 1)
             for b in range(-ASIDE, ASIDE + 1)]
    found.sort(key=lambda place: (place[0]**2 + place[1]**2, place[1]**2, -place[0]))
    return np.array(found)


OFFSETS = _list_offsets()


@compiled
def note_height(target: TargetRecord, ground: LocalMap, seen: np.record, memory: np.record,
                leg: int, x: float, y: float) -> None:
    """Note the height of a foothold; over a gap that of where its leg frame stands."""
    height, support = ground_height(ground, x, y), seen.support[leg // 2, 2]
    deepest = support - DEEPEST * target.height[leg // 2]
    memory.foothold_height[leg] = height if height > deepest else support


@compiled
def choose_foothold(anatomy: np.record, target: TargetRecord, ground: LocalMap, seen: np.record,
                    memory: np.record, leg: int, x: float, y: float) -> None:
    """Note an even place near the one wanted, its height, and what is on the way to it."""
    if target.swing_phase[leg] > DECIDED:
        return
    c, s, reach = cos(target.heading), sin(target.heading), anatomy.foothold_reach
    memory.moved[leg] = 0.0
    if not _is_even(anatomy, ground, x, y, c, s):
        for n in range(1, OFFSETS.shape[0]):
            along, across = reach * OFFSETS[n, 0], reach * OFFSETS[n, 1]
            px, py = x + c * along - s * across, y + s * along + c * across
            if _is_even(anatomy, ground, px, py, c, s):
                memory.foothold[leg, 0], memory.foothold[leg, 1] = px, py
                memory.moved[leg] = 1.0
                x, y = px, py
                break
    note_height(target, ground, seen, memory, leg, x, y)
    slope, radius = np.empty(2), anatomy.foot_radius[leg]
    face_slope(ground, x, y, anatomy.uneven, slope)
    part = radius / sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1])
    memory.rolled[leg, 0], memory.rolled[leg, 1] = part * slope[0], part * slope[1]
    start = memory.lift_off_place[leg]
    memory.hurdle[leg] = highest_over_line(
        ground, start[0], start[1], ground_height(ground, start[0], start[1]), x, y,
        memory.foothold_height[leg], anatomy.foot_margin / 2)


@compiled
def _is_even(anatomy: np.record, ground: LocalMap, x: float, y: float, c: float,
             s: float) -> bool:
    """Say whether the ground around a place is level, or a plane that is not too steep."""
    margin, most = anatomy.foot_margin, anatomy.uneven
    if unevenness(ground, x, y, 0.0, 0.0, margin) <= most:
        return True
    ahead = mean_slope(ground, x, y, c, s, margin)
    left = mean_slope(ground, x, y, -s, c, margin)
    return unevenness(ground, x, y, c * ahead - s * left, s * ahead + c * left, margin) <= most


@compiled
def lift_over(phase: float) -> float:
    """Return the share of a hurdle's height that a foot is lifted by at a phase of its swing."""
    return min(1.0, phase / BEGIN, (1.0 - phase) / (1.0 - END))


@compiled
def advance_over(phase: float) -> float:
    """Return how far a foot is on its way over a hurdle at a phase of its swing."""
    return min(max((phase - BEGIN) / (END - BEGIN), 0.0), 1.0)
