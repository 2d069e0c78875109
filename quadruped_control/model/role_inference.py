"""The roles of a foreign robot's joints and links: what a role map says, and the rest inferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.kinematics.records import LEGS
from quadruped_control.model.body_axes import (
    BodyAxes,
    find_axes,
    name_legs,
    refuse_other_names,
)
from quadruped_control.model.foot_shape import Foot, find_foot
from quadruped_control.model.foreign_tree import HINGES, ForeignTree
from quadruped_control.model.leg_chains import (
    Chain,
    find_joint,
    find_legs,
    refuse_other_kinds,
    take_legs,
)
from quadruped_control.model.leg_places import locate_legs
from quadruped_control.model.leg_shape import LegShape, shape_leg
from quadruped_control.model.role_map import LegFrameEntry, RoleMap
from quadruped_control.model.standing_pose import find_standing_pose


@dataclass(frozen=True)
class FoundRoles:
    """
    All roles; legs are in the project's order.

    :param standing: the user's angle of every joint that moves in the standing pose, rad.
    :param held: where all other joints are held, rad or m.
    """

    legs: tuple[Chain, ...]
    shapes: tuple[LegShape, ...]
    feet: tuple[Foot, ...]
    axes: BodyAxes
    leg_frames: tuple[LegFrameEntry, ...]
    spine: tuple[str, ...]
    neck: tuple[str, ...]
    tail: tuple[str, ...]
    standing: Mapping[str, float]
    held: Mapping[str, float]


def infer_roles(tree: ForeignTree, role_map: RoleMap, remarks: list[str]) -> FoundRoles:
    """Return the roles, or raise one InputError that asks for all that cannot be inferred."""
    asks: dict[str, str] = {}
    _refuse_unknown_names(tree, role_map)
    legs = take_legs(tree, role_map) if role_map.legs else find_legs(tree)
    refuse_other_kinds(tree, legs)
    if tree.missing:
        raise tree.missing[0]
    if tree.unseen:
        remarks.append('not shown, since their files are missing: '
                       + ', '.join(dict.fromkeys(tree.unseen)))
    if tree.surplus:
        remarks.append(f'{tree.surplus} times xyz or rpy has a fourth number, 0: passed over')
    places = locate_legs(tree, legs)
    axes = find_axes(tree, places, role_map, asks)
    order = name_legs(tree, places, axes)
    if role_map.legs is None:
        refuse_other_names(tree, [places.named[number] for number in order])
        legs = [legs[number] for number in order]
    elif order != [0, 1, 2, 3]:
        raise InputError(tree.source, 'legs', Remark('not where they are said to be'),
                         _fitting(order))
    spine = _find_spine(tree, legs, role_map)
    moving = {joint.name for leg in legs for joint in leg.joints} | {
        *spine, *role_map.neck, *role_map.tail}
    _refuse_limits(tree, moving)
    feet = _find_feet(tree, legs, role_map, moving, asks)
    held = _hold(tree, role_map, moving, remarks)
    standing = {**held, **_rest(tree, moving, role_map), **role_map.standing}
    shapes = [shape_leg(tree, name, leg, foot, axes.rotation, standing)
              for name, leg, foot in zip(LEGS, legs, feet, strict=True) if foot]
    pose = find_standing_pose(tree, shapes, role_map.standing, asks, remarks)
    if asks:
        raise _ask(tree, asks)
    return FoundRoles(tuple(legs), tuple(shapes), tuple(foot for foot in feet if foot), axes,
                 _leg_frames(tree, legs, role_map, moving), spine, role_map.neck, role_map.tail,
                 {name: {**standing, **pose}[name] for name in sorted(moving)}, held)


def _refuse_unknown_names(tree: ForeignTree, role_map: RoleMap) -> None:
    effort = role_map.effort if isinstance(role_map.effort, dict) else {}
    for key, names in (('spine', role_map.spine or ()), ('neck', role_map.neck),
                       ('tail', role_map.tail), ('standing', role_map.standing),
                       ('held', role_map.held), ('effort', effort)):
        for name in names:
            find_joint(tree, name, key)
    links = [(f'leg_frames[{n}].link', frame.link)
             for n, frame in enumerate(role_map.leg_frames or ())]
    links += [(f'legs.{name}.contact', leg.contact) for name, leg in role_map.legs or ()
              if leg.contact]
    for key, link in links:
        if link not in tree.links:
            raise InputError(tree.source, key, link,
                             f'a link of the URDF: {", ".join(tree.links)[:400]}')


def _refuse_limits(tree: ForeignTree, moving: set[str]) -> None:
    for joint in tree.joints.values():
        if joint.name in moving and joint.limits and not joint.limits[0] < joint.limits[1]:
            raise InputError(tree.source, f'joint {joint.name}.limit', joint.limits,
                             'lower less than upper, in rad; or a continuous joint')


def _fitting(order: Sequence[int]) -> str:
    return 'legs where they are, with x forward and y left: ' + ', '.join(
        f'{LEGS[number]} is {name}' for name, number in zip(LEGS, order, strict=True)
        if LEGS[number] != name)


def _find_spine(tree: ForeignTree, legs: Sequence[Chain], role_map: RoleMap) -> tuple[str, ...]:
    """Return the hinges between the bodies of the rear and of the front legs, from the root on."""
    if role_map.spine is not None:
        return role_map.spine
    paths = [{joint.name for joint in tree.path(leg.joints[0].parent)} for leg in legs]
    apart = paths[0].union(*paths) - paths[0].intersection(*paths)
    return tuple(joint.name for joint in tree.joints.values()
                 if joint.name in apart and joint.kind in HINGES and not joint.is_mimic)


def _find_feet(tree: ForeignTree, legs: Sequence[Chain], role_map: RoleMap, moving: set[str],
               asks: dict[str, str]) -> list[Foot | None]:
    heads = tree.bodies(moving)
    feet = []
    for name, leg in zip(LEGS, legs, strict=True):
        shank = leg.joints[2].child
        members = [link for link, head in heads.items() if head == shank]
        given = getattr(role_map.legs, name) if role_map.legs else None
        contact = given.contact if given else None
        if contact is not None and contact not in members:
            raise InputError(tree.source, f'legs.{name}.contact', contact,
                             f'a link of the shank: {", ".join(members)}')
        foot = find_foot(tree, shank, members, contact, given.foot if given else None)
        if foot is None:
            asks[f'legs.{name}.foot'] = (f'centre and radius in the frame of {contact or shank}, '
                                         'which has no collision shape')
        feet.append(foot)
    return feet


def _rest(tree: ForeignTree, moving: set[str], role_map: RoleMap) -> dict[str, float]:
    return {name: role_map.standing.get(name, tree.joints_by_name[name].rest) for name in moving}


def _hold(tree: ForeignTree, role_map: RoleMap, moving: set[str], remarks: list[str]
          ) -> dict[str, float]:
    """Return where joints without a role are held."""
    held = {joint.name: role_map.held.get(joint.name, joint.rest)
            for joint in tree.joints.values()
            if joint.kind != 'fixed' and joint.name not in moving}
    if held:
        remarks.append('held, since they have no role: ' + ', '.join(
            f'{name} at {angle:.4g}' for name, angle in held.items()))
    return held


def _leg_frames(tree: ForeignTree, legs: Sequence[Chain], role_map: RoleMap, moving: set[str]
                ) -> tuple[LegFrameEntry, ...]:
    if role_map.leg_frames is not None:
        return role_map.leg_frames
    heads = tree.bodies(moving)
    bases = [heads[leg.joints[0].parent] for leg in legs]
    for number in (0, 2):
        if bases[number] != bases[number + 1]:
            raise InputError(tree.source, f'{LEGS[number]} and {LEGS[number + 1]}',
                             Remark(f'legs of two bodies, {bases[number]} and '
                                    f'{bases[number + 1]}'),
                             'left and right legs that hang from the same rigid body')
    return tuple(LegFrameEntry(link=main_link(tree, heads, bases[number]),
                               legs=(LEGS[number], LEGS[number + 1]))  # type: ignore[arg-type]
                 for number in (0, 2))


def main_link(tree: ForeignTree, heads: Mapping[str, str], head: str) -> str:
    """Return the link that a body is called by: its first, or the heaviest of the root's."""
    if head != tree.root:
        return head
    members = [link for link in tree.links if heads[link] == head]
    return max(members, key=lambda link: tree.links[link].mass)


def _ask(tree: ForeignTree, asks: Mapping[str, str]) -> InputError:
    wanted = '; '.join(f"'{key}': {why}" for key, why in asks.items())
    return InputError(tree.source, '', Remark('not enough to know this robot'),
                      f'a role map (robot.yaml) that says {wanted}')
