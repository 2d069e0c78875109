"""
Drive the dog by the keyboard of this terminal; a graph (./quadruped up) must run elsewhere.

A terminal tells when a key is pressed, and again and again while it is held, but never that it is
released. So the dog stops when no key has come for 0.5 s; with --latch it goes on until space. If
it stops and starts while a key is held, your keyboard begins to repeat late: raise --release-time.
A joystick works too, where a joy node publishes the topic joy.
"""

from __future__ import annotations

import argparse
import json
import sys

EXAMPLE = './quadruped teleop --speed 1.0'
BY_SIZE = "by the robot's size"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('--robot', default='', metavar='NAME',
                        help='whose gaits and skills keys ask for (default: the one that runs)')
    parser.add_argument('--speed', type=float, default=0.0, metavar='M/S',
                        help=f'forward speed (default: {BY_SIZE}); + and - change it')
    parser.add_argument('--side-speed', type=float, default=0.0, metavar='M/S',
                        help=f'sideways speed (default: {BY_SIZE})')
    parser.add_argument('--turn-speed', type=float, default=0.0, metavar='RAD/S',
                        help=f'speed of turning (default: {BY_SIZE})')
    parser.add_argument('--release-time', type=float, default=0.5, metavar='S',
                        help='time without a key after which it stops (default: %(default)s)')
    parser.add_argument('--latch', action='store_true', help='go on until space is pressed')


def run(arguments: argparse.Namespace) -> int:
    """Run the node in this process, which owns the terminal."""
    from quadruped_control.nodes import teleop

    names = ('robot', 'speed', 'side_speed', 'turn_speed', 'release_time', 'latch')
    values = {name: json.dumps(getattr(arguments, name)) for name in names}
    words = [word for name, value in values.items() for word in ('-p', f'{name}:={value}')]
    sys.argv = ['teleop', '--ros-args', *words]
    return teleop.main()
