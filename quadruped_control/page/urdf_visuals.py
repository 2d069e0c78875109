"""What a URDF looks like: meshes of its links, and how the links hang on each other."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import mat2quat
from yourdfpy import URDF

from quadruped_control.errors import InputError
from quadruped_control.model.turns import UNTURNED, Quaternion, Vector
from quadruped_control.model.urdf_place import find_file
from quadruped_control.page.mesh_files import Colour, MeshPart, read_mesh
from quadruped_control.page.shapes import (
    Shape,
    Triangles,
    Vertices,
    make_ball,
    make_box,
    make_cylinder,
)
from quadruped_control.share import PACKAGE, share_folder

Array = NDArray[np.float64]
GREY: Colour = (150, 150, 150)
PREFIX = f'package://{PACKAGE}/'
FIXED, SLIDE = 'fixed', 'prismatic'


class Mesh(NamedTuple):
    """Triangles (m, 3) of vertices (n, 3) in a link's frame, and their colour."""

    vertices: Vertices
    triangles: Triangles
    colour: Colour


class Hinge(NamedTuple):
    """A joint by its name and the axis about which it turns, or along which it slides."""

    name: str
    axis: Vector
    slides: bool = False


@dataclass(frozen=True)
class Body:
    """
    Links that stay together in one place, with all that turns them.

    :param parent: name of the body it hangs on; empty for the root.
    :param origin: of its first joint in the parent, m; ``turn`` is that of its frame.
    :param hinges: of the joints that turn it, from the parent on; they meet in one point.
    """

    name: str
    parent: str
    origin: Vector
    turn: Quaternion
    hinges: tuple[Hinge, ...]
    meshes: tuple[Mesh, ...]


@dataclass(frozen=True)
class _Joint:
    parent: str
    child: str
    origin: Vector
    turn: Quaternion
    hinge: Hinge | None

    @property
    def is_here(self) -> bool:
        """Say whether it only turns what hangs on it, in the place and axes of its parent."""
        slides = self.hinge is not None and self.hinge.slides
        return not any(self.origin) and self.turn == UNTURNED and not slides


def read_bodies(urdf: str) -> list[Body]:
    """Return the bodies of a URDF, parents first."""
    robot: Any = URDF.load(BytesIO(urdf.encode()), build_scene_graph=False,
                           load_meshes=False).robot
    colours = {material.name: material.color for material in robot.materials}
    meshes = {link.name: tuple(mesh for visual in link.visuals
                               for mesh in _read_visual(visual, colours)) for link in robot.links}
    joints = [_read_joint(joint) for joint in robot.joints]
    children = {joint.child for joint in joints}
    root = next(name for name in meshes if name not in children)
    bodies: list[Body] = []
    _grow(root, Body(root, '', (0.0, 0.0, 0.0), UNTURNED, (), meshes[root]), joints, meshes,
          bodies)
    return bodies


def _grow(link: str, body: Body, joints: list[_Joint], meshes: dict[str, tuple[Mesh, ...]],
          bodies: list[Body]) -> None:
    """Add a body and all that hangs on its link; joints that meet in a point become one body."""
    below = [joint for joint in joints if joint.parent == link]
    slides = any(hinge.slides for hinge in body.hinges)
    if not meshes[link] and len(below) == 1 and below[0].is_here and body.parent and not slides:
        joint = below[0]
        hinges = (*body.hinges, *([joint.hinge] if joint.hinge else ()))
        merged = Body(joint.child, body.parent, body.origin, body.turn, hinges,
                      meshes[joint.child])
        _grow(joint.child, merged, joints, meshes, bodies)
        return
    bodies.append(body)
    for joint in below:
        hinges = (joint.hinge,) if joint.hinge else ()
        _grow(joint.child, Body(joint.child, body.name, joint.origin, joint.turn, hinges,
                                meshes[joint.child]), joints, meshes, bodies)


def _read_joint(joint: Any) -> _Joint:
    pose, hinge = _pose(joint.origin), None
    if joint.type != FIXED:
        length = float(np.linalg.norm(joint.axis))
        hinge = Hinge(joint.name, _vector(joint.axis / length if length else joint.axis),
                      joint.type == SLIDE)
    turn = UNTURNED
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        w, x, y, z = map(float, mat2quat(pose[:3, :3]))
        turn = w, x, y, z
    return _Joint(joint.parent, joint.child, _vector(pose[:3, 3]), turn, hinge)


def _read_visual(visual: Any, colours: dict[str, Any]) -> list[Mesh]:
    """Return what is drawn of a visual; a mesh that is not there is not."""
    material = visual.material
    colour = None if material is None else material.color or colours.get(material.name)
    given = None if colour is None else _colour(colour.rgba)
    return [Mesh(_move(part.vertices, visual.origin), part.triangles,
                 _mix(given, part)) for part in _read_geometry(visual.geometry)]


def _mix(given: Colour | None, part: MeshPart) -> Colour:
    """Return the URDF's colour, else the file's; a picture is seen through the URDF's."""
    if given is None or part.colour is None or not part.is_picture:
        return given or part.colour or GREY
    red, green, blue = (round(a * b / 255) for a, b in zip(given, part.colour, strict=True))
    return red, green, blue


def _read_geometry(geometry: Any) -> list[MeshPart]:
    if geometry.box is not None:
        return [_plain(make_box(*map(float, geometry.box.size)))]
    if geometry.sphere is not None:
        return [_plain(make_ball(float(geometry.sphere.radius)))]
    if geometry.cylinder is not None:
        half = float(geometry.cylinder.length) / 2
        return [_plain(make_cylinder(float(geometry.cylinder.radius), -half, half))]
    try:
        parts = read_mesh(_find(geometry.mesh.filename))
    except InputError:
        return []
    if geometry.mesh.scale is None:
        return list(parts)
    scale = np.asarray(geometry.mesh.scale, np.float32)
    mirrored = bool(np.prod(np.broadcast_to(scale, 3)) < 0.0)
    return [part._replace(vertices=part.vertices * scale,
                          triangles=part.triangles[:, ::-1] if mirrored else part.triangles)
            for part in parts]


def _find(name: str) -> Path:
    if name.startswith(PREFIX):
        return share_folder() / name.removeprefix(PREFIX)
    return find_file(name, Path.cwd(), '/robot_description', 'mesh')


def _plain(shape: Shape) -> MeshPart:
    return MeshPart(*shape, None)


def _move(vertices: Vertices, origin: Array | None) -> Vertices:
    if origin is None or np.array_equal(origin, np.eye(4)):
        return vertices
    moved = vertices @ origin[:3, :3].T + origin[:3, 3]
    return np.asarray(moved, np.float32)


def _colour(rgba: Any) -> Colour:
    red, green, blue = (round(255 * float(value)) for value in rgba[:3])
    return red, green, blue


def _pose(origin: Array | None) -> Array:
    return np.eye(4) if origin is None else np.asarray(origin, float)


def _vector(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z
