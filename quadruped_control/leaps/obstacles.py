"""Discontinuities of the ground ahead, found in a scan of its heights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap_measures import ObstacleMeasures

Array = NDArray[np.float64]
TARGET = 'target'           # kind of a place to leap to, with nothing to clear


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


def find_obstacles(heights: Array, spacing: float, measures: ObstacleMeasures,
                   first: int = 0, last: int | None = None) -> list[Obstacle]:
    """
    Return the discontinuities in the order they come.

    :param heights: of the ground in m, evenly spaced along the heading.
    :param measures: what is an obstacle for the body.
    :param first: edge; what is before it tells no more than that a step is one of several.
    :param last: what begins there or behind is left out.
    """
    found: list[Obstacle] = []
    rises: Array = heights[1:] - heights[:-1]
    edges = np.flatnonzero(np.abs(rises) > measures.least_step)
    last = len(heights) if last is None else last
    edges = edges[~_are_stairs(rises[edges], edges, spacing, measures) & (edges >= first)]
    passed = -1
    for edge in edges.tolist():
        if edge >= last:
            break
        if edge <= passed:
            continue
        obstacle, passed = _classify(heights, edge, edges, spacing, measures)
        found.append(obstacle)
    return found


def _are_stairs(rises: Array, edges: NDArray[np.int64], spacing: float,
                measures: ObstacleMeasures) -> NDArray[np.bool_]:
    """Say of edges in turn which are steps of stairs, which the gaits go up or down."""
    if len(rises) == 0:
        return np.zeros(0, bool)
    least, most = measures.treads
    low = np.abs(rises) <= measures.highest_stair
    treads = np.diff(edges) * spacing
    follow = ((treads >= least) & (treads <= most) & low[1:] & low[:-1]
              & (np.sign(rises[1:]) == np.sign(rises[:-1])))
    return np.concatenate([follow, [False]]) | np.concatenate([[False], follow])


def _classify(heights: Array, edge: int, edges: NDArray[np.int64],
              spacing: float, measures: ObstacleMeasures) -> tuple[Obstacle, int]:
    """Return what begins at an edge, and the last edge that belongs to it."""
    level, beyond = heights[edge], heights[edge + 1]
    begin, rises = edge * spacing, bool(beyond > level)
    for other in edges[edges > edge].tolist():
        far = heights[other + 1]
        end = (other + 1) * spacing
        if abs(far - level) > measures.same_level:
            continue
        if rises and end - begin <= measures.widest_barrier + 2 * spacing:
            top = float(heights[edge + 1:other + 1].max() - level)
            return Obstacle('barrier', begin, end, top, float(far - level)), other
        deep = level - beyond > measures.deepest_step
        if not rises and (deep or end - begin <= measures.widest_trench):
            rise = float(far - level)
            return Obstacle('gap', begin, end, max(rise, 0.0), rise), other
    if rises:
        rise = float(beyond - level)
        return Obstacle('step_up', begin, begin + spacing + measures.footing, rise, rise), edge
    if level - beyond > measures.deepest_step:
        return Obstacle('gap', begin, len(heights) * spacing, 0.0), edge
    return Obstacle('step_down', begin, begin + spacing, 0.0, float(beyond - level)), edge
