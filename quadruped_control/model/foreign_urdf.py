"""Foreign URDFs read as they are, with yourdfpy; what is broken in them is refused before."""

from __future__ import annotations

from collections.abc import Iterable
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
from quadruped_control.model.urdf_check import check_urdf, drop_surplus, read_urdf_text
from quadruped_control.model.urdf_place import find_file


def read_foreign_urdf(path: Path) -> ForeignTree:
    """Return the links and joints of a URDF, or raise InputError."""
    text, surplus = drop_surplus(read_urdf_text(path))
    check_urdf(path, text)
    robot = _parse(text)
    joints = {joint.child: _make_joint(joint) for joint in robot.joints}
    reader = _LinkReader(path, {material.name: material.color for material in robot.materials})
    links = {link.name: reader.read(link) for link in robot.links}
    order = _drop_world(_parents_first(list(links), joints), links, joints)
    return ForeignTree(path, {name: links[name] for name in order}, joints,
                       tuple(reader.unseen), tuple(reader.missing), surplus)


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


class _LinkReader:
    """Links, and the meshes of theirs that are not there."""

    def __init__(self, path: Path, colours: dict[str, Any]) -> None:
        self.path = path
        self.colours = colours
        self.unseen: list[str] = []
        self.missing: list[InputError] = []

    def read(self, link: Any) -> ForeignLink:
        mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if link.inertial is not None and link.inertial.mass:
            pose = _pose(link.inertial.origin)
            mass, centre, turn = float(link.inertial.mass), pose[:3, 3], pose[:3, :3]
            inertia = turn @ link.inertial.inertia @ turn.T
        return ForeignLink(link.name, mass, centre, inertia, self._shapes(link, 'collisions'),
                           self._shapes(link, 'visuals'))

    def _shapes(self, link: Any, kind: str) -> tuple[ForeignShape, ...]:
        """Return the shapes that have a size and, if they are meshes, a file."""
        found = []
        for shape in getattr(link, kind):
            try:
                found.append(self._shape(shape, link.name))
            except InputError as error:
                if kind == 'collisions':
                    self.missing.append(error)
                else:
                    self.unseen.append(shape.geometry.mesh.filename)
        return tuple(shape for shape in found if all(shape.size))

    def _shape(self, shape: Any, name: str) -> ForeignShape:
        geometry, material = shape.geometry, getattr(shape, 'material', None)
        colour = (material.color or self.colours.get(material.name)) if material else None
        rgba = tuple(map(float, colour.rgba)) if colour else None
        kind, size, file = self._geometry(geometry, f'link {name}.mesh')
        return ForeignShape(kind, tuple(map(float, size)), _pose(shape.origin), file, rgba)

    def _geometry(self, geometry: Any, key: str) -> tuple[ShapeKind, Iterable[float], Path | None]:
        if geometry.box is not None:
            return 'box', geometry.box.size, None
        if geometry.cylinder is not None:
            return 'cylinder', (geometry.cylinder.radius, geometry.cylinder.length), None
        if geometry.sphere is not None:
            return 'sphere', (geometry.sphere.radius,), None
        mesh = geometry.mesh
        scale = np.ones(3) if mesh.scale is None else np.atleast_1d(mesh.scale)
        if len(scale) not in (1, 3) or not np.all(np.isfinite(scale)) or not np.all(scale):
            raise InputError(self.path, f'{key}.scale', scale.tolist(),
                             'three numbers that are not 0')
        file = find_file(mesh.filename, self.path.parent, self.path, f'{key}.filename')
        return 'mesh', np.broadcast_to(scale, 3), file


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
