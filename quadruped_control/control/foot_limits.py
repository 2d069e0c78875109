"""What limits the forces of the feet in a problem of force distribution: ground and joints."""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from quadruped_control.compiled import compiled
from quadruped_control.loading import Schema
from quadruped_control.model.robot import Robot
from quadruped_control.model.similarity import Unit

Array = NDArray[np.float64]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
TorqueWeight = Annotated[NotNegative, Unit('1/m^2')]


class Distribution(Schema):
    """How a wanted force and torque are distributed to the feet: weights of errors, and limits."""

    force: tuple[NotNegative, NotNegative, NotNegative]
    torque: tuple[TorqueWeight, TorqueWeight, TorqueWeight]
    regularisation: Positive
    friction: Positive
    least: Annotated[NotNegative, Unit('N')]
    most: Annotated[Positive, Unit('N')]
    torque_share: Annotated[float, Field(gt=0, le=1)]


def list_distribution_fields(links: int) -> list[tuple[str, str] | tuple[str, str, tuple[int]]]:
    """Return the fields of a record that has a distribution."""
    return [
        ('row_weight', 'f8', (6,)),                   # forward, left, up, roll, pitch, yaw
        ('regularisation', 'f8'),
        ('friction', 'f8'),
        ('least', 'f8'),
        ('most', 'f8'),
        ('torque_limit', 'f8', (links,)),             # N m
    ]


def flatten_distribution(distribution: Distribution, robot: Robot, flat: np.record) -> None:
    """Write a distribution into a record that has its fields."""
    flat['row_weight'] = *distribution.force, *distribution.torque
    for name in ('regularisation', 'friction', 'least', 'most'):
        flat[name] = getattr(distribution, name)
    flat['torque_limit'] = distribution.torque_share * robot.torque_limits()


def count_leg_joints(robot: Robot) -> int:
    """Return how many joints the legs of a robot have, at most."""
    most = 0
    for leg in range(4):
        link, count = int(robot.anatomy['toe'][leg]), 0
        while link != robot.anatomy['leg_frame'][leg // 2]:
            count += robot.tree['axis'][link] >= 0
            link = int(robot.tree['parent'][link])
        most = max(most, count)
    return most


@compiled
def lay_plane(ahead: float, left: float, heading: float, tangents: Array, normal: Array) -> None:
    """
    Write the normal of the ground and two directions along it: ahead and to the left.

    :param ahead: slope of the ground along the heading, and
    :param left: across it, rad.
    """
    c, s = cos(heading), sin(heading)
    a, b = tangents[0], tangents[1]
    a[0], a[1], a[2] = c * cos(ahead), s * cos(ahead), sin(ahead)
    b[0], b[1], b[2] = -s * cos(left), c * cos(left), sin(left)
    overlap = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    length = sqrt(1.0 - overlap * overlap)
    for k in range(3):
        b[k] = (b[k] - overlap * a[k]) / length
    normal[0] = a[1] * b[2] - a[2] * b[1]
    normal[1] = a[2] * b[0] - a[0] * b[2]
    normal[2] = a[0] * b[1] - a[1] * b[0]


@compiled
def add_wrench_rows(axes: Array, point: Array, sole: Array, leg: int, first: int,
                    problem: np.record) -> None:
    """
    Write the rows of a foot's force and of its moment about a point, each along three axes.

    :param first: row of the problem.
    """
    x, y, z = sole[0] - point[0], sole[1] - point[1], sole[2] - point[2]
    for n in range(3):
        a, moment = axes[n], problem.matrix[first + 3 + n, leg]
        problem.matrix[first + n, leg] = a
        moment[0] = a[1] * z - a[2] * y
        moment[1] = a[2] * x - a[0] * z
        moment[2] = a[0] * y - a[1] * x


@compiled
def limit_foot(numbers: np.record, tree: np.record, anatomy: np.record, motion: np.record,
               seen: np.record, leg: int, friction: float, problem: np.record) -> None:
    """Write friction and normal force of a foot, and the torque of each joint per force on it."""
    problem.friction[leg] = friction
    problem.least[leg], problem.most[leg] = numbers.least, numbers.most
    i, n, sole = anatomy.toe[leg], 0, seen.sole[leg]
    while i != anatomy.leg_frame[leg // 2]:
        if tree.axis[i] >= 0:
            axis, joint = motion.axis[i], motion.position[i]
            x, y, z = sole[0] - joint[0], sole[1] - joint[1], sole[2] - joint[2]
            row = problem.jacobian[leg, n]
            row[0] = axis[1] * z - axis[2] * y
            row[1] = axis[2] * x - axis[0] * z
            row[2] = axis[0] * y - axis[1] * x
            problem.torque_limit[leg, n] = numbers.torque_limit[i]
            n += 1
        i = tree.parent[i]


@compiled
def level_axes(heading: float, axes: Array) -> None:
    """Write the axes ahead, to the left and up."""
    c, s = cos(heading), sin(heading)
    axes[:] = 0.0
    axes[0, 0], axes[0, 1], axes[1, 0], axes[1, 1], axes[2, 2] = c, s, -s, c, 1.0
