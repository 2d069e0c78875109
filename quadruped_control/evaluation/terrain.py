"""Ground that the dog does not know: low steps, ramps, rough ground, low friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Outcome, Trial, by_row

SPEEDS = {'walk': 0.8, 'trot': 1.5, 'pace': 1.5, 'canter': 3.0,
          'transverse_gallop': 3.5, 'rotary_gallop': 3.5}                           # m/s
RUN_UP = {'canter': 9.0, 'transverse_gallop': 12.0, 'rotary_gallop': 12.0}          # m
SHORT_RUN_UP = 1.5          # m, of all other gaits
LENGTH = 10.0               # m of ground after it
ALLOWED = 0.95              # share of runs that must stay up
STEP_HEIGHTS = {f'steps {100 * height:.0f} cm': height for height in (0.02, 0.04, 0.06, 0.08)}
RISE = 1.763                # m over that length: ten degrees
COLUMNS = ('gait', 'ground', 'stood')


def grounds(run_up: float = SHORT_RUN_UP) -> dict[str, list[dict[str, Any]]]:
    """Return the terrain features by the name of the ground, which begins after so many m."""
    x = [run_up, run_up + LENGTH]
    found: dict[str, list[dict[str, Any]]] = {
        name: [{'kind': 'steps', 'x': x, 'y': [-5, 5], 'depth': 0.3, 'height': [0.0, height]}]
        for name, height in STEP_HEIGHTS.items()}
    found['ramp up 10 deg'] = [
        {'kind': 'ramp', 'x': x, 'y': [-5, 5], 'height': [0.0, RISE]},
        {'kind': 'box', 'x': [x[1], x[1] + 5.0], 'y': [-5, 5], 'height': RISE}]
    found['ramp down 10 deg'] = [
        {'kind': 'box', 'x': [-3.0, x[0]], 'y': [-5, 5], 'height': RISE},
        {'kind': 'ramp', 'x': x, 'y': [-5, 5], 'height': [RISE, 0.0]}]
    found['rough 3 cm'] = [
        {'kind': 'rough', 'x': x, 'y': [-5, 5], 'amplitude': 0.03, 'cell': 0.15}]
    found['friction 0.5'] = [{'kind': 'patch', 'x': x, 'y': [-5, 5], 'friction': 0.5}]
    return found


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """Return a trial for each gait, ground and seed."""
    trials = []
    for gait in gaits:
        run_up = RUN_UP.get(gait, SHORT_RUN_UP)
        duration = 2.0 + (LENGTH + run_up) / SPEEDS[gait]
        for name, terrain in grounds(run_up).items():
            trials += [Trial((gait, name), {
                'seed': seed, 'duration': duration, 'terrain': terrain, 'recover': False,
                'commands': [{'t': _begin(seed), 'vx': SPEEDS[gait], 'gait': gait}]})
                for seed in seeds]
    return trials


def _begin(seed: int) -> float:
    """Return when a run sets off, so that no two come to an edge in the same phase."""
    return round(float(np.random.default_rng(seed).uniform(0.3, 0.8)), 3)


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return how many runs stayed up on each ground."""
    return [{'gait': row[0], 'ground': row[1], 'of': len(found),
             'stood': sum(not metrics['fell'] for metrics in found)}
            for row, found in by_row(outcomes).items()]


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough runs stayed up."""
    return bool(row['stood'] >= ALLOWED * row['of'])


def find_largest_steps(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Return for each gait the height (m) of the highest steps that it passes, None for none."""
    largest: dict[str, float | None] = {row['gait']: None for row in rows}
    for row in rows:
        height = STEP_HEIGHTS.get(row['ground'])
        if height is not None and passes(row):
            largest[row['gait']] = max(height, largest[row['gait']] or 0.0)
    return largest


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    return [row['gait'], row['ground'], f'{row["stood"]}/{row["of"]}']
