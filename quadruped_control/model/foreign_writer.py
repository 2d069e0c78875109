"""A foreign robot in the project's convention, written as a URDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import asin, atan2
from xml.etree import ElementTree as Xml

import numpy as np
from transforms3d.euler import mat2euler

from quadruped_control.model.description import Rod, Sphere
from quadruped_control.model.foreign_tree import Array, ForeignShape
from quadruped_control.model.links import Link
from quadruped_control.model.number_text import UNIT_AXES
from quadruped_control.model.principal_axes import principal_axes


def write_foreign_urdf(name: str, source: str, links: Sequence[Link],
                       visuals: Sequence[Sequence[ForeignShape]], speeds: Sequence[float]) -> str:
    """
    Return the URDF text.

    :param source: where it comes from, for the comment at its head.
    :param visuals: by link, in its frame; meshes are named by their absolute paths.
    :param speeds: rad/s by link, the limit of its joint.
    """
    robot = Xml.Element('robot', name=name)
    for link, shapes, speed in zip(links, visuals, speeds, strict=True):
        element = Xml.SubElement(robot, 'link', name=link.name)
        _add_inertial(element, link)
        for number, shape in enumerate(shapes):
            _add_visual(element, shape, f'{link.name}_{number}')
        for solid in (*link.collision, *([link.foot] if link.foot else [])):
            _add_collision(element, solid)
        if link.parent is not None:
            _add_joint(robot, link, speed)
    Xml.indent(robot, space=' ')
    header = f'<!-- Made from {source.replace("--", "- -")}: edit that file, not this one. -->'
    return f'<?xml version="1.0"?>\n{header}\n{Xml.tostring(robot, encoding="unicode")}\n'


def _text(*values: float) -> str:
    """Write numbers such that they are read as the same numbers."""
    return ' '.join(repr(float(value) + 0.0) for value in values)


def _origin(element: Xml.Element, place: Iterable[float], rotation: Array | None = None) -> None:
    turn = (0.0, 0.0, 0.0) if rotation is None else mat2euler(rotation, axes='sxyz')
    Xml.SubElement(element, 'origin', xyz=_text(*place), rpy=_text(*turn))


def _add_inertial(element: Xml.Element, link: Link) -> None:
    moments, turned = principal_axes(link.inertia)
    inertial = Xml.SubElement(element, 'inertial')
    _origin(inertial, link.centre_of_mass, turned)
    Xml.SubElement(inertial, 'mass', value=_text(link.mass))
    texts = dict(zip(('ixx', 'iyy', 'izz'), map(_text, moments), strict=True))
    Xml.SubElement(inertial, 'inertia', texts, ixy='0', ixz='0', iyz='0')


def _add_visual(element: Xml.Element, shape: ForeignShape, colour_name: str) -> None:
    visual = Xml.SubElement(element, 'visual')
    _origin(visual, shape.pose[:3, 3], shape.pose[:3, :3])
    geometry = Xml.SubElement(visual, 'geometry')
    if shape.kind == 'mesh':
        Xml.SubElement(geometry, 'mesh', filename=str(shape.mesh), scale=_text(*shape.size))
    elif shape.kind == 'box':
        Xml.SubElement(geometry, 'box', size=_text(*shape.size))
    elif shape.kind == 'cylinder':
        Xml.SubElement(geometry, 'cylinder', radius=_text(shape.size[0]),
                       length=_text(shape.size[1]))
    else:
        Xml.SubElement(geometry, 'sphere', radius=_text(shape.size[0]))
    if shape.colour is not None:
        material = Xml.SubElement(visual, 'material', name=colour_name)
        Xml.SubElement(material, 'color', rgba=_text(*shape.colour))


def _add_collision(element: Xml.Element, shape: Sphere | Rod) -> None:
    collision = Xml.SubElement(element, 'collision')
    if isinstance(shape, Sphere):
        _origin(collision, shape.centre)
        geometry = Xml.SubElement(collision, 'geometry')
        Xml.SubElement(geometry, 'sphere', radius=_text(shape.radius))
        return
    start, end = np.array(shape.start), np.array(shape.end)
    length = float(np.linalg.norm(end - start))
    x, y, z = (end - start) / length
    Xml.SubElement(collision, 'origin', xyz=_text(*((start + end) / 2)),
                   rpy=_text(-asin(min(1.0, max(-1.0, y))), atan2(x, z), 0.0))
    geometry = Xml.SubElement(collision, 'geometry')
    Xml.SubElement(geometry, 'cylinder', radius=_text(shape.radius), length=_text(length))


def _add_joint(robot: Xml.Element, link: Link, speed: float) -> None:
    kind = 'continuous' if link.position_range is None else 'revolute'
    joint = Xml.SubElement(robot, 'joint', name=link.joint_name, type=kind)
    _origin(joint, link.origin)
    Xml.SubElement(joint, 'parent', link=str(link.parent))
    Xml.SubElement(joint, 'child', link=link.name)
    Xml.SubElement(joint, 'axis', xyz=UNIT_AXES[link.axis])
    limit = {'effort': _text(link.effort or 0.0), 'velocity': _text(speed)}
    if link.position_range is not None:
        limit |= {'lower': _text(link.position_range[0]), 'upper': _text(link.position_range[1])}
    Xml.SubElement(joint, 'limit', limit)
