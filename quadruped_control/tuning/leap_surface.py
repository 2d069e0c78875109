"""What leaps that were not tried would do, from those that were: a Gaussian process."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
REACH = 0.3                 # of the parameters' ranges over which leaps resemble each other
NOISE = 0.15                # of a value, in deviations from what is linear
STIFF = 0.3                 # doubt in what is linear


class Surface:
    """
    Values of leaps as a linear function of their numbers and a smooth difference from it.

    :param numbers: of the leaps that were tried, comparable with each other (n, numbers).
    :param values: what came of them (n, values).
    """

    def __init__(self, numbers: Array, values: Array) -> None:
        self._numbers, self._middle = numbers, numbers.mean(axis=0)
        known = self._describe(numbers)
        doubt = np.diag([0.0] + [STIFF] * numbers.shape[1])
        self._linear = np.linalg.solve(known.T @ known + doubt, known.T @ values)
        alike = self._compare(numbers) + NOISE**2 * np.eye(len(numbers))
        self._inverse = np.linalg.inv(alike)
        self._rest = self._inverse @ (values - known @ self._linear)

    def find(self, asked: Array) -> Array:
        """Return the values of some leaps (m, values)."""
        values: Array = (self._describe(asked) @ self._linear
                         + self._compare(asked) @ self._rest)
        return values

    def doubt(self, asked: Array) -> Array:
        """Return how little is known of some leaps, 0 to 1 (m,)."""
        alike = self._compare(asked)
        doubts: Array = 1.0 - ((alike @ self._inverse) * alike).sum(axis=1)
        return doubts

    def pull(self, asked: Array, slopes: Array, doubts: float = 0.0) -> Array:
        """
        Return the slope of a cost along the numbers of some leaps (m, numbers).

        :param slopes: of the cost along their values (m, values), and
        :param doubts: along each of their doubts.
        """
        alike = self._compare(asked)
        along = (slopes @ self._rest.T - 2.0 * doubts * (alike @ self._inverse)) * alike
        pulled: Array = (slopes @ self._linear[1:].T
                         + (along @ self._numbers - along.sum(axis=1)[:, None] * asked) / REACH**2)
        return pulled

    def _describe(self, asked: Array) -> Array:
        return np.column_stack([np.ones(len(asked)), asked - self._middle])

    def _compare(self, asked: Array) -> Array:
        """Return how alike some leaps are to those that were tried (m, n)."""
        apart = ((asked**2).sum(axis=1)[:, None] + (self._numbers**2).sum(axis=1)
                 - 2.0 * asked @ self._numbers.T)
        alike: Array = np.exp(-np.maximum(apart, 0.0) / (2.0 * REACH**2))
        return alike
