"""A robot as its user knows it: the URDF that tools are given, its joints, and its base frame."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as Xml

import numpy as np
from transforms3d.quaternions import mat2quat

from quadruped_control.errors import InputError
from quadruped_control.model.base_link import BASE_LINK, Array, BaseFrame, add_base_link
from quadruped_control.model.foreign_tree import ForeignTree
from quadruped_control.model.links import FIXED
from quadruped_control.model.robot import Robot
from quadruped_control.model.turns import UNTURNED, Quaternion
from quadruped_control.model.urdf_place import FILE, find_file

SLIDE, FIXED_JOINT, HINGE = 'prismatic', 'fixed', 'revolute'


class UserJoint(NamedTuple):
    """
    A joint of the user's URDF: between which links, where, and how it moves.

    :param turn: of the child's frame in the parent's at zero, as a quaternion.
    :param kind: 'fixed', 'prismatic', or another one, which turns.
    """

    name: str
    kind: str
    parent: str
    child: str
    place: tuple[float, float, float]
    turn: Quaternion
    axis: tuple[float, float, float]


def is_foreign(robot: Robot) -> bool:
    """Say whether its user has another URDF than the one that is simulated."""
    return robot.source != robot.urdf


def find_base_frame(robot: Robot) -> BaseFrame:
    """Return base_link at the root used here; or the user's root, where base_link is taken."""
    convention = robot.convention
    if not is_foreign(robot) or BASE_LINK not in _read(robot.source).links:
        return BaseFrame()
    return BaseFrame(convention.root, convention.root_rotation, convention.root_place)


def list_user_joints(robot: Robot) -> list[UserJoint]:
    """Return all joints of the user's URDF, the one below the base frame first."""
    convention, base = robot.convention, find_base_frame(robot)
    root = convention.root or robot.links[0].name
    found = []
    if base.name != root:
        found.append(_make('', FIXED_JOINT, base.name, root, convention.root_rotation,
                           convention.root_place, np.zeros(3)))
    if is_foreign(robot):
        tree = _read(robot.source)
        return found + [_make(joint.name, joint.kind, joint.parent, joint.child,
                              joint.pose[:3, :3], joint.pose[:3, 3], joint.axis)
                        for joint in (tree.joints[name] for name in tree.links
                                      if name in tree.joints)]
    axes = np.eye(3)
    return found + [UserJoint(
        link.joint_name, FIXED_JOINT if link.axis == FIXED else HINGE, str(link.parent), link.name,
        link.origin, UNTURNED, _vector(axes[link.axis] if link.axis != FIXED else np.zeros(3)))
        for link in robot.links[1:]]


def write_user_urdf(robot: Robot) -> str:
    """Return the user's URDF with a base link above its root, and its meshes as file://."""
    if not is_foreign(robot):
        return add_base_link(robot.urdf.read_text(encoding='utf-8'), robot.links[0].name)
    tree, convention = _read(robot.source), robot.convention
    element = Xml.fromstring(robot.source.read_bytes())
    _keep_to(tree, element)
    for mesh in element.iter('mesh'):
        mesh.set('filename', _name_file(mesh.get('filename', ''), robot.source))
    text = Xml.tostring(element, encoding='unicode')
    if find_base_frame(robot).name != BASE_LINK or convention.root == BASE_LINK:
        return text
    return add_base_link(text, convention.root, BASE_LINK, convention.root_rotation,
                         convention.root_place)


def _keep_to(tree: ForeignTree, element: Xml.Element) -> None:
    """Leave out a world above the robot, which is no part of it."""
    joints = {joint.name for joint in tree.joints.values()}
    for tag, known in (('link', tree.links), ('joint', joints)):
        for part in element.findall(tag):
            if part.get('name') not in known:
                element.remove(part)


def _name_file(name: str, source: Path) -> str:
    try:
        return f'{FILE}{find_file(name, source.parent, source, "mesh")}'
    except InputError:              # a mesh to look at: the tool that looks says that it lacks
        return name


@cache
def _read(source: Path) -> ForeignTree:
    # its libraries are slow to load, and only foreign robots need them
    from quadruped_control.model.foreign_urdf import read_foreign_urdf
    return read_foreign_urdf(source)


def _make(name: str, kind: str, parent: str, child: str, rotation: Array, place: Array,
          axis: Array) -> UserJoint:
    w, x, y, z = (float(value) for value in mat2quat(rotation))
    return UserJoint(name, kind, parent, child, _vector(place), (w, x, y, z), _vector(axis))


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
