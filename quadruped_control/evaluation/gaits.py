"""Every gait at every speed of its range: how it keeps speed, heading and feet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row

RANGES = {'walk': (0.0, 1.5), 'trot': (0.0, 3.0), 'pace': (0.5, 2.5), 'canter': (2.0, 3.5),
          'transverse_gallop': (3.5, 5.7), 'rotary_gallop': (3.5, 5.7)}     # m/s
STEP = 0.25
OTHER_WAYS = ((-0.5, 0.0), (0.0, 0.3))      # backwards and sideways, of
STEPPING = ('walk', 'trot')
SLIP_ALLOWED = {'canter': 0.04, 'transverse_gallop': 0.04, 'rotary_gallop': 0.04}      # m
SLIP_ALLOWED_ELSE = 0.02
LEAST_WAY = 0.1             # m
DURATION = 30.0
START = 0.5                 # s at which the command comes
NUDGE = 20.0                # N for 0.1 s, at random times from random sides, by the seed
COLUMNS = ('gait', 'speed', 'stood', 'speed error', 'slip', 'drift', 'head acc', 'duty',
           'transport', 'saturation')


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """Return a trial for each gait, speed and seed; a seed is three small nudges."""
    trials = []
    for gait in gaits:
        for vx, vy in list_velocities(gait):
            trials += [Trial((gait, vx, vy), _scenario(gait, vx, vy, seed)) for seed in seeds]
    return trials


def list_velocities(gait: str) -> list[tuple[float, float]]:
    """Return forward and sideways speeds (m/s) at which a gait is tried."""
    least, most = RANGES[gait]
    ahead = [(round(float(speed), 2), 0.0) for speed in [*np.arange(least, most, STEP), most]]
    return ahead + (list(OTHER_WAYS) if gait in STEPPING else [])


def make_nudges(seed: int, duration: float, force: float = NUDGE) -> list[dict[str, Any]]:
    """Return three small pushes (N) for a run of so many seconds, the last 5 s before its end."""
    rng = np.random.default_rng(seed)
    nudges = []
    for t in np.sort(rng.uniform(2.0, duration - 5.0, 3)):
        angle = rng.uniform(0, 2 * np.pi)
        nudges.append({'t': float(t), 'at': str(rng.choice(['front', 'rear'])), 'duration': 0.1,
                       'force': [force * float(np.cos(angle)), force * float(np.sin(angle)), 0]})
    return nudges


def _scenario(gait: str, vx: float, vy: float, seed: int) -> dict[str, Any]:
    return {'seed': seed, 'duration': DURATION, 'pushes': make_nudges(seed, DURATION),
            'recover': False, 'commands': [{'t': START, 'vx': vx, 'vy': vy, 'gait': gait}]}


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return a row for each gait and velocity: the worst of the seeds, or their mean."""
    return [_row(str(gait), float(str(vx)), float(str(vy)), found)
            for (gait, vx, vy), found in by_row(outcomes).items()]


def _row(gait: str, vx: float, vy: float, found: list[Metrics]) -> dict[str, Any]:
    duty = np.mean([np.mean(list(metrics['duty_factor'].values())) for metrics in found])
    return {
        'gait': gait, 'speed': vx, 'sideways': vy,
        'stood': sum(not metrics['fell'] for metrics in found), 'of': len(found),
        'speed_error': max(compute_miss(metrics, vx, vy) for metrics in found),
        'slip': max(metrics['slip'] or 0.0 for metrics in found),
        'drift': max(_drift(metrics, vx, vy) for metrics in found),
        'head_acceleration': float(np.mean([m['head_acceleration'] for m in found])),
        'duty_factor': float(duty),
        'cost_of_transport': _mean([m['cost_of_transport'] for m in found]),
        'torque_saturation': float(np.mean([m['torque_saturation'] for m in found])),
    }


def compute_miss(metrics: Metrics, vx: float, vy: float) -> float:
    """Return by how much the mean speed along the way missed the wanted one, m/s."""
    way = metrics['displacement'][0] * vx + metrics['displacement'][1] * vy
    speed = np.copysign(metrics['mean_speed'], way) if way else metrics['mean_speed']
    return float(abs(speed - np.hypot(vx, vy)))


def _drift(metrics: Metrics, vx: float, vy: float) -> float:
    """Return how far the dog strayed, in m per m of its way; on the spot there is no way."""
    if vy:
        return float(abs(metrics['displacement'][0]) / max(metrics['distance'], LEAST_WAY))
    return float(metrics['lateral_drift'] or 0.0) if vx else 0.0


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def passes(row: dict[str, Any]) -> bool:
    """Say whether a row meets what is asked of a gait."""
    return bool(row['stood'] == row['of']
                and row['speed_error'] <= max(0.1, 0.05 * abs(row['speed']))
                and row['slip'] < SLIP_ALLOWED.get(row['gait'], SLIP_ALLOWED_ELSE)
                and row['drift'] < 0.05)


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    transport = row['cost_of_transport']
    way = f'{row["sideways"]:.2f} left' if row['sideways'] else f'{row["speed"]:.2f}'
    return [row['gait'], way, f'{row["stood"]}/{row["of"]}',
            f'{row["speed_error"]:.3f}', f'{100 * row["slip"]:.1f} cm', f'{row["drift"]:.3f}',
            f'{row["head_acceleration"]:.1f}', f'{row["duty_factor"]:.2f}',
            '-' if transport is None else f'{transport:.2f}', f'{row["torque_saturation"]:.4f}']
