"""Foreign URDFs made into robots of the project's convention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.kinematics.records import GRAVITY, LEGS
from quadruped_control.model.body_axes import write_direction
from quadruped_control.model.convention import Body, largest_tilt, rewrite
from quadruped_control.model.description import Sphere
from quadruped_control.model.foreign_robot import ForeignLeg, ForeignLegFrame, ForeignRobot
from quadruped_control.model.foreign_tree import Array
from quadruped_control.model.foreign_urdf import read_foreign_urdf
from quadruped_control.model.foreign_writer import write_foreign_urdf
from quadruped_control.model.links import FIXED, Link
from quadruped_control.model.role_inference import FoundRoles, infer_roles
from quadruped_control.model.role_map import LegEntry, LegsEntry, RoleMap
from quadruped_control.model.simplification import (
    clear_foot,
    make_sphere,
    simplify_leg,
    simplify_trunk,
)
from quadruped_control.model.standing_pose import STRETCH
from quadruped_control.model.urdf_place import find_file, package_place

USUAL_EFFORT = 0.65         # N m over weight times standing height, where the URDF says nothing
USUAL_SPEED = 30.0          # rad/s, likewise
SLIM_HIP, SLIM_LEG = 0.5, 0.12      # radius over length of rods that take the place of meshes


def load_foreign_robot(role_map: RoleMap, folder: Path) -> ForeignRobot:
    """
    Return the robot of a robot.yaml, or raise InputError.

    :param folder: that of robot.yaml, where relative paths begin.
    """
    path = find_file(role_map.urdf, folder, folder / 'robot.yaml', 'urdf')
    return import_urdf(path, role_map)


def import_urdf(path: Path, role_map: RoleMap | None = None, name: str | None = None
                ) -> ForeignRobot:
    """Read a URDF and rewrite it, or raise InputError; what no role map says is inferred."""
    tree = read_foreign_urdf(path)
    if role_map is None:
        role_map = RoleMap(name=name or _plain_name(path.stem), urdf=package_place(path))
    remarks: list[str] = []
    roles = infer_roles(tree, role_map, remarks)
    bodies = rewrite(tree, roles, remarks)
    efforts = _find_efforts(bodies, roles, role_map, remarks)
    links = _make_links(path, bodies, roles, efforts)
    speeds = [body.joint.speed or USUAL_SPEED if body.joint else 0.0 for body in bodies]
    robot_name = name or role_map.name
    urdf = write_foreign_urdf(robot_name, path.name, links, [body.visuals for body in bodies],
                              speeds)
    homes = {member: body.name for body in bodies for member in body.members}
    return ForeignRobot(
        name=robot_name, source=path, links=links, urdf=urdf, legs=_make_legs(bodies, roles),
        leg_frames=tuple(ForeignLegFrame(homes[frame.link], frame.legs)
                         for frame in roles.leg_frames),
        spine=roles.spine, neck=roles.neck, tail=roles.tail,
        signs={body.joint.name: body.sign for body in bodies if body.joint},
        offsets={body.joint.name: body.offset for body in bodies if body.joint},
        held=roles.held, efforts=efforts, bodies={body.name: body.members for body in bodies},
        remarks=tuple(remarks), root_rotation=roles.axes.rotation,
        root_offset=roles.axes.rotation.T @ bodies[0].place,
        tilt=largest_tilt(tree, roles, bodies),
        role_map=_complete(role_map, robot_name, roles))


def _plain_name(name: str) -> str:
    plain = ''.join(letter if letter.isascii() and letter.isalnum() else '_' for letter in name)
    plain = plain.strip('_')[:60] or 'robot'
    return plain if plain[0].isalpha() else f'robot_{plain}'


def _find_efforts(bodies: Sequence[Body], roles: FoundRoles, role_map: RoleMap, remarks: list[str]
                  ) -> dict[str, float]:
    given = role_map.effort if isinstance(role_map.effort, dict) else {}
    usual = role_map.effort if isinstance(role_map.effort, float) else None
    mass = sum(body.inertial.mass for body in bodies)
    height = STRETCH * float(np.mean([sum(shape.lengths) for shape in roles.shapes]))
    guess = float(f'{USUAL_EFFORT * mass * GRAVITY * height:.2g}')
    efforts, guessed = {}, []
    for joint in (body.joint for body in bodies if body.joint):
        known = given.get(joint.name, joint.effort or usual)
        efforts[joint.name] = guess if known is None else float(known)
        guessed += [joint.name] if known is None else []
    if guessed:
        joints = 'any joint' if len(guessed) == len(efforts) else ', '.join(guessed)
        remarks.append(f'no effort is given for {joints}: {guess:g} N m, from the weight and the '
                       "legs' length; 'effort' can say otherwise")
    return efforts


def _make_links(source: Path, bodies: Sequence[Body], roles: FoundRoles,
                efforts: Mapping[str, float]) -> tuple[Link, ...]:
    places = {body.name: body.place for body in bodies}
    bones = _bones(bodies, roles)
    links = []
    for body in bodies:
        slim, bone, foot = bones.get(body.name, (0.0, None, None))
        try:
            solids = (simplify_trunk(body.collisions) if bone is None
                      else simplify_leg(body.collisions, bone, slim))
        except ValidationError:
            raise InputError(source, f'link {body.name}', Remark('a shape of more than 10 m'),
                             'collision shapes within 10 m of their link (a mesh in mm needs '
                             'scale="0.001 0.001 0.001")') from None
        if foot is not None:
            solids = clear_foot(solids, foot)
        origin = np.zeros(3) if body.parent is None else body.place - places[body.parent]
        links.append(Link(
            body.name, body.parent, body.joint.name if body.joint else '',
            body.axis if body.joint else FIXED, _vector(origin), body.limits, body.inertial.mass,
            _vector(body.inertial.centre), body.inertial.inertia,
            bool(solids or foot or body.visuals), foot, solids,
            effort=efforts[body.joint.name] if body.joint else None))
    return tuple(links)


def _bones(bodies: Sequence[Body], roles: FoundRoles) -> dict[
        str, tuple[float, Array, Sphere | None]]:
    """Return, by link of a leg, how slim it is, its bone, and its foot."""
    by_joint = {body.joint.name: body for body in bodies if body.joint}
    bones: dict[str, tuple[float, Array, Sphere | None]] = {}
    for leg, sphere in zip(roles.legs, _spheres(bodies, roles), strict=True):
        hip, thigh, shank = (by_joint[joint.name] for joint in leg.joints)
        bones[hip.name] = SLIM_HIP, thigh.place - hip.place, None
        bones[thigh.name] = SLIM_LEG, shank.place - thigh.place, None
        tip = np.array(sphere.centre)
        end = max(0.0, 1 - sphere.radius / float(np.linalg.norm(tip)))
        bones[shank.name] = SLIM_LEG, tip * end, sphere
    return bones


def _spheres(bodies: Sequence[Body], roles: FoundRoles) -> list[Sphere]:
    """Return the feet in the frames of the convention."""
    turns = {body.joint.name: body.turn for body in bodies if body.joint}
    return [make_sphere(turns[leg.joints[2].name] @ foot.centre, foot.radius)
            for leg, foot in zip(roles.legs, roles.feet, strict=True)]


def _make_legs(bodies: Sequence[Body], roles: FoundRoles) -> tuple[ForeignLeg, ...]:
    by_joint = {body.joint.name: body.name for body in bodies if body.joint}
    legs = []
    for name, leg, foot, sphere, shape in zip(LEGS, roles.legs, roles.feet,
                                              _spheres(bodies, roles), roles.shapes, strict=True):
        roll, pitch, knee = (joint.name for joint in leg.joints)
        legs.append(ForeignLeg(name, (roll, pitch, knee),
                               (by_joint[roll], by_joint[pitch], by_joint[knee]), foot.contact,
                               sphere, shape.lengths))
    return tuple(legs)


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in np.round(values, 13))
    return x, y, z


def _complete(role_map: RoleMap, name: str, roles: FoundRoles) -> RoleMap:
    """Return a role map that says all, so that nothing is inferred from it again."""
    given = role_map.legs.in_order() if role_map.legs else (None,) * 4
    legs = {}
    for leg_name, leg, foot, told in zip(LEGS, roles.legs, roles.feet, given, strict=True):
        roll, pitch, knee = (joint.name for joint in leg.joints)
        legs[leg_name] = LegEntry(joints=(roll, pitch, knee), contact=foot.contact,
                                  foot=told.foot if told else None)
    return role_map.model_copy(update={
        'name': name, 'leg_frames': roles.leg_frames, 'legs': LegsEntry(**legs),
        'spine': roles.spine, 'standing': {key: round(value, 9) for key, value
                                           in roles.standing.items()},
        'held': dict(roles.held), 'forward': write_direction(roles.axes.forward),
        'up': write_direction(roles.axes.up)})
