"""The links of a robot as an engine sees them: one revolute or fixed joint each."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import NDArray

from quadruped_control.model.description import (
    SIDES,
    Flesh,
    JointDescription,
    LinkDescription,
    RobotDescription,
    Rod,
    Sphere,
)

AXES = {'roll': 0, 'pitch': 1, 'yaw': 2}
JOINT_AXES = {'ball': ('pitch', 'roll', 'yaw'), 'universal': ('pitch', 'roll'),
              'hinge': ('pitch',)}
FIXED = -1


@dataclass(frozen=True)
class Link:
    """
    A link with the joint that holds it.

    :param axis: 0, 1, 2 for a revolute about x, y, z of the frame; FIXED for none.
    :param position_range: rad; None for a joint without limits.
    :param inertia: kg m^2, about the centre of mass in the link's axes.
    :param effort: N m that the joint can give at most; None where nothing says it.
    :param is_real: false for links that only stand between the revolutes of one joint.
    """

    name: str
    parent: str | None
    joint_name: str
    axis: int
    origin: tuple[float, float, float]
    position_range: tuple[float, float] | None
    mass: float
    centre_of_mass: tuple[float, float, float]
    inertia: NDArray[np.float64]
    is_real: bool
    foot: Sphere | None = None
    collision: tuple[Sphere | Rod, ...] = ()
    visual: tuple[Flesh, ...] = ()
    effort: float | None = None


def expand_links(description: RobotDescription, *, rigid_spine: bool = False) -> list[Link]:
    """
    Expand sides and multi-axis joints into single revolutes, parents first.

    :param rigid_spine: fix the joints of the spine; the links stay the same.
    """
    fused = set(description.spine) if rigid_spine else set()
    links: list[Link] = []
    for described in description.links:
        sides = SIDES if '{side}' in described.name else ('',)
        for side in sides:
            links.extend(_expand(_take_side(described, side), description, fused))
    return links


def _take_side(link: LinkDescription, side: str) -> LinkDescription:
    """Fill in the side's name; the right side is the left one mirrored in y."""
    text = link.model_dump(by_alias=True, exclude_none=True)
    named = _rename(text, side)
    if side == 'right':
        named = _mirror(named)
    return LinkDescription.model_validate(named, strict=False)


def _rename(value: object, side: str) -> object:
    if isinstance(value, str):
        return value.replace('{side}', side)
    if isinstance(value, dict):
        return {key: _rename(item, side) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rename(item, side) for item in value]
    return value


POINTS = ('at', 'bone', 'centre', 'from', 'to')


def _mirror(value: object) -> object:
    if isinstance(value, dict):
        return {key: ([item[0], -item[1], item[2]] if key in POINTS else _mirror(item))
                for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mirror(item) for item in value]
    return value


def _expand(link: LinkDescription, description: RobotDescription, fused: set[str]) -> list[Link]:
    centre, inertia = _mass_properties(link)
    joint = link.joint
    if joint is None:
        return [Link(link.name, None, '', FIXED, (0.0, 0.0, 0.0), None, link.mass, centre, inertia,
                     True, link.foot, link.collision, link.visual)]
    kinds = JOINT_AXES[joint.kind]
    small = description.intermediate_link
    parent, origin, chain = str(link.parent), joint.at, []
    for kind in kinds[:-1]:
        name = f'{joint.name}_{kind}_link'
        chain.append(Link(name, parent, f'{joint.name}_{kind}',
                          FIXED if joint.name in fused else AXES[kind], origin,
                          _range(joint, kind), small.mass, (0.0, 0.0, 0.0),
                          np.eye(3) * small.inertia, False))
        parent, origin = name, (0.0, 0.0, 0.0)
    last = kinds[-1]
    name = joint.name if len(kinds) == 1 else f'{joint.name}_{last}'
    mass = link.mass - small.mass * (len(kinds) - 1)
    chain.append(Link(link.name, parent, name, FIXED if joint.name in fused else AXES[last],
                      origin, _range(joint, last), mass, centre, inertia, True,
                      link.foot, link.collision, link.visual))
    return chain


def _range(joint: JointDescription, kind: str) -> tuple[float, float] | None:
    degrees = getattr(joint, kind)
    return None if degrees is None else (radians(degrees[0]), radians(degrees[1]))


def _mass_properties(link: LinkDescription) -> tuple[
        tuple[float, float, float], NDArray[np.float64]]:
    """Centre of mass and the inertia about it, for a box or for a bone (a solid cylinder)."""
    if link.solid is not None:
        squares = np.square(link.solid.box)
        return link.solid.centre, np.diag(link.mass / 12 * (squares.sum() - squares))
    assert link.bone is not None and link.radius is not None
    bone = np.array(link.bone)
    length = float(np.linalg.norm(bone))
    along = link.mass * link.radius**2 / 2
    across = link.mass * (3 * link.radius**2 + length**2) / 12
    inertia = across * np.eye(3) + (along - across) * np.outer(bone, bone) / length**2
    return (bone[0] / 2, bone[1] / 2, bone[2] / 2), inertia
