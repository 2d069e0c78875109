"""A URDF read strictly: what the kinematics here cannot represent is refused, never ignored."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.kinematics.rotations import rotation_from_rpy
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.xml_element import Element, Grammar, Vector, read_xml

GRAMMAR = Grammar(
    root='robot',
    inside={
        'robot': ('link', 'joint', 'material', 'gazebo', 'transmission', 'ros2_control'),
        'link': ('inertial', 'visual', 'collision'),
        'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'safety_controller'),
        'inertial': ('origin', 'mass', 'inertia'),
    },
    repeated=('link', 'joint', 'material', 'gazebo', 'transmission', 'ros2_control', 'visual',
              'collision'),
)
JOINT_TYPES = ('revolute', 'continuous', 'fixed')
INERTIAS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def read_urdf(path: Path) -> list[Link]:
    """Return the links of a URDF, parents first; the shapes are left to the engines."""
    robot = read_xml(path, GRAMMAR)
    links: dict[str, Element] = {}
    for link in robot.children('link'):
        if link.name in links:
            link.refuse('', link.name, 'a name that no other link has')
        links[link.name] = link
    joints = _read_joints(robot, links)
    return [_make_link(links[name], joints.get(name))
            for name in _parents_first(robot, links, joints)]


class _Inertial(NamedTuple):
    mass: float
    centre_of_mass: Vector
    inertia: NDArray[np.float64]


def _read_joints(robot: Element, links: dict[str, Element]) -> dict[str, Element]:
    """Joints by the name of their child link."""
    joints: dict[str, Element] = {}
    names: set[str] = set()
    for joint in robot.children('joint'):
        if joint.name in names:
            joint.refuse('', joint.name, 'a name that no other joint has')
        names.add(joint.name)
        kind = joint.attribute('type')
        if kind not in JOINT_TYPES:
            joint.refuse('type', kind, f'one of {", ".join(JOINT_TYPES)}')
        for role in ('parent', 'child'):
            link = joint.child(role).attribute('link')
            if link not in links:
                joint.refuse(role, link, 'the name of a link')
        child = joint.child('child').attribute('link')
        if child in joints:
            joint.refuse('child', child, 'a link that no other joint holds')
        joints[child] = joint
    return joints


def _parent_of(joint: Element) -> str:
    return joint.child('parent').attribute('link')


def _parents_first(robot: Element, links: dict[str, Element],
                   joints: dict[str, Element]) -> list[str]:
    ordered = [name for name in links if name not in joints]
    if len(ordered) != 1:
        robot.refuse('links without a parent joint', ordered, 'exactly one, the root')
    waiting = [name for name in links if name in joints]
    while waiting:
        ready = next((name for name in waiting if _parent_of(joints[name]) in ordered), None)
        if ready is None:
            robot.refuse('joints', waiting, 'a tree: these links hold each other')
        ordered.append(ready)
        waiting.remove(ready)
    return ordered


def _make_link(link: Element, joint: Element | None) -> Link:
    body = _read_inertial(link)
    is_real = any(link.xml.find(tag) is not None for tag in ('collision', 'visual'))
    if joint is None:
        return Link(link.name, None, '', FIXED, (0.0, 0.0, 0.0), None, *body, is_real)
    origin = joint.child('origin')
    rpy = origin.vector('rpy')
    if any(rpy):
        origin.refuse('rpy', rpy, '0 0 0: frames of all links parallel in the zero pose')
    dynamics = joint.child('dynamics')
    for name in dynamics.xml.attrib:
        if dynamics.number(name) != 0.0:
            dynamics.refuse(name, dynamics.number(name), '0: joints have no friction or damping')
    return Link(link.name, _parent_of(joint), joint.name, _read_axis(joint), origin.vector('xyz'),
                _read_range(joint), *body, is_real, effort=_read_effort(joint))


def _read_axis(joint: Element) -> int:
    if joint.attribute('type') == 'fixed':
        return FIXED
    axis = joint.child('axis')
    vector = axis.vector('xyz', '1 0 0')
    if sorted(vector) != [0.0, 0.0, 1.0]:
        axis.refuse('xyz', axis.attribute('xyz'), '1 0 0, 0 1 0 or 0 0 1')
    return vector.index(1.0)


def _read_effort(joint: Element) -> float | None:
    limit = joint.child('limit')
    if 'effort' not in limit.xml.attrib:
        return None
    effort = limit.number('effort')
    if effort < 0.0:
        limit.refuse('effort', effort, 'at least 0 N m')
    return effort or None


def _read_range(joint: Element) -> tuple[float, float] | None:
    if joint.attribute('type') != 'revolute':
        return None
    limit = joint.child('limit')
    lower, upper = limit.number('lower'), limit.number('upper')
    if not lower < upper:
        limit.refuse('', (lower, upper), 'lower less than upper')
    return lower, upper


def _read_inertial(link: Element) -> _Inertial:
    if link.xml.find('inertial') is None:
        link.refuse('inertial', None, 'mass and inertia of every link')
    inertial = link.child('inertial')
    mass = inertial.child('mass').number('value')
    if not mass > 0:
        inertial.refuse('mass', mass, 'a mass greater than 0 kg')
    origin, inertia = inertial.child('origin'), inertial.child('inertia')
    xx, xy, xz, yy, yz, zz = (inertia.number(name) for name in INERTIAS)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] <= 0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
        inertia.refuse('', moments.tolist(),
                       'positive principal moments, none greater than the sum of the others')
    rotation = rotation_from_rpy(*origin.vector('rpy'))
    return _Inertial(mass, origin.vector('xyz'), rotation @ matrix @ rotation.T)
