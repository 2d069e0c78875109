"""Run a matrix of scenarios on all cores and print our figures beside what is asked."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from quadruped_control.command_line.evaluate_matrices import MATRICES
from quadruped_control.command_line.evaluate_options import add_arguments, refuse_options
from quadruped_control.command_line.evaluate_trials import choose_gaits, find_matrix, make_trials
from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tables import print_table
from quadruped_control.command_line.workers import open_workers
from quadruped_control.evaluation import largest_push, terrain, wild_pushes
from quadruped_control.evaluation.failure_file import write_failure
from quadruped_control.evaluation.trial import Outcome, Run, Trial, run_trial, run_trials
from quadruped_control.model.robot_files import DEFAULT_ROBOT

EXAMPLE = './quadruped evaluate pushes --gait trot --json pushes.json'
BOTH = (DEFAULT_ROBOT, 'a1')            # whose controllers are compared
COMPILED_BY = ('robot', 'controller', 'spine')
__all__ = ['EXAMPLE', 'add_arguments', 'run']

Rows = list[dict[str, Any]]


def run(arguments: argparse.Namespace) -> int:
    """Run the matrix; 0 whatever the figures are."""
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

        outcomes = run_matrix(
            arguments, trials, wild_pushes.run_push if arguments.wild else None, keep)
        rows = matrix.summarise(outcomes)
    figures = describe(rows)
    print_rows(title, matrix, rows)
    if arguments.matrix == 'terrain':
        figures['largest_steps'] = terrain.find_largest_steps(rows)
        print_largest_steps(figures['largest_steps'])
    file.finish(figures)
    return 0


def compile_for(trials: Sequence[Trial]) -> None:
    """Run what must be compiled once, so that all workers find it done."""
    kinds = {tuple(trial.scenario.get(key) for key in COMPILED_BY): trial for trial in trials}
    for trial in kinds.values():
        parts = {key: trial.scenario[key] for key in COMPILED_BY if key in trial.scenario}
        run_trial(Trial(('first',), {'duration': 0.01, **parts}))


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
