"""What a URDF looks like: meshes of its links, and how the links hang on each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from quadruped_control.page.shapes import Triangles, Vertices, read_wavefront
from quadruped_control.share import PACKAGE, share_folder

Vector = tuple[float, float, float]
Colour = tuple[int, int, int]
GREY: Colour = (150, 150, 150)
PREFIX = f'package://{PACKAGE}/'
AXES = {(1.0, 0.0, 0.0): 0, (0.0, 1.0, 0.0): 1, (0.0, 0.0, 1.0): 2}


class Mesh(NamedTuple):
    """Triangles (m, 3) of vertices (n, 3) in a link's frame, and their colour."""

    vertices: Vertices
    triangles: Triangles
    colour: Colour


class Hinge(NamedTuple):
    """A joint by its name and the axis, 0 to 2, about which it turns."""

    name: str
    axis: int


@dataclass(frozen=True)
class Body:
    """
    Links that stay together in one place, with all that turns them.

    :param parent: name of the body it hangs on; empty for the root.
    :param origin: of its first joint in the parent, m.
    :param hinges: of the joints that turn it, from the parent on; they meet in one point.
    """

    name: str
    parent: str
    origin: Vector
    hinges: tuple[Hinge, ...]
    meshes: tuple[Mesh, ...]


@dataclass(frozen=True)
class _Joint:
    parent: str
    child: str
    origin: Vector
    hinge: Hinge | None


def read_bodies(urdf: str) -> list[Body]:
    """Return the bodies of a URDF, parents first."""
    robot = ElementTree.fromstring(urdf)
    colours = {material.get('name', ''): _read_colour(material)
               for material in robot.findall('material')}
    meshes = {link.get('name', ''): _read_meshes(link, colours) for link in robot.findall('link')}
    joints = [_read_joint(joint) for joint in robot.findall('joint')]
    children = {joint.child for joint in joints}
    root = next(name for name in meshes if name not in children)
    bodies: list[Body] = []
    _grow(root, Body(root, '', (0.0, 0.0, 0.0), (), meshes[root]), joints, meshes, bodies)
    return bodies


def _grow(link: str, body: Body, joints: list[_Joint], meshes: dict[str, tuple[Mesh, ...]],
          bodies: list[Body]) -> None:
    """Add a body and all that hangs on its link; joints that meet in a point become one body."""
    below = [joint for joint in joints if joint.parent == link]
    if not meshes[link] and len(below) == 1 and not any(below[0].origin) and body.parent:
        joint = below[0]
        hinges = (*body.hinges, *([joint.hinge] if joint.hinge else ()))
        merged = Body(joint.child, body.parent, body.origin, hinges, meshes[joint.child])
        _grow(joint.child, merged, joints, meshes, bodies)
        return
    bodies.append(body)
    for joint in below:
        hinges = (joint.hinge,) if joint.hinge else ()
        _grow(joint.child, Body(joint.child, body.name, joint.origin, hinges,
                                meshes[joint.child]), joints, meshes, bodies)


def _read_joint(joint: ElementTree.Element) -> _Joint:
    origin, axis = joint.find('origin'), joint.find('axis')
    ends = [_find(joint, role).get('link', '') for role in ('parent', 'child')]
    hinge = None
    if joint.get('type') != 'fixed':
        vector = _read_vector('1 0 0' if axis is None else axis.get('xyz', '1 0 0'))
        hinge = Hinge(joint.get('name', ''), AXES[vector])
    place = _read_vector('0 0 0' if origin is None else origin.get('xyz', '0 0 0'))
    return _Joint(ends[0], ends[1], place, hinge)


def _read_meshes(link: ElementTree.Element, colours: dict[str, Colour]) -> tuple[Mesh, ...]:
    found = []
    for visual in link.findall('visual'):
        mesh = visual.find('geometry/mesh')
        if mesh is None:
            continue
        file = mesh.get('filename', '')
        path = share_folder() / file.removeprefix(PREFIX) if file.startswith(PREFIX) else file
        material = visual.find('material')
        colour = GREY if material is None else colours.get(material.get('name', ''), GREY)
        found.append(Mesh(*read_wavefront(Path(path)), colour))
    return tuple(found)


def _read_colour(material: ElementTree.Element) -> Colour:
    colour = material.find('color')
    if colour is None:
        return GREY
    red, green, blue, *_ = (round(255 * float(word)) for word in colour.get('rgba', '').split())
    return red, green, blue


def _read_vector(text: str) -> Vector:
    x, y, z = map(float, text.split())
    return x, y, z


def _find(element: ElementTree.Element, name: str) -> ElementTree.Element:
    found = element.find(name)
    if found is None:
        raise ValueError(f'a joint of the URDF has no {name}')
    return found
