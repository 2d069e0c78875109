"""
Gamma(h, d, v): the parameters of a leap for a height, a distance and an approach speed.

Two models (section 5 and 7 of the paper): the nearest leap of the dictionary, and for each speed
the mean of leaps of one family with two principal components.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import flatten_bounds
from quadruped_control.leaps.dictionary import FIGURES, LeapDictionary

Array = NDArray[np.float64]
LEAST_LEAPS = 6             # that a model with two components needs
CURVED_LEAPS = 12           # from which a and b are of second order in h and d
COMPONENTS = 2
SPEED = FIGURES.index('speed')
NEARLY = np.array([0.1, 0.2])       # m of h and d from one of its leaps that a plane is asked for


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


class PrincipalPlane:
    """
    Gamma = P_0 + a dP_1 + b dP_2 for leaps of one speed.

    P_0 is the mean and dP the first two principal components of the parameters, each divided by
    its range; a and b are polynomials in h and d that fit the leaps best.
    """

    def __init__(self, places: Array, scaled: Array) -> None:
        """
        Fit some leaps.

        :param places: their h and d, m (n, 2).
        :param scaled: their parameters, each divided by its range (n, parameters).
        """
        self._places = places
        self._curved = len(places) >= CURVED_LEAPS
        self._mean, self._components = find_components(scaled)
        shares = (scaled - self._mean) @ self._components.T
        self._fit, *_ = np.linalg.lstsq(describe_places(places, curved=self._curved), shares,
                                        rcond=None)

    def find(self, height: float, distance: float) -> Array:
        """Return the scaled parameters for h and d (m)."""
        known = describe_places(np.array([[height, distance]]), curved=self._curved)[0]
        parameters: Array = self._mean + (known @ self._fit) @ self._components
        return parameters

    def reaches(self, height: float, distance: float) -> bool:
        """Say whether a leap that it is made of has such an h and d (m), or nearly."""
        apart = np.abs(self._places - np.array([height, distance])) / NEARLY
        return bool((apart <= 1.0).all(axis=1).any())


class PrincipalModel:
    """
    Mean and two principal components for each speed.

    Leaps of unlike descent reach the same h and d by unlike parameters, and what lies between two
    of them need not land: a model of all leaps near a speed mixes them. So it is made of a family
    of leaps, which differ little, where a robot has one: a plane for each of its speeds, and
    between two speeds the mixture of both. Where the family has no leap near an h, d and v, the
    nearest leap of the dictionary is taken. A robot without a family has a plane of the leaps
    near a speed, if these are enough.
    """

    def __init__(self, dictionary: LeapDictionary) -> None:
        self._dictionary = dictionary
        self._nearest = NearestModel(dictionary)
        self._least, self._most = flatten_bounds(dictionary.measures)
        self._band = dictionary.measures.planner.speed_band
        self._planes = self._fit_family()

    def find(self, height: float, distance: float, speed: float) -> Array:
        """Return the parameters for h and d (m) and v (m/s)."""
        planes = self._choose_planes(height, distance, speed)
        if not planes:
            return self._nearest.find(height, distance, speed)
        scaled = np.sum([share * plane.find(height, distance) for share, plane in planes], axis=0)
        return np.clip(scaled * (self._most - self._least), self._least, self._most)

    def reaches(self, height: float, distance: float, speed: float) -> bool:
        """Say whether it is no nearest leap that is taken."""
        return bool(self._choose_planes(height, distance, speed))

    def _fit_family(self) -> dict[float, PrincipalPlane]:
        """Return a plane for each speed at which the family has enough leaps."""
        rows = self._dictionary.family
        scaled = rows[:, -len(self._least):] / (self._most - self._least)
        chosen = {float(speed): rows[:, SPEED] == speed for speed in np.unique(rows[:, SPEED])}
        return {speed: PrincipalPlane(rows[at, :SPEED], scaled[at])
                for speed, at in chosen.items() if at.sum() >= LEAST_LEAPS}

    def _choose_planes(self, height: float, distance: float,
                       speed: float) -> list[tuple[float, PrincipalPlane]]:
        """Return the planes whose mixture is asked for, and the share of each."""
        if not self._planes:
            return self._fit_near(speed)
        speeds = np.array(sorted(self._planes))
        if not speeds[0] - self._band <= speed <= speeds[-1] + self._band:
            return []
        place = float(np.interp(speed, speeds, np.arange(len(speeds))))
        below = int(place)
        chosen = [(share, self._planes[float(speeds[n])])
                  for n, share in ((below, below + 1 - place), (below + 1, place - below))
                  if share > 0.0]
        reached = all(plane.reaches(height, distance) for _, plane in chosen)
        return chosen if reached else []

    def _fit_near(self, speed: float) -> list[tuple[float, PrincipalPlane]]:
        """Return a plane of the leaps of the dictionary near a speed, if these are enough."""
        points = self._dictionary.points
        near = np.abs(points[:, SPEED] - speed) < self._band
        if near.sum() < LEAST_LEAPS:
            return []
        scaled = self._dictionary.parameters[near] / (self._most - self._least)
        return [(1.0, PrincipalPlane(points[near, :SPEED], scaled))]


def describe_places(places: Array, *, curved: bool) -> Array:
    """Return 1, h and d of each place (n, 2), and where it is curved their products too."""
    height, distance = places.T
    columns = [np.ones(len(places)), height, distance]
    if curved:
        columns += [height * height, height * distance, distance * distance]
    return np.column_stack(columns)


def find_components(rows: Array) -> tuple[Array, Array]:
    """Return the mean of rows and their first two principal components (2, columns)."""
    mean = rows.mean(axis=0)
    _, _, components = np.linalg.svd(rows - mean, full_matrices=False)
    return mean, components[:COMPONENTS]


NEAREST = 'nearest'
MODELS: dict[str, Callable[[LeapDictionary], LeapModel]] = {NEAREST: NearestModel,
                                                            'pca': PrincipalModel}
