"""A robot of a URDF with a role map, ready for use."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from quadruped_control.model.foreign_robot import ForeignRobot
from quadruped_control.model.foreign_roles import foreign_roles
from quadruped_control.model.joint_convention import JointConvention
from quadruped_control.model.robot import Robot, build_robot
from quadruped_control.model.similarity import scale_schema
from quadruped_control.model.urdf_reader import read_urdf


def build_foreign_robot(foreign: ForeignRobot, model: Robot) -> Robot:
    """
    Return a foreign robot.

    :param model: the robot whose measures are scaled where the role map says none.
    """
    urdf = keep_urdf(foreign)
    links, roles = tuple(read_urdf(urdf)), foreign_roles(foreign)
    given = foreign.role_map.measures
    robot = build_robot(foreign.name, urdf, links, foreign.links, roles, given or model.measures,
                        find_convention(foreign), foreign.source)
    if given is not None:
        return robot
    return build_robot(foreign.name, urdf, links, foreign.links, roles,
                       scale_schema(model.measures, robot.similarity_to(model)), robot.convention,
                       foreign.source)


def find_convention(foreign: ForeignRobot) -> JointConvention:
    """Return how its angles are to be told to the user."""
    joints = [link.joint_name for link in foreign.links if link.joint_name in foreign.signs]
    root = next(name for name in foreign.bodies[foreign.links[0].name])
    return JointConvention(
        np.array([float(foreign.signs[name]) for name in joints]),
        np.array([foreign.offsets[name] for name in joints]), dict(foreign.held), root,
        foreign.root_rotation, -foreign.root_rotation @ foreign.root_offset)


def keep_urdf(foreign: ForeignRobot) -> Path:
    """Return a file with the rewritten URDF, in the user's cache, named by what is in it."""
    base = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    digest = hashlib.blake2b(foreign.urdf.encode(), digest_size=8).hexdigest()
    path = base / 'quadruped_control' / 'robots' / f'{foreign.name}-{digest}.urdf'
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f'.{os.getpid()}.tmp')
        temporary.write_text(foreign.urdf, encoding='utf-8')
        temporary.replace(path)
    return path
