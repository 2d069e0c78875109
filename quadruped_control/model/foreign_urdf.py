"""Foreign URDFs read as they are, with yourdfpy; what is broken in them is refused before."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.model.foreign_tree import (
    Array,
    ForeignJoint,
    ForeignLink,
    ForeignShape,
    ForeignTree,
    ShapeKind,
)
from quadruped_control.model.urdf_check import check_urdf, read_urdf_text
from quadruped_control.model.urdf_place import find_file


def read_foreign_urdf(path: Path) -> ForeignTree:
    """Return the links and joints of a URDF, or raise InputError."""
    text = read_urdf_text(path)
    check_urdf(path, text)
    robot = _parse(text)
    joints = {joint.child: _make_joint(joint) for joint in robot.joints}
    colours = {material.name: material.color for material in robot.materials}
    links = {link.name: _make_link(link, path, colours) for link in robot.links}
    order = _drop_world(_parents_first(list(links), joints), links, joints)
    return ForeignTree(path, str(robot.name or path.stem), {name: links[name] for name in order},
                       joints)


def _parse(text: bytes) -> Any:
    from yourdfpy import URDF  # slow to import, and only foreign robots need it

    return URDF.load(BytesIO(text), build_scene_graph=False, load_meshes=False).robot


def _make_joint(joint: Any) -> ForeignJoint:
    limit = joint.limit
    has_range = (joint.type in ('revolute', 'prismatic') and limit is not None
                 and limit.lower is not None and limit.upper is not None)
    return ForeignJoint(
        joint.name, joint.type, joint.parent, joint.child, _pose(joint.origin),
        joint.axis / np.linalg.norm(joint.axis) if np.any(joint.axis) else joint.axis,
        (limit.lower, limit.upper) if has_range else None,
        limit.effort or None if limit else None, limit.velocity or None if limit else None,
        joint.mimic is not None)


def _make_link(link: Any, path: Path, colours: dict[str, Any]) -> ForeignLink:
    shape = partial(_make_shape, name=link.name, path=path, colours=colours)
    mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    if link.inertial is not None and link.inertial.mass:
        pose = _pose(link.inertial.origin)
        mass, centre, turn = float(link.inertial.mass), pose[:3, 3], pose[:3, :3]
        inertia = turn @ link.inertial.inertia @ turn.T
    collisions, visuals = (tuple(made for made in map(shape, shapes) if all(made.size))
                           for shapes in (link.collisions, link.visuals))   # none of size 0
    return ForeignLink(link.name, mass, centre, inertia, collisions, visuals)


def _make_shape(shape: Any, name: str, path: Path, colours: dict[str, Any]) -> ForeignShape:
    pose, geometry = _pose(shape.origin), shape.geometry
    material = getattr(shape, 'material', None)
    colour = (material.color or colours.get(material.name)) if material else None
    rgba = tuple(map(float, colour.rgba)) if colour else None

    def make(kind: ShapeKind, *size: float, mesh: Path | None = None) -> ForeignShape:
        return ForeignShape(kind, tuple(map(float, size)), pose, mesh, rgba)

    if geometry.box is not None:
        return make('box', *geometry.box.size)
    if geometry.cylinder is not None:
        return make('cylinder', geometry.cylinder.radius, geometry.cylinder.length)
    if geometry.sphere is not None:
        return make('sphere', geometry.sphere.radius)
    key = f'link {name}.mesh.filename'
    file = find_file(geometry.mesh.filename, path.parent, path, key)
    scale = np.ones(3) if geometry.mesh.scale is None else np.atleast_1d(geometry.mesh.scale)
    if len(scale) not in (1, 3) or not np.all(np.isfinite(scale)) or not np.all(scale):
        raise InputError(path, f'link {name}.mesh.scale', scale.tolist(),
                         'three numbers that are not 0')
    return make('mesh', *np.broadcast_to(scale, 3), mesh=file)


def _pose(origin: Array | None) -> Array:
    return np.eye(4) if origin is None else np.asarray(origin, dtype=float)


def _parents_first(names: list[str], joints: dict[str, ForeignJoint]) -> list[str]:
    children: dict[str, list[str]] = {name: [] for name in names}
    for child in names:
        if child in joints:
            children[joints[child].parent].append(child)
    ordered, waiting = [], [name for name in names if name not in joints]
    while waiting:
        ordered.append(waiting.pop(0))
        waiting = children[ordered[-1]] + waiting
    return ordered


def _drop_world(order: list[str], links: dict[str, ForeignLink],
                joints: dict[str, ForeignJoint]) -> list[str]:
    """Leave out a world above the robot: an empty root with one floating joint."""
    children = [joint for joint in joints.values() if joint.parent == order[0]]
    if len(children) == 1 and children[0].kind == 'floating' and not links[order[0]].mass:
        del joints[children[0].child]
        return order[1:]
    return order
