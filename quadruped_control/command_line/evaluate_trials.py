"""The trials of the matrix that was asked for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from types import ModuleType

from quadruped_control.command_line import evaluate_wild
from quadruped_control.command_line.evaluate_matrices import MATRICES
from quadruped_control.errors import InputError
from quadruped_control.evaluation import (
    controllers,
    gaits,
    largest_push,
    pursuit,
    pushes,
    robot_gaits,
    wild_pushes,
)
from quadruped_control.evaluation.trial import Trial
from quadruped_control.model.robot_files import DEFAULT_ROBOT

MOST_SEEDS = 1000


def find_matrix(arguments: argparse.Namespace) -> ModuleType:
    """Return the module of the matrix that was asked for."""
    if arguments.largest:
        return largest_push
    if arguments.wild:
        return wild_pushes
    if arguments.matrix == 'gaits' and arguments.robot != DEFAULT_ROBOT:
        return robot_gaits
    return MATRICES[arguments.matrix].module


def make_trials(arguments: argparse.Namespace, robots: Sequence[str]) -> list[Trial]:
    """Return the trials of the matrix that was asked for, of these robots where it compares."""
    matrix, chosen = MATRICES[arguments.matrix], choose_gaits(arguments)
    if arguments.wild:
        count = choose_count(arguments, wild_pushes.SEEDS)
        arguments.seed = evaluate_wild.choose_seed(arguments.seed)
        arguments.out = evaluate_wild.choose_folder(arguments.out)
        print(f'seed {arguments.seed}', flush=True)
        return choose_speed(arguments, wild_pushes.make_trials(chosen, arguments.seed, count,
                                                               arguments.robot))
    if arguments.matrix == 'pushes':
        return choose_speed(arguments, pushes.make_trials(chosen, arguments.robot))
    if matrix.seeds is None:
        return choose_speed(arguments, matrix.module.make_trials(chosen))
    seeds = range(matrix.first_seed, matrix.first_seed + choose_count(arguments, matrix.seeds))
    if arguments.matrix == 'controllers':
        return controllers.make_trials(seeds, robots)
    if arguments.matrix == 'pursuit':
        return pursuit.make_trials(seeds, arguments.robot, arguments.controller, arguments.gait)
    if arguments.robot != DEFAULT_ROBOT:
        return robot_gaits.make_trials(chosen, seeds, arguments.robot)
    return choose_speed(arguments, matrix.module.make_trials(chosen, seeds))


def choose_gaits(arguments: argparse.Namespace) -> list[str]:
    """Return the gaits that were asked for, or raise InputError."""
    is_dog = arguments.robot == DEFAULT_ROBOT
    known = list(gaits.RANGES) if is_dog else robot_gaits.choose_gaits(arguments.robot, None)
    if arguments.gait is not None and arguments.gait not in known:
        raise InputError('--gait', '', arguments.gait, ', '.join(known))
    return [arguments.gait] if arguments.gait else known


def choose_count(arguments: argparse.Namespace, usual: int) -> int:
    """Return how many seeds there are."""
    count: int = usual if arguments.seeds is None else arguments.seeds
    if not 1 <= count <= MOST_SEEDS:
        raise InputError('--seeds', '', count, f'a number from 1 to {MOST_SEEDS}')
    return count


def choose_speed(arguments: argparse.Namespace, trials: list[Trial]) -> list[Trial]:
    """Return the trials of the speed that was asked for, or all."""
    if arguments.speed is None:
        return trials
    speeds = sorted({float(str(trial.row[1])) for trial in trials})
    if not speeds:
        raise InputError('--gait', '', arguments.gait, 'a gait that this matrix has rows of')
    if arguments.speed not in speeds:
        raise InputError('--speed', '', arguments.speed,
                         'one of ' + ', '.join(f'{speed:g}' for speed in speeds))
    return [trial for trial in trials if trial.row[1] == arguments.speed]
