"""How fast the dog turns, on the spot and on the way."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, radians
from typing import Any

from quadruped_control.evaluation.trial import Outcome, Trial, by_row

GAITS = ('walk', 'trot', 'pace')
SPEEDS = (0.0, 0.5, 1.0, 1.5)       # m/s
RATES = (30.0, 45.0, 60.0, 75.0, 90.0)      # degrees a second
TURN_AT, DURATION = 2.5, 10.5       # s
COLUMNS = ('gait', 'speed', 'asked', 'turned', 'radius', 'stood')


def make_trials(gaits: Sequence[str]) -> list[Trial]:
    """Return a trial for each gait, speed and rate."""
    return [Trial((gait, speed, rate), {
        'duration': DURATION, 'recover': False, 'commands': [
            {'t': 0.5, 'vx': speed, 'gait': gait}, {'t': TURN_AT, 'wz': radians(rate)}]})
        for gait in gaits if gait in GAITS for speed in SPEEDS for rate in RATES]


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return what rate was reached, from the heading that the dog had at the end."""
    rows = []
    for row, found in by_row(outcomes).items():
        metrics = found[0]
        reached = degrees(metrics['turned']) / (DURATION - TURN_AT)
        radius = metrics['mean_speed'] / radians(reached) if abs(reached) > 1 else None
        rows.append({'gait': row[0], 'speed': row[1], 'asked': row[2], 'turned': reached,
                     'radius': radius, 'stood': int(not metrics['fell']), 'of': 1})
    return rows


def passes(row: dict[str, Any]) -> bool:
    """Say whether the dog stayed up; 45 degrees a second are asked at 0 and 1 m/s."""
    return bool(row['stood'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    radius = row['radius']
    return [row['gait'], f'{row["speed"]:.1f} m/s', f'{row["asked"]:.0f} deg/s',
            f'{row["turned"]:.0f} deg/s', '-' if radius is None else f'{radius:.2f} m',
            'yes' if row['stood'] else 'fell']
