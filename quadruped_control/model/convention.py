"""
A foreign robot in the project's convention.

All links' frames are parallel in the standing pose, x forward, y left, z up; joints turn about x,
y or z of them, at zero in the standing pose; what is welded together is one link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import acos, degrees

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.model.body_inertia import weigh
from quadruped_control.model.foreign_tree import Array, ForeignJoint, ForeignShape, ForeignTree
from quadruped_control.model.inertia_repair import Inertial
from quadruped_control.model.leg_shape import LARGEST_TILT
from quadruped_control.model.role_inference import FoundRoles, main_link

REMARKED_TILT = np.radians(0.01)


@dataclass(frozen=True)
class Body:
    """
    Links welded together, in a frame of the convention.

    :param name: the user's name of its main link, at whose frame its own has its origin.
    :param place: of the origin in the standing pose, from the user's root, body axes, m.
    :param turn: 3 x 3, from the axes of the user's link to those of the body.
    :param axis: 0, 1, 2 of x, y, z; ``sign`` and ``offset`` give the user's angle as
        sign * ours + offset.
    """

    name: str
    parent: str | None
    members: tuple[str, ...]
    place: Array
    turn: Array
    joint: ForeignJoint | None
    axis: int
    sign: int
    offset: float
    inertial: Inertial
    collisions: tuple[ForeignShape, ...]
    visuals: tuple[ForeignShape, ...]

    @property
    def limits(self) -> tuple[float, float] | None:
        """Of our angle, rad."""
        if self.joint is None or self.joint.limits is None:
            return None
        ends = sorted(self.sign * (limit - self.offset) for limit in self.joint.limits)
        return ends[0], ends[1]


def rewrite(tree: ForeignTree, roles: FoundRoles, remarks: list[str]) -> list[Body]:
    """Return the bodies, parents first."""
    heads = tree.bodies(roles.standing)
    turn = np.eye(4)
    turn[:3, :3] = roles.axes.rotation
    poses = {link: turn @ pose
             for link, pose in tree.place({**roles.held, **roles.standing}).items()}
    names = {head: main_link(tree, heads, head) for head in dict.fromkeys(heads.values())}
    feet = {foot.shaped_by for foot in roles.feet} - set(heads.values())   # they become spheres
    bodies = []
    for head, name in names.items():
        members = tuple(link for link in tree.links if heads[link] == head)
        joint = tree.joints.get(head)
        axis, sign = _straighten(tree, joint, poses[head], remarks) if joint else (-1, 1)
        inertial = weigh(tree, name, members, poses, remarks)
        place = poses[name][:3, 3]
        bodies.append(Body(
            name, names[heads[joint.parent]] if joint else None, members, place,
            poses[name][:3, :3], joint, axis, sign,
            roles.standing[joint.name] if joint else 0.0,
            replace(inertial, centre=inertial.centre - place),
            _move(tree, [link for link in members if link not in feet], 'collisions', poses,
                  place),
            _move(tree, members, 'visuals', poses, place)))
    return bodies


def _straighten(tree: ForeignTree, joint: ForeignJoint, pose: Array, remarks: list[str]
                ) -> tuple[int, int]:
    """Return which axis of the body a joint turns about, and in which sense."""
    axis = pose[:3, :3] @ joint.axis
    number = int(np.argmax(np.abs(axis)))
    tilt = acos(min(1.0, abs(float(axis[number]))))
    if tilt > LARGEST_TILT:
        raise InputError(tree.source, f'joint {joint.name}', axis.round(4).tolist(),
                         'an axis along x, y or z of the standing body, within 5 degrees')
    if tilt > REMARKED_TILT:
        remarks.append(f'the axis of {joint.name} is turned by {degrees(tilt):.2f} degrees, to '
                       f'{"xyz"[number]} of the body')
    return number, 1 if axis[number] > 0 else -1


def largest_tilt(tree: ForeignTree, roles: FoundRoles, bodies: Sequence[Body]) -> float:
    """Return by how much the axes were turned at most, rad."""
    poses = tree.place({**roles.held, **roles.standing})
    tilts = [0.0]
    for body in bodies:
        if body.joint is not None:
            axis = roles.axes.rotation @ poses[body.joint.child][:3, :3] @ body.joint.axis
            tilts.append(float(np.linalg.norm(axis - body.sign * np.eye(3)[body.axis])))
    return max(tilts)


def _move(tree: ForeignTree, members: Sequence[str], kind: str, poses: Mapping[str, Array],
          place: Array) -> tuple[ForeignShape, ...]:
    """Return the shapes of a body's links in the body's frame."""
    found = []
    for link in members:
        for shape in getattr(tree.links[link], kind):
            pose = poses[link] @ shape.pose
            pose[:3, 3] -= place
            found.append(replace(shape, pose=pose))
    return tuple(found)
