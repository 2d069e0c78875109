"""
Ten random targets in a row, each headed for, reached and stopped at.

Lengths and times are of the dog; another robot's are by its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Metrics, Outcome, Trial
from quadruped_control.model.robot_loading import load_model, load_robot

TARGETS = 10
NEAREST, FURTHEST = 1.0, 4.0        # m from the target before
TOLERANCE = 0.3                     # m
START, SLOT = 0.5, 15.0             # s, of the first target, and for each
COLUMNS = ('seed', 'reached', 'worst error', 'median time', 'longest time', 'stood')


def make_trials(seeds: Sequence[int], robot: str, controller: str | None = None,
                gait: str | None = None) -> list[Trial]:
    """Return a trial for each seed; the gait is by speed where none is asked for."""
    alike = load_robot(robot).similarity_to(load_model())
    length, time = alike.factor('m'), alike.factor('s')
    return [Trial((seed, TOLERANCE * length), {
        'robot': robot, 'controller': controller, 'seed': seed, 'recover': False,
        'duration': START + TARGETS * SLOT * time,
        'commands': [{'t': START + n * SLOT * time, 'target': list(place), 'gait': gait}
                     for n, place in enumerate(draw_targets(seed, length))]}) for seed in seeds]


def draw_targets(seed: int, length: float) -> list[tuple[float, float]]:
    """Return places (m), each somewhere around the one before; lengths are so many times."""
    random, places, x, y = np.random.default_rng(seed), [], 0.0, 0.0
    for _ in range(TARGETS):
        distance = length * float(random.uniform(NEAREST, FURTHEST))
        course = float(random.uniform(-pi, pi))
        x, y = x + distance * cos(course), y + distance * sin(course)
        places.append((x, y))
    return places


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return a row for each seed."""
    return [_row(trial.row, metrics) for trial, metrics in outcomes]


def _row(key: tuple[object, ...], metrics: Metrics) -> dict[str, Any]:
    targets, tolerance = metrics['target'], float(str(key[1]))
    times = [target['reached_after'] for target in targets]
    reached = [time for time in times if time is not None]
    good = [target for target in targets
            if target['reached_after'] is not None and target['error'] <= tolerance]
    return {'seed': key[0], 'reached': len(good), 'of': TARGETS, 'times': times,
            'worst_error': max(target['error'] for target in targets),
            'median_time': float(np.median(reached)) if reached else None,
            'longest_time': max(reached, default=None), 'stood': int(not metrics['fell'])}


def passes(row: dict[str, Any]) -> bool:
    """Say whether all targets were reached without a fall."""
    return bool(row['reached'] == row['of'] and row['stood'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    times = ['-' if row[key] is None else f'{row[key]:.1f} s'
             for key in ('median_time', 'longest_time')]
    return [str(row['seed']), f'{row["reached"]}/{row["of"]}', f'{row["worst_error"]:.2f} m',
            *times, 'yes' if row['stood'] else 'fell']
