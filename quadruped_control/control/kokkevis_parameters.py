"""Parameters of the controller of Kokkevis et al. 1995: kokkevis.yaml of a robot, and flat."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from quadruped_control.control.foot_limits import (
    Distribution,
    flatten_distribution,
    list_distribution_fields,
)
from quadruped_control.kinematics.records import new_record
from quadruped_control.loading import Schema, load
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import robot_folder
from quadruped_control.model.similarity import Unit

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
AXES = ('roll', 'pitch', 'yaw', 'height', 'forward', 'sideways')


class Response(Schema):
    """Natural frequency w (rad/s) and damping ratio u of a controlled variable (equation 3)."""

    w: Annotated[Positive, Unit('rad/s')]
    u: Positive


class BodyControllers(Schema):
    """The six decoupled controllers of the body (section 4), and what they may ask for."""

    roll: Response
    pitch: Response
    yaw: Response
    height: Response
    forward: Response
    sideways: Response
    most_acceleration: Annotated[Positive, Field(description='m/s^2')]
    return_to_feet: Annotated[NotNegative, Unit('1/s')]


class LegMotion(Schema):
    """The leg automaton and the set-down points (section 7)."""

    placement: Annotated[NotNegative, Unit('s')]
    smoothing: Annotated[NotNegative, Unit('s')]
    range: tuple[Positive, Positive]
    safe: Share
    jam_lift: Annotated[Positive, Unit('m')]
    jam_speed: Annotated[Positive, Unit('m/s')]
    ground_filter: Annotated[NotNegative, Unit('s')]


class Slipping(Schema):
    """When a foot slips, and how that is answered."""

    speed: Annotated[Positive, Unit('m/s')]
    after: Annotated[NotNegative, Unit('s')]
    factor: Share
    least_friction: Positive
    recovers: Annotated[Positive, Unit('s')]
    careful_below: Positive


class Swaying(Schema):
    """A motion of tail or head to and fro: amplitude (rad) and period (s)."""

    amplitude: NotNegative
    period: Annotated[Positive, Unit('s')]


class Kokkevis(Schema):
    """The whole file."""

    body: BodyControllers
    distribution: Distribution
    legs: LegMotion
    slipping: Slipping
    tail: Swaying
    head: Swaying


def load_kokkevis(robot: str) -> Kokkevis:
    """Read the parameters of a robot."""
    return load(kokkevis_file(robot), Kokkevis)


def kokkevis_file(robot: str) -> Path:
    """Return where the parameters of a robot are."""
    return robot_folder(robot) / 'kokkevis.yaml'


@cache
def kokkevis_type(links: int) -> np.dtype:
    """The parameters as the compiled controller reads them."""
    return np.dtype([
        ('w', 'f8', (6,)),                            # by AXES, rad/s
        ('u', 'f8', (6,)),
        ('most_acceleration', 'f8'),
        ('return_to_feet', 'f8'),
        *list_distribution_fields(links),             # weights c^1 to c^6 (section 5)
        ('placement', 'f8'),
        ('smoothing', 'f8'),
        ('range', 'f8', (2,)),
        ('safe', 'f8'),
        ('jam_lift', 'f8'),
        ('jam_speed', 'f8'),
        ('ground_filter', 'f8'),
        ('slip_speed', 'f8'),
        ('slip_after', 'f8'),
        ('slip_factor', 'f8'),
        ('least_friction', 'f8'),
        ('recovers', 'f8'),
        ('careful_below', 'f8'),
        ('tail', 'f8', (2,)),                         # amplitude, period
        ('head', 'f8', (2,)),
    ], align=True)


def flatten_kokkevis(parameters: Kokkevis, robot: Robot) -> np.record:
    """Lay the parameters out flat."""
    flat = new_record(kokkevis_type(len(robot.links)))
    body, legs, slips = parameters.body, parameters.legs, parameters.slipping
    responses = [getattr(body, axis) for axis in AXES]
    flat['w'] = [response.w for response in responses]
    flat['u'] = [response.u for response in responses]
    flat['most_acceleration'] = body.most_acceleration
    flat['return_to_feet'] = body.return_to_feet
    flatten_distribution(parameters.distribution, robot, flat)
    for name in ('placement', 'smoothing', 'range', 'safe', 'jam_lift', 'jam_speed',
                 'ground_filter'):
        flat[name] = getattr(legs, name)
    flat['slip_speed'], flat['slip_after'] = slips.speed, slips.after
    flat['slip_factor'], flat['least_friction'] = slips.factor, slips.least_friction
    flat['recovers'], flat['careful_below'] = slips.recovers, slips.careful_below
    flat['tail'] = parameters.tail.amplitude, parameters.tail.period
    flat['head'] = parameters.head.amplitude, parameters.head.period
    return flat
