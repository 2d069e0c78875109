"""Run a matrix of scenarios on all cores and print our figures beside what is asked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.table import Table

from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.errors import InputError
from quadruped_control.evaluation import gaits, pushes, terrain, turning
from quadruped_control.evaluation.trial import Trial, run_trial, run_trials
from quadruped_control.worker_processes import open_pool

EXAMPLE = './quadruped evaluate pushes --gait trot --json pushes.json'
MATRICES: dict[str, ModuleType] = {'gaits': gaits, 'pushes': pushes, 'terrain': terrain,
                                   'turning': turning}
SEEDED = {'gaits': 5, 'terrain': 10}        # how many seeds each has
FIRST_SEED = 1000           # none of these is used in tuning


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('matrix', choices=tuple(MATRICES))
    parser.add_argument('--gait', choices=tuple(gaits.RANGES), help='only this one')
    parser.add_argument('--seeds', type=int, help='how many, where chance plays a part')
    parser.add_argument('--json', type=Path, metavar='OUT', help='write the figures')


def run(arguments: argparse.Namespace) -> int:
    """Run the matrix; 0 whatever the figures are."""
    if arguments.json is not None and not arguments.json.absolute().parent.is_dir():
        raise InputError('--json', '', str(arguments.json), 'a file in a folder that exists')
    matrix = MATRICES[arguments.matrix]
    trials = make_trials(arguments)
    announce_compilation()
    run_trial(Trial(('first',), {'duration': 0.01}))    # so that all workers find compiled code
    with show_progress() as progress, open_pool() as pool:
        bar = progress.add_task(arguments.matrix, total=len(trials))
        outcomes = run_trials(trials, pool, lambda done: progress.update(bar, completed=done))
    rows = matrix.summarise(outcomes)
    table = Table(title=f'{arguments.matrix}: {len(trials)} runs in PyBullet')
    for column in (*matrix.COLUMNS, 'holds'):
        table.add_column(column)
    for row in rows:
        row['passes'] = matrix.passes(row)
        table.add_row(*matrix.cells(row), 'yes' if row['passes'] else 'NO')
    Console().print(table)
    held = sum(row['passes'] for row in rows)
    print(f'{held} of {len(rows)} rows hold')
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1) + '\n', encoding='utf-8')
    return 0


def make_trials(arguments: argparse.Namespace) -> list[Trial]:
    """Return the trials of the matrix that was asked for."""
    matrix = MATRICES[arguments.matrix]
    chosen = [arguments.gait] if arguments.gait else list(gaits.RANGES)
    if arguments.matrix not in SEEDED:
        found: list[Trial] = matrix.make_trials(chosen)
        return found
    count = SEEDED[arguments.matrix] if arguments.seeds is None else arguments.seeds
    if not 1 <= count <= 1000:
        raise InputError('--seeds', '', count, 'a number from 1 to 1000')
    seeded: list[Trial] = matrix.make_trials(chosen, range(FIRST_SEED, FIRST_SEED + count))
    return seeded
