"""What was seen in the last seconds, for the charts."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SPAN = 2.0                      # s that charts show
CONTACT = 5.0                   # N from which a foot carries weight


class LegSample(NamedTuple):
    """What the legs do at a time (s), as /leg_state tells it."""

    time: float
    stance: Floats              # (4,) 1 where a leg should carry weight
    force: Floats               # (4,) N
    target_height: Floats       # (2,) m, of the leg frames over their feet
    height: Floats              # (2,) m


class MotionSample(NamedTuple):
    """How the dog moves at a time (s)."""

    time: float
    speed: float                # m/s forward
    asked: float                # m/s forward; not a number where nobody told
    torques: Floats             # (joints,) N m


class LegHistory(NamedTuple):
    """Samples one below the other."""

    times: Floats
    stance: Floats
    contact: Floats
    target_height: Floats
    height: Floats


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
        self._legs: deque[LegSample] = deque()
        self._motion: deque[MotionSample] = deque()

    def clear(self) -> None:
        """Forget all."""
        self._legs.clear()
        self._motion.clear()

    def add_legs(self, sample: LegSample) -> None:
        """Take a sample of the legs."""
        if self._legs and sample.time < self._legs[-1].time:
            self._legs.clear()
        if not self._legs or sample.time > self._legs[-1].time:
            self._legs.append(sample)
        while self._legs[-1].time - self._legs[0].time > self.span:
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
        rows = self._legs
        return LegHistory(
            np.array([row.time for row in rows]), _stack([row.stance for row in rows], 4),
            _stack([row.force for row in rows], 4) > CONTACT,
            _stack([row.target_height for row in rows], 2),
            _stack([row.height for row in rows], 2))

    def motion(self) -> MotionHistory:
        """Return the samples of the motion, the newest last."""
        rows = self._motion
        joints = len(rows[-1].torques) if rows else 0
        return MotionHistory(
            np.array([row.time for row in rows]), np.array([row.speed for row in rows]),
            np.array([row.asked for row in rows]), _stack([row.torques for row in rows], joints))


def _stack(rows: Sequence[Floats], width: int) -> Floats:
    return np.array(rows, float).reshape(len(rows), width)
