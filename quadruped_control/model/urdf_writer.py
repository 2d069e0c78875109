"""A robot's links written as a standard URDF."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from xml.etree import ElementTree as Xml

import numpy as np

from quadruped_control.model.description import RobotDescription, Rod, Sphere
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.meshes import mesh_file_name
from quadruped_control.model.number_text import UNIT_AXES, numbers

MESH_FOLDER = 'package://quadruped_control/urdf/meshes'


def write_urdf(name: str, links: Sequence[Link], description: RobotDescription) -> str:
    """Return the URDF text."""
    robot = Xml.Element('robot', name=name)
    for colour, rgba in description.colours.items():
        material = Xml.SubElement(robot, 'material', name=colour)
        Xml.SubElement(material, 'color', rgba=numbers(*rgba))
    for link in links:
        _add_link(robot, link, f'{MESH_FOLDER}/{description.name}')
        if link.parent is not None:
            _add_joint(robot, link, description.joint_torque_limit, description.joint_speed_limit)
    Xml.indent(robot, space=' ')
    source = f'config/robots/{description.name}/robot.yaml'
    header = f'<!-- Made from {source} by `./quadruped model`: edit that file, not this one. -->'
    return f'<?xml version="1.0"?>\n{header}\n{Xml.tostring(robot, encoding="unicode")}\n'


def _add_link(robot: Xml.Element, link: Link, meshes: str) -> None:
    element = Xml.SubElement(robot, 'link', name=link.name)
    _add_inertial(element, link)
    for colour in dict.fromkeys(flesh.colour for flesh in link.visual):
        visual = Xml.SubElement(element, 'visual')
        geometry = Xml.SubElement(visual, 'geometry')
        Xml.SubElement(geometry, 'mesh', filename=f'{meshes}/{mesh_file_name(link, colour)}')
        Xml.SubElement(visual, 'material', name=colour)
    shapes = (*link.collision, *([link.foot] if link.foot else []))
    for shape in shapes:
        _add_collision(element, shape)


def _add_inertial(element: Xml.Element, link: Link) -> None:
    """Write the inertia in its principal axes, as engines like it best; they are pitched only."""
    full = link.inertia
    pitch = 0.5 * atan2(2 * full[0, 2], full[2, 2] - full[0, 0]) if full[0, 2] else 0.0
    c, s = np.cos(pitch), np.sin(pitch)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    principal = np.diag(rotation.T @ full @ rotation)
    inertial = Xml.SubElement(element, 'inertial')
    Xml.SubElement(inertial, 'origin', xyz=numbers(*link.centre_of_mass),
                   rpy=numbers(0, pitch, 0))
    Xml.SubElement(inertial, 'mass', value=numbers(link.mass))
    moments = dict(zip(('ixx', 'iyy', 'izz'), (numbers(m) for m in principal), strict=True))
    Xml.SubElement(inertial, 'inertia', moments, ixy='0', ixz='0', iyz='0')


def _add_collision(element: Xml.Element, shape: Sphere | Rod) -> None:
    collision = Xml.SubElement(element, 'collision')
    if isinstance(shape, Sphere):
        Xml.SubElement(collision, 'origin', xyz=numbers(*shape.centre), rpy='0 0 0')
        geometry = Xml.SubElement(collision, 'geometry')
        Xml.SubElement(geometry, 'sphere', radius=numbers(shape.radius))
        return
    start, end = np.array(shape.start), np.array(shape.end)
    along = end - start
    Xml.SubElement(collision, 'origin', xyz=numbers(*((start + end) / 2)),
                   rpy=numbers(0, atan2(along[0], along[2]), 0))
    geometry = Xml.SubElement(collision, 'geometry')
    Xml.SubElement(geometry, 'cylinder', radius=numbers(shape.radius),
                   length=numbers(np.linalg.norm(along)))


def _add_joint(robot: Xml.Element, link: Link, effort: float, speed: float) -> None:
    kind = 'fixed' if link.axis == FIXED else 'continuous'
    if link.axis != FIXED and link.position_range is not None:
        kind = 'revolute'
    joint = Xml.SubElement(robot, 'joint', name=link.joint_name, type=kind)
    Xml.SubElement(joint, 'origin', xyz=numbers(*link.origin), rpy='0 0 0')
    Xml.SubElement(joint, 'parent', link=str(link.parent))
    Xml.SubElement(joint, 'child', link=link.name)
    if link.axis == FIXED:
        return
    Xml.SubElement(joint, 'axis', xyz=UNIT_AXES[link.axis])
    limit = {'effort': numbers(effort), 'velocity': numbers(speed)}
    if link.position_range is not None:
        lower, upper = link.position_range
        limit |= {'lower': numbers(lower), 'upper': numbers(upper)}
    Xml.SubElement(joint, 'limit', limit)
