"""Getting up: dropped in any orientation or flat on its belly, and knocked over at a trot."""

from __future__ import annotations

from collections.abc import Sequence
from math import asin, atan2, pi
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Metrics, Outcome, Trial

DROP = 0.6                  # m
JOINT_NOISE = 0.5           # rad
PUSH, PUSH_TIME, PUSH_AT = 400.0, 0.3, 3.0      # N, s, s
SPEED = 0.8                 # m/s, asked for all the time
LONGEST = 10.0              # s from the fall to standing and trotting again
SPEED_ALLOWED = 0.2         # m/s that the speed at the end may be off
SHARE_TRIPPED = 0.3         # of the falls that are by a push
SHARE_ON_BELLY = 0.2        # as many again are dropped in the pose of a dog that lies
LIES_FOR = 1.5              # s, of these
ALLOWED, ALLOWED_OF_EACH = 0.95, 0.90
ALL = 'all falls'
COLUMNS = ('how it lay', 'up and trotting', 'longest', 'failures')


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """
    Return a fall for each seed, and some more that end on the belly.

    A dog that falls goes limp and rolls onto its side: hardly ever does it lie on its belly.
    """
    tripped = round(SHARE_TRIPPED * len(seeds))
    on_belly = round(SHARE_ON_BELLY * len(seeds))
    falls = [_trip(seed) if n < tripped else _drop(seed) for n, seed in enumerate(seeds)]
    return [Trial((ALL,), fall) for fall in (*falls, *map(_flop, seeds[:on_belly]))]


def _drop(seed: int) -> dict[str, Any]:
    """Let the dog fall in an orientation that is equally likely to be any."""
    random = np.random.default_rng(seed)
    roll, yaw = (float(value) for value in random.uniform(-pi, pi, 2))
    pitch = asin(float(random.uniform(-1.0, 1.0)))
    return {'name': f'drop {seed}', 'seed': seed, 'duration': LONGEST + 2.0, 'recover': True,
            'start': {'rpy': [roll, pitch, yaw], 'drop': DROP, 'joint_noise': JOINT_NOISE},
            'commands': [{'t': 0.0, 'vx': SPEED, 'gait': 'trot'}]}


def _flop(seed: int) -> dict[str, Any]:
    """Let the dog fall onto its belly with its legs askew, and lie there for a moment."""
    heading = float(np.random.default_rng(seed).uniform(-pi, pi))
    return {'name': f'belly {seed}', 'seed': seed, 'duration': LIES_FOR + LONGEST + 2.0,
            'recover': True,
            'start': {'posture': 'lie', 'heading': heading, 'drop': DROP,
                      'joint_noise': JOINT_NOISE},
            'commands': [{'t': LIES_FOR, 'skill': 'get_up'},
                         {'t': LIES_FOR + 0.1, 'vx': SPEED, 'gait': 'trot'}]}


def _trip(seed: int) -> dict[str, Any]:
    """Push a trotting dog over, mostly sideways."""
    random = np.random.default_rng(seed)
    angle = float(random.choice([-1, 1]) * random.uniform(pi / 4, 3 * pi / 4))
    force = [PUSH * float(np.cos(angle)), PUSH * float(np.sin(angle)), 0.0]
    return {'name': f'push {seed}', 'seed': seed, 'duration': PUSH_AT + LONGEST + 2.0,
            'recover': True, 'commands': [{'t': 0.2, 'vx': SPEED, 'gait': 'trot'}],
            'pushes': [{'t': PUSH_AT, 'phase': float(random.uniform(0.0, 0.99)), 'at': at,
                        'force': force, 'duration': PUSH_TIME} for at in ('front', 'rear')]}


def name_side(roll: float, pitch: float) -> str:
    """Return how a dog lies whose shoulders have a roll and a pitch (rad)."""
    up = np.cos(roll) * np.cos(pitch)
    if up > 0.5:
        return 'belly'
    if up < -0.5:
        return 'back'
    return 'left side' if atan2(np.sin(roll), np.cos(roll)) < 0.0 else 'right side'


def find_fault(metrics: Metrics) -> str | None:
    """Return what was wrong with a run, or None."""
    falls = metrics['falls']
    if any(rise > LONGEST for rise in _list_rises(metrics)):
        return 'too slow'
    if any(fall['recovered_after'] is None for fall in falls):
        return 'lies'
    if falls and falls[-1]['time'] + falls[-1]['recovered_after'] - falls[0]['time'] > LONGEST:
        return 'too slow'
    if abs(metrics['final_speed'] - SPEED) > SPEED_ALLOWED:
        return 'no trot'
    return None


def _list_rises(metrics: Metrics) -> list[float]:
    """Return how long each getting up took that was asked for or came to an end (s)."""
    asked = [posture['done_after'] for posture in metrics['postures']
             if posture['skill'] == 'get_up' and posture['done_after'] is not None]
    return asked + [fall['recovered_after'] for fall in metrics['falls']
                    if fall['recovered_after'] is not None]


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return how many got up, by how they lay, and of all; who never lay is in no other row."""
    rows: dict[str, list[tuple[str, Metrics]]] = {
        ALL: [], 'left side': [], 'right side': [], 'back': [], 'belly': [], 'stayed up': []}
    for trial, metrics in outcomes:
        found = (str(trial.scenario['name']), metrics)
        lay = metrics['lay']
        rows['stayed up' if lay is None else name_side(*lay)].append(found)
        if lay is not None:
            rows[ALL].append(found)
    return [_row(what, found) for what, found in rows.items() if found]


def _row(what: str, found: list[tuple[str, Metrics]]) -> dict[str, Any]:
    faults = {name: find_fault(metrics) for name, metrics in found}
    times = [rise for _, metrics in found for rise in _list_rises(metrics)]
    return {'what': what, 'of': len(found),
            'succeeded': sum(fault is None for fault in faults.values()),
            'longest': max(times, default=None),
            'failures': [f'{name}: {fault}' for name, fault in faults.items() if fault]}


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough of them got up."""
    least = ALLOWED if row['what'] == ALL else ALLOWED_OF_EACH
    return bool(row['succeeded'] >= least * row['of'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    longest = 'none' if row['longest'] is None else f'{row["longest"]:.1f} s'
    return [row['what'], f'{row["succeeded"]}/{row["of"]}', longest, ', '.join(row['failures'])]
