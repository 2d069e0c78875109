"""A configuration of the robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pose:
    """
    Where the root is and how the joints stand.

    :param base_position: of the root link's frame in the world, m.
    :param base_quaternion: x, y, z, w.
    :param joint_position: rad, one entry per link.
    """

    base_position: NDArray[np.float64]
    base_quaternion: NDArray[np.float64]
    joint_position: NDArray[np.float64]
