"""Random worlds and drivers, run and counted."""

from __future__ import annotations

import argparse
import secrets
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import Any

from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.output_files import make_output_folder
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tables import print_table
from quadruped_control.command_line.workers import open_workers
from quadruped_control.errors import InputError
from quadruped_control.evaluation import wild_report
from quadruped_control.evaluation.trial import Trial, run_trial
from quadruped_control.evaluation.wild import GROUNDS, Ticket, list_tickets
from quadruped_control.evaluation.wild_run import run_ticket

FIRST_TO_TUNE = 1_000_000           # seeds below are for evaluations alone
MOST_SEED = 2**32 - 1
MINUTES, MOST_MINUTES = 20.0, 100_000.0
GROUND = 'mixed'
FOLDER = Path('out/wild')

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of what is drawn by chance."""
    parser.add_argument('--minutes', type=float, metavar='M',
                        help=f'of wild: simulated, in all (default: {MINUTES:g})')
    parser.add_argument('--terrain', choices=GROUNDS,
                        help=f'of wild: what is driven on (default: {GROUND})')
    parser.add_argument('--seed', type=int, metavar='N',
                        help='of wild and of pushes --wild; drawn and printed if none is given')
    parser.add_argument('--out', type=Path, metavar='DIR',
                        help='of wild and of pushes --wild: for a scenario file of each failure '
                             f'(default: {FOLDER})')


def choose_seed(seed: int | None) -> int:
    """Return the seed that was asked for, or draw one that no tuning may use."""
    if seed is None:
        return secrets.randbelow(FIRST_TO_TUNE)
    if not 0 <= seed <= MOST_SEED:
        raise InputError('--seed', '', seed, f'a number from 0 to {MOST_SEED}')
    return seed


def choose_folder(folder: Path | None) -> Path:
    """Return where failures go, which is there then."""
    chosen = folder or FOLDER
    make_output_folder('--out', chosen)
    return chosen


def run(arguments: argparse.Namespace) -> int:
    """Run drives for so many minutes; 0 whatever the figures are."""
    for option in ('gait', 'seeds'):
        if getattr(arguments, option) is not None:
            raise InputError(f'--{option}', '', getattr(arguments, option),
                             'nothing: wild draws it by chance')
    minutes = MINUTES if arguments.minutes is None else arguments.minutes
    if not 0.0 < minutes <= MOST_MINUTES:
        raise InputError('--minutes', '', minutes, f'more than 0, at most {MOST_MINUTES:g}')
    seed, folder = choose_seed(arguments.seed), choose_folder(arguments.out)
    ground = arguments.terrain or GROUND
    tickets = list_tickets(seed, minutes, ground, arguments.robot)
    print(f'seed {seed}, {len(tickets)} drives on {ground} ground', flush=True)
    announce_compilation()
    if arguments.cluster is None:
        run_trial(Trial(('first',), {'duration': 0.01, 'robot': arguments.robot}))
    file = FiguresFile(arguments.json)
    found: dict[int, Result] = {}

    def summarise() -> Result:
        results = [found[number] for number in sorted(found)]
        return {'matrix': 'wild', 'robot': arguments.robot, 'seed': seed, 'terrain': ground,
                'rate': wild_report.count_falls(results, ground),
                'rows': wild_report.summarise(results), 'drives': results}

    with open_workers(arguments, with_gaits=True) as pool, show_progress() as progress:
        bar = progress.add_task('wild', total=len(tickets))
        futures: dict[Future[Result], Ticket] = {
            pool.submit(run_ticket, ticket): ticket for ticket in tickets}
        for done, future in enumerate(as_completed(futures), 1):
            ticket, result = futures[future], future.result()
            found[ticket.number] = result
            if wild_report.is_failure(result):
                result['file'] = str(wild_report.write_failure_of(folder, ticket, result))
            falls = sum(len(other['falls']) for other in found.values())
            progress.update(bar, completed=done, description=f'wild: {falls} falls')
            file.update(summarise)
    figures = summarise()
    file.finish(figures)
    _print_figures(figures)
    return 0


def _print_figures(figures: Result) -> None:
    print_table(f'{figures["robot"]}, wild on {figures["terrain"]} ground, seed '
                f'{figures["seed"]}', wild_report.COLUMNS,
                map(wild_report.cells, wild_report.list_shown(figures['rows'])))
    for result in figures['drives']:
        for fall in result['falls']:
            print(f'{result["file"]}: {wild_report.describe_fall(fall)}')
        if result['got_up'] is False:
            print(f'{result["file"]}: did not get up')
    print(wild_report.describe_rate(figures['rate']))
