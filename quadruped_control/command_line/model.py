"""Make the URDFs and meshes of a robot from its description in config/robots/."""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.model.description_file import load_description
from quadruped_control.model.links import expand_links
from quadruped_control.model.meshes import write_meshes
from quadruped_control.model.robot_files import (
    BODY,
    DEFAULT_ROBOT,
    Spine,
    refuse_unknown_robot,
    robot_folder,
    urdf_file,
)
from quadruped_control.model.urdf_writer import write_urdf

EXAMPLE = './quadruped model dog'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('robot', nargs='?', default=DEFAULT_ROBOT,
                        help='a folder of config/robots')


def run(arguments: argparse.Namespace) -> int:
    """Write the files and say which."""
    for path, text in make_files(arguments.robot).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
        print(path)
    return 0


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
