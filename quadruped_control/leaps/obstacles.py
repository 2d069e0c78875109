"""Discontinuities of the ground ahead, found in a scan of its heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST_STEP = 0.08           # m between neighbours that the gaits do not just step over
WIDEST_BARRIER = 0.6        # m; what is longer is a platform
SAME_LEVEL = 0.10           # m by which both sides of a gap or a barrier may differ
TARGET = 'target'           # kind of a place to leap to, with nothing to clear
FOOTING = 0.05              # m of a platform that the feet need behind its edge
DEEPEST_STEP = 0.7          # m; what is deeper is a gap whose other side is not seen yet


@dataclass(frozen=True)
class Obstacle:
    """
    A discontinuity ahead.

    :param kind: step_up, step_down, gap, barrier or target.
    :param begin: m from the scan's origin to the last ground before it; ``end``: the first behind.
    :param height: m of what has to be cleared over the ground before it; 0 for gaps.
    :param rise: m by which the ground behind it is higher than that before.
    """

    kind: str
    begin: float
    end: float
    height: float
    rise: float = 0.0

    def moved(self, distance: float) -> Obstacle:
        """Return the obstacle as seen from a place so far behind the scan's origin (m)."""
        return Obstacle(self.kind, self.begin + distance, self.end + distance, self.height,
                        self.rise)


def find_obstacles(heights: Array, spacing: float) -> list[Obstacle]:
    """
    Return the discontinuities in the order they come.

    :param heights: of the ground in m, evenly spaced along the heading.
    """
    found: list[Obstacle] = []
    edges = np.flatnonzero(np.abs(np.diff(heights)) > LEAST_STEP)
    passed = -1
    for edge in edges.tolist():
        if edge <= passed:
            continue
        obstacle, passed = _classify(heights, edge, edges, spacing)
        found.append(obstacle)
    return found


def _classify(heights: Array, edge: int, edges: NDArray[np.int64],
              spacing: float) -> tuple[Obstacle, int]:
    """Return what begins at an edge, and the last edge that belongs to it."""
    level, beyond = heights[edge], heights[edge + 1]
    begin, rises = edge * spacing, bool(beyond > level)
    for other in edges[edges > edge].tolist():
        far = heights[other + 1]
        end = (other + 1) * spacing
        if abs(far - level) > SAME_LEVEL:
            continue
        if rises and end - begin <= WIDEST_BARRIER + 2 * spacing:
            top = float(heights[edge + 1:other + 1].max() - level)
            return Obstacle('barrier', begin, end, top, float(far - level)), other
        if not rises:
            rise = float(far - level)
            return Obstacle('gap', begin, end, max(rise, 0.0), rise), other
    if rises:
        rise = float(beyond - level)
        return Obstacle('step_up', begin, begin + spacing + FOOTING, rise, rise), edge
    if level - beyond > DEEPEST_STEP:
        return Obstacle('gap', begin, len(heights) * spacing, 0.0), edge
    return Obstacle('step_down', begin, begin + spacing, 0.0, float(beyond - level)), edge
