"""
A transition controller: what is changed while one gait is shifted into another (section 4).

The shift mixes the parameters of both gaits; in its middle they are changed by these numbers, at
its begin and its end by nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.loading import Schema, load
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.similarity import SAME, Similarity, Unit

Array = NDArray[np.float64]
TROT_TO_CANTER = 'trot_to_canter'


@dataclass(frozen=True)
class Room:
    """How far a search changes a number up or down, for a body of the dog's size."""

    most: float


class FrameChange(Schema):
    """
    What is added to the parameters of a leg frame and its legs, over the whole cycle.

    :param height: m, of the leg frame.
    :param pitch: rad.
    :param step_ahead: m, of the footholds.
    :param step_aside: m, to the outside.
    :param placement: s, of velocity-based foot placement forwards.
    :param velocity_gain: N s/m, forwards.
    :param weight_share: share of the dog's weight that the legs carry without any error.
    :param forward: N, of F_D of both legs.
    :param up: N, of F_D of both legs.
    """

    height: Annotated[float, Room(0.06), Unit('m')] = 0.0
    pitch: Annotated[float, Room(0.2), Unit('rad')] = 0.0
    step_ahead: Annotated[float, Room(0.1), Unit('m')] = 0.0
    step_aside: Annotated[float, Room(0.05), Unit('m')] = 0.0
    placement: Annotated[float, Room(0.15), Unit('s')] = 0.0
    velocity_gain: Annotated[float, Room(300.0), Unit('N s/m')] = 0.0
    weight_share: Annotated[float, Room(0.8), Unit('')] = 0.0
    forward: Annotated[float, Room(100.0), Unit('N')] = 0.0
    up: Annotated[float, Room(100.0), Unit('N')] = 0.0


class Transition(Schema):
    """The changes of both leg frames."""

    name: Annotated[str, Field(min_length=1, max_length=50)]
    front: FrameChange = FrameChange()
    rear: FrameChange = FrameChange()


CHANGES = tuple(FrameChange.model_fields)


def transition_file(name: str, robot: str = DEFAULT_ROBOT) -> Path:
    """Return where a robot's transition is."""
    return robot_folder(robot) / 'transitions' / f'{name}.yaml'


def load_transition(name: str, robot: str = DEFAULT_ROBOT) -> Transition:
    """Read a robot's transition by its name."""
    return load(transition_file(name, robot), Transition)


def list_limits(similarity: Similarity = SAME) -> Array:
    """Return how far a search takes each of CHANGES up or down, for a body of another size."""
    fields = FrameChange.model_fields.values()
    rooms = [mark.most for field in fields for mark in field.metadata if isinstance(mark, Room)]
    units = [mark.text for field in fields for mark in field.metadata if isinstance(mark, Unit)]
    return np.array([room * similarity.factor(unit)
                     for room, unit in zip(rooms, units, strict=True)])


def as_change(transition: Transition) -> Array:
    """Return what is added to the numbers of a gait, in the order of :class:`GaitRecord`."""
    record = make_record(GaitRecord)
    for frame, change in enumerate((transition.front, transition.rear)):
        for key in ('height', 'pitch', 'step_ahead', 'step_aside', 'weight_share'):
            record[key][frame] = getattr(change, key)
        record.placement[frame, 0] = change.placement
        record.velocity_gain[frame, 0] = change.velocity_gain
        record.leg_force[2 * frame:2 * frame + 2] = change.forward, change.up
    return as_numbers(record).copy()
