"""Whether a simulated state can be one: torques that come too late throw a robot to the moon."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FASTEST = 30.0                  # m/s: no animal is faster
HIGHEST = 20.0                  # m of the base over the ground
FASTEST_JOINT = 1000.0          # rad/s, m/s; a paw that strikes the ground has 150


def describe_insanity(state: np.record, find_ground: Callable[[float, float], float]) -> str:
    """
    Say in words what is beyond all reason in a state; nothing where nothing is.

    :param find_ground: height of the ground at x and y, m.
    """
    speed = float(np.linalg.norm(state['base_velocity']))
    x, y, z = state['base_position'].tolist()
    joint = float(np.abs(state['joint_velocity']).max())
    if not np.isfinite(speed + x + y + z + joint):
        return 'the state is not finite'
    height = z - find_ground(x, y)
    if speed > FASTEST:
        return f'it moves at {speed:.0f} m/s'
    if height > HIGHEST:
        return f'it is {height:.0f} m above the ground'
    if joint > FASTEST_JOINT:
        return f'a joint moves at {joint:.0f} rad/s'
    return ''
