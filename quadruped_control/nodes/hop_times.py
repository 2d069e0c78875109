"""Where the time of a lock-step goes, from hop to hop."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

HOPS = ('simulation', 'scheduler', 'controller', 'transport', 'waiting')


class HopTimes:
    """Sums over all steps; transport is what remains of the round trip."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.steps = 0
        self._sums: NDArray[np.float64] = np.zeros(len(HOPS))
        self._begin = self._published = self._arrived = perf_counter()
        self._waited = 0.0

    def note_published(self, waited: float = 0.0) -> None:
        """Note that a state left, after so many s of waiting for the wall clock."""
        now = perf_counter()
        self._sums[0] += now - self._arrived - waited
        self._sums[4] += waited
        self._published = now

    def note_arrived(self, scheduler: float, controller: float) -> None:
        """Note that its torques came, for which the others worked so many s."""
        self._arrived = perf_counter()
        self._sums[1] += scheduler
        self._sums[2] += controller
        self._sums[3] += self._arrived - self._published - scheduler - controller

    def count(self) -> None:
        """Count a step; the time before the first is that of starting."""
        if self.steps == 0:
            self._begin = self._arrived = perf_counter()
            self._sums[:] = 0.0
        self.steps += 1

    @property
    def wall(self) -> float:
        """Time in s since the first step."""
        return perf_counter() - self._begin

    def summarise(self, time_step: float) -> dict[str, object]:
        """Return the real-time factor, us per step of each hop and its share."""
        steps = max(self.steps - 1, 1)
        total = float(self._sums.sum()) or 1.0
        return {
            'steps': self.steps,
            'real_time_factor': steps * time_step / max(self.wall, 1e-9),
            'hops_us': {hop: 1e6 * s / steps for hop, s in zip(HOPS, self._sums, strict=True)},
            'share': {hop: s / total for hop, s in zip(HOPS, self._sums, strict=True)},
        }
