"""
Table 1's rows in the wild: any phase and angle, and a speed up to 0.5 m/s from the row's.

The rotary gallop is held to the transverse one's forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import numpy as np

from quadruped_control.control.skill_numbers import Activity, Mode
from quadruped_control.evaluation.gaits import RANGES
from quadruped_control.evaluation.intervals import describe_share, find_share_interval
from quadruped_control.evaluation.pushes import (
    AFTER,
    LIKE,
    PUSH_AT,
    PUSH_AT_ELSE,
    TABLE_1,
    Row,
    scale_row,
)
from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row, measure
from quadruped_control.evaluation.wild_body import load_body
from quadruped_control.loading import validate
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

SEEDS = 200                 # of a row
AROUND = 0.5                # m/s from the row's speed
ALLOWED = 0.97              # share that must be recovered from
ANY_MOMENT = 1.0            # s within which pushes begin
DIRECTIONS = 8              # into which angles are counted
LOOK = 100                  # ticks after which is looked whether the robot fell
SEEN_OUT = 1.0              # s that a fall is seen out
COLUMNS = ('gait', 'speed', 'force', 'duration', 'recovered', 'share', 'failures')


def list_rows() -> list[Row]:
    """Return table 1, and what is held to another gait's figures."""
    return [*TABLE_1, *((gait, *row[1:]) for gait, like in LIKE.items()
                        for row in TABLE_1 if row[0] == like)]


def make_trials(gaits: Sequence[str], seed: int, count: int = SEEDS, robot: str = DEFAULT_ROBOT
                ) -> list[Trial]:
    """Return so many trials for each row, by a seed."""
    body = load_body(robot)
    rows = [scale_row(row, body.similarity) for row in list_rows() if row[0] in gaits]
    return [_make_trial(row, seed, number, robot) for row in rows for number in range(count)]


def _make_trial(row: Row, seed: int, number: int, robot: str) -> Trial:
    gait, speed, force, lasts = row
    body = load_body(robot)
    rng = np.random.default_rng([seed, number, sorted(RANGES).index(gait), round(1000 * lasts)])
    around, slower = AROUND * body.similarity.factor('m/s'), max(1.0, body.similarity.factor('s'))
    low, high = body.ranges[gait] if robot != DEFAULT_ROBOT else RANGES[gait]
    begin = (PUSH_AT.get(LIKE.get(gait, gait), PUSH_AT_ELSE)
             + float(rng.uniform(0.0, ANY_MOMENT))) * slower
    angle = float(rng.uniform(-pi, pi))
    goes = round(float(rng.uniform(max(low, speed - around), min(high, speed + around))), 3)
    push = {'t': round(begin, 3), 'phase': round(float(rng.uniform(0.0, 0.999)), 3),
            'at': str(rng.choice(['front', 'rear'])), 'duration': lasts,
            'force': [round(force * cos(angle), 2), round(force * sin(angle), 2), 0.0]}
    turn = round(angle / (2 * pi / DIRECTIONS)) * 360 // DIRECTIONS
    return Trial(row, {
        'name': f'{gait} {force:g} N {lasts:g} s {push["at"]} {turn:+d} deg seed {seed} {number}',
        'robot': robot, 'duration': round(begin + AFTER * slower, 3), 'recover': False,
        'commands': [{'t': 0.5, 'vx': goes, 'gait': gait}], 'pushes': [push]})


def run_push(trial: Trial) -> Metrics:
    """Run a trial until its end, or until a second after the robot fell."""
    scenario = validate({'name': str(trial.row), **trial.scenario}, Scenario, str(trial.row))
    loop = Loop(scenario)
    steps = round(scenario.duration / TIME_STEP)
    while loop.recording.count < steps:
        loop.run(min(LOOK, steps - loop.recording.count))
        last = loop.recording.tail(min(LOOK, loop.recording.count))
        down = np.isin(last.skill, (Activity.FALLING, Activity.FALLEN))
        touches = (last.mode == Mode.LOCOMOTION) & (last.body_contact != 0.0)
        if down.any() or touches.any():
            loop.run(min(round(SEEN_OUT / TIME_STEP), steps - loop.recording.count))
            break
    metrics = measure(loop)
    loop.world.close()
    return metrics


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return the share of pushes of each row that the robot recovered from, and its interval."""
    names: dict[tuple[object, ...], list[str]] = {}
    for trial, metrics in outcomes:
        if metrics['fell']:
            names.setdefault(trial.row, []).append(trial.scenario['name'])
    rows = []
    for row, found in by_row(outcomes).items():
        failed = names.get(row, [])
        held = len(found) - len(failed)
        rows.append({'gait': row[0], 'speed': row[1], 'force': row[2], 'duration': row[3],
                     'recovered': held, 'of': len(found),
                     'interval': find_share_interval(held, len(found)), 'failures': failed})
    return rows


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough pushes were recovered from."""
    return bool(row['recovered'] >= ALLOWED * row['of'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    failed: dict[str, int] = {}
    for name in row['failures']:
        case = ' '.join(name.split(' s ')[1].split()[:2])
        failed[case] = failed.get(case, 0) + 1
    return [row['gait'], f'{row["speed"]:g} m/s', f'{row["force"]:g} N', f'{row["duration"]:g} s',
            f'{row["recovered"]}/{row["of"]}', describe_share(row['recovered'], row['of']),
            ', '.join(f'{case} {count}' for case, count in failed.items())]
