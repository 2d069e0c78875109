"""The compact description of a robot (config/robots/NAME.yaml), from which its URDF is made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from quadruped_control.errors import InputError
from quadruped_control.loading import Schema, load

Vector = tuple[float, float, float]
Range = tuple[float, float]
Colour = tuple[float, float, float, float]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]

SIDES = ('left', 'right')


class Sphere(Schema):
    """A sphere of a collision shape, in the link's frame."""

    centre: Vector
    radius: Positive


class Rod(Schema):
    """A cylinder of a collision shape between two points of the link's frame."""

    start: Vector = Field(alias='from')
    end: Vector = Field(alias='to')
    radius: Positive


class Solid(Schema):
    """A box of even density, for the inertia of links that are no bones."""

    box: tuple[Positive, Positive, Positive]
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
    radius: tuple[Positive, Positive] | None = None
    stretch: tuple[Positive, Positive, Positive] = (1.0, 1.0, 1.0)
    centre: Vector | None = None
    radii: tuple[Positive, Positive, Positive] | None = None
    pitch: float = 0.0
    colour: str = 'coat'
    blend: NotNegative = 0.015
    pair: bool = False
    paint: bool = False


class JointDescription(Schema):
    """A joint to the parent link; ranges in degrees, none where the joint is free."""

    name: str
    kind: Literal['ball', 'universal', 'hinge']
    at: Vector
    pitch: Range | None = None
    roll: Range | None = None
    yaw: Range | None = None


class LinkDescription(Schema):
    """One of the links that a reader of the paper would count."""

    name: str
    parent: str | None = None
    joint: JointDescription | None = None
    mass: Positive
    bone: Vector | None = None
    radius: Positive | None = None
    solid: Solid | None = None
    foot: Sphere | None = None
    collision: tuple[Sphere | Rod, ...] = ()
    visual: tuple[Flesh, ...] = ()


class IntermediateLink(Schema):
    """The nearly massless link between two revolutes of one joint."""

    mass: Positive
    inertia: Positive


class LegDescription(Schema):
    """Names of the joints of a pair of legs, with ``{side}`` in them."""

    hip: str
    knee: str
    ankle: str
    toe: str


class Pair(Schema):
    """A front and a rear name."""

    front: str
    rear: str


class Legs(Schema):
    """The joints of front and rear legs."""

    front: LegDescription
    rear: LegDescription


class RobotDescription(Schema):
    """The whole file."""

    name: str
    total_mass: Positive
    intermediate_link: IntermediateLink
    joint_speed_limit: Positive
    colours: dict[str, Colour]
    standing_spread: Annotated[float, Field(ge=0)]
    leg_frames: Pair
    legs: Legs
    spine: Annotated[tuple[str, ...], Field(min_length=1)]
    neck: Annotated[tuple[str, ...], Field(min_length=1)]
    tail: tuple[str, ...] = ()
    links: Annotated[tuple[LinkDescription, ...], Field(min_length=2)]


def load_description(path: Path) -> RobotDescription:
    """Read and check a description; what the schema cannot say is checked here."""
    description = load(path, RobotDescription)
    seen: set[str] = set()
    total = 0.0
    for index, link in enumerate(description.links):
        key = f'links[{index}]'
        _check_link(path, key, link, seen, description)
        seen.add(link.name)
        total += link.mass * (2 if '{side}' in link.name else 1)
    if abs(total - description.total_mass) > 1e-6:
        raise InputError(path, 'total_mass', description.total_mass,
                         f'the sum of the masses of all links, {total:.6g}')
    return description


def _check_link(path: Path, key: str, link: LinkDescription, seen: set[str],
                description: RobotDescription) -> None:
    is_root = not seen
    if link.name in seen:
        raise InputError(path, f'{key}.name', link.name, 'a name that no other link has')
    if is_root != (link.parent is None) or is_root != (link.joint is None):
        raise InputError(path, f'{key}.parent', link.parent,
                         'none for the first link; parent and joint for every other')
    if link.parent is not None and link.parent not in seen:
        raise InputError(path, f'{key}.parent', link.parent,
                         f'a link described before this one: {", ".join(sorted(seen))}')
    if (link.solid is None) == (link.bone is None or link.radius is None):
        raise InputError(path, f'{key}.solid', link.solid,
                         'either a solid, or both bone and radius')
    for flesh in link.visual:
        if flesh.colour not in description.colours:
            raise InputError(path, f'{key}.visual.colour', flesh.colour,
                             f'one of {", ".join(description.colours)}')
        given = [part is not None for part in
                 (flesh.start, flesh.end, flesh.radius, flesh.centre, flesh.radii)]
        if given not in ([True] * 3 + [False] * 2, [False] * 3 + [True] * 2):
            raise InputError(path, f'{key}.visual', flesh.model_dump(exclude_none=True),
                             'from, to and radius of a round cone, or centre and radii')
