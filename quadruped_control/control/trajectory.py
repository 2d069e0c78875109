"""Trajectories: piecewise linear functions of a phase through even knots (section 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
KNOTS = 6


@compiled
def evaluate_cycle(knots: Array, phase: float) -> float:
    """Return the value at a phase of a trajectory that closes on itself."""
    count = knots.shape[0]
    place = (phase - np.floor(phase)) * count
    first = int(place) % count
    second = (first + 1) % count
    part = place - int(place)
    return (1 - part) * knots[first] + part * knots[second]


@compiled
def evaluate_rate(knots: Array, phase: float) -> float:
    """Return the slope, per unit of phase, of a trajectory that closes on itself."""
    count = knots.shape[0]
    first = int((phase - np.floor(phase)) * count) % count
    return (knots[(first + 1) % count] - knots[first]) * count


@compiled
def evaluate_span(knots: Array, phase: float) -> float:
    """Return the value of a trajectory from phase 0 at its first knot to phase 1 at its last."""
    count = knots.shape[0]
    place = min(max(phase, 0.0), 1.0) * (count - 1)
    first = min(int(place), count - 2)
    part = place - first
    return (1 - part) * knots[first] + part * knots[first + 1]
