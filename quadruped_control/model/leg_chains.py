"""Which chains of joints of a foreign robot are its legs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foreign_tree import HINGES, ForeignJoint, ForeignTree
from quadruped_control.model.role_map import RoleMap

ACCEPTED = 'four legs of three hinges each (roll, pitch, knee) on a body'
PARALLEL, ACROSS = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
COUNTS = ('no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight')


@dataclass(frozen=True)
class Chain:
    """Joints from a body outward; ``base`` is the first link of the body that they hang from."""

    base: str
    joints: tuple[ForeignJoint, ...]


def find_legs(tree: ForeignTree) -> list[Chain]:
    """Return four chains of three hinges, in no order, or raise InputError."""
    chains = _list_chains(tree)
    legs = [chain for chain in chains if len(chain.joints) == 3]
    if len(legs) > 4:
        legs = _keep_pairs(tree, legs)
    if len(legs) != 4:
        raise InputError(tree.source, 'robot', Remark(_describe(chains)), _advice(chains))
    return legs


def _list_chains(tree: ForeignTree) -> list[Chain]:
    moving = {joint.name for joint in tree.joints.values()
              if joint.kind in HINGES and not joint.is_mimic}
    while True:
        chains = _chains_of(tree, moving)
        drop = _small_branches(tree, moving, chains)
        if not drop:
            return chains
        moving -= drop


def _chains_of(tree: ForeignTree, moving: set[str]) -> list[Chain]:
    heads = tree.bodies(moving)
    joints = {heads[joint.child]: joint for joint in tree.joints.values() if joint.name in moving}
    children = Counter(heads[joint.parent] for joint in joints.values())
    chains = []
    for head in joints:
        if children[head]:
            continue
        found, base = [joints[head]], heads[joints[head].parent]
        while children[base] == 1 and base in joints:
            found.append(joints[base])
            base = heads[joints[base].parent]
        chains.append(Chain(base, tuple(found[::-1])))
    return chains


def _small_branches(tree: ForeignTree, moving: set[str], chains: Sequence[Chain]) -> set[str]:
    """Return lone joints that hang from other bodies than the heaviest, as motors' rotors do."""
    masses: Counter[str] = Counter()
    for link, head in tree.bodies(moving).items():
        masses[head] += tree.links[link].mass       # type: ignore[assignment]
    trunk = max(masses, key=lambda head: masses[head])
    return {chain.joints[0].name for chain in chains
            if len(chain.joints) == 1 and chain.base not in (trunk, tree.root)}


def _keep_pairs(tree: ForeignTree, chains: list[Chain]) -> list[Chain]:
    """Return the chains that have exactly one mirror image: same lengths, same masses."""
    def measure(chain: Chain) -> tuple[float, ...]:
        lengths = [float(np.linalg.norm(joint.pose[:3, 3])) for joint in chain.joints[1:]]
        return (*lengths, *(tree.links[joint.child].mass for joint in chain.joints))

    def alike(one: Chain, other: Chain) -> bool:
        return one.base == other.base and all(
            isclose(a, b, rel_tol=0.02, abs_tol=1e-6)
            for a, b in zip(measure(one), measure(other), strict=True))

    paired = [chain for chain in chains if sum(alike(chain, other) for other in chains) in (2, 4)]
    return paired if len(paired) == 4 else chains


def _describe(chains: Sequence[Chain]) -> str:
    if not chains:
        return 'a robot without hinges'
    counts = Counter(len(chain.joints) for chain in chains)
    return 'a robot with ' + ' and '.join(
        f'{_count(number)} chain{"s" * (number > 1)} of {_count(joints)} hinge{"s" * (joints > 1)}'
        for joints, number in sorted(counts.items(), reverse=True))


def _count(number: int) -> str:
    return COUNTS[number] if number < len(COUNTS) else str(number)


def _advice(chains: Sequence[Chain]) -> str:
    long = [chain for chain in chains if len(chain.joints) > 3]
    if len(long) == 4 and len({len(chain.joints) for chain in long}) == 1:
        return f"{ACCEPTED}; if some of these are such legs, name their joints in 'legs'"
    return ACCEPTED


def take_legs(tree: ForeignTree, role_map: RoleMap) -> list[Chain]:
    """Return the chains that a role map names, in the project's order, or raise InputError."""
    assert role_map.legs is not None
    chains, used = [], set[str]()
    for name, leg in role_map.legs:
        key = f'legs.{name}.joints'
        joints = tuple(find_joint(tree, joint, f'{key}[{n}]')
                       for n, joint in enumerate(leg.joints))
        for joint in joints:
            if joint.kind not in HINGES or joint.name in used:
                raise InputError(tree.source, key, joint.name, 'hinges, each in one leg only')
            used.add(joint.name)
        for inner, outer in pairwise(joints):
            if inner not in tree.path(outer.parent):
                raise InputError(tree.source, key, list(leg.joints),
                                 f'joints from the body outward: {outer.name} does not hang from '
                                 f'{inner.name}')
        chains.append(Chain(joints[0].parent, joints))
    return chains


def refuse_other_kinds(tree: ForeignTree, legs: Sequence[Chain]) -> None:
    """Raise InputError unless the first axis is across the others, and these are parallel."""
    poses = tree.place({})
    for leg in legs:
        roll, pitch, knee = (poses[joint.child][:3, :3] @ joint.axis for joint in leg.joints)
        names = [joint.name for joint in leg.joints]
        axes = Remark(f'{", ".join(names)} about '
                      + ', '.join(str(axis.round(2).tolist()) for axis in (roll, pitch, knee)))
        if abs(pitch @ knee) < PARALLEL or abs(roll @ pitch) > ACROSS:
            raise InputError(tree.source, 'leg', axes, 'legs that roll, pitch and bend a knee, in '
                             'this order: second and third axis parallel, the first across them')


def find_joint(tree: ForeignTree, name: str, key: str) -> ForeignJoint:
    """Return a joint by name, or raise InputError about the key that names it."""
    found = tree.joints_by_name.get(name)
    if found is None:
        names = ', '.join(sorted(tree.joints_by_name))
        raise InputError(tree.source, key, name, f'a joint of the URDF: {names[:400]}')
    return found
