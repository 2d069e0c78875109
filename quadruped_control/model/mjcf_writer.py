"""A robot's links written as MJCF, for MuJoCo: its URDF reader would fix the root to the world."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.model.description import Rod, Sphere
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.number_text import UNIT_AXES, numbers

CONTACT_STIFFNESS = '.004 1'        # time constant and damping ratio: feet sink by about 1 mm


def write_mjcf(links: Sequence[Link], *, time_step: float, foot_spin_friction: float) -> str:
    """
    Return an MJCF model of the robot with a free root, on a plane, without self collision.

    :param foot_spin_friction: torsional friction of the feet, m.
    """
    root = Xml.Element('mujoco', model='robot')
    Xml.SubElement(root, 'option', timestep=f'{time_step:g}', gravity=f'0 0 {-GRAVITY:g}',
                   solver='PGS')        # a fifth faster than the default for a few contacts
    Xml.SubElement(root, 'compiler', angle='radian', autolimits='true')
    world = Xml.SubElement(root, 'worldbody')
    Xml.SubElement(world, 'geom', name='ground', type='plane', size='0 0 1', contype='2',
                   conaffinity='1', friction='1 1 0', solref=CONTACT_STIFFNESS)
    bodies: dict[str, Xml.Element] = {}
    for link in links:
        parent = world if link.parent is None else bodies[link.parent]
        bodies[link.name] = _add_body(parent, link, foot_spin_friction)
    sensors = Xml.SubElement(root, 'sensor')
    for link in links:
        if link.foot is not None:
            Xml.SubElement(sensors, 'touch', name=link.name, site=link.name)
    return Xml.tostring(root, encoding='unicode')


def _add_body(parent: Xml.Element, link: Link, spin_friction: float) -> Xml.Element:
    body = Xml.SubElement(parent, 'body', name=link.name, pos=numbers(*link.origin))
    full = link.inertia
    Xml.SubElement(body, 'inertial', mass=numbers(link.mass), pos=numbers(*link.centre_of_mass),
                   fullinertia=numbers(full[0, 0], full[1, 1], full[2, 2], full[0, 1],
                                       full[0, 2], full[1, 2]))
    if link.parent is None:
        Xml.SubElement(body, 'freejoint')
    elif link.axis != FIXED:
        joint = Xml.SubElement(body, 'joint', name=link.joint_name, axis=UNIT_AXES[link.axis])
        if link.position_range is not None:
            joint.set('range', numbers(*link.position_range))
    for shape in link.collision:
        _add_geometry(body, shape, '1 0 0', '3')
    if link.foot is not None:
        _add_geometry(body, link.foot, f'1 {spin_friction:g} 0', '4')
        Xml.SubElement(body, 'site', name=link.name, type='sphere',
                       pos=numbers(*link.foot.centre), size=f'{1.2 * link.foot.radius:g}')
    return body


def _add_geometry(body: Xml.Element, shape: Sphere | Rod, friction: str, dimensions: str) -> None:
    shared = {'contype': '1', 'conaffinity': '2', 'friction': friction, 'condim': dimensions,
              'priority': '1', 'solref': CONTACT_STIFFNESS}
    if isinstance(shape, Sphere):
        Xml.SubElement(body, 'geom', shared, type='sphere', pos=numbers(*shape.centre),
                       size=f'{shape.radius:g}')
    else:
        Xml.SubElement(body, 'geom', shared, type='cylinder',
                       fromto=numbers(*shape.start, *shape.end),
                       size=f'{shape.radius:g}')
