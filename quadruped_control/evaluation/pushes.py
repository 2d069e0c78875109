"""
Table 1 of the paper: pushes from which a gait recovers, here at ten phases of the cycle.

Of another robot than the dog it asks the same by dynamic similarity: forces grow with the weight,
speeds and durations with the square root of the height of the leg frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadruped_control.evaluation.trial import Outcome, Trial, by_row
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.similarity import SAME, Similarity, round_to_digits

Row = tuple[str, float, float, float]

# gait, speed in m/s, force in N, duration in s; the pace is held to the trot's figures
TABLE_1: tuple[Row, ...] = (
    ('walk', 1.0, 80.0, 0.3), ('walk', 1.0, 230.0, 0.1),
    ('trot', 2.2, 100.0, 0.35), ('trot', 2.2, 200.0, 0.1),
    ('pace', 2.2, 100.0, 0.35), ('pace', 2.2, 200.0, 0.1),
    ('canter', 3.0, 120.0, 0.35), ('canter', 3.0, 400.0, 0.1),
    ('transverse_gallop', 5.0, 100.0, 0.35), ('transverse_gallop', 5.0, 400.0, 0.1),
)
LIKE = {'rotary_gallop': 'transverse_gallop'}       # whose figures a gait is held to elsewhere
DIRECTIONS = {'forward': (1, 0), 'back': (-1, 0), 'left': (0, 1), 'right': (0, -1)}
PHASES = 10
PUSH_AT = {'transverse_gallop': 7.0}        # s, by when it has its speed; of other gaits:
PUSH_AT_ELSE = 4.0
AFTER = 6.0                 # s
DIGITS = 3                  # of the numbers of another robot's rows
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


def make_trials(gaits: Sequence[str], robot: str = DEFAULT_ROBOT) -> list[Trial]:
    """Return a trial for each row of the table, leg frame, direction and phase."""
    similarity = load_robot(robot).similarity_to(load_model())
    rows = [scale_row(row, similarity) for row in TABLE_1 if row[0] in gaits]
    slower = max(1.0, similarity.factor('s'))
    return [trial for row in rows for trial in make_row_trials(*row, robot=robot, slower=slower)]


def scale_row(row: Row, similarity: Similarity) -> Row:
    """Return a row of the table for a robot of another size than the dog's."""
    gait, *numbers = row
    speed, force, duration = (
        round_to_digits(number * similarity.factor(unit), DIGITS)
        for number, unit in zip(numbers, ('m/s', 'N', 's'), strict=True))
    return gait, speed, force, duration


def make_row_trials(gait: str, speed: float, force: float, duration: float, *,
                    robot: str = DEFAULT_ROBOT, slower: float = 1.0) -> list[Trial]:
    """
    Return a trial for each leg frame, direction and phase.

    :param slower: by which the times before and after the push are longer than the dog's.
    """
    row, begin = (gait, speed, force, duration), PUSH_AT.get(gait, PUSH_AT_ELSE) * slower
    common = {'robot': robot, 'duration': begin + AFTER * slower, 'recover': False,
              'commands': [{'t': 0.5, 'vx': speed, 'gait': gait}]}
    return [Trial(row, {'name': f'{gait} {at} {name} {phase / PHASES:.1f}', **common, 'pushes': [
        {'t': begin, 'phase': phase / PHASES, 'at': at, 'duration': duration,
         'force': [force * x, force * y, 0]}]})
        for at in ('front', 'rear') for name, (x, y) in DIRECTIONS.items()
        for phase in range(PHASES)]


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return how many pushes of each row the robot recovered from, and which it did not."""
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
    return [row['gait'], f'{row["speed"]:g} m/s', f'{row["force"]:g} N',
            f'{row["duration"]:g} s', f'{row["recovered"]}/{row["of"]}',
            ', '.join(f'{case} {count}' for case, count in failed.items())]
