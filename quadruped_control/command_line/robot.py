"""
Take in a robot by its URDF, or list the robots that there are.

words:
  add FILE.urdf   find legs, feet and standing pose, write the robot's folder
  list            name, mass, size and what each robot can be asked for
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quadruped_control.control.derived_files import USUAL_GAITS, Derivation
from quadruped_control.control.offers import list_offers
from quadruped_control.errors import InputError
from quadruped_control.model.foreign_body import build_foreign_robot
from quadruped_control.model.foreign_robot import ForeignRobot
from quadruped_control.model.foreign_table import HEADER, describe
from quadruped_control.model.robot_files import BODY, list_robots, own_robots_folder
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.role_map import load_role_map, write_role_map
from quadruped_control.model.urdf_import import import_urdf
from quadruped_control.viewer.foreign_picture import draw

EXAMPLE = './quadruped robot add my_robot.urdf'
PICTURE = 'skeleton.png'
WIDE = 140                  # columns of a table that goes to a file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    words = parser.add_subparsers(dest='word', required=True, metavar='add | list')
    add = words.add_parser('add', help='take in a robot by its URDF')
    add.add_argument('urdf', type=Path, metavar='FILE.urdf')
    add.add_argument('--name', help='of its folder (default: that of the file)')
    add.add_argument('--roles', type=Path, metavar='FILE.yaml',
                     help='a role map, for what cannot be found in the URDF')
    add.add_argument('--force', action='store_true', help='write over a robot of that name')
    words.add_parser('list', help='the robots that there are')


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    if arguments.word == 'list':
        return print_robots()
    home = own_robots_folder()
    foreign = read_robot(arguments.urdf, arguments.name, arguments.roles)
    folder = home / foreign.name
    if folder.exists() and not arguments.force:
        raise InputError('--name', '', foreign.name, f'a name that no robot of {home} has, or '
                                                     '--force to write over it')
    print_findings(foreign)
    write_robot(foreign, folder)
    print(f'wrote {folder}: {", ".join(sorted(p.name for p in folder.iterdir()))}\n'
          f'what was found as a picture: {folder / PICTURE}\n'
          f'drive it: ./quadruped up --robot {foreign.name}')
    return 0


def read_robot(urdf: Path, name: str | None, roles: Path | None) -> ForeignRobot:
    """Return the robot of a URDF, or raise InputError."""
    if not urdf.is_file():
        raise InputError(urdf, '', 'no such file', 'a URDF')
    return import_urdf(urdf.resolve(), None if roles is None else load_role_map(roles), name)


def write_robot(foreign: ForeignRobot, folder: Path) -> None:
    """Write a robot's folder: role map, gains and gaits scaled to it, picture."""
    temporary = folder.with_name(f'.{folder.name}.new')
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    text = write_role_map(foreign.role_map)
    (temporary / BODY).write_text(
        f'# What the joints and links of {foreign.source.name} are. Found in the URDF by '
        f'`./quadruped robot add`; what is wrong may be changed here.\n{text}', encoding='utf-8')
    model = load_model()
    Derivation(model, build_foreign_robot(foreign, model)).write(temporary, USUAL_GAITS)
    draw(foreign, temporary / PICTURE)
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def print_findings(foreign: ForeignRobot) -> None:
    """Print what was found in a URDF, as a table."""
    table = Table(title=f'{foreign.name}: {foreign.mass:.2f} kg, {len(foreign.links)} links, '
                        f'forward {foreign.role_map.forward}, up {foreign.role_map.up}')
    for column in HEADER:
        table.add_column(column)
    for row in describe(foreign):
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    console.print(table)
    if foreign.held:
        held = ', '.join(f'{name} at {value:.3g}' for name, value in foreign.held.items())
        print(f'held: {held}')
    for remark in foreign.remarks:
        print(f'note: {remark}')


def print_robots() -> int:
    """Print the robots that there are."""
    table = Table()
    for column in ('robot', 'mass', 'leg frames', 'joints', 'gaits', 'skills'):
        table.add_column(column)
    for name in list_robots():
        robot, offers = load_robot(name), list_offers(name)
        table.add_row(name, f'{robot.tree["total_mass"]:.1f} kg',
                      f'{robot.standing_height().mean():.2f} m high', str(len(robot.movable)),
                      ', '.join(sorted(g for g in offers.gaits if not g.endswith('_left'))),
                      ', '.join(sorted(offers.skills)))
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)
    return 0
