"""The leap dictionary, courses and the longest gap, run and printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tables import print_table
from quadruped_control.command_line.workers import open_workers
from quadruped_control.errors import InputError
from quadruped_control.evaluation import leap_middle, leaps
from quadruped_control.evaluation.trial import Trial, run_trial

Rows = list[dict[str, Any]]


def run(arguments: argparse.Namespace) -> int:
    """Replay the dictionary, run courses and the longest gap, and print the figures."""
    count = leaps.COURSES if arguments.seeds is None else arguments.seeds
    if not 1 <= count <= 1000:
        raise InputError('--seeds', '', count, 'a number from 1 to 1000')
    announce_compilation()
    run_trial(Trial(('first',), {'duration': 0.01}))
    figures: dict[str, Rows] = {}
    file = FiguresFile(arguments.json)
    with show_progress() as progress, open_workers(arguments, with_gaits=True) as pool:
        bar = progress.add_task('leaps')

        def show(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total)

        parts: dict[str, Callable[[], Rows]] = {
            'middle_of_the_range': lambda: leap_middle.replay_middle(pool, show),
            'cells': lambda: leaps.replay_cells(pool, show),
            'courses': lambda: leaps.run_courses(pool, show, count),
            'mixed_courses_in_auto': lambda: leaps.run_mixed_courses(pool, show, count),
            'longest_gap': lambda: leaps.leap_longest_gap(pool, show)}
        for name, find in parts.items():
            figures[name] = find()
            file.update(lambda: figures)
    figures['coverage'] = leaps.summarise_cells(figures['cells'])
    for title, rows in figures.items():
        print_table(title.replace('_', ' '), list(rows[0]) if rows else (), map(_cells, rows))
    file.finish(figures)
    return 0


def _cells(row: dict[str, Any]) -> Sequence[str]:
    return [f'{value:.2f}' if isinstance(value, float) else str(value) for value in row.values()]
