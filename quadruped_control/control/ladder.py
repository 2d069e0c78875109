"""Ladders as data: which gait a robot uses at which speed (ladder.yaml of its folder)."""

from __future__ import annotations

from math import inf
from typing import Annotated

from pydantic import Field, model_validator
from typing_extensions import Self

from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.robot_loading import load_model
from quadruped_control.model.similarity import Unit, scale_schema

AUTO = 'auto'
Speed = Annotated[float, Field(ge=0.0, le=50.0, description='m/s'), Unit('m/s')]
Name = Annotated[str, Field(min_length=1, max_length=50)]


class Step(Schema):
    """A gait over a part of its speeds, m/s; without an end as far as its file goes."""

    gait: Name
    start: Speed = Field(alias='from')
    end: Annotated[float, Field(gt=0.0, le=50.0, description='m/s')] | None = Field(
        default=None, alias='to')

    @property
    def top(self) -> float:
        """The speed at which it ends, m/s."""
        return inf if self.end is None else self.end


Steps = Annotated[tuple[Step, ...], Field(min_length=1, max_length=20)]


class ShiftSpeeds(Schema):
    """Speeds (m/s) at which the fast gear is taken up, and left again."""

    up: Speed
    down: Speed


class Shift(Schema):
    """From the slow gear to the fast one: by itself, and where a fast gait is asked for."""

    auto: ShiftSpeeds
    named: ShiftSpeeds
    transition: Name | None = None


class SlopeRule(Schema):
    """From which slope of the ground ahead on how fast is gone at most, and in which gait."""

    start: Annotated[float, Field(ge=0.0, le=90.0, description='degrees')] = Field(alias='from')
    most: Speed
    gait: Name | None = None


class StepRule(Schema):
    """From which height of a step ahead on how fast is gone at most, and in which gait."""

    start: Annotated[float, Field(ge=0.0, le=20.0, description='m'), Unit('m')] = Field(
        alias='from')
    most: Speed
    gait: Name | None = None


class GroundRules(Schema):
    """What is heeded of the ground ahead; of the rules that hold the strictest counts."""

    slopes: Annotated[tuple[SlopeRule, ...], Field(max_length=20)] = ()
    steps: Annotated[tuple[StepRule, ...], Field(max_length=20)] = ()


class Ladder(Schema):
    """The slow gear, what each request makes of higher speeds, and what the ground allows."""

    slow: Steps
    fast: dict[Name, Steps] = Field(default_factory=dict)
    shift: Shift | None = None
    ground: GroundRules | None = None

    @model_validator(mode='after')
    def _refuse_gear_without_shift(self) -> Self:
        if self.fast and self.shift is None:
            raise refusal('the speeds of the shift, where there are fast gaits', 'shift')
        if self.fast and AUTO not in self.fast:
            raise refusal(f'fast gaits for {AUTO}, where there are any', 'fast')
        return self

    @property
    def fast_gaits(self) -> frozenset[str]:
        """The gaits of the fast gear that can be asked for by name."""
        return frozenset(self.fast) - {AUTO}


def limit_ladder(ladder: Ladder, gaits: frozenset[str] | None) -> Ladder:
    """Return a ladder with these gaits alone; of the fast gear all that needs no other."""
    if gaits is None:
        return ladder
    fast = {name: steps for name, steps in ladder.fast.items()
            if all(step.gait in gaits for step in steps)}
    slow = tuple(step for step in ladder.slow if step.gait in gaits)
    return ladder.model_copy(update={'slow': slow, 'fast': fast if AUTO in fast else {}})


def find_ground_rules(robot: Robot) -> GroundRules:
    """Return what a robot heeds of the ground ahead, by its size where its ladder says nothing."""
    own = load_ladder(robot.name).ground
    if own is not None:
        return own
    model = load_ladder().ground or GroundRules()
    return scale_schema(model, robot.similarity_to(load_model()))


def load_ladder(robot: str = DEFAULT_ROBOT) -> Ladder:
    """Read the ladder of a robot."""
    return load(robot_folder(robot) / 'ladder.yaml', Ladder)
