"""Table 1 of the paper: pushes from which a gait recovers, here at ten phases of the cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadruped_control.evaluation.trial import Outcome, Trial, by_row
from quadruped_control.model.similarity import SAME, Similarity

# gait, speed in m/s, force in N, duration in s; the pace is held to the trot's figures
TABLE_1 = (
    ('walk', 1.0, 80.0, 0.3), ('walk', 1.0, 230.0, 0.1),
    ('trot', 2.2, 100.0, 0.35), ('trot', 2.2, 200.0, 0.1),
    ('pace', 2.2, 100.0, 0.35), ('pace', 2.2, 200.0, 0.1),
    ('canter', 3.0, 120.0, 0.35), ('canter', 3.0, 400.0, 0.1),
    ('transverse_gallop', 5.0, 100.0, 0.35), ('transverse_gallop', 5.0, 400.0, 0.1),
)
DIRECTIONS = {'forward': (1, 0), 'back': (-1, 0), 'left': (0, 1), 'right': (0, -1)}
PHASES = 10
AFTER = 6.0                 # s
COLUMNS = ('gait', 'speed', 'force', 'duration', 'recovered', 'failures')


def pushes_of(gait: str, harder: float, similarity: Similarity = SAME
              ) -> tuple[tuple[float, float], ...]:
    """
    Return the pushes of table 1 for a gait, the trot's where it has none, made harder.

    :param similarity: of the robot to the dog: forces grow with the weight.
    """
    rows = [row for row in TABLE_1 if row[0] == gait] or [r for r in TABLE_1 if r[0] == 'trot']
    weight, time = similarity.factor('N'), similarity.factor('s')
    return tuple((harder * force * weight, duration * time) for _, _, force, duration in rows)


def make_trials(gaits: Sequence[str]) -> list[Trial]:
    """Return a trial for each row of the table, leg frame, direction and phase."""
    return [trial for row in TABLE_1 if row[0] in gaits for trial in make_row_trials(*row)]


def make_row_trials(gait: str, speed: float, force: float, duration: float) -> list[Trial]:
    """Return a trial for each leg frame, direction and phase."""
    return [Trial((gait, speed, force, duration), scenario(gait, speed, at, name, force, duration,
                                                           phase / PHASES))
            for at in ('front', 'rear') for name in DIRECTIONS for phase in range(PHASES)]


def scenario(gait: str, speed: float, at: str, direction: str, force: float, duration: float,
             phase: float) -> dict[str, Any]:
    """Return the scenario of one push."""
    x, y = DIRECTIONS[direction]
    push_at = 4.0 if speed <= 3.0 else 7.0          # s, by when it has that speed
    return {'name': f'{gait} {at} {direction} {phase:.1f}', 'duration': push_at + AFTER,
            'recover': False, 'commands': [{'t': 0.5, 'vx': speed, 'gait': gait}],
            'pushes': [{'t': push_at, 'phase': phase, 'at': at, 'duration': duration,
                        'force': [force * x, force * y, 0]}]}


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return how many pushes of each row the dog recovered from, and which it did not."""
    failures: dict[tuple[object, ...], list[str]] = {}
    for trial, metrics in outcomes:
        if metrics['fell']:
            failures.setdefault(trial.row, []).append(trial.scenario['name'].split(' ', 1)[1])
    return [{'gait': row[0], 'speed': row[1], 'force': row[2], 'duration': row[3],
             'recovered': len(found) - len(failures.get(row, [])), 'of': len(found),
             'failures': failures.get(row, [])} for row, found in by_row(outcomes).items()]


def passes(row: dict[str, Any]) -> bool:
    """Say whether all pushes of a row were recovered from."""
    return bool(row['recovered'] == row['of'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    failed: dict[str, int] = {}
    for name in row['failures']:
        case = ' '.join(name.split()[:2])
        failed[case] = failed.get(case, 0) + 1
    return [row['gait'], f'{row["speed"]:.1f} m/s', f'{row["force"]:.0f} N',
            f'{row["duration"]:.2f} s', f'{row["recovered"]}/{row["of"]}',
            ', '.join(f'{case} {count}' for case, count in failed.items())]
