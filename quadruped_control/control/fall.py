"""
What a fall is, for controller, metrics, search and acceptance.

A robot has fallen when a leg frame has been tilted by more than 60 degrees for 0.1 s, or, while
it should be on its feet, when one has been lower than the body's ``fallen_height`` for 0.3 s;
what is nowhere (not a number) has fallen too. In metrics, which know more than joints tell, the
back, neck or head touching something is a fall at once. It is up again at the start of the first
second in which both leg frames are higher than the body's ``recovered_height``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

LEAST_UPRIGHT = 0.5         # cosine of the tilt
TILTED_TIME = 0.1           # s
LOW_TIME = 0.3              # s
RECOVERED_TIME = 1.0        # s


@compiled
def is_tilted(upright: float) -> bool:
    """Say whether a leg frame is, by the cosine of its tilt, too far from level."""
    return not upright >= LEAST_UPRIGHT


@compiled
def is_low(height: float, fallen_height: float) -> bool:
    """Say whether a leg frame is too low, both in m."""
    return not height >= fallen_height


@compiled
def is_falling(height: float, upright: float, fallen_height: float) -> bool:
    """Say whether a leg frame is where a fall begins: a search waits no longer."""
    return is_low(height, fallen_height) or is_tilted(upright)


def find_low(heights: NDArray[np.float64], fallen_height: float) -> NDArray[np.bool_]:
    """Return in which rows of heights (n, 2) a leg frame is too low."""
    return np.asarray(~(heights >= fallen_height).all(axis=1))


def find_high(heights: NDArray[np.float64], recovered_height: float) -> NDArray[np.bool_]:
    """Return in which rows of heights (n, 2) both leg frames are as high as on their legs."""
    return np.asarray((heights > recovered_height).all(axis=1))
