"""
Run a matrix of scenarios on all cores and print our figures beside what is asked.

matrices:
  controllers  all controllers of the dog and the a1, or of --robot, side by side
  gaits        every gait at every speed of its range; --robot: of any robot, with turns and pushes
  getup        100 falls: dropped in any orientation, or pushed over at a trot
  postures     sit, lie down, stand up, trot off, from slightly different starts
  leaps        the leap dictionary, courses of --seeds seeds, in the trot, and with stairs and
               ramps in auto, and a gap of 2 m
  pursuit      ten random targets in a row; --robot: of any robot
  pushes       table 1 of the paper at ten phases, --robot: by the weight of any robot; --largest
               finds the largest forces
  spine        the canter of this dog and of one with a rigid spine
  terrain      stairs, slopes, steps, rough and slippery ground, and the highest steps
  transitions  from gait to gait by speed, held back by a rope, start and stop
  turning      how fast the dog turns, on the spot and on the way
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.control.controllers import choose_controller
from quadruped_control.errors import InputError
from quadruped_control.evaluation import (
    controllers,
    gaits,
    getup,
    largest_push,
    leaps,
    postures,
    pursuit,
    pushes,
    robot_gaits,
    spine,
    terrain,
    transitions,
    turning,
)
from quadruped_control.evaluation.trial import Outcome, Trial, run_trial, run_trials
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot
from quadruped_control.viewer.spine_plot import write_spine_plot
from quadruped_control.worker_processes import open_pool

EXAMPLE = './quadruped evaluate pushes --gait trot --json pushes.json'
WIDE = 140                  # columns of a table that goes to a file
MATRICES: dict[str, ModuleType] = {
    'controllers': controllers, 'gaits': gaits, 'getup': getup, 'postures': postures,
    'pursuit': pursuit, 'pushes': pushes, 'terrain': terrain, 'transitions': transitions,
    'turning': turning}
# how many seeds each has
SEEDED = {'controllers': 10, 'gaits': 5, 'getup': 100, 'postures': 20, 'pursuit': 5, 'terrain': 10,
          'transitions': 10}
FIRST_SEED = {'getup': 4000}            # of the seeds, which were not used in tuning; others:
OTHER_FIRST_SEED = 1000
OF_SPEED = ('gaits', 'pushes')          # second in their rows is the speed
OF_ROBOTS = ('controllers', 'gaits', 'pushes', 'pursuit')   # of any robot, others of the dog
BOTH = (DEFAULT_ROBOT, 'a1')            # whose controllers are compared
COMPILED_BY = ('robot', 'controller', 'spine')

Rows = list[dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('matrix', choices=(*MATRICES, 'leaps', 'spine'))
    parser.add_argument('--gait', help='only this one')
    parser.add_argument('--robot', default=None, metavar='NAME',
                        help='of controllers, gaits, pushes, pursuit: a robot of config/robots '
                             f'(default: {DEFAULT_ROBOT}; of controllers also a1)')
    parser.add_argument('--controller', help='of pursuit: a controller of the robot (default: '
                                             'its first)')
    parser.add_argument('--speed', type=float, metavar='M/S',
                        help='of gaits and pushes: only the rows of this forward speed')
    parser.add_argument('--workers', type=int, default=os.cpu_count(), help='local processes')
    parser.add_argument('--seeds', type=int, help='how many, where chance plays a part')
    parser.add_argument('--largest', action='store_true',
                        help='of pushes: the largest force of each row, to 10 N (takes long)')
    parser.add_argument('--picture', type=Path, metavar='OUT',
                        help='of spine: a PNG of both dogs, their pitch and height')
    parser.add_argument('--json', type=Path, metavar='OUT', help='write the figures')


def run(arguments: argparse.Namespace) -> int:
    """Run the matrix; 0 whatever the figures are."""
    check_output_file('--json', arguments.json)
    if arguments.largest and arguments.matrix != 'pushes':
        raise InputError('--largest', '', arguments.matrix, 'the matrix pushes')
    if arguments.picture is not None and arguments.matrix != 'spine':
        raise InputError('--picture', '', arguments.matrix, 'the matrix spine')
    check_output_file('--picture', arguments.picture)
    if arguments.speed is not None and arguments.matrix not in OF_SPEED:
        raise InputError('--speed', '', arguments.speed, f'the matrix {" or ".join(OF_SPEED)}')
    if arguments.speed is not None and arguments.largest:
        raise InputError('--speed', '', arguments.speed, 'nothing, with --largest')
    robots = (arguments.robot,) if arguments.robot else BOTH
    arguments.robot = arguments.robot or DEFAULT_ROBOT
    refuse_unknown_robot('--robot', '', arguments.robot)
    if arguments.robot != DEFAULT_ROBOT:
        refuse_for_robot(arguments)
    if arguments.controller is not None:
        if arguments.matrix != 'pursuit':
            raise InputError('--controller', '', arguments.controller,
                             'nothing; the matrix pursuit is for all controllers')
        choose_controller(arguments.robot, arguments.controller, '--controller')
    if arguments.matrix == 'leaps':
        return evaluate_leaps(arguments)
    if arguments.matrix == 'spine':
        return evaluate_spine(arguments)
    matrix = largest_push if arguments.largest else find_matrix(arguments)
    trials = make_trials(arguments, robots)
    announce_compilation()
    compile_for(trials)
    if arguments.largest:
        title, rows = 'largest pushes in PyBullet', find_largest_pushes(arguments)
    else:
        title = f'{arguments.robot}, {arguments.matrix}: {len(trials)} runs in PyBullet'
        rows = run_matrix(arguments, trials)
    for row in rows:
        row['passes'] = matrix.passes(row)
    print_rows(title, matrix, rows)
    figures: dict[str, Any] = {'matrix': arguments.matrix, 'robot': arguments.robot, 'rows': rows}
    if arguments.matrix == 'terrain':
        figures['largest_steps'] = terrain.find_largest_steps(rows)
        print_largest_steps(figures['largest_steps'])
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
    return 0


def compile_for(trials: Sequence[Trial]) -> None:
    """Run what must be compiled once, so that all workers find it done."""
    kinds = {tuple(trial.scenario.get(key) for key in COMPILED_BY): trial for trial in trials}
    for trial in kinds.values():
        parts = {key: trial.scenario[key] for key in COMPILED_BY if key in trial.scenario}
        run_trial(Trial(('first',), {'duration': 0.01, **parts}))


def refuse_for_robot(arguments: argparse.Namespace) -> None:
    """Raise InputError for what is measured of the dog alone."""
    if arguments.matrix not in OF_ROBOTS:
        raise InputError('--robot', '', arguments.robot,
                         f'{DEFAULT_ROBOT}, of whom {arguments.matrix} speaks; '
                         f'{", ".join(OF_ROBOTS)} are for all')
    if arguments.largest:
        raise InputError('--robot', '', arguments.robot, f'{DEFAULT_ROBOT}, with --largest')
    if arguments.speed is not None and arguments.matrix == 'gaits':
        raise InputError('--speed', '', arguments.speed, 'nothing, with gaits of --robot')


def evaluate_leaps(arguments: argparse.Namespace) -> int:
    """Replay the dictionary, run courses and the longest gap, and print the figures."""
    count = leaps.COURSES if arguments.seeds is None else arguments.seeds
    if not 1 <= count <= 1000:
        raise InputError('--seeds', '', count, 'a number from 1 to 1000')
    announce_compilation()
    run_trial(Trial(('first',), {'duration': 0.01}))
    with show_progress() as progress, open_pool(arguments.workers) as pool:
        bar = progress.add_task('leaps')

        def show(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total)

        figures = {'cells': leaps.replay_cells(pool, show),
                   'courses': leaps.run_courses(pool, show, count),
                   'mixed_courses_in_auto': leaps.run_mixed_courses(pool, show, count),
                   'longest_gap': leaps.leap_longest_gap(pool, show)}
    figures['coverage'] = leaps.summarise_cells(figures['cells'])
    for title, rows in figures.items():
        table = Table(title=title.replace('_', ' '))
        for column in rows[0] if rows else ():
            table.add_column(column)
        for row in rows:
            table.add_row(*(f'{value:.2f}' if isinstance(value, float) else str(value)
                            for value in row.values()))
        Console(width=None if sys.stdout.isatty() else WIDE).print(table)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
    return 0


def evaluate_spine(arguments: argparse.Namespace) -> int:
    """Measure both dogs, find the largest pushes that they take, and draw them."""
    announce_compilation()
    run_trial(Trial(('first',), {'duration': 0.01}))
    with show_progress() as progress, open_pool(arguments.workers) as pool:
        bar = progress.add_task('spine')
        rows = spine.find_rows(pool, lambda what, done, total: progress.update(
            bar, description=what, completed=done, total=total))
    table = Table(title=f'{spine.GAIT} at {spine.SPEED:g} m/s')
    for column in spine.COLUMNS:
        table.add_column(column)
    for row in rows:
        table.add_row(*spine.cells(row))
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)
    if arguments.picture is not None:
        write_spine_plot(arguments.picture, [(name, spine.run_canter(name))
                                             for name in spine.SPINES])
        print(f'wrote {arguments.picture}')
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({'matrix': 'spine', 'rows': rows}, indent=1) + '\n',
                                  encoding='utf-8')
    return 0


def find_matrix(arguments: argparse.Namespace) -> ModuleType:
    """Return the module of the matrix that was asked for."""
    is_dog = arguments.robot == DEFAULT_ROBOT
    return MATRICES[arguments.matrix] if is_dog or arguments.matrix != 'gaits' else robot_gaits


def choose_gaits(arguments: argparse.Namespace) -> list[str]:
    """Return the gaits that were asked for, or raise InputError."""
    is_dog = arguments.robot == DEFAULT_ROBOT
    known = list(gaits.RANGES) if is_dog else robot_gaits.choose_gaits(arguments.robot, None)
    if arguments.gait is not None and arguments.gait not in known:
        raise InputError('--gait', '', arguments.gait, ', '.join(known))
    return [arguments.gait] if arguments.gait else known


def make_trials(arguments: argparse.Namespace, robots: Sequence[str]) -> list[Trial]:
    """Return the trials of the matrix that was asked for, of these robots where it compares."""
    matrix, chosen = MATRICES[arguments.matrix], choose_gaits(arguments)
    if arguments.matrix == 'pushes':
        return choose_speed(arguments, pushes.make_trials(chosen, arguments.robot))
    if arguments.matrix not in SEEDED:
        return choose_speed(arguments, matrix.make_trials(chosen))
    count = SEEDED[arguments.matrix] if arguments.seeds is None else arguments.seeds
    if not 1 <= count <= 1000:
        raise InputError('--seeds', '', count, 'a number from 1 to 1000')
    first = FIRST_SEED.get(arguments.matrix, OTHER_FIRST_SEED)
    seeds = range(first, first + count)
    if arguments.matrix == 'controllers':
        return controllers.make_trials(seeds, robots)
    if arguments.matrix == 'pursuit':
        return pursuit.make_trials(seeds, arguments.robot, arguments.controller, arguments.gait)
    if arguments.robot != DEFAULT_ROBOT:
        return robot_gaits.make_trials(chosen, seeds, arguments.robot)
    return choose_speed(arguments, matrix.make_trials(chosen, seeds))


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


def run_matrix(arguments: argparse.Namespace, trials: Sequence[Trial]) -> Rows:
    """Run all trials and return the rows of the table."""
    with show_progress() as progress, open_pool(arguments.workers) as pool:
        bar = progress.add_task(arguments.matrix, total=len(trials))
        outcomes = run_trials(trials, pool, lambda done: progress.update(bar, completed=done))
    print_unsolved(outcomes)
    rows: Rows = find_matrix(arguments).summarise(outcomes)
    return rows


def print_unsolved(outcomes: Sequence[Outcome]) -> None:
    """Print how often forces of feet were not found in time."""
    unsolved = sum(metrics['unsolved'] for _, metrics in outcomes)
    hours = sum(trial.scenario['duration'] for trial, _ in outcomes) / 3600
    print(f'force distribution: {unsolved} problems unsolved in {hours:.2f} h of simulated time')


def find_largest_pushes(arguments: argparse.Namespace) -> Rows:
    """Search the largest force of each row; the bar shows the force that is tried."""
    chosen = choose_gaits(arguments)
    with show_progress() as progress, open_pool(arguments.workers) as pool:
        bar = progress.add_task('largest')
        return largest_push.find_rows(chosen, pool, lambda what, done, count: progress.update(
            bar, description=what, completed=done, total=count))


def print_rows(title: str, matrix: ModuleType, rows: Rows) -> None:
    """Print the table and how many of its rows hold."""
    table = Table(title=title)
    for column in (*matrix.COLUMNS, 'holds'):
        table.add_column(column)
    for row in rows:
        table.add_row(*matrix.cells(row), 'yes' if row['passes'] else 'NO')
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)
    print(f'{sum(row["passes"] for row in rows)} of {len(rows)} rows hold')


def print_largest_steps(largest: dict[str, float | None]) -> None:
    """Print how high steps each gait passes."""
    for gait, height in largest.items():
        figure = 'none of those run' if height is None else f'{100 * height:.0f} cm'
        print(f'{gait}: highest steps with {terrain.ALLOWED:.0%} of the runs standing: {figure}')
