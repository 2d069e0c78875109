"""
Leaps as data: the parameters of a leap (17 in section 5 of the paper, and a torque), with bounds.

seed.yaml in the folder leaps of a robot is the leap from which the dictionary grows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from pydantic import Field

from quadruped_control.loading import Schema, load
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder

Array = NDArray[np.float64]


def _between(least: float, most: float) -> object:
    return Field(ge=least, le=most)


class Leap(Schema):
    """
    What a leap consists of; times in s, lengths in m, forces as multiples of the standing weight.

    Loading: one diagonal pair is set down in the last half stride of the trot, the other swings
    for ``loading``; then the front feet are ``front_ahead`` of their places, the rear feet of the
    two pairs ``first_ahead`` and ``second_ahead``; the shoulders are lowered to ``front_height``,
    the hips to ``rear_height``.
    Take-off: the shoulders are pushed up by ``front_force`` for ``front_time``; the hips after
    ``rear_delay`` by ``rear_force`` for ``rear_time``, both to be ``forward`` faster (m/s) and
    more or less for the body to be pitched by ``pitch`` (rad, negative raises the front); neck,
    spine and legs are made stiffer by these shares (negative: softer).
    Airborne: ``leg_length`` is what the retracted legs have.
    The forces of take-off are lessened to what takes no joint more than ``push_torque`` (N m).
    """

    loading: Annotated[float, _between(0.08, 0.30)]
    front_ahead: Annotated[float, _between(-0.25, 0.15)]
    first_ahead: Annotated[float, _between(-0.25, 0.15)]
    second_ahead: Annotated[float, _between(-0.25, 0.15)]
    front_height: Annotated[float, _between(0.28, 0.48)]
    rear_height: Annotated[float, _between(0.26, 0.46)]
    front_force: Annotated[float, _between(0.5, 9.0)]
    front_time: Annotated[float, _between(0.03, 0.25)]
    rear_delay: Annotated[float, _between(0.0, 0.25)]
    rear_force: Annotated[float, _between(0.5, 12.0)]
    rear_time: Annotated[float, _between(0.03, 0.30)]
    forward: Annotated[float, _between(-2.0, 6.0)]
    pitch: Annotated[float, _between(-0.9, 0.3)]
    neck_stiffening: Annotated[float, _between(0.0, 2.0)]
    spine_stiffening: Annotated[float, _between(0.0, 0.25)]
    leg_stiffening: Annotated[float, _between(-1.0, 2.0)]
    leg_length: Annotated[float, _between(0.20, 0.42)]
    push_torque: Annotated[float, _between(70.0, 100.0)]


PARAMETERS = tuple(Leap.model_fields)


def list_bounds() -> tuple[Array, Array]:
    """Return the least and the most of each parameter."""
    least, most = [], []
    for field in Leap.model_fields.values():
        for limit in field.metadata:
            if isinstance(limit, Ge):
                least.append(limit.ge)
            if isinstance(limit, Le):
                most.append(limit.le)
    return np.array(least, np.float64), np.array(most, np.float64)


def flatten_leap(leap: Leap) -> Array:
    """Return the parameters as numbers, in the order of PARAMETERS."""
    return np.array([getattr(leap, name) for name in PARAMETERS])


def leaps_folder(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the leaps of a robot are."""
    return robot_folder(robot) / 'leaps'


def load_seed(robot: str = DEFAULT_ROBOT) -> Leap:
    """Read the leap from which a robot's dictionary grows."""
    return load(leaps_folder(robot) / 'seed.yaml', Leap)
