"""
A body made from another one's description by its size, proportions and mass.

Lengths of every part are multiplied, and how thick it is; masses grow with their volume and are
brought to the total.
What belongs to the whole body (measures, torque limit) follows by dynamic similarity.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from quadruped_control.errors import InputError
from quadruped_control.loading import Schema, validate
from quadruped_control.model.description import (
    SIDES,
    Colour,
    Flesh,
    JointDescription,
    LinkDescription,
    Mass,
    Name,
    PlainName,
    RobotDescription,
    Rod,
    Sphere,
    Vector,
)
from quadruped_control.model.similarity import Similarity, round_to_digits, scale_schema

Factor = Annotated[float, Field(ge=0.05, le=20.0)]
LENGTHS = ('bone', 'radius', 'box', 'centre', 'from', 'to', 'radii', 'blend')


class Proportions(Schema):
    """
    Lengths of the parts against those of a body that is only larger or smaller.

    :param girth: thickness of the trunk against its length, and so on.
    """

    trunk: Factor = 1.0
    legs: Factor = 1.0
    neck: Factor = 1.0
    head: Factor = 1.0
    tail: Factor = 1.0
    girth: Factor = 1.0
    neck_girth: Factor = 1.0
    tail_girth: Factor = 1.0


class SimilarBody(Schema):
    """
    The robot.yaml of such a body.

    :param like: the robot whose description it is made from.
    :param size: factor on all lengths.
    :param visual: shapes of links that look otherwise, in lengths of the body it is made from,
    :param collision: what of links collides otherwise, and
    :param bones: other bones, such as those of a tail that is carried higher; a joint at the end
        of a bone stays there.
    """

    name: PlainName
    like: PlainName
    size: Factor
    total_mass: Mass
    proportions: Proportions = Proportions()
    colours: dict[PlainName, Colour] = Field(default_factory=dict)
    visual: dict[Name, tuple[Flesh, ...]] = Field(default_factory=dict)
    collision: dict[Name, tuple[Sphere | Rod, ...]] = Field(default_factory=dict)
    bones: dict[Name, Vector] = Field(default_factory=dict)


def make_similar(body: SimilarBody, model: RobotDescription, source: str) -> RobotDescription:
    """Return the description of a body from the one it is made from."""
    model = _change_links(body, model, source)
    factors = _Factors(body, model)
    level = _find_level(model, factors)
    factors.front_legs *= level
    data = model.model_dump(by_alias=True, exclude_none=True, mode='json')
    masses = [link.mass * factors.of(link)**3 * factors.of_girth(link.name)**2
              for link in model.links]
    total = sum(mass * (len(SIDES) if '{side}' in link.name else 1)
                for mass, link in zip(masses, model.links, strict=True))
    for link, described, mass in zip(data['links'], model.links, masses, strict=True):
        _scale_link(link, described, factors)
        link['mass'] = mass * body.total_mass / total
    similarity = Similarity(body.size * body.proportions.legs, body.total_mass / model.total_mass)
    small = model.intermediate_link
    data |= {
        'name': body.name, 'total_mass': body.total_mass,
        'colours': {**data['colours'], **{key: list(c) for key, c in body.colours.items()}},
        'intermediate_link': {'mass': small.mass * similarity.mass,
                              'inertia': small.inertia * similarity.factor('kg m^2')},
        'joint_torque_limit': round_to_digits(
            model.joint_torque_limit * similarity.factor('N m')),
        'joint_speed_limit': round_to_digits(
            model.joint_speed_limit * similarity.factor('rad/s')),
        'standing_spread': model.standing_spread * body.size,
        'mesh_cell': model.mesh_cell * body.size,
        'measures': scale_schema(model.measures, similarity).model_dump(),
    }
    return validate(data, RobotDescription, source)


def _change_links(body: SimilarBody, model: RobotDescription, source: str) -> RobotDescription:
    """Return a description with other shapes and bones of some links."""
    names = [link.name for link in model.links]
    for key in ('visual', 'collision', 'bones'):
        for name in getattr(body, key):
            if name not in names:
                raise InputError(source, key, name, f'a link of {body.like}: {", ".join(names)}')
    bones = {link.name: link.bone for link in model.links}
    links = tuple(link.model_copy(update={
        'visual': body.visual.get(link.name, link.visual),
        'collision': body.collision.get(link.name, link.collision),
        'bone': body.bones.get(link.name, link.bone),
        'joint': _move_joint(link, bones, body.bones)}) for link in model.links)
    return model.model_copy(update={'links': links})


def _move_joint(link: LinkDescription, usual: dict[str, Vector | None],
                bones: dict[str, Vector]) -> JointDescription | None:
    """Return a link's joint, at the end of its parent's bone if it was there before."""
    if link.joint is None or link.parent not in bones or link.joint.at != usual[link.parent]:
        return link.joint
    return link.joint.model_copy(update={'at': bones[link.parent]})


class _Factors:
    """By what the lengths of each link are multiplied."""

    def __init__(self, body: SimilarBody, model: RobotDescription) -> None:
        self._size, self._parts = body.size, body.proportions
        self.front_legs = self._size * self._parts.legs
        self._roles: dict[str, str] = {}
        joints = {link.joint.name: link.name for link in model.links if link.joint}
        for name in model.neck:
            self._roles[joints[name]] = 'neck'
        self._roles[joints[model.neck[-1]]] = 'head'
        for name in model.tail:
            self._roles[joints[name]] = 'tail'
        for pair in ('front', 'rear'):
            legs = getattr(model.legs, pair)
            for part in ('hip', 'knee', 'ankle', 'toe'):
                self._roles[joints[getattr(legs, part)]] = f'{pair}_legs'

    def of(self, link: LinkDescription) -> float:
        """Return the factor of a link's own lengths."""
        return self.of_name(link.name)

    def of_name(self, name: str) -> float:
        role = self._roles.get(name, 'trunk')
        if role == 'front_legs':
            return self.front_legs
        if role == 'rear_legs':
            return self._size * self._parts.legs
        return self._size * float(getattr(self._parts, role))

    def of_girth(self, name: str) -> float:
        """Return the factor of a link's thickness, against its length."""
        girth = {'trunk': 'girth', 'neck': 'neck_girth', 'tail': 'tail_girth'}.get(
            self._roles.get(name, 'trunk'))
        return float(getattr(self._parts, girth)) if girth else 1.0


def _find_level(model: RobotDescription, factors: _Factors) -> float:
    """Return by what front legs are multiplied so that all soles stay on one level."""
    depths = {}
    for pair in ('front', 'rear'):
        depth, factor = 0.0, 0.0
        legs = getattr(model.legs, pair)
        joints = {link.joint.name: link for link in model.links if link.joint}
        for part in ('knee', 'ankle', 'toe'):
            link = joints[getattr(legs, part)]
            assert link.joint is not None
            depth += link.joint.at[2]
            factor = factors.of(link)
        foot = joints[legs.toe].foot
        assert foot is not None
        depths[pair] = (depth + foot.centre[2] - foot.radius) * factor
    hips = {pair: _hip_height(model, factors, pair) for pair in ('front', 'rear')}
    return (depths['rear'] + hips['rear'] - hips['front']) / depths['front']


def _hip_height(model: RobotDescription, factors: _Factors, pair: str) -> float:
    """Return the height of a pair's hips over the root's frame in the zero pose, m."""
    links = {link.name: link for link in model.links}
    name = getattr(model.legs, pair).hip
    link = next(link for link in model.links if link.joint and link.joint.name == name)
    height = 0.0
    while link.joint is not None and link.parent is not None:
        height += link.joint.at[2] * factors.of_name(link.parent)
        link = links[link.parent]
    return height


def _scale_link(link: dict[str, Any], described: LinkDescription, factors: _Factors) -> None:
    """Multiply the lengths of a link in place; its joint's place is the parent's length."""
    factor, girth = factors.of(described), factors.of_girth(described.name)
    if described.joint is not None and described.parent is not None:
        parent = factors.of_name(described.parent)
        link['joint']['at'] = [value * parent for value in described.joint.at]
    for key in ('bone', 'radius', 'solid', 'foot', 'collision', 'visual'):
        if key in link:
            link[key] = _scale(key, link[key], factor, girth)


def _scale(key: str, value: Any, factor: float, girth: float) -> Any:
    if isinstance(value, dict):
        return {name: _scale(name, item, factor, girth) for name, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_scale(key, item, factor, girth) for item in value]
    if key not in LENGTHS:
        return value
    if key in ('radii', 'box'):             # of which the first is a length
        return [value[0] * factor, *(item * factor * girth for item in value[1:])]
    if isinstance(value, list):
        return [_scale(key, item, factor, girth) for item in value]
    return value * factor * (girth if key == 'radius' else 1.0)
