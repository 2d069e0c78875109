"""What is broken in a foreign URDF, told before a lax reader makes the best of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as Xml

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foreign_tree import HINGES
from quadruped_control.model.xml_element import Element, Grammar, parse_xml, read_bytes

GRAMMAR = Grammar(root='robot', inside={}, repeated=())
JOINT_TYPES = (*HINGES, 'prismatic', 'fixed')
FEW = 9                     # hinges of three legs: with less it is no matter of one broken leg
WORLD_TYPES = (*JOINT_TYPES, 'floating')        # between an empty root and the robot
SHAPES = {'box': 'size', 'cylinder': 'radius length', 'sphere': 'radius', 'mesh': 'filename'}
# numbers by tag and attribute: how many, and whether they are sizes
NUMBERS = {
    'origin': {'xyz': (3, False), 'rpy': (3, False)}, 'axis': {'xyz': (3, False)},
    'mass': {'value': (1, False)}, 'box': {'size': (3, True)}, 'sphere': {'radius': (1, True)},
    'cylinder': {'radius': (1, True), 'length': (1, True)},
    'inertia': dict.fromkeys(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), (1, False)),
    'limit': dict.fromkeys(('lower', 'upper', 'effort', 'velocity'), (1, False)),
    'color': {'rgba': (4, False)},
}
# three numbers with a fourth that is 0, which every reader passes over
SURPLUS = re.compile(
    rb'\b(xyz|rpy)\s*=\s*(["\'])\s*((?:[^\s"\']+\s+){2}[^\s"\']+)(?:\s+0(?:\.0*)?)+\s*\2')


def read_urdf_text(path: Path) -> bytes:
    """Return a URDF's text without what some writers leave around it, or raise InputError."""
    text = read_bytes(path).strip(b' \t\r\n\0')
    if not text:
        raise InputError(path, '', Remark('empty'), 'a URDF: XML with a robot')
    return re.sub(rb'^(<\?xml\s+version=)("[^"]*"|\'[^\']*\')', rb'\1"1.0"', text)


def drop_surplus(text: bytes) -> tuple[bytes, int]:
    """Return a URDF's text without zeros behind three numbers, and where that was so often."""
    return SURPLUS.subn(rb'\1=\2\3\2', text)


def check_urdf(path: Path, text: bytes) -> None:
    """Raise InputError about the first thing that makes a URDF unusable."""
    robot = parse_xml(path, text, GRAMMAR)
    _refuse_xacro(robot)
    try:
        _check_robot(robot)
    except InputError as error:
        hinges = sum(joint.get('type') in HINGES for joint in robot.xml.findall('joint'))
        if hinges >= FEW:
            raise
        raise InputError(path, error.key, error.value, f'{error.accepted}; and four legs of three '
                         f'hinges each, where it has {hinges} hinges in all') from None


def _check_robot(robot: Element) -> None:
    links = _names(robot, 'link')
    if not links:
        robot.refuse('link', Remark('missing'), 'a URDF with links')
    _names(robot, 'joint')
    held: dict[str, str] = {}
    for joint in robot.children('joint'):
        _check_joint(joint, links, held)
    _check_tree(robot, links)
    for link in robot.children('link'):
        _check_link(link)


def _refuse_xacro(robot: Element) -> None:
    for xml in robot.xml.iter():
        values = ' '.join(xml.attrib.values())
        if 'xacro' in str(xml.tag) or '${' in values or '$(' in values:
            robot.refuse(str(xml.tag).rpartition('}')[2], Remark('xacro'),
                         'plain URDF, as `xacro FILE.xacro > FILE.urdf` makes it')


def _names(robot: Element, tag: str) -> set[str]:
    names: set[str] = set()
    for child in robot.children(tag):
        if child.name in names:
            child.refuse('name', child.name, f'a name that no other {tag} has')
        names.add(child.name)
    return names


def _check_numbers(element: Element) -> None:
    for xml in element.xml.iter():
        where = Element(element.path, element.grammar, xml, _where(element, xml))
        for name, (count, positive) in NUMBERS.get(xml.tag, {}).items():
            if name in xml.attrib:
                values = where.numbers(name, count)
                if positive and min(values) < 0:
                    where.refuse(name, xml.attrib[name], '0 m or more')


def _where(element: Element, xml: Xml.Element) -> str:
    return element.where if xml is element.xml else f'{element.where}.{xml.tag}'


def _check_link(link: Element) -> None:
    _check_numbers(link)
    for shape in (*link.xml.iter('collision'), *link.xml.iter('visual')):
        _check_shape(link, shape)
    if link.xml.find('inertial') is None:
        return
    inertial = link.child('inertial')
    mass = inertial.child('mass').number('value')
    if mass < 0:
        inertial.refuse('mass.value', mass, 'a mass of 0 kg or more')
    inertia = inertial.child('inertia')
    if mass == 0 and not inertia.xml.attrib:
        return
    for name in ('ixx', 'iyy', 'izz'):
        if inertia.number(name) < 0:
            inertia.refuse(name, inertia.number(name), 'a moment of 0 kg m^2 or more')


def _check_shape(link: Element, shape: Xml.Element) -> None:
    found = [part for part in shape.findall('geometry/*') if part.tag in SHAPES]
    if len(found) != 1:
        kinds = [part.tag for part in shape.findall('geometry/*')]
        link.refuse(f'{shape.tag}.geometry', kinds, f'one of {", ".join(SHAPES)}')
    for name in SHAPES[found[0].tag].split():
        Element(link.path, link.grammar, found[0],
                f'{link.where}.{shape.tag}.{found[0].tag}').attribute(name)


def _check_joint(joint: Element, links: set[str], held: dict[str, str]) -> None:
    _check_numbers(joint)
    kind = joint.attribute('type')
    if kind not in WORLD_TYPES:
        joint.refuse('type', kind, f'one of {", ".join(JOINT_TYPES)}')
    for role in ('parent', 'child'):
        link = joint.child(role).attribute('link')
        if link not in links:
            joint.refuse(f'{role}.link', link, f'the name of a link: {_some(links)}')
    child = joint.child('child').attribute('link')
    if child in held:
        joint.refuse('child.link', child,
                     f'a tree without loops: joint {held[child]} holds this link already')
    held[child] = joint.name
    if kind in (*HINGES, 'prismatic'):
        _check_motion(joint)


def _check_motion(joint: Element) -> None:
    axis = joint.child('axis')
    if not any(axis.vector('xyz', '1 0 0')):
        axis.refuse('xyz', axis.attribute('xyz'), 'an axis that is not zero')
    limit = joint.child('limit')
    if 'effort' in limit.xml.attrib and limit.number('effort') < 0:
        limit.refuse('effort', limit.number('effort'), '0 N m or more')


def _some(names: Iterable[str], most: int = 12) -> str:
    listed = sorted(names)
    return ', '.join(listed[:most] + ['...'] * (len(listed) > most))


def _check_tree(robot: Element, links: set[str]) -> None:
    parents = {joint.child('child').attribute('link'): joint.child('parent').attribute('link')
               for joint in robot.children('joint')}
    roots = sorted(links - parents.keys())
    if len(roots) > 1:
        robot.refuse('links without a parent joint', roots, 'exactly one, the root')
    if not roots:
        robot.refuse('joints', sorted(parents), 'a tree: these links hold each other in a loop')
    for link in sorted(links):
        seen = [link]
        while seen[-1] in parents:
            seen.append(parents[seen[-1]])
            if seen[-1] in seen[:-1]:
                robot.refuse('joints', seen, 'a tree: these links hold each other in a loop')
    for joint in robot.children('joint'):
        parent = joint.child('parent').attribute('link')
        if joint.attribute('type') == 'floating' and parent in parents:
            joint.refuse('type', 'floating', f'one of {", ".join(JOINT_TYPES)} inside a robot')

