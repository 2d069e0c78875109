"""
The plane of a speed's leaps that should land best: mean, two directions, and the way in it.

Its h, d and pitch are foreseen by a surface through the leaps that were tried, and all its numbers
are chosen at once, so that they are as asked at a grid of h and d and little is in doubt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from quadruped_control.control.leap import PARAMETERS
from quadruped_control.leaps.models import COMPONENTS, describe_places
from quadruped_control.tuning.leap_surface import Surface

Array = NDArray[np.float64]
MIDDLE, HALF = np.array([0.85, 0.8]), np.array([0.15, 0.4])     # of the h and d of a plane, m
GRID = np.array([(height, distance) for height in np.linspace(0.7, 1.0, 7)
                 for distance in np.linspace(0.4, 1.2, 7)])
LEVEL, LEVEL_ENOUGH = 0.2, 0.08     # rad of pitch to touch with, and what costs nothing beside it
UPRIGHT_ENOUGH = 0.1        # rad of roll that costs nothing
MISSED = np.array([0.06, 0.12, 0.12, 0.15])     # m, m, rad, rad that cost 1
MOST = 9.0                  # cost of a leap from which a further one costs ever less
FALLS, DOUBTED, OUTSIDE = 3.0, 2.0, 50.0    # costs of a leap that falls, of doubt, of no range
MOVED = 0.01                # cost of a plane that differs from the last
STEPS = 150                 # of the search for a plane
PITCHED = 0.5               # how much is bent at first
SIZE = len(PARAMETERS)
CURVES = 6                  # numbers by which a and b depend on h and d
SPEED_SHARE = 0.8           # of the parameters' ranges that a m/s counts


class Tried(NamedTuple):
    """Leaps as shares of their ranges and speed, (h, d, pitch, roll), and the share landed."""

    numbers: Array
    values: Array
    landed: Array


class Plane:
    """A plane as a row of numbers: mean, directions, and their coefficients."""

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        """Mean, directions (2, parameters), and what a and b are of (CURVES, 2)."""
        mean, directions, ways = np.split(self.numbers, [SIZE, SIZE + COMPONENTS * SIZE])
        return mean, directions.reshape(COMPONENTS, SIZE), ways.reshape(CURVES, COMPONENTS)

    def find(self, places: Array) -> Array:
        """Return the leaps, as shares of their ranges, for some h and d, m (n, 2)."""
        mean, directions, ways = self.parts
        leaps: Array = mean + describe(places) @ ways @ directions
        return leaps


def describe(places: Array) -> Array:
    """Return what a and b depend on, for some h and d, m (n, 2)."""
    return describe_places((places - MIDDLE) / HALF, curved=True)


def join_speed(shares: Array, speed: float) -> Array:
    """Return leaps and their speed (m/s) as numbers that can be compared."""
    return np.column_stack([shares, np.full(len(shares), SPEED_SHARE * speed)])


def lay_plane(places: Array, shares: Array) -> Plane:
    """Return the plane next to some leaps with those h and d, m (n, 2)."""
    known = describe(places)
    doubt = np.diag([1e-3] * 3 + [PITCHED] * (CURVES - 3))
    bent = np.linalg.solve(known.T @ known + doubt, known.T @ shares)
    smooth = known @ bent
    mean = smooth.mean(axis=0)
    _, _, directions = np.linalg.svd(smooth - mean, full_matrices=False)
    directions = directions[:COMPONENTS]
    bent[0] -= mean
    return Plane(np.concatenate([mean, directions.ravel(), (bent @ directions.T).ravel()]))


def choose_plane(tried: Tried, speed: float, last: Plane) -> Plane:
    """Return the plane that should do best at a speed (m/s), near the last one."""
    flown = np.isfinite(tried.values).all(axis=1)
    flights = Surface(tried.numbers[flown], tried.values[flown])
    landings = Surface(tried.numbers, tried.landed[:, None])
    found = minimize(_rate, last.numbers, (flights, landings, speed, last.numbers), jac=True,
                     method='L-BFGS-B', options={'maxiter': STEPS})
    return Plane(found.x)


def _rate(numbers: Array, flights: Surface, landings: Surface, speed: float,
          last: Array) -> tuple[float, Array]:
    """Return the cost of a plane and its slope."""
    plane = Plane(numbers)
    _, directions, ways = plane.parts
    known, shares = describe(GRID), plane.find(GRID)
    asked, count = join_speed(shares, speed), len(GRID)
    values, landed = flights.find(asked), landings.find(asked)
    missed = (values - np.array([0.0, 0.0, LEVEL, 0.0])) / MISSED
    missed[:, :2] -= GRID / MISSED[:2]
    free = np.array([0.0, 0.0, LEVEL_ENOUGH, UPRIGHT_ENOUGH]) / MISSED
    missed = np.sign(missed) * np.maximum(np.abs(missed) - free, 0.0)
    squared = (missed**2).sum(axis=1)
    outside = np.maximum(shares - 1.0, 0.0) - np.maximum(-shares, 0.0)
    moved = numbers - last
    cost = (np.mean(MOST * np.log1p(squared / MOST)) + FALLS * np.maximum(1.0 - landed, 0.0).mean()
            + DOUBTED * flights.doubt(asked).mean() + OUTSIDE * (outside**2).sum(axis=1).mean()
            + MOVED * float((moved**2).sum()))
    slopes = 2.0 * missed / MISSED / (1.0 + squared / MOST)[:, None] / count
    slope = flights.pull(asked, slopes, DOUBTED / count)
    falls = np.where(landed < 1.0, -FALLS / count, 0.0)
    slope += landings.pull(asked, falls)
    along = slope[:, :SIZE] + 2.0 * OUTSIDE * outside / count
    return float(cost), 2.0 * MOVED * moved + np.concatenate([
        along.sum(axis=0), ((known @ ways).T @ along).ravel(),
        (known.T @ (along @ directions.T)).ravel()])
