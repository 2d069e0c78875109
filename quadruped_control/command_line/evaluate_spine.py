"""The canter of this dog and of one with a rigid spine, measured and drawn."""

from __future__ import annotations

import argparse

from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tables import print_table
from quadruped_control.command_line.workers import open_workers
from quadruped_control.evaluation import spine
from quadruped_control.evaluation.trial import Trial, run_trial
from quadruped_control.viewer.spine_plot import write_spine_plot


def run(arguments: argparse.Namespace) -> int:
    """Measure both dogs, find the largest pushes that they take, and draw them."""
    announce_compilation()
    run_trial(Trial(('first',), {'duration': 0.01}))
    file = FiguresFile(arguments.json)
    with show_progress() as progress, open_workers(arguments, with_gaits=True) as pool:
        bar = progress.add_task('spine')
        rows = spine.find_rows(
            pool, lambda what, done, total: progress.update(
                bar, description=what, completed=done, total=total),
            lambda found: file.update(lambda: {'matrix': 'spine', 'rows': found}))
    print_table(f'{spine.GAIT} at {spine.SPEED:g} m/s', spine.COLUMNS, map(spine.cells, rows))
    if arguments.picture is not None:
        write_spine_plot(arguments.picture, [(name, spine.run_canter(name))
                                             for name in spine.SPINES])
        print(f'wrote {arguments.picture}')
    file.finish({'matrix': 'spine', 'rows': rows})
    return 0
