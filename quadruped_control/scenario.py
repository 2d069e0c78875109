"""Scenarios: what a run simulates, as a file describes it, and what is expected of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator
from typing_extensions import Self

from quadruped_control.control.controllers import (
    CONTROLLERS,
    choose_controller,
    is_rigid,
    list_controllers,
)
from quadruped_control.control.offers import Offers, list_offers
from quadruped_control.control.skill_registry import LEAP, STAND
from quadruped_control.errors import InputError
from quadruped_control.expectation import Expected, refuse_unmeasured
from quadruped_control.explanation import Remark
from quadruped_control.loading import Schema, refusal, validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import (
    DEFAULT_ROBOT,
    refuse_unknown_robot,
    robot_folder,
)
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.terrain.features import MOST_CELLS, Barrier, Coordinate, Feature, Gap
from quadruped_control.terrain.ground import Ground
from quadruped_control.yaml_file import read_yaml

Gait = Annotated[str, Field(min_length=1, max_length=60)]        # of the robot's, or auto
Skill = Annotated[str, Field(min_length=1, max_length=60)]       # what the robot offers
Posture = Annotated[str, Field(min_length=1, max_length=60)]     # state to start in, likewise
Angle = Annotated[float, Field(ge=-10.0, le=10.0, description='rad')]
Newtons = Annotated[float, Field(ge=-10_000.0, le=10_000.0, description='N')]
RIGID = 'rigid'
ROOM_AROUND = 0.42              # of the standing height, before and behind the feet
MOST_DIFFERENCE = 0.55          # of it, that the ground may differ under a robot that starts
Metres = Annotated[float, Field(gt=0.0, le=100.0, description='m')]
Seconds = Annotated[float, Field(ge=0.0, le=3600.0, description='s')]


class Start(Schema):
    """
    How the dog is placed: in a posture, or turned by roll, pitch and yaw (rad) in the air.

    :param position: of the pelvis over the ground, in m.
    :param heading: rad, applied after `rpy` if that is given.
    :param drop: height in m from which it falls.
    :param joint_noise: rad by which every joint may be off, at random from the scenario's seed.
    """

    posture: Posture = STAND
    position: tuple[Coordinate, Coordinate] = (0.0, 0.0)
    heading: Angle = 0.0
    rpy: tuple[Angle, Angle, Angle] | None = None
    drop: Annotated[float, Field(ge=0.0, le=10.0, description='m')] = 0.0
    joint_noise: Annotated[float, Field(ge=0.0, le=1.0, description='rad')] = 0.0

    @model_validator(mode='after')
    def _refuse_both(self) -> Self:
        if self.rpy is not None and 'posture' in self.model_fields_set:
            raise refusal('either posture or rpy, not both', 'rpy')
        return self

    @property
    def yaw(self) -> float:
        """The direction that the dog faces, rad."""
        return self.heading + (self.rpy or (0.0, 0.0, 0.0))[2]


class Command(Schema):
    """What is asked of the dog from time t (s) on; None leaves it as it is."""

    t: Seconds
    vx: Annotated[float, Field(ge=-10.0, le=10.0, description='m/s')] | None = None
    vy: Annotated[float, Field(ge=-3.0, le=3.0, description='m/s')] | None = None
    wz: Annotated[float, Field(ge=-10.0, le=10.0, description='rad/s')] | None = None
    gait: Gait | None = None
    skill: Skill | None = None
    target: tuple[Coordinate, Coordinate] | None = None
    target_heading: Angle | None = None

    @model_validator(mode='after')
    def _refuse_idle(self) -> Self:
        wanted = [name for name in type(self).model_fields if name != 't']
        if all(getattr(self, name) is None for name in wanted):
            raise refusal(f'besides t at least one of {", ".join(wanted)}')
        if self.target_heading is not None and self.target is None:
            raise refusal('a heading together with a target', 'target_heading')
        return self

    @property
    def sets_velocity(self) -> bool:
        """Whether it gives a velocity, and with it ends the pursuit of a target."""
        return any(value is not None for value in (self.vx, self.vy, self.wz))


class BallOffer(Schema):
    """
    A ball to pursue from the start on; it rolls away when the robot comes near.

    :param position: where it lies at first, m.
    :param near: m from the robot's middle at which it rolls away, or is caught in the end.
    :param away: least and most distance that it rolls, m.
    :param times: that it rolls, to places from the scenario's seed.
    """

    position: tuple[Coordinate, Coordinate]
    near: Metres
    away: tuple[Metres, Metres]
    times: Annotated[int, Field(ge=0, le=1000)]

    @model_validator(mode='after')
    def _refuse_disorder(self) -> Self:
        if self.away[0] > self.away[1]:
            raise refusal('[least, most] with least <= most', 'away')
        return self


class Push(Schema):
    """
    Force (N; x forward, y left, z up) on a leg frame for a duration (s).

    :param t: when it begins, or when the wait for `phase` begins, in s.
    :param phase: of the next gait cycle after t, in [0, 1).
    """

    t: Seconds
    phase: Annotated[float, Field(ge=0.0, lt=1.0)] | None = None
    at: Literal['front', 'rear']
    force: tuple[Newtons, Newtons, Newtons]
    duration: Annotated[float, Field(gt=0.0, le=5.0, description='s')]


class Scenario(Schema):
    """One run, from its start to what is expected of its metrics."""

    name: Annotated[str, Field(min_length=1, max_length=200)] = 'unnamed'
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    duration: Annotated[float, Field(gt=0.0, le=3600.0, description='s')]
    robot: Annotated[str, Field(min_length=1, max_length=200)] = DEFAULT_ROBOT
    torque_limit: Annotated[float, Field(gt=0.0, le=100_000.0, description='N m')] | None = None
    spine: Literal['flexible', 'rigid'] = 'flexible'
    controller: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    terrain: Annotated[tuple[Feature, ...], Field(max_length=200)] = ()
    start: Start = Start()
    commands: Annotated[tuple[Command, ...], Field(max_length=10_000)] = ()
    pushes: Annotated[tuple[Push, ...], Field(max_length=10_000)] = ()
    ball: BallOffer | None = None
    leap_planner: bool = False
    recover: bool = True
    expect: dict[str, Expected] = Field(default_factory=dict)

    @field_validator('terrain', mode='after')
    @classmethod
    def _refuse_too_fine(cls, terrain: tuple[Feature, ...]) -> tuple[Feature, ...]:
        total = 0
        for index, feature in enumerate(terrain):
            total += feature.cells
            if total > MOST_CELLS:
                raise refusal(f'features of at most {MOST_CELLS} cells and steps in all', index)
        return terrain

    @field_validator('expect', mode='after')
    @classmethod
    def _refuse_unmeasured(cls, expect: dict[str, Expected]) -> dict[str, Expected]:
        refuse_unmeasured(expect)
        return expect

    @model_validator(mode='after')
    def _choose_spine(self) -> Self:
        """Take the rigid spine for a controller that knows no other."""
        if not is_rigid(self.controller) or self.spine == RIGID:
            return self
        if 'spine' in self.model_fields_set:
            raise refusal(f'{RIGID}: {self.controller} takes the body as {RIGID}', 'spine')
        return self.model_copy(update={'spine': RIGID})

    @model_validator(mode='after')
    def _refuse_disorder(self) -> Self:
        earlier = 0.0
        for index, command in enumerate(self.commands):
            if not earlier <= command.t <= self.duration:
                accepted = (
                    f'a time from {earlier:g} s on, in order, to {self.duration:g} s (duration)'
                )
                raise refusal(accepted, 'commands', index, 't')
            earlier = command.t
        for index, push in enumerate(self.pushes):
            if push.t >= self.duration:
                accepted = f'a time before {self.duration:g} s (duration)'
                raise refusal(accepted, 'pushes', index, 't')
        return self


@dataclass(frozen=True)
class Footprint:
    """
    Rectangle of ground that the dog needs to start on, in m.

    :param ahead: distance from its pelvis forward to the centre of the rectangle.
    :param most_difference: between the highest and the lowest ground in the rectangle.
    """

    length: float
    width: float
    ahead: float
    most_difference: float

    @classmethod
    def of(cls, robot: Robot) -> Footprint:
        """Return that of a standing robot: its feet, and room around them by its size."""
        feet, distance = robot.standing_feet(), robot.leg_frame_distance()
        height = float(robot.standing_height().min())
        room = round(ROOM_AROUND * height, 2)
        return cls(round(distance + 2 * room, 2), round(float(np.ptp(feet[:, 1])) + room, 2),
                   round(distance / 2, 2), round(MOST_DIFFERENCE * height, 2))

    def points(self, position: tuple[float, float], heading: float) -> NDArray[np.float64]:
        """Return points (2, n) about 5 mm apart that fill the rectangle, in the world."""
        u = np.linspace(-0.5, 0.5, math.ceil(self.length / 0.005) + 1) * self.length + self.ahead
        v = np.linspace(-0.5, 0.5, math.ceil(self.width / 0.005) + 1) * self.width
        forward, left = (grid.ravel() for grid in np.meshgrid(u, v))
        cos, sin = math.cos(heading), math.sin(heading)
        x, y = position
        return np.stack((x + cos * forward - sin * left, y + sin * forward + cos * left))


def load_scenario(
    path: str | Path, *, seed: int | None = None, footprint: Footprint | None = None,
    robot: str = '', controller: str = ''
) -> Scenario:
    """
    Read a scenario file and check that it makes sense, or raise InputError.

    :param seed: takes the place of the seed in the file.
    :param footprint: of the dog at its start.
    :param robot: takes the place of the robot in the file where it is not empty.
    :param controller: likewise.
    """
    data = read_yaml(path)
    if isinstance(data, dict):
        data = {'name': Path(path).stem, **data, **({} if seed is None else {'seed': seed})}
    scenario = validate(data, Scenario, path)
    scenario = choose_parts(scenario, path, robot, controller)
    refuse_unavailable(scenario, path, list_offers(scenario.robot, scenario.controller))
    refuse_obstructed_start(scenario, path, footprint or find_footprint(scenario.robot))
    return scenario


def choose_parts(scenario: Scenario, source: str | Path, robot: str = '', controller: str = ''
                 ) -> Scenario:
    """
    Return a scenario with another robot and controller, where they are named; or raise InputError.

    A robot that takes the place of another one takes its own controller, if none is named.
    """
    if robot and robot != scenario.robot:
        refuse_unknown_robot('robot', '', robot)
        scenario = scenario.model_copy(update={'robot': robot, 'controller': None})
    refuse_unknown_robot(source, 'robot', scenario.robot)
    if controller:
        spine = RIGID if is_rigid(controller) else scenario.spine
        scenario = scenario.model_copy(update={'controller': controller, 'spine': spine})
    if not list_controllers(scenario.robot):
        file = robot_folder(scenario.robot) / next(iter(CONTROLLERS.values())).file
        raise InputError(file, '', Remark('missing'), 'the parameters of a controller')
    origin = 'controller' if controller else f'{source}: controller'
    choose_controller(scenario.robot, scenario.controller, origin)
    return scenario


@cache
def find_footprint(robot: str) -> Footprint:
    """Return the footprint of a robot by its name."""
    return Footprint.of(load_robot(robot))


def refuse_obstructed_start(scenario: Scenario, source: str | Path, footprint: Footprint) -> None:
    """Raise InputError unless the dog can be put where the scenario starts it."""
    ground = Ground.from_features(scenario.terrain, scenario.seed)
    start = scenario.start
    x, y = footprint.points(start.position, start.heading)
    kinds = {type(scenario.terrain[index]) for index in set(ground.owner(x, y).tolist()) - {-1}}
    heights = ground.height(x, y)
    if kinds & {Gap, Barrier} or np.ptp(heights) > footprint.most_difference:
        size = f'{footprint.length:g} m x {footprint.width:g} m'
        accepted = (
            f'a place where the ground under the dog ({size}, its centre {footprint.ahead:g} m '
            f'ahead) has no gap or barrier and differs by at most {footprint.most_difference:g} m '
            f'in height'
        )
        raise InputError(source, 'start.position', list(start.position), accepted)


def refuse_unavailable(scenario: Scenario, source: str | Path, offers: Offers) -> None:
    """Raise InputError for the first thing of a scenario that its robot cannot do."""
    start, (gaits, skills, postures) = scenario.start, offers
    if start.rpy is None and start.posture not in postures:
        raise InputError(source, 'start.posture', start.posture, 'what is available: '
                         f'{", ".join(sorted(postures))} (stand, and postures that end in a pose)')
    if scenario.leap_planner and LEAP not in skills:
        raise InputError(source, 'leap_planner', True, 'false (leap is not available)')
    for index, command in enumerate(scenario.commands):
        _refuse_command(command, source, f'commands[{index}]', gaits | {'auto'}, skills)
    if scenario.ball is not None and not gaits:
        raise InputError(source, 'ball', list(scenario.ball.position),
                         'a scenario without a ball (no gait is available)')
    for index, push in enumerate(scenario.pushes):
        if push.phase is not None and not gaits:
            accepted = 'a push without phase (no gait is available)'
            raise InputError(source, f'pushes[{index}].phase', push.phase, accepted)


def _refuse_command(
    command: Command, source: str | Path, key: str, gaits: frozenset[str], skills: frozenset[str]
) -> None:
    if command.gait is not None:
        _refuse_other(source, f'{key}.gait', command.gait, gaits)
    if command.skill is not None:
        _refuse_other(source, f'{key}.skill', command.skill, skills)
    if gaits == {'auto'}:
        for name in ('vx', 'vy', 'wz'):
            if getattr(command, name):
                value = getattr(command, name)
                raise InputError(source, f'{key}.{name}', value, '0 (no gait is available)')
        if command.target is not None:
            accepted = 'a command without target (no gait is available)'
            raise InputError(source, f'{key}.target', list(command.target), accepted)


def _refuse_other(source: str | Path, key: str, value: str, available: frozenset[str]) -> None:
    if value not in available:
        names = ', '.join(sorted(available)) or 'none'
        raise InputError(source, key, value, f'what is available: {names}')
