"""
Make the URDFs and meshes of a robot from its description in config/robots/.

A body that is like another one also gets that one's gains and gaits, scaled to its size, where
it has none of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.control.derived_files import Derivation
from quadruped_control.model.description_file import load_description, load_similar
from quadruped_control.model.links import expand_links
from quadruped_control.model.meshes import write_meshes
from quadruped_control.model.robot_files import (
    BODY,
    DEFAULT_ROBOT,
    Spine,
    list_files,
    refuse_unknown_robot,
    robot_folder,
    urdf_file,
)
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.urdf_writer import write_urdf

EXAMPLE = './quadruped model cat'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('robot', nargs='?', default=DEFAULT_ROBOT,
                        help='a folder of config/robots')
    parser.add_argument('--derive', action='store_true',
                        help='scale gains and gaits anew, over those that it has')


def run(arguments: argparse.Namespace) -> int:
    """Write the files and say which."""
    for path, text in make_files(arguments.robot).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
        print(path)
    for path in derive_files(arguments.robot, again=arguments.derive):
        print(path)
    return 0


def derive_files(name: str, *, again: bool) -> list[Path]:
    """
    Write gains, gaits and so on of a body that is like another one; return the files.

    :param again: over those that it has.
    """
    body = load_similar(robot_folder(name) / BODY)
    if body is None:
        return []
    derivation = Derivation(load_robot(body.like), load_robot(name), keep=not again)
    return derivation.write(robot_folder(name), postures=list_files(body.like, 'postures'))


def make_files(name: str) -> dict[Path, str]:
    """Return the content of every file that a description leads to."""
    refuse_unknown_robot('./quadruped model', 'robot', name)
    described = robot_folder(name) / BODY
    description = load_description(described)
    files: dict[Path, str] = {}
    spines: tuple[Spine, ...] = ('flexible', 'rigid')
    for spine in spines:
        links = expand_links(description, rigid_spine=spine == 'rigid')
        files[urdf_file(name, spine)] = write_urdf(description.name, links, description)
    for link in links:
        for file_name, text in write_meshes(link, described, description.mesh_cell).items():
            files[urdf_file(name, spine).parent / 'meshes' / name / file_name] = text
    return files
