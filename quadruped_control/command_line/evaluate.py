"""Run a matrix of scenarios on all cores and print our figures beside what is asked."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from quadruped_control.command_line import evaluate_leaps, evaluate_spine, evaluate_wild
from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tables import print_table
from quadruped_control.command_line.workers import add_worker_arguments, open_workers
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
    wild,
    wild_pushes,
)
from quadruped_control.evaluation.failure_file import write_failure
from quadruped_control.evaluation.trial import Outcome, Run, Trial, run_trial, run_trials
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot

EXAMPLE = './quadruped evaluate pushes --gait trot --json pushes.json'
MOST_SEEDS = 1000
BOTH = (DEFAULT_ROBOT, 'a1')            # whose controllers are compared
COMPILED_BY = ('robot', 'controller', 'spine')

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Matrix:
    """
    A matrix of scenarios that can be asked for.

    :param title: what it is, in the help.
    :param options: that it has beyond those of all.
    :param seeds: how many it takes from ``first_seed`` on, none of which is used in tuning; None
        where chance plays no part.
    :param run: does it all, where it is no table of trials.
    """

    title: str
    module: ModuleType
    options: tuple[str, ...] = ()
    seeds: int | None = None
    first_seed: int = 1000
    run: Callable[[argparse.Namespace], int] | None = None


MATRICES: dict[str, Matrix] = {
    'controllers': Matrix('all controllers of the dog and the a1, or of --robot, side by side',
                          controllers, ('robot',), seeds=10),
    'gaits': Matrix('every gait at every speed of its range; --robot: of any robot, with turns '
                    'and pushes', gaits, ('robot', 'speed'), seeds=5),
    'getup': Matrix('100 falls: dropped in any orientation, or pushed over at a trot', getup,
                    seeds=100, first_seed=4000),
    'leaps': Matrix('the leap dictionary, courses of --seeds seeds, in the trot, and with stairs '
                    'and ramps in auto, and a gap of 2 m', leaps, run=evaluate_leaps.run),
    'postures': Matrix('sit, lie down, stand up, trot off, from slightly different starts',
                       postures, seeds=20),
    'pursuit': Matrix('ten random targets in a row; --robot: of any robot', pursuit,
                      ('robot', 'controller'), seeds=5),
    'pushes': Matrix('table 1 of the paper at ten phases, --robot: by the weight of any robot; '
                     '--wild: at random phases, angles and speeds; --largest finds the largest '
                     'forces', pushes, ('robot', 'speed', 'largest', 'wild', 'seed', 'out')),
    'spine': Matrix('the canter of this dog and of one with a rigid spine', spine, ('picture',),
                    run=evaluate_spine.run),
    'terrain': Matrix('stairs, slopes, steps, rough and slippery ground, and the highest steps',
                      terrain, seeds=10),
    'transitions': Matrix('from gait to gait by speed, held back by a rope, start and stop',
                          transitions, seeds=10),
    'turning': Matrix('how fast the dog turns, on the spot and on the way', turning),
    'wild': Matrix('random worlds and drivers: falls a minute, and a scenario file of each '
                   'failure', wild, ('robot', 'seed', 'minutes', 'terrain', 'out'),
                   run=evaluate_wild.run),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    width = max(map(len, MATRICES))
    titles = (f'  {name:{width}}  {matrix.title}' for name, matrix in MATRICES.items())
    parser.description = '\n'.join([__doc__, '', 'matrices:', *titles])
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


def list_with(option: str) -> list[str]:
    """Return the matrices that have an option."""
    return [name for name, matrix in MATRICES.items() if option in matrix.options]


def run(arguments: argparse.Namespace) -> int:
    """Run the matrix; 0 whatever the figures are."""
    check_output_file('--json', arguments.json)
    check_output_file('--picture', arguments.picture)
    robots = (arguments.robot,) if arguments.robot else BOTH
    arguments.robot = arguments.robot or DEFAULT_ROBOT
    refuse_options(arguments)
    choice = MATRICES[arguments.matrix]
    if choice.run is not None:
        return choice.run(arguments)
    matrix, trials = find_matrix(arguments), make_trials(arguments, robots)
    announce_compilation()
    if arguments.cluster is None:
        compile_for(trials)
    file = FiguresFile(arguments.json)

    def describe(rows: Rows) -> dict[str, Any]:
        for row in rows:
            row['passes'] = matrix.passes(row)
        return {'matrix': arguments.matrix, 'robot': arguments.robot, 'rows': rows}

    if arguments.largest:
        title = 'largest pushes in PyBullet'
        rows = find_largest_pushes(arguments, lambda found: file.update(lambda: describe(found)))
    else:
        title = f'{arguments.robot}, {arguments.matrix}: {len(trials)} runs in PyBullet'
        writer = FailureWriter(arguments) if arguments.wild else None

        def keep(find: Callable[[], list[Outcome]]) -> None:
            file.update(lambda: describe(matrix.summarise(find())))
            if writer is not None:
                writer.update(find())

        outcomes = run_matrix(arguments, trials, getattr(matrix, 'run_push', None), keep)
        rows = matrix.summarise(outcomes)
    figures = describe(rows)
    print_rows(title, matrix, rows)
    if arguments.matrix == 'terrain':
        figures['largest_steps'] = terrain.find_largest_steps(rows)
        print_largest_steps(figures['largest_steps'])
    file.finish(figures)
    return 0


def refuse_options(arguments: argparse.Namespace) -> None:
    """Raise InputError for options that the matrix does not have."""
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


def compile_for(trials: Sequence[Trial]) -> None:
    """Run what must be compiled once, so that all workers find it done."""
    kinds = {tuple(trial.scenario.get(key) for key in COMPILED_BY): trial for trial in trials}
    for trial in kinds.values():
        parts = {key: trial.scenario[key] for key in COMPILED_BY if key in trial.scenario}
        run_trial(Trial(('first',), {'duration': 0.01, **parts}))


def find_matrix(arguments: argparse.Namespace) -> ModuleType:
    """Return the module of the matrix that was asked for."""
    if arguments.largest:
        return largest_push
    if arguments.wild:
        return wild_pushes
    if arguments.matrix == 'gaits' and arguments.robot != DEFAULT_ROBOT:
        return robot_gaits
    return MATRICES[arguments.matrix].module


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


def run_matrix(arguments: argparse.Namespace, trials: Sequence[Trial], run_one: Run | None,
               keep: Callable[[Callable[[], list[Outcome]]], None]) -> list[Outcome]:
    """
    Run all trials.

    :param run_one: in place of :func:`run_trial`.
    :param keep: is given a function that finds the outcomes so far, after each trial.
    """
    with show_progress() as progress, open_workers(arguments, with_gaits=True) as pool:
        bar = progress.add_task(arguments.matrix, total=len(trials))
        outcomes = run_trials(trials, pool, lambda done: progress.update(bar, completed=done),
                              run=run_one, keep=keep)
    print_unsolved(outcomes)
    return outcomes


def print_unsolved(outcomes: Sequence[Outcome]) -> None:
    """Print how often forces of feet were not found in time."""
    unsolved = sum(metrics['unsolved'] for _, metrics in outcomes)
    hours = sum(trial.scenario['duration'] for trial, _ in outcomes) / 3600
    print(f'force distribution: {unsolved} problems unsolved in {hours:.2f} h of simulated time')


def find_largest_pushes(arguments: argparse.Namespace, keep: largest_push.Keep) -> Rows:
    """Search the largest force of each row; the bar shows the force that is tried."""
    chosen = choose_gaits(arguments)
    with show_progress() as progress, open_workers(arguments, with_gaits=True) as pool:
        bar = progress.add_task('largest')
        return largest_push.find_rows(chosen, pool, lambda what, done, count: progress.update(
            bar, description=what, completed=done, total=count), keep)


class FailureWriter:
    """Writes a scenario file for each trial of `pushes --wild` in which the robot fell."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._written: set[str] = set()

    def update(self, outcomes: Sequence[Outcome]) -> None:
        """Write those that are new among all so far."""
        for trial, metrics in outcomes:
            name = f'{self._arguments.robot} {trial.scenario["name"]}'.replace(' ', '-')
            if metrics['fell'] and name not in self._written:
                self._written.add(name)
                write_failure(self._arguments.out, name, trial.scenario,
                              until=metrics['fall_time'], remarks=[
                                  f'evaluate pushes --wild --seed {self._arguments.seed}'])


def print_rows(title: str, matrix: ModuleType, rows: Rows) -> None:
    """Print the table and how many of its rows hold."""
    print_table(title, (*matrix.COLUMNS, 'holds'),
                [[*matrix.cells(row), 'yes' if row['passes'] else 'NO'] for row in rows])
    print(f'{sum(row["passes"] for row in rows)} of {len(rows)} rows hold')


def print_largest_steps(largest: dict[str, float | None]) -> None:
    """Print how high steps each gait passes."""
    for gait, height in largest.items():
        figure = 'none of those run' if height is None else f'{100 * height:.0f} cm'
        print(f'{gait}: highest steps with {terrain.ALLOWED:.0%} of the runs standing: {figure}')
