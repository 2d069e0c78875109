"""
Grow the dictionary of leaps, or plot what it covers.

build  grows it by chance from one leap (seed.yaml), or from what was saved; Ctrl-C loses nothing.
accept keeps the leaps that hold in PyBullet, with their figures there.
raise  varies the best leaps in PyBullet, and adds those that land on high platforms (--for gaps:
       behind long gaps; --for heights: those that fly highest; --for cells: for parts of
       (h, d, v) that have none that always lands, led there by flights).
fill   makes leaps in PyBullet for parts of (h, d, v) that have none, or none that always lands.
prove  tries each leap onto platforms and off them: the planner takes those that land well.
repeat tries the leap of each part of (h, d, v) again on flat ground, and others if it fails.
family grows leaps that differ little, in PyBullet, for the model of principal components.
show   plots height, distance and speed of its leaps, and the planner's choices on a profile.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.workers import add_worker_arguments, open_workers
from quadruped_control.control.leap import flatten_leap, load_seed
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.leaps.coverage import count_cells
from quadruped_control.leaps.dictionary import (
    LEVELS,
    LeapDictionary,
    dictionary_file,
    family_file,
    load_dictionary,
    measure_distances,
    save_dictionary,
)
from quadruped_control.viewer.leap_plot import write_leap_plot

EXAMPLE = './quadruped leaps build --hours 8 --resume'
SEED_SPEED = 0.8            # m/s at which the first leap was made
ALIKE = 0.02                # distance in (h, d, v) below which only one of two leaps is kept


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('action', choices=('build', 'accept', 'raise', 'fill', 'prove',
                                           'repeat', 'family', 'show'))
    parser.add_argument('--out', type=Path, metavar='FILE',
                        help='the dictionary, the family (family) or the picture (show)')
    parser.add_argument('--dictionary', type=Path, metavar='FILE',
                        help='to accept, to raise, to fill, to prove, to repeat or to show')
    parser.add_argument('--for', dest='goal', choices=('platforms', 'gaps', 'heights', 'cells'),
                        default='platforms',
                        help='of raise: what the leaps are for (default: %(default)s)')
    parser.add_argument('--mend', action='store_true',
                        help='of fill: first where the leap does not always land')
    parser.add_argument('--hours', type=float, default=8.0, help='to grow for')
    add_worker_arguments(parser)
    parser.add_argument('--seed', type=int, default=1, help='of the chance')
    parser.add_argument('--resume', action='store_true', help='go on where it was left')


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for."""
    if arguments.action == 'show':
        path = arguments.out or Path('leaps.png')
        check_output_file('--out', path)
        dictionary = load_dictionary(arguments.dictionary)
        write_leap_plot(path, dictionary)
        print(f'{path}: {len(dictionary)} leaps')
        return 0
    if arguments.action == 'accept':
        accept(arguments)
        return 0
    if arguments.action == 'prove':
        prove(arguments)
        return 0
    if arguments.action == 'repeat':
        repeat(arguments)
        return 0
    if arguments.action == 'family':
        grow_leap_family(arguments)
        return 0
    if not 0.0 < arguments.hours <= 1000.0:
        raise InputError('--hours', '', arguments.hours, 'more than 0, at most 1000')
    {'build': build, 'raise': raise_leaps, 'fill': fill}[arguments.action](arguments)
    return 0


def accept(arguments: argparse.Namespace) -> None:
    """Write the leaps that hold in PyBullet."""
    from quadruped_control.tuning.leap_acceptance import accept_dictionary
    grown = load_dictionary(arguments.dictionary)
    announce_compilation()
    with open_workers(arguments) as pool, show_progress() as progress:
        bar = progress.add_task('accept', total=len(grown))
        accepted = accept_dictionary(grown, pool, lambda tried, kept: progress.update(
            bar, completed=tried, description=f'{kept} of {tried} hold'))
    if not len(accepted):
        raise QuadrupedError('no leap holds in PyBullet')
    save_dictionary(accepted, arguments.out or dictionary_file())
    print(f'{len(accepted)} of {len(grown)} leaps hold in PyBullet')


def raise_leaps(arguments: argparse.Namespace) -> None:
    """Add leaps that land on high platforms or behind long gaps, or fly high, to a dictionary."""
    from quadruped_control.tuning.leap_aiming import Aiming
    from quadruped_control.tuning.leap_heightening import Heightening
    from quadruped_control.tuning.leap_lengthening import Lengthening
    from quadruped_control.tuning.leap_raising import Raising
    out = arguments.out or dictionary_file()
    check_output_file('--out', out)
    dictionary = load_dictionary(arguments.dictionary)
    origin = (*dictionary.origin,
              f'With leaps of ./quadruped leaps raise --for {arguments.goal} --seed '
              f'{arguments.seed}.')
    kinds: dict[str, type[Raising | Lengthening | Heightening | Aiming]] = {
        'platforms': Raising, 'gaps': Lengthening, 'heights': Heightening, 'cells': Aiming}
    raising = kinds[arguments.goal](dictionary, arguments.seed)
    apart = 0.0 if arguments.goal == 'cells' else ALIKE     # that search takes one for each cell
    rows = list(dictionary.rows)
    announce_compilation()
    end = time.monotonic() + 3600 * arguments.hours
    with open_workers(arguments) as pool:
        while time.monotonic() < end:
            for row in raising.run_batch(pool):
                if measure_distances(np.array(rows)[:, :3], row[:3]).min() >= apart:
                    rows.append(row)
            save_dictionary(LeapDictionary(np.array(rows), origin), out)
            print(f'{len(rows) - len(dictionary)} leaps added; {raising.describe()}', flush=True)


def fill(arguments: argparse.Namespace) -> None:
    """Add leaps for parts of (h, d, v) that a dictionary does not reach."""
    from quadruped_control.tuning.leap_filling import MENDED, Filling
    out = arguments.out or dictionary_file()
    check_output_file('--out', out)
    dictionary = load_dictionary(arguments.dictionary)
    origin = (*dictionary.origin,
              f'With leaps of ./quadruped leaps fill --seed {arguments.seed}.')
    filling = Filling(dictionary, arguments.seed, mended=1.0 if arguments.mend else MENDED)
    announce_compilation()
    end = time.monotonic() + 3600 * arguments.hours
    with open_workers(arguments) as pool:
        while time.monotonic() < end:
            filling.run_batch(pool)
            filled = filling.dictionary(origin, len(dictionary))
            save_dictionary(filled, out)
            reached, safe = filling.count()
            print(f'{len(filled) - len(dictionary)} leaps added; {reached} cells, in {safe} of '
                  'them a leap that always landed', flush=True)


def prove(arguments: argparse.Namespace) -> None:
    """Write on which ground each leap of a dictionary lands well."""
    from quadruped_control.tuning.leap_proof import list_untried, prove_dictionary
    out = arguments.out or dictionary_file()
    check_output_file('--out', out)
    proved = load_dictionary(out if arguments.resume else arguments.dictionary)
    chosen = list_untried(proved) if arguments.resume else list(range(len(proved)))
    announce_compilation()
    with open_workers(arguments) as pool, show_progress() as progress:
        bar = progress.add_task('prove', total=len(chosen))
        for proved in prove_dictionary(proved, pool, chosen):       # noqa: B020
            save_dictionary(proved, out)
            progress.advance(bar)
    for level, landings in zip(LEVELS, proved.landings.T, strict=True):
        print(f'{100 * level:+4.0f} cm: {int((landings == 1.0).sum())} of {len(proved)} leaps '
              'landed well each time')


def repeat(arguments: argparse.Namespace) -> None:
    """Write how often the leap of each cell repeats on flat ground."""
    from quadruped_control.tuning.leap_repeating import repeat_dictionary
    out = arguments.out or dictionary_file()
    check_output_file('--out', out)
    dictionary = load_dictionary(arguments.dictionary)
    announce_compilation()
    with open_workers(arguments) as pool:
        for repeated in repeat_dictionary(dictionary, pool):
            save_dictionary(repeated, out)
            changed = int((repeated.landings != dictionary.landings).any(axis=1).sum())
            print(f'{changed} leaps landed less often than before', flush=True)


def grow_leap_family(arguments: argparse.Namespace) -> None:
    """Write a family of leaps for the model of principal components; it takes one process."""
    from quadruped_control.tuning.leap_family import grow_family
    out = arguments.out or family_file()
    check_output_file('--out', out)
    origin = ('Leaps that differ little, for the model of mean and two principal components for '
              'each speed; v is the speed asked for.',
              f'Made by ./quadruped leaps family --seed {arguments.seed}.')
    announce_compilation()
    for progress, rows in grow_family(load_dictionary(arguments.dictionary), arguments.seed):
        print(progress, flush=True)
        if rows:
            save_dictionary(LeapDictionary(np.array(rows), origin), out)


def build(arguments: argparse.Namespace) -> None:
    """Grow the dictionary for some hours; it is saved after every batch."""
    from quadruped_control.tuning.leap_growth import Growth
    growth = Growth(arguments.out or dictionary_file(), seed=arguments.seed)
    announce_compilation()
    if arguments.resume:
        growth.resume()
    elif not growth.begin(flatten_leap(load_seed()), SEED_SPEED):
        raise QuadrupedError('the first leap fails: nothing grows from it')
    end = time.monotonic() + 3600 * arguments.hours
    with open_workers(arguments) as pool:
        try:
            while time.monotonic() < end:
                growth.run_batch(pool)
                growth.save()
                cells = count_cells(growth.dictionary.points)
                print(f'{growth.tried} tried, {len(growth.dictionary)} leaps, {cells} cells',
                      flush=True)
        except KeyboardInterrupt:
            print('stopped; --resume goes on')
