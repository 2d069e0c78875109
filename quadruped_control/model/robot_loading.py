"""Robots by their names: a body that is described here, or a URDF with a role map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.loading import validate
from quadruped_control.model.description_file import load_description
from quadruped_control.model.links import Link, expand_links
from quadruped_control.model.robot import Robot, build_robot
from quadruped_control.model.robot_files import (
    BODY,
    DEFAULT_ROBOT,
    Spine,
    robot_folder,
    urdf_file,
)
from quadruped_control.model.role_map import RoleMap
from quadruped_control.model.roles import describe_roles
from quadruped_control.model.urdf_reader import read_urdf
from quadruped_control.yaml_file import read_yaml


def load_robot(name: str = DEFAULT_ROBOT, spine: Spine = 'flexible') -> Robot:
    """Read a robot of config/robots; its physics is that of its URDF."""
    path = robot_folder(name) / BODY
    data = read_yaml(path)
    if isinstance(data, dict) and 'urdf' in data:
        return _load_foreign(validate(data, RoleMap, path), path)
    description, urdf = load_description(path), urdf_file(name, spine)
    if not urdf.is_file():
        raise InputError(urdf, '', Remark('missing'), f'what `./quadruped model {name}` makes')
    shapes = expand_links(description, rigid_spine=spine == 'rigid')
    links = tuple(read_urdf(urdf))
    _refuse_other_tree(urdf, links, shapes)
    return build_robot(name, urdf, links, shapes, describe_roles(description),
                       description.measures)


def _load_foreign(role_map: RoleMap, path: Path) -> Robot:
    # its libraries are slow to load, and only foreign robots need them
    from quadruped_control.model.foreign_body import build_foreign_robot
    from quadruped_control.model.urdf_import import load_foreign_robot
    if role_map.name != path.parent.name:
        raise InputError(path, 'name', role_map.name,
                         f'{path.parent.name}, as the folder is called')
    return build_foreign_robot(load_foreign_robot(role_map, path.parent), load_model())


@cache
def load_model() -> Robot:
    """Return the robot from which those that nobody has tuned are scaled."""
    return load_robot(DEFAULT_ROBOT)


def _refuse_other_tree(urdf: Path, found: Sequence[Link], described: Sequence[Link]) -> None:
    """Raise InputError unless a URDF has the links and joints of the description."""
    links = {link.name: link for link in found}
    accepted = 'as described in config/robots; `./quadruped model` makes the URDF anew'
    for link in described:
        if link.name not in links:
            raise InputError(urdf, f'link {link.name}', Remark('missing'), accepted)
        other = links.pop(link.name)
        for name in ('parent', 'joint_name', 'axis'):
            value, wanted = getattr(other, name), getattr(link, name)
            if value != wanted:
                raise InputError(urdf, f'link {link.name}.{name}', value, f'{wanted}, {accepted}')
    for name in links:
        raise InputError(urdf, f'link {name}', Remark('one too many'), accepted)
