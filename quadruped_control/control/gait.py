"""Gaits as data: the schema of config/gaits/NAME.yaml, and its parameters as flat records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator
from typing_extensions import Self

from quadruped_control.control.records import gait_type
from quadruped_control.control.trajectory import KNOTS
from quadruped_control.kinematics.records import LEGS, as_block, new_record
from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot_files import DEFAULT_ROBOT, list_files, robot_folder

Array = NDArray[np.float64]
Knots = Annotated[tuple[float, ...], Field(min_length=KNOTS, max_length=KNOTS)]
Trajectory = float | Knots          # a number is a trajectory that does not change
Pair = tuple[float, float]
NotNegative = Annotated[float, Field(ge=0.0)]
STAND = 'stand'
NO_LIMIT = 1000.0           # N m of a hip, which no foot's force reaches

# of PairParameters, those that a record has under the same name, front and rear
PAIR_FIELDS = ('height', 'pitch', 'swing_height', 'swing_advance', 'tracking', 'step_ahead',
               'step_aside', 'placement', 'velocity_gain', 'height_gain', 'weight_share',
               'heading_gain', 'spine_share', 'swing_damping', 'stance_shape', 'smoothing',
               'reach', 'hip_moment', 'lowering')


class Footfall(Schema):
    """
    When a leg swings, as fractions of the stride.

    :param lift_off: may be any number, so that neighbouring gaits interpolate the short way.
    """

    lift_off: Annotated[float, Field(ge=-1.0, le=2.0)]
    touchdown: Annotated[float, Field(ge=-1.0, le=3.0)]

    @model_validator(mode='after')
    def _refuse_reverse(self) -> Self:
        if not 0.0 < self.touchdown - self.lift_off < 1.0:
            raise refusal('after lift_off by more than 0 and less than 1', 'touchdown')
        return self


class GaitGraph(Schema):
    """The footfalls of the four legs."""

    front_left: Footfall
    front_right: Footfall
    rear_left: Footfall
    rear_right: Footfall


class FootControl(Schema):
    """Pitch of the pastern (rad) that is reached over a time (s) at lift-off or touchdown."""

    angle: Annotated[float, Field(ge=-2.0, le=2.0)] = 0.0
    time: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05


class PairParameters(Schema):
    """
    What a leg frame and its two legs do; meanings and units as in :func:`gait_type`.

    A trajectory is one number, or KNOTS of them spread over the phase.
    """

    height: Trajectory
    pitch: Trajectory = 0.0
    swing_height: Trajectory
    swing_advance: Trajectory
    tracking: Trajectory
    step_ahead: float
    step_aside: float
    placement: Pair
    velocity_gain: Pair
    height_gain: Pair
    weight_share: Annotated[float, Field(ge=0.0, le=5.0)]
    heading_gain: Annotated[float, Field(ge=0.0, le=5000.0)] = 0.0
    spine_share: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    swing_damping: Annotated[float, Field(ge=0.0, le=5.0)] = 1.0
    stance_shape: Annotated[float, Field(ge=0.0, le=3.0)] = 1.0
    smoothing: Annotated[float, Field(ge=0.0, le=0.5)] = 0.0
    reach: Annotated[float, Field(ge=0.0)] = 10.0
    hip_moment: Annotated[float, Field(gt=0.0, le=NO_LIMIT)] = NO_LIMIT
    lowering: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0
    toe_off: FootControl = FootControl()
    foot_strike: FootControl = FootControl()


class LegForce(Schema):
    """F_D by D: forward and up, N."""

    forward: Trajectory = 0.0
    up: Trajectory = 0.0


class LegForces(Schema):
    """F_D of the four legs."""

    front_left: LegForce = LegForce()
    front_right: LegForce = LegForce()
    rear_left: LegForce = LegForce()
    rear_right: LegForce = LegForce()


class LegStep(Schema):
    """How far the default foothold of one leg is moved, m."""

    ahead: float = 0.0
    left: float = 0.0


class LegSteps(Schema):
    """The moved footholds of the four legs."""

    front_left: LegStep = LegStep()
    front_right: LegStep = LegStep()
    rear_left: LegStep = LegStep()
    rear_right: LegStep = LegStep()


class GaitAtSpeed(Schema):
    """The parameters of a gait tuned for one speed (m/s)."""

    speed: Annotated[float, Field(ge=0.0, le=10.0)]
    period: Annotated[float, Field(gt=0.05, le=5.0)]
    gait_graph: GaitGraph
    front: PairParameters
    rear: PairParameters
    head_pitch: Trajectory = 0.0
    leg_force: LegForces = LegForces()
    leg_step: LegSteps = LegSteps()
    yielding: tuple[NotNegative, NotNegative] = (0.0, 0.0)
    turning: NotNegative = 0.0
    facing: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    hastening: NotNegative = 0.0


class Gait(Schema):
    """A gait over its range of speeds."""

    name: Annotated[str, Field(min_length=1, max_length=50)]
    speeds: Annotated[tuple[GaitAtSpeed, ...], Field(min_length=1)]

    @field_validator('speeds', mode='after')
    @classmethod
    def _refuse_disorder(cls, speeds: tuple[GaitAtSpeed, ...]) -> tuple[GaitAtSpeed, ...]:
        for n, (slower, faster) in enumerate(pairwise(speeds)):
            if faster.speed <= slower.speed:
                raise refusal('a speed greater than that of the entry before', n + 1, 'speed')
        return speeds


def gaits_folder(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the gait files of a robot are."""
    return robot_folder(robot) / 'gaits'


def load_gait(name: str, robot: str = DEFAULT_ROBOT) -> Gait:
    """Read a robot's gait by its name."""
    return load(gaits_folder(robot) / f'{name}.yaml', Gait)


def available_gaits(robot: str = DEFAULT_ROBOT) -> frozenset[str]:
    """Return the names of all gaits of a robot but the stand."""
    return frozenset(list_files(robot, 'gaits')) - {STAND}


def flatten(gait: GaitAtSpeed) -> Array:
    """Return the parameters as a vector of numbers in the order of :func:`gait_type`."""
    record = new_record(gait_type())
    record['period'] = gait.period
    for leg, name in enumerate(LEGS):
        footfall = getattr(gait.gait_graph, name)
        record['lift_off'][leg], record['touchdown'][leg] = footfall.lift_off, footfall.touchdown
        force = getattr(gait.leg_force, name)
        record['leg_force'][leg, :, 0] = force.forward
        record['leg_force'][leg, :, 1] = force.up
        step = getattr(gait.leg_step, name)
        record['leg_step'][leg] = step.ahead, step.left
    record['head_pitch'] = gait.head_pitch
    record['yielding'] = gait.yielding
    record['turning'], record['facing'] = gait.turning, gait.facing
    record['hastening'] = gait.hastening
    for frame, pair in enumerate((gait.front, gait.rear)):
        for key in PAIR_FIELDS:
            record[key][frame] = getattr(pair, key)
        record['toe_off'][frame] = pair.toe_off.angle, pair.toe_off.time
        record['foot_strike'][frame] = pair.foot_strike.angle, pair.foot_strike.time
    return as_numbers(record)


def as_numbers(record: np.record) -> Array:
    """Return a record of numbers as a flat array that shares its memory."""
    block = as_block(record)
    return np.ndarray(block.nbytes // 8, np.float64, block)


@dataclass
class GaitTable:
    """
    The parameters of a gait, or of a ladder of gaits, over speed.

    :param speeds: m/s, increasing.
    :param rows: the parameters at each speed.
    :param names: the gait that each row belongs to.
    :param gears: where speed alone does not lead from row to row: the first row of the fast gear
        (0: there is none), the speeds at which it is taken up and left (m/s), and from which phase
        on it may be left, for how much of a cycle (0: at any).
    :param shift: what is added to the parameters in the middle of a shift to the fast gear, or
        nothing.
    """

    speeds: Array
    rows: Array
    names: tuple[str, ...]
    gears: Array = field(default_factory=lambda: np.zeros(5))
    shift: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, gait: Gait) -> GaitTable:
        """Return the table of one gait."""
        return cls(np.array([at.speed for at in gait.speeds]),
                   np.array([flatten(at) for at in gait.speeds]), (gait.name,) * len(gait.speeds))

    @classmethod
    def single(cls, speed: float, numbers: Array, name: str = 'tuned') -> GaitTable:
        """Return a table of one row, which may be overwritten."""
        return cls(np.array([speed]), numbers[None].copy(), (name,))

    @classmethod
    def join(cls, tables: Sequence[GaitTable]) -> GaitTable:
        """Return a table of tables whose speeds follow each other."""
        return cls(np.concatenate([table.speeds for table in tables]),
                   np.concatenate([table.rows for table in tables]),
                   tuple(name for table in tables for name in table.names))

    def shift_to(self, fast: GaitTable, up: float, down: float, shift: Array) -> GaitTable:
        """Return this table as the slow gear and another one as the fast gear."""
        both = GaitTable.join([self, fast])
        both.gears[:3] = len(self.speeds), up, down
        both.shift = shift.copy()
        return both

    def interpolate(self, speed: float) -> Array:
        """Return the parameters at a speed; outside the table those at its end."""
        return np.array([np.interp(speed, self.speeds, column) for column in self.rows.T])

    def cut(self, least: float, most: float) -> GaitTable:
        """Return the part between two speeds, with rows at both."""
        most = min(most, self.speeds[-1])
        inside = (self.speeds > least) & (self.speeds < most)
        speeds = np.unique([least, *self.speeds[inside], most])
        return GaitTable(speeds, np.array([self.interpolate(speed) for speed in speeds]),
                         (self.names[0],) * len(speeds))
