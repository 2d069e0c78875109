"""The ground as the simulation tells it to the controller: /ground, latched, one for each run."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray

from quadruped_control.terrain.ground_table import GroundTable, is_sound

Array = NDArray[np.float64]
COLUMNS = 9                     # of a layer
HEAD = 3                        # run, number of layers, number of values


def write_ground(run: float, table: GroundTable) -> Float64MultiArray:
    """Return the message: run, how many layers and values there are, then these."""
    layers, values = table
    numbers = np.concatenate([[run, len(layers), len(values)], layers.ravel(), values])
    return Float64MultiArray(data=array('d', numbers.tobytes()))


def read_ground(numbers: Array) -> tuple[float, GroundTable] | None:
    """Return run and ground of a message's numbers; None where they are no such message."""
    if len(numbers) < HEAD or not np.isfinite(numbers[:HEAD]).all():
        return None
    layers, values = int(numbers[1]), int(numbers[2])
    if layers < 0 or values < 0 or len(numbers) != HEAD + COLUMNS * layers + values:
        return None
    body = np.array(numbers[HEAD:], np.float64)         # a message's own are read-only
    split = COLUMNS * layers
    table = GroundTable(body[:split].reshape(layers, COLUMNS).copy(), body[split:].copy())
    return (float(numbers[0]), table) if is_sound(table) else None
