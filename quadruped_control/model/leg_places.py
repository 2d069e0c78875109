"""Where the legs of a foreign robot are, and what their names say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadruped_control.model.foreign_tree import Array, ForeignTree
from quadruped_control.model.leg_chains import Chain
from quadruped_control.model.name_sides import Side, read_side


@dataclass(frozen=True)
class LegPlaces:
    """Of four legs in the root's frame, joints at rest: hips (4, 3), thighs, feet, roll axes."""

    hips: Array
    thighs: Array
    feet: Array
    axes: Array
    named: tuple[Side, ...]


def locate_legs(tree: ForeignTree, legs: Sequence[Chain]) -> LegPlaces:
    """Return where legs are; a foot is taken to be the farthest link frame or centre of mass."""
    poses = tree.place({})
    heads = [[joint.child for joint in leg.joints] for leg in legs]
    axes = np.array([poses[leg.joints[0].child][:3, :3] @ leg.joints[0].axis for leg in legs])
    places = [np.array([poses[head[n]][:3, 3] for head in heads]) for n in (0, 1, 2)]
    sides = [read_side([*(joint.name for joint in leg.joints), *head, *_outer(tree, head[2])])
             for leg, head in zip(legs, heads, strict=True)]
    if len({side.end for side in sides}) == 1:
        sides = [Side(0, side.side) for side in sides]
    if len({side.side for side in sides}) == 1:
        sides = [Side(side.end, 0) for side in sides]
    feet = np.array([_farthest(tree, poses, head[2]) for head in heads])
    return LegPlaces(places[0], places[1], feet, axes, tuple(sides))


def _outer(tree: ForeignTree, head: str) -> list[str]:
    return [link for link in tree.links if any(joint.child == head for joint in tree.path(link))]


def _farthest(tree: ForeignTree, poses: dict[str, Array], head: str) -> Array:
    knee = poses[head][:3, 3]
    points = [pose[:3, 3] for link in _outer(tree, head) for pose in [poses[link]]]
    points += [(poses[link] @ [*tree.links[link].centre_of_mass, 1.0])[:3]
               for link in _outer(tree, head)]
    return max(points, key=lambda point: float(np.linalg.norm(point - knee)))
