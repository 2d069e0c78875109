"""The map of the ground around the robot as it goes over a topic: /height_map."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray

from quadruped_control.terrain.local_map import LocalMap

Array = NDArray[np.float64]
HEAD = 7                        # step, run, x, y, spacing, points along x and y
LEAST = 2                       # points along each


class Measured(NamedTuple):
    """A map, and the step and run of the simulation in which it was measured."""

    step: int
    run: float
    map: LocalMap


def write_map(measured: Measured) -> Float64MultiArray:
    """Return the message: step, run, place, spacing and size, then the heights row by row."""
    step, run, (x, y, spacing, heights) = measured
    numbers = np.concatenate([[step, run, x, y, spacing, *heights.shape], heights.ravel()])
    return Float64MultiArray(data=array('d', numbers.tobytes()))


def read_map(numbers: Array) -> Measured | None:
    """Return the map of a message's numbers; None where they are no such message."""
    if len(numbers) < HEAD or not np.isfinite(numbers).all():
        return None
    step, run, x, y, spacing, along, across = numbers[:HEAD].tolist()
    shape = int(along), int(across)
    if min(shape) < LEAST or spacing <= 0.0 or len(numbers) != HEAD + shape[0] * shape[1]:
        return None
    heights = np.array(numbers[HEAD:], np.float64).reshape(shape)   # a message's are read-only
    return Measured(int(step), run, LocalMap(x, y, spacing, heights))
