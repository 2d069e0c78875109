"""Where the files of a robot are, by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from quadruped_control.errors import InputError
from quadruped_control.explanation import suggest
from quadruped_control.share import share_folder

Spine = Literal['flexible', 'rigid']


def list_robots() -> list[str]:
    """Return the names of all robots that are described."""
    return sorted(path.stem for path in (share_folder() / 'config' / 'robots').glob('*.yaml'))


def refuse_unknown_robot(source: str | Path, key: str, name: str) -> None:
    """Raise InputError for a name, given at a key of a source, that no robot has."""
    robots = list_robots()
    if name not in robots:
        raise InputError(source, key, name, f'a robot of config/robots: {suggest(name, robots)}')


def robot_files(name: str, spine: Spine) -> tuple[Path, Path]:
    """Return where the description and the URDF of a robot are."""
    share = share_folder()
    suffix = '_rigid_spine' if spine == 'rigid' else ''
    return (share / 'config' / 'robots' / f'{name}.yaml', share / 'urdf' / f'{name}{suffix}.urdf')
