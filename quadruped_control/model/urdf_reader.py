"""A URDF read strictly: what the kinematics here cannot represent is refused, never ignored."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import InputError
from quadruped_control.kinematics.rotations import rotation_from_rpy
from quadruped_control.model.links import FIXED, Link

TAGS = {
    'robot': ('link', 'joint', 'material', 'gazebo', 'transmission', 'ros2_control'),
    'link': ('inertial', 'visual', 'collision'),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'safety_controller'),
}
JOINT_TYPES = ('revolute', 'continuous', 'fixed')


def read_urdf(path: Path) -> list[Link]:
    """Return the links of a URDF, parents first; the shapes are left to the engines."""
    robot = _parse(path)
    links: dict[str, Xml.Element] = {}
    for element in robot.findall('link'):
        name = _attribute(path, element, 'name', 'link')
        _check_tags(path, element, f'link {name}')
        if name in links:
            raise InputError(path, f'link {name}', name, 'a name that no other link has')
        links[name] = element
    joints = _read_joints(path, robot, links)
    return [_make_link(path, name, links[name], joints.get(name))
            for name in _parents_first(path, links, joints)]


def _parse(path: Path) -> Xml.Element:
    try:
        robot = Xml.fromstring(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise InputError(path, '', error.strerror, 'a readable URDF file') from error
    except (Xml.ParseError, UnicodeDecodeError) as error:
        raise InputError(path, '', str(error), 'well-formed XML in UTF-8') from error
    if robot.tag != 'robot':
        raise InputError(path, 'root element', robot.tag, 'robot')
    _check_tags(path, robot, 'robot')
    return robot


def _check_tags(path: Path, element: Xml.Element, where: str) -> None:
    accepted = TAGS[element.tag]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in accepted:
            raise InputError(path, where, child.tag, f'one of {", ".join(accepted)}')


def _attribute(path: Path, element: Xml.Element | None, name: str, where: str) -> str:
    value = None if element is None else element.get(name)
    if value is None:
        raise InputError(path, f'{where}.{name}', None, f'an attribute {name}')
    return value


def _numbers(path: Path, text: str, count: int, where: str) -> tuple[float, ...]:
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        values = ()
    if len(values) != count or not all(isfinite(value) for value in values):
        raise InputError(path, where, text, f'{count} finite number{"s" if count > 1 else ""}')
    return values


def _read_joints(path: Path, robot: Xml.Element,
                 links: dict[str, Xml.Element]) -> dict[str, Xml.Element]:
    """Joints by the name of their child link."""
    joints: dict[str, Xml.Element] = {}
    names: set[str] = set()
    for element in robot.findall('joint'):
        name = _attribute(path, element, 'name', 'joint')
        where = f'joint {name}'
        _check_tags(path, element, where)
        if name in names:
            raise InputError(path, where, name, 'a name that no other joint has')
        names.add(name)
        kind = _attribute(path, element, 'type', where)
        if kind not in JOINT_TYPES:
            raise InputError(path, f'{where}.type', kind, f'one of {", ".join(JOINT_TYPES)}')
        for role in ('parent', 'child'):
            link = _attribute(path, element.find(role), 'link', f'{where}.{role}')
            if link not in links:
                raise InputError(path, f'{where}.{role}', link, 'the name of a link')
        child = element.find('child')
        assert child is not None
        if child.attrib['link'] in joints:
            raise InputError(path, f'{where}.child', child.attrib['link'],
                             'a link that no other joint holds')
        joints[child.attrib['link']] = element
    return joints


def _parent_of(joint: Xml.Element) -> str:
    parent = joint.find('parent')
    assert parent is not None
    return parent.attrib['link']


def _parents_first(path: Path, links: dict[str, Xml.Element],
                   joints: dict[str, Xml.Element]) -> list[str]:
    roots = [name for name in links if name not in joints]
    if len(roots) != 1:
        raise InputError(path, 'links without a parent joint', roots, 'exactly one, the root')
    ordered = roots
    waiting = [name for name in links if name in joints]
    while waiting:
        ready = [name for name in waiting if _parent_of(joints[name]) in ordered]
        if not ready:
            raise InputError(path, 'joints', waiting, 'a tree: these links hold each other')
        ordered = [*ordered, ready[0]]
        waiting.remove(ready[0])
    return ordered


def _make_link(path: Path, name: str, element: Xml.Element, joint: Xml.Element | None) -> Link:
    mass, centre, inertia = _read_inertial(path, name, element)
    shared = {'mass': mass, 'centre_of_mass': centre, 'inertia': inertia,
              'is_real': element.find('collision') is not None or element.find('visual') is not None}
    if joint is None:
        return Link(name, None, '', FIXED, (0.0, 0.0, 0.0), None, **shared)  # type: ignore[arg-type]
    where = f'joint {joint.attrib["name"]}'
    origin, rpy = _read_origin(path, joint.find('origin'), where)
    if any(rpy):
        raise InputError(path, f'{where}.origin.rpy', rpy,
                         '0 0 0: frames of all links parallel in the zero pose')
    axis = _read_axis(path, joint, where)
    return Link(name, _parent_of(joint), joint.attrib['name'], axis, origin,  # type: ignore[arg-type]
                _read_range(path, joint, where), **shared)  # type: ignore[arg-type]


def _read_origin(path: Path, origin: Xml.Element | None,
                 where: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    attributes = {} if origin is None else origin.attrib
    return (_numbers(path, attributes.get('xyz', '0 0 0'), 3, f'{where}.origin.xyz'),
            _numbers(path, attributes.get('rpy', '0 0 0'), 3, f'{where}.origin.rpy'))


def _read_axis(path: Path, joint: Xml.Element, where: str) -> int:
    if joint.attrib['type'] == 'fixed':
        return FIXED
    element = joint.find('axis')
    text = '1 0 0' if element is None else element.get('xyz', '1 0 0')
    axis = _numbers(path, text, 3, f'{where}.axis')
    if sorted(axis) != [0.0, 0.0, 1.0]:
        raise InputError(path, f'{where}.axis', text, '1 0 0, 0 1 0 or 0 0 1')
    return axis.index(1.0)


def _read_range(path: Path, joint: Xml.Element, where: str) -> tuple[float, float] | None:
    if joint.attrib['type'] != 'revolute':
        return None
    limit = joint.find('limit')
    lower, upper = (_numbers(path, _attribute(path, limit, side, f'{where}.limit'), 1,
                             f'{where}.limit.{side}')[0] for side in ('lower', 'upper'))
    if not lower < upper:
        raise InputError(path, f'{where}.limit', (lower, upper), 'lower less than upper')
    return lower, upper


def _read_inertial(path: Path, name: str, link: Xml.Element) -> tuple[
        float, tuple[float, ...], NDArray[np.float64]]:
    where = f'link {name}.inertial'
    inertial = link.find('inertial')
    if inertial is None:
        raise InputError(path, where, None, 'mass and inertia of every link')
    text = _attribute(path, inertial.find('mass'), 'value', f'{where}.mass')
    mass = _numbers(path, text, 1, f'{where}.mass')[0]
    if not mass > 0:
        raise InputError(path, f'{where}.mass', text, 'a mass greater than 0 kg')
    centre, rpy = _read_origin(path, inertial.find('origin'), where)
    element = inertial.find('inertia')
    xx, xy, xz, yy, yz, zz = (
        _numbers(path, _attribute(path, element, key, f'{where}.inertia'), 1,
                 f'{where}.inertia.{key}')[0] for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] <= 0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
        raise InputError(path, f'{where}.inertia', moments.tolist(),
                         'positive principal moments, none greater than the sum of the others')
    rotation = rotation_from_rpy(*rpy)
    return mass, centre, rotation @ matrix @ rotation.T
