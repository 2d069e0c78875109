"""
Leaps as data: the parameters of a leap (17 in section 5 of the paper, and a torque), with bounds.

seed.yaml in the folder leaps of a robot is the leap from which the dictionary grows; the bounds
are in measures.yaml beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap_measures import LeapMeasures, load_leap_measures
from quadruped_control.errors import InputError
from quadruped_control.loading import Schema, load
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.similarity import Unit

Array = NDArray[np.float64]
Seconds = Annotated[float, Unit('s')]
Metres = Annotated[float, Unit('m')]
Speed = Annotated[float, Unit('m/s')]
Torque = Annotated[float, Unit('N m')]


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

    loading: Seconds
    front_ahead: Metres
    first_ahead: Metres
    second_ahead: Metres
    front_height: Metres
    rear_height: Metres
    front_force: float
    front_time: Seconds
    rear_delay: Seconds
    rear_force: float
    rear_time: Seconds
    forward: Speed
    pitch: float
    neck_stiffening: float
    spine_stiffening: float
    leg_stiffening: float
    leg_length: Metres
    push_torque: Torque


PARAMETERS = tuple(Leap.model_fields)


def list_bounds(robot: str = DEFAULT_ROBOT) -> tuple[Array, Array]:
    """Return the least and the most of each parameter of a robot's leaps."""
    return flatten_bounds(load_leap_measures(robot))


def flatten_bounds(measures: LeapMeasures) -> tuple[Array, Array]:
    """Return the least and the most of each parameter."""
    ranges = np.array([getattr(measures.bounds, name) for name in PARAMETERS])
    return ranges[:, 0].copy(), ranges[:, 1].copy()


def flatten_leap(leap: Leap) -> Array:
    """Return the parameters as numbers, in the order of PARAMETERS."""
    return np.array([getattr(leap, name) for name in PARAMETERS])


def leaps_folder(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the leaps of a robot are."""
    return robot_folder(robot) / 'leaps'


def load_seed(robot: str = DEFAULT_ROBOT) -> Leap:
    """Read the leap from which a robot's dictionary grows."""
    path = leaps_folder(robot) / 'seed.yaml'
    leap = load(path, Leap)
    for name, least, most in zip(PARAMETERS, *list_bounds(robot), strict=True):
        if not least <= getattr(leap, name) <= most:
            raise InputError(path, name, getattr(leap, name), f'{least:g} to {most:g}, as '
                             'measures.yaml beside it says')
    return leap
