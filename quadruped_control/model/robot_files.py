"""
Where the files of a robot are, by its name.

A robot is a folder: ``robot.yaml`` (its body), ``gains.yaml``, ``ladder.yaml``, ``gaits/``,
``postures/``, ``leaps/`` and ``transitions/``. What it has no file for, it does not offer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from quadruped_control import share
from quadruped_control.errors import InputError
from quadruped_control.explanation import suggest

Spine = Literal['flexible', 'rigid']
DEFAULT_ROBOT = 'dog'
BODY = 'robot.yaml'
SEARCH_PATH = 'QUADRUPED_ROBOTS'        # environment variable: folders of robots to look in first


def robot_homes() -> tuple[Path, ...]:
    """Return the folders in which robots are looked for, the first one found wins."""
    return (*_named_homes(), share.share_folder() / 'config' / 'robots', _users_home())


def own_robots_folder() -> Path:
    """Return where a user's own robots are written: the first folder that is named, if any."""
    return (*_named_homes(), _users_home())[0]


def _named_homes() -> list[Path]:
    given = os.environ.get(SEARCH_PATH, '')
    return [Path(part) for part in given.split(os.pathsep) if part]


def _users_home() -> Path:
    checkout = share.checkout_folder()
    if checkout is not None:
        return checkout / 'config' / 'robots'
    base = os.environ.get('XDG_DATA_HOME') or Path.home() / '.local' / 'share'
    return Path(base) / 'quadruped_control' / 'robots'


def list_robots() -> list[str]:
    """Return the names of all robots that there are."""
    return sorted({path.parent.name for home in robot_homes() for path in home.glob(f'*/{BODY}')
                   if path.is_file()})


def refuse_unknown_robot(source: str | Path, key: str, name: str) -> None:
    """Raise InputError for a name, given at a key of a source, that no robot has."""
    robots = list_robots()
    if name not in robots:
        raise InputError(source, key, name, f'a robot of config/robots: {suggest(name, robots)}')


def robot_folder(name: str) -> Path:
    """Return the folder of a robot, or raise InputError."""
    refuse_unknown_robot('robot', '', name)
    return next(home / name for home in robot_homes() if (home / name / BODY).is_file())


def list_files(robot: str, part: str, suffix: str = '.yaml') -> list[str]:
    """Return the names, without suffix, of what a robot has of a part such as ``gaits``."""
    return sorted(path.stem for path in (robot_folder(robot) / part).glob(f'*{suffix}'))


def urdf_file(name: str, spine: Spine) -> Path:
    """Return where the URDF that is made from a robot's description is."""
    suffix = '_rigid_spine' if spine == 'rigid' else ''
    return share.share_folder() / 'urdf' / f'{name}{suffix}.urdf'
