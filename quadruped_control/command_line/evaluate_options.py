"""The options of `evaluate`, and which of them a matrix does not take."""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.command_line import evaluate_wild
from quadruped_control.command_line.evaluate_matrices import MATRICES, list_with
from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.workers import add_worker_arguments
from quadruped_control.control.controllers import choose_controller
from quadruped_control.errors import InputError
from quadruped_control.evaluation import wild_pushes
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    width = max(map(len, MATRICES))
    titles = (f'  {name:{width}}  {matrix.title}' for name, matrix in MATRICES.items())
    parser.description = '\n'.join([str(parser.description), '', 'matrices:', *titles])
    parser.add_argument('matrix', choices=tuple(MATRICES))
    parser.add_argument('--gait', help='only this one')
    parser.add_argument('--robot', default=None, metavar='NAME',
                        help=f'of {", ".join(list_with("robot"))}: a robot of config/robots '
                             f'(default: {DEFAULT_ROBOT}; of controllers also a1)')
    parser.add_argument('--controller', help='of pursuit: a controller of the robot (default: '
                                             'its first)')
    parser.add_argument('--speed', type=float, metavar='M/S',
                        help='of gaits and pushes: only the rows of this forward speed')
    parser.add_argument('--seeds', type=int, help='how many, where chance plays a part')
    parser.add_argument('--largest', action='store_true', default=None,
                        help='of pushes: the largest force of each row, to 10 N (takes long)')
    parser.add_argument('--wild', action='store_true', default=None,
                        help='of pushes: at random phases, angles and speeds, --seeds a row '
                             f'(default: {wild_pushes.SEEDS})')
    evaluate_wild.add_arguments(parser)
    parser.add_argument('--picture', type=Path, metavar='OUT',
                        help='of spine: a PNG of both dogs, their pitch and height')
    add_worker_arguments(parser)
    parser.add_argument('--json', type=Path, metavar='OUT',
                        help='write the figures, again and again while they come')


def refuse_options(arguments: argparse.Namespace) -> None:
    """Raise InputError for options that the matrix does not have, or files that cannot be."""
    check_output_file('--json', arguments.json)
    check_output_file('--picture', arguments.picture)
    asked = arguments.matrix
    for option in ('largest', 'wild', 'picture', 'speed', 'minutes', 'terrain', 'seed', 'out'):
        having, value = list_with(option), getattr(arguments, option)
        if value is not None and asked not in having:
            raise InputError(f'--{option}', '', asked if value is True else value,
                             f'the matrix {" or ".join(having)}')
    for option in ('seed', 'out'):
        if getattr(arguments, option) is not None and asked == 'pushes' and not arguments.wild:
            raise InputError(f'--{option}', '', getattr(arguments, option), 'nothing, but with '
                                                                            '--wild')
    for option in ('speed', 'wild'):
        if arguments.largest and getattr(arguments, option) is not None:
            raise InputError(f'--{option}', '', getattr(arguments, option),
                             'nothing, with --largest')
    refuse_unknown_robot('--robot', '', arguments.robot)
    if arguments.robot != DEFAULT_ROBOT:
        refuse_for_robot(arguments)
    if arguments.controller is not None:
        if asked not in list_with('controller'):
            raise InputError('--controller', '', arguments.controller,
                             'nothing; the matrix pursuit is for all controllers')
        choose_controller(arguments.robot, arguments.controller, '--controller')


def refuse_for_robot(arguments: argparse.Namespace) -> None:
    """Raise InputError for what is measured of the dog alone."""
    if arguments.matrix not in list_with('robot'):
        raise InputError('--robot', '', arguments.robot,
                         f'{DEFAULT_ROBOT}, of whom {arguments.matrix} speaks; '
                         f'{", ".join(list_with("robot"))} are for all')
    if arguments.largest:
        raise InputError('--robot', '', arguments.robot, f'{DEFAULT_ROBOT}, with --largest')
    if arguments.speed is not None and arguments.matrix == 'gaits':
        raise InputError('--speed', '', arguments.speed, 'nothing, with gaits of --robot')
