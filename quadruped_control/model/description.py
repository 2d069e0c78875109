"""The compact description of a robot (its robot.yaml), from which its URDF is made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from quadruped_control.loading import Schema, refusal
from quadruped_control.model.measures import Measures


def _around_zero(degrees: tuple[float, float]) -> tuple[float, float]:
    if not degrees[0] <= 0.0 <= degrees[1] or degrees[0] == degrees[1]:
        raise refusal('[least, most] in degrees, with the zero pose between them')
    return degrees


Name = Annotated[str, Field(pattern=r'^[A-Za-z][A-Za-z0-9_]*(\{side\}[A-Za-z0-9_]*)?$',
                            max_length=80, description='of letters, digits, _ and {side}')]
PlainName = Annotated[str, Field(pattern=r'^[A-Za-z][A-Za-z0-9_]*$', max_length=80,
                                 description='of letters, digits and _')]
Metres = Annotated[float, Field(ge=-10.0, le=10.0, description='m')]
Length = Annotated[float, Field(ge=0.001, le=10.0, description='m')]
Mass = Annotated[float, Field(gt=0.0, le=10_000.0, description='kg')]
Degrees = Annotated[float, Field(ge=-180.0, le=180.0, description='degrees')]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Factor = Annotated[float, Field(ge=0.01, le=100.0)]

Vector = tuple[Metres, Metres, Metres]
Range = Annotated[tuple[Degrees, Degrees], AfterValidator(_around_zero)]
Colour = tuple[Share, Share, Share, Share]
Chain = Annotated[tuple[PlainName, ...], Field(min_length=1, max_length=100)]

SIDES = ('left', 'right')


class Sphere(Schema):
    """A sphere of a collision shape, in the link's frame."""

    centre: Vector
    radius: Length


class Rod(Schema):
    """A cylinder of a collision shape between two points of the link's frame."""

    start: Vector = Field(alias='from')
    end: Vector = Field(alias='to')
    radius: Length


class Solid(Schema):
    """A box of even density, for the inertia of links that are no bones."""

    box: tuple[Length, Length, Length]
    centre: Vector


class Flesh(Schema):
    """
    A visual shape: a round cone from one point to another, or an ellipsoid.

    :param pitch: degrees by which an ellipsoid is turned about y.
    :param stretch: factors by which a round cone is stretched, about its start.
    :param blend: m; the shape melts into those before it where they differ by less than this;
        with 0 it stays a body of its own.
    :param pair: the shape and its mirror image in y.
    :param paint: the shape only gives its colour to what lies in it.
    """

    start: Vector | None = Field(default=None, alias='from')
    end: Vector | None = Field(default=None, alias='to')
    radius: tuple[Length, Length] | None = None
    stretch: tuple[Factor, Factor, Factor] = (1.0, 1.0, 1.0)
    centre: Vector | None = None
    radii: tuple[Length, Length, Length] | None = None
    pitch: Degrees = 0.0
    colour: str = 'coat'
    blend: Annotated[float, Field(ge=0.0, le=1.0, description='m')] = 0.015
    pair: bool = False
    paint: bool = False


class JointDescription(Schema):
    """A joint to the parent link; ranges in degrees, none where the joint is free."""

    name: Name
    kind: Literal['ball', 'universal', 'hinge']
    at: Vector
    pitch: Range | None = None
    roll: Range | None = None
    yaw: Range | None = None


class LinkDescription(Schema):
    """One of the links that a reader of the paper would count."""

    name: Name
    parent: Name | None = None
    joint: JointDescription | None = None
    mass: Mass
    bone: Vector | None = None
    radius: Length | None = None
    solid: Solid | None = None
    foot: Sphere | None = None
    collision: tuple[Sphere | Rod, ...] = ()
    visual: tuple[Flesh, ...] = ()


class IntermediateLink(Schema):
    """The nearly massless link between two revolutes of one joint."""

    mass: Mass
    inertia: Annotated[float, Field(gt=0.0, le=1.0, description='kg m^2')]


class LegDescription(Schema):
    """Names of the joints of a pair of legs, with ``{side}`` in them."""

    hip: Name
    knee: Name
    ankle: Name
    toe: Name


class Pair(Schema):
    """A front and a rear name."""

    front: PlainName
    rear: PlainName


class Legs(Schema):
    """The joints of front and rear legs."""

    front: LegDescription
    rear: LegDescription


class RobotDescription(Schema):
    """The whole file."""

    name: PlainName
    total_mass: Mass
    intermediate_link: IntermediateLink
    joint_speed_limit: Annotated[float, Field(gt=0.0, le=10_000.0, description='rad/s')]
    mesh_cell: Length
    joint_torque_limit: Annotated[float, Field(gt=0.0, le=1e6, description='N m')]
    colours: dict[PlainName, Colour]
    measures: Measures
    standing_spread: Annotated[float, Field(ge=0.0, le=1.0, description='m')]
    leg_frames: Pair
    legs: Legs
    spine: Chain
    neck: Chain
    tail: Chain
    links: Annotated[tuple[LinkDescription, ...], Field(min_length=2, max_length=500)]
