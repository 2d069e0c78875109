"""Searches over vectors between 0 and 1: the paper's greedy one, and CMA-ES."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cma
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Evaluate = Callable[[Sequence[Array]], Sequence[float]]
CHANGE, SHARE = 0.1, 0.2    # of the range, and of the parameters, that a step changes (section 4)


@dataclass
class GreedySearch:
    """
    P' = P + S o Delta, kept where it is better (section 4); several at a time, the best kept.

    :param batch: proposals made from one best; a part of the result, unlike the workers.
    """

    best: Array
    rng: np.random.Generator
    batch: int = 4
    cost: float = field(default=np.inf)

    def ask(self) -> list[Array]:
        """Return the next vectors to evaluate; at first only the one to begin from."""
        if not np.isfinite(self.cost):
            return [self.best]
        return [self._perturb() for _ in range(self.batch)]

    def tell(self, vectors: Sequence[Array], costs: Sequence[float]) -> None:
        """Take the costs of the vectors asked for."""
        n = int(np.argmin(costs))
        if costs[n] < self.cost:
            self.best, self.cost = vectors[n].copy(), float(costs[n])

    def _perturb(self) -> Array:
        chosen = self.rng.random(len(self.best)) < SHARE
        change = self.rng.uniform(-CHANGE, CHANGE, len(self.best))
        return np.clip(self.best + chosen * change, 0.0, 1.0)


class CmaSearch:
    """
    Covariance matrix adaptation, by the library `cma`.

    Its best is the mean of its distribution, which chance in the costs moves least.
    """

    def __init__(self, start: Array, rng: np.random.Generator, spread: float = 0.03) -> None:
        options = {'bounds': [0.0, 1.0], 'seed': int(rng.integers(1, 2**31)), 'verbose': -9,
                   'CMA_diagonal': 100}
        self._strategy = cma.CMAEvolutionStrategy(start, spread, options)
        self.best, self.cost = start.copy(), np.inf

    def ask(self) -> list[Array]:
        """Return the next vectors to evaluate."""
        return [np.asarray(vector) for vector in self._strategy.ask()]

    def tell(self, vectors: Sequence[Array], costs: Sequence[float]) -> None:
        """Take the costs of the vectors asked for."""
        self._strategy.tell(list(vectors), list(costs))
        self.best = np.clip(self._strategy.result.xfavorite, 0.0, 1.0)
        self.cost = float(np.median(costs))
