"""The largest pushes from which a gait recovers, for the rows of table 1 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

from quadruped_control.evaluation.pushes import TABLE_1, make_row_trials
from quadruped_control.evaluation.trial import Trial, find_first

STEP = 10.0                 # N to which the force is found
MOST = 3.0                  # times the paper's force that are tried
COLUMNS = ('gait', 'speed', 'duration', 'force in the paper', 'largest here')

Progress = Callable[[str, int, int], None]      # what is tried, cases done, cases in all
Keep = Callable[[list[dict[str, Any]]], None]


def find_largest(holds: Callable[[float], bool], start: float, *, step: float,
                 most: float) -> float:
    """
    Return the largest multiple of ``step`` up to ``most`` that holds, by bisection; 0 if none.

    It takes for granted that what is less than one that holds, holds too.

    :param start: where to begin, upwards if it holds and downwards if not.
    """
    low, high = 0, round(most / step) + 1
    tried = round(start / step)
    while high - low > 1:
        if holds(tried * step):
            low = tried
        else:
            high = tried
        tried = (low + high) // 2
    return low * step


def find_rows(gaits: Sequence[str], pool: Executor, progress: Progress,
              keep: Keep = lambda rows: None) -> list[dict[str, Any]]:
    """
    Return the largest force of each row of the table, beside the paper's.

    :param keep: is given the rows so far after each.
    """
    rows: list[dict[str, Any]] = []
    for row in TABLE_1:
        if row[0] in gaits:
            rows.append(_find_row(row, pool, progress))
            keep(rows)
    return rows


def _find_row(row: tuple[str, float, float, float], pool: Executor,
              progress: Progress) -> dict[str, Any]:
    gait, speed, force, duration = row
    failed: list[str] = []

    def holds(tried: float) -> bool:
        trials = order(make_row_trials(gait, speed, tried, duration), failed)
        what = f'{gait} {duration:g} s: {tried:.0f} N'
        failure = find_first(trials, pool, lambda metrics: bool(metrics['fell']),
                             lambda done: progress(what, done, len(trials)))
        if failure is not None:
            failed.insert(0, failure.scenario['name'])
        return failure is None

    largest = find_largest(holds, force, step=STEP, most=MOST * force)
    return {'gait': gait, 'speed': speed, 'duration': duration, 'paper': force,
            'largest': largest, 'more': largest >= MOST * force,
            'failed_first': failed}


def order(trials: Sequence[Trial], failed: Sequence[str]) -> list[Trial]:
    """Put cases that failed before first, the last one foremost, so that a probe ends early."""
    places = {name: place for place, name in reversed(list(enumerate(failed)))}
    return sorted(trials, key=lambda trial: places.get(trial.scenario['name'], len(failed)))


def passes(row: dict[str, Any]) -> bool:
    """Say whether the dog recovers from at least what the paper's does."""
    return bool(row['largest'] >= row['paper'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    least = 'at least ' if row['more'] else ''
    return [row['gait'], f'{row["speed"]:.1f} m/s', f'{row["duration"]:.2f} s',
            f'{row["paper"]:.0f} N', f'{least}{row["largest"]:.0f} N']
