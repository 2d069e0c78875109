"""
What is short or long, slow or fast for a leap of one body: leaps/measures.yaml of its folder.

Lengths in m, speeds in m/s; another body has other numbers, by its size.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import Self

from quadruped_control.kinematics.records import new_record
from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.similarity import Unit

Metres = Annotated[float, Field(gt=0.0, le=20.0, description='m'), Unit('m')]
Speed = Annotated[float, Field(gt=0.0, le=200.0, description='m/s'), Unit('m/s')]
LEAPS, FILE = 'leaps', 'measures.yaml'


class PlayerMeasures(Schema):
    """
    What the player of leaps compares with.

    :param press: below the ground that feet which are late aim for, to be down in time.
    :param stretch: over the trot's height to which a push stretches the legs.
    :param lift: that the feet are lifted in loading.
    :param furthest_ahead: that a foot is set ahead of its place.
    :param caught: with which a landing robot may still sink when the trot goes on.
    :param high: of climb, from which a leap is high and its landing deep.
    """

    press: Metres
    stretch: Metres
    lift: Metres
    furthest_ahead: Metres
    caught: Speed
    high: Speed


class ObstacleMeasures(Schema):
    """
    What in a scan of the ground is an obstacle.

    :param least_step: between neighbours that the gaits do not just step over.
    :param highest_stair: of a step among several, up to which they do, and
    :param treads: least and most by which these are apart.
    :param widest_barrier: what is longer is a platform.
    :param widest_trench: what is longer, and not deep, is gone down into and out of.
    :param same_level: by which both sides of a gap or a barrier may differ.
    :param footing: of a platform that the feet need behind its edge.
    :param deepest_step: what is deeper is a gap whose other side is not seen yet.
    """

    least_step: Metres
    highest_stair: Metres
    treads: tuple[Metres, Metres]
    widest_barrier: Metres
    widest_trench: Metres
    same_level: Metres
    footing: Metres
    deepest_step: Metres


class PlannerMeasures(Schema):
    """
    What the planner of leaps compares with, and its costs, which are lengths.

    :param speed_apart: by which the speed may differ from a leap's, and
    :param speed_change: by which it may more for each half stride that there is time, up to
    :param far_speed_apart: this.
    :param speed_band: around a speed, whose leaps a model is made of.
    :param margin: between feet and edges; clearance: between feet and what they pass over.
    :param standing: height of the leg frames over the ground: h of a leap of no height.
    :param near_enough: to a target, where the hind feet may land.
    :param under_body: before the hips, that the robot stands on or has leapt over.
    :param stopping: before an obstacle, where a robot that refuses it stops;
    :param slow_room: before that, from where on it stops, and
    :param slow_speed: with which it comes there.
    :param effort: cost of 1 (N m)^2 s.
    :param risk: cost of a leap that never landed well on such ground.
    :param brisk: speed that a leap should be begun with; delay: cost of a m/s less.
    :param room: by which the begin may differ; what is lacking of it is a cost.
    """

    speed_apart: Speed
    speed_change: Speed
    far_speed_apart: Speed
    speed_band: Speed
    margin: Metres
    clearance: Metres
    standing: Metres
    near_enough: Metres
    under_body: Metres
    stopping: Metres
    slow_room: Metres
    slow_speed: Speed
    effort: Annotated[float, Field(ge=0.0, description='m/(N m)^2 s'), Unit('m/N^2 m^2 s')]
    risk: Metres
    brisk: Speed
    delay: Annotated[float, Field(ge=0.0, le=100.0, description='s'), Unit('s')]
    room: Metres


class Grid(Schema):
    """The part of heights, distances and speeds that a dictionary should cover, in cells."""

    heights: tuple[Metres, Metres, Annotated[int, Field(ge=1, le=100)]]
    distances: tuple[Metres, Metres, Annotated[int, Field(ge=1, le=100)]]
    speeds: Annotated[tuple[Annotated[float, Field(ge=0.0, le=200.0), Unit('m/s')], ...],
                      Field(min_length=2, max_length=100)]


Lengths = tuple[Annotated[float, Unit('m')], Annotated[float, Unit('m')]]
Times = tuple[Annotated[float, Unit('s')], Annotated[float, Unit('s')]]
Speeds = tuple[Annotated[float, Unit('m/s')], Annotated[float, Unit('m/s')]]
Torques = tuple[Annotated[float, Unit('N m')], Annotated[float, Unit('N m')]]
Numbers = tuple[float, float]


class LeapBounds(Schema):
    """Least and most of each parameter of a leap, as :class:`Leap` explains them."""

    loading: Times
    front_ahead: Lengths
    first_ahead: Lengths
    second_ahead: Lengths
    front_height: Lengths
    rear_height: Lengths
    front_force: Numbers
    front_time: Times
    rear_delay: Times
    rear_force: Numbers
    rear_time: Times
    forward: Speeds
    pitch: Numbers
    neck_stiffening: Numbers
    spine_stiffening: Numbers
    leg_stiffening: Numbers
    leg_length: Lengths
    push_torque: Torques

    @model_validator(mode='after')
    def _refuse_empty_range(self) -> Self:
        for name in type(self).model_fields:
            least, most = getattr(self, name)
            if not least < most:
                raise refusal('least and most, in this order', name)
        return self


class LeapMeasures(Schema):
    """All numbers of a body's leaps that are no leap."""

    player: PlayerMeasures
    obstacles: ObstacleMeasures
    planner: PlannerMeasures
    grid: Grid
    bounds: LeapBounds


PLAYER_MEASURES = tuple(PlayerMeasures.model_fields)


@cache
def leap_measures_type() -> np.dtype:
    """The measures of the player, for compiled code."""
    return np.dtype([(name, 'f8') for name in PLAYER_MEASURES], align=True)


def record_measures(measures: LeapMeasures | None) -> np.record:
    """Return the player's measures as a record; of a robot that does not leap, zeros."""
    record = new_record(leap_measures_type())
    if measures is not None:
        for name in PLAYER_MEASURES:
            record[name] = getattr(measures.player, name)
    return record


def load_leap_measures(robot: str = DEFAULT_ROBOT) -> LeapMeasures:
    """Read the measures of a robot's leaps."""
    return read_measures(robot_folder(robot) / LEAPS / FILE)


@cache
def read_measures(path: Path) -> LeapMeasures:
    """Read a file of measures, once in a process."""
    return load(path, LeapMeasures)
