"""Whether a simulated state can be one: torques that come too late throw a robot to the moon."""

from __future__ import annotations

import numpy as np

FASTEST = 30.0                  # m/s: no animal is faster
HIGHEST = 20.0                  # m of the base over the ground
FASTEST_JOINT = 1000.0          # rad/s, m/s; a paw that strikes the ground has 150


def describe_insanity(state: np.record, ground: float) -> str:
    """
    Say in words what is beyond all reason in a state; nothing where nothing is.

    :param ground: height of the ground under the base, m.
    """
    speed = float(np.linalg.norm(state['base_velocity']))
    height = float(state['base_position'][2]) - ground
    joint = float(np.abs(state['joint_velocity']).max())
    if not np.isfinite(speed + height + joint):
        return 'the state is not finite'
    if speed > FASTEST:
        return f'it moves at {speed:.0f} m/s'
    if height > HIGHEST:
        return f'it is {height:.0f} m above the ground'
    if joint > FASTEST_JOINT:
        return f'a joint moves at {joint:.0f} rad/s'
    return ''
