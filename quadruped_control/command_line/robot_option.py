"""The options of commands that choose a robot and its controller."""

from __future__ import annotations

import argparse


def add_robot_arguments(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """
    Declare the arguments, which are empty where they are not given.

    :param otherwise: in words, which robot it is then.
    """
    parser.add_argument('--robot', default='', metavar='NAME',
                        help=f'a robot of config/robots (default: {otherwise})')
    parser.add_argument('--controller', default='', metavar='NAME',
                        help="one of the robot's controllers (default: its first)")
