"""Let the dog stand, be pushed, walk, trot and turn; tell what happens, and write pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.command_line.page_option import add_page_arguments
from quadruped_control.command_line.robot_option import add_robot_arguments
from quadruped_control.errors import InputError
from quadruped_control.model.robot_files import refuse_unknown_robot
from quadruped_control.nodes.node_process import has_ros, preload

EXAMPLE = './quadruped demo --seconds 6'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, 'the dog')
    parser.add_argument('--seconds', type=float, default=18.0,
                        help='simulated time after which it ends (default: %(default)s)')
    parser.add_argument('--out', type=Path, default=Path('out'),
                        help='folder for the pictures (default: %(default)s)')
    parser.add_argument('--no-video', action='store_true', help='write only the contact sheet')
    add_page_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration."""
    if not 0.5 <= arguments.seconds <= 3600:
        raise InputError('--seconds', '', arguments.seconds, 'a time from 0.5 to 3600 s')
    if arguments.robot:
        refuse_unknown_robot('--robot', '', arguments.robot)
    with_graph = has_ros()
    if with_graph:
        preload(arguments.robot)                       # while what follows is imported here
    from quadruped_control.command_line.demonstration import demonstrate

    return demonstrate(arguments, with_graph)
