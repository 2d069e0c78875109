"""What was seen in the last seconds, for the charts."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.rollout import leg_numbers

Floats = NDArray[np.float64]
SPAN = 2.0                      # s that charts show
CONTACT = 5.0                   # N from which a foot carries weight


class MotionSample(NamedTuple):
    """How the dog moves at a time (s)."""

    time: float
    speed: float                # m/s forward
    asked: float                # m/s forward; not a number where nobody told
    torques: Floats             # (joints,) N m


class LegHistory(NamedTuple):
    """Samples of /leg_state one below the other."""

    times: Floats
    stance: Floats              # (n, 4) 1 where a leg should carry weight
    contact: Floats             # (n, 4) 1 where a foot does
    target_height: Floats       # (n, 2) m, of the leg frames over their feet
    height: Floats              # (n, 2) m

    @classmethod
    def of(cls, times: Floats, numbers: Floats) -> LegHistory:
        """Return the history of messages (n, COUNT) at their times (s)."""
        contact = (numbers[:, leg_numbers.FORCE] > CONTACT).astype(float)
        return cls(times, numbers[:, leg_numbers.STANCE], contact,
                   numbers[:, leg_numbers.TARGET_HEIGHT], numbers[:, leg_numbers.HEIGHT])


class MotionHistory(NamedTuple):
    """Samples one below the other."""

    times: Floats
    speed: Floats
    asked: Floats
    torques: Floats


class History:
    """The samples of the last seconds; a time that goes back begins anew."""

    def __init__(self, span: float = SPAN) -> None:
        self.span = span
        self._legs: deque[tuple[float, Floats]] = deque()
        self._motion: deque[MotionSample] = deque()

    def clear(self) -> None:
        """Forget all."""
        self._legs.clear()
        self._motion.clear()

    def add_legs(self, time: float, numbers: Floats) -> None:
        """Take the numbers of /leg_state at a time (s)."""
        if self._legs and time < self._legs[-1][0]:
            self._legs.clear()
        if not self._legs or time > self._legs[-1][0]:
            self._legs.append((time, numbers))
        while self._legs[-1][0] - self._legs[0][0] > self.span:
            self._legs.popleft()

    def add_motion(self, sample: MotionSample) -> None:
        """Take a sample of the motion."""
        if self._motion and sample.time < self._motion[-1].time:
            self._motion.clear()
        if not self._motion or sample.time > self._motion[-1].time:
            self._motion.append(sample)
        while self._motion[-1].time - self._motion[0].time > self.span:
            self._motion.popleft()

    def legs(self) -> LegHistory:
        """Return the samples of the legs, the newest last."""
        return LegHistory.of(np.array([time for time, _ in self._legs]),
                             _stack([row for _, row in self._legs], leg_numbers.COUNT))

    def motion(self) -> MotionHistory:
        """Return the samples of the motion, the newest last."""
        rows = self._motion
        joints = len(rows[-1].torques) if rows else 0
        return MotionHistory(
            np.array([row.time for row in rows]), np.array([row.speed for row in rows]),
            np.array([row.asked for row in rows]), _stack([row.torques for row in rows], joints))


def _stack(rows: Sequence[Floats], width: int) -> Floats:
    return np.array(rows, float).reshape(len(rows), width)
