"""
Gamma(h, d, v): the parameters of a leap for a height, a distance and an approach speed.

Two models of the dictionary (section 5 and 7 of the paper): its nearest leap, and for each speed
the mean of its leaps with two principal components.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import flatten_bounds
from quadruped_control.leaps.dictionary import LeapDictionary

Array = NDArray[np.float64]
LEAST_LEAPS = 6             # that a model with two components needs
COMPONENTS = 2


class LeapModel(Protocol):
    """Gives the parameters of a leap."""

    def find(self, height: float, distance: float, speed: float) -> Array:
        """Return the parameters for h and d (m) and v (m/s)."""


class NearestModel:
    """The nearest leap of the dictionary."""

    def __init__(self, dictionary: LeapDictionary) -> None:
        self._dictionary = dictionary

    def find(self, height: float, distance: float, speed: float) -> Array:
        """Return the parameters for h and d (m) and v (m/s)."""
        nearest, _ = self._dictionary.find_nearest(np.array([height, distance, speed]))
        return self._dictionary.parameters[nearest].copy()


class PrincipalModel:
    """
    Gamma = P_0 + a dP_1 + b dP_2 for the leaps near a speed.

    P_0 is the mean and dP the first two principal components of the parameters, each divided by
    its range; a and b follow from h and d by a linear fit. Where there are too few leaps near a
    speed the nearest leap is taken.
    """

    def __init__(self, dictionary: LeapDictionary) -> None:
        self._dictionary = dictionary
        self._nearest = NearestModel(dictionary)
        self._least, self._most = flatten_bounds(dictionary.measures)
        self._band = dictionary.measures.planner.speed_band

    def find(self, height: float, distance: float, speed: float) -> Array:
        """Return the parameters for h and d (m) and v (m/s)."""
        points = self._dictionary.points
        near = np.abs(points[:, 2] - speed) < self._band
        if near.sum() < LEAST_LEAPS:
            return self._nearest.find(height, distance, speed)
        span = self._most - self._least
        scaled = self._dictionary.parameters[near] / span
        mean, components = find_components(scaled)
        shares = (scaled - mean) @ components.T
        known = np.column_stack([points[near, :2], np.ones(int(near.sum()))])
        fit, *_ = np.linalg.lstsq(known, shares, rcond=None)
        parameters = mean + (np.array([height, distance, 1.0]) @ fit) @ components
        return np.clip(parameters * span, self._least, self._most)


def find_components(rows: Array) -> tuple[Array, Array]:
    """Return the mean of rows and their first two principal components (2, columns)."""
    mean = rows.mean(axis=0)
    _, _, components = np.linalg.svd(rows - mean, full_matrices=False)
    return mean, components[:COMPONENTS]


NEAREST = 'nearest'
MODELS: dict[str, Callable[[LeapDictionary], LeapModel]] = {NEAREST: NearestModel,
                                                            'pca': PrincipalModel}
