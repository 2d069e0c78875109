"""
Any robot in its gaits: speeds, other ways, turning, and pushes from eight sides.

What the dog is asked for, at the same Froude number: speeds grow with the square root of the
height of the leg frames, pushes with the weight. Torque limits are the robot's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, degrees, pi, radians, sin
from typing import Any

import numpy as np

from quadruped_control.control.gait import load_gait
from quadruped_control.control.ladder import load_ladder
from quadruped_control.control.offers import list_offers
from quadruped_control.evaluation.gaits import NUDGE, compute_miss, make_nudges
from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_model, load_robot

# of the dog, m/s and s; another robot's are by its size
FASTEST, STEP = 2.0, 0.25           # of walk, trot and pace
BACKWARDS, SIDEWAYS = 0.36, 0.24
TURNING_SPEEDS, TURNING_RATE = (0.0, 0.6), 45.0     # degrees a second
PUSHED = {'walk': 0.6}              # speed at which it is pushed; of other gaits:
PUSHED_ELSE = 1.2
PUSH_CHANGE, PUSH_DURATION = 0.6, 0.12
SIDES, PHASES = 8, 10
DURATION, START = 30.0, 0.5
TURN_AT, TURN_FOR = 2.5, 8.0
PUSH_AT, AFTER = 4.0, 5.0
SLOW_GAITS = ('walk', 'trot', 'pace')
SPEED_ALLOWED, SHARE_ALLOWED = 0.1, 0.1     # m/s, or of the speed
TURN_ALLOWED = 0.1                  # of the rate
LEAST_RECOVERED = 0.95              # of the pushes
COLUMNS = ('gait', 'what', 'asked', 'stood', 'reached', 'slip', 'peak torque', 'saturation')


def make_trials(gaits: Sequence[str], seeds: Sequence[int], robot: str) -> list[Trial]:
    """Return the trials of a robot in its gaits; a seed is three small nudges."""
    body, model = load_robot(robot), load_model()
    pace = body.similarity_to(model).factor('m/s')
    trials = []
    for gait in gaits:
        for vx, vy in list_velocities(gait, robot, pace):
            trials += [Trial((gait, 'speed', vx, vy),
                             _walk(robot, gait, vx, vy, seed, body, model)) for seed in seeds]
        if gait in SLOW_GAITS:
            trials += _turns(robot, gait, pace)
        trials += _pushes(robot, gait, pace, float(body.tree['total_mass']))
    return trials


def choose_gaits(robot: str, gait: str | None) -> list[str]:
    """Return the gaits of a robot, or the one that was asked for."""
    return [gait] if gait else sorted(name for name in list_offers(robot).gaits
                                      if not name.endswith('_left'))


def list_velocities(gait: str, robot: str, pace: float) -> list[tuple[float, float]]:
    """Return forward and sideways speeds (m/s) at which a gait is tried."""
    if gait not in SLOW_GAITS:
        least = next((step.start for step in load_ladder(robot).fast.get(gait, ())
                      if step.gait == gait), 0.0)
        speeds = [at.speed for at in load_gait(gait, robot).speeds if at.speed >= least]
        return [(speed, 0.0) for speed in speeds]
    top, step = FASTEST * pace, STEP * pace
    speeds_ahead = np.linspace(0.0, top, round(top / step) + 1)
    ahead = [(round(float(speed), 2), 0.0) for speed in speeds_ahead]
    return [*ahead, (-_round(BACKWARDS * pace), 0.0), (0.0, _round(SIDEWAYS * pace))]


def _round(speed: float) -> float:
    return round(round(speed / 0.05) * 0.05, 2)


def _walk(robot: str, gait: str, vx: float, vy: float, seed: int, body: Robot,
          model: Robot) -> dict[str, Any]:
    nudges = make_nudges(seed, DURATION, NUDGE * body.similarity_to(model).factor('N'))
    return {'robot': robot, 'seed': seed, 'duration': DURATION, 'pushes': nudges, 'recover': False,
            'commands': [{'t': START, 'vx': vx, 'vy': vy, 'gait': gait}]}


def _turns(robot: str, gait: str, pace: float) -> list[Trial]:
    return [Trial((gait, 'turn', _round(speed * pace), TURNING_RATE), {
        'robot': robot, 'duration': TURN_AT + TURN_FOR, 'recover': False, 'commands': [
            {'t': START, 'vx': _round(speed * pace), 'gait': gait},
            {'t': TURN_AT, 'wz': radians(TURNING_RATE)}]}) for speed in TURNING_SPEEDS]


def _pushes(robot: str, gait: str, pace: float, mass: float) -> list[Trial]:
    """Return pushes of the whole body, half of each at either leg frame."""
    if gait in SLOW_GAITS:
        speed = _round(PUSHED.get(gait, PUSHED_ELSE) * pace)
    else:
        velocities = list_velocities(gait, robot, pace)
        speed = velocities[len(velocities) // 2][0]
    change, duration = round(PUSH_CHANGE * pace, 2), round(PUSH_DURATION * pace, 3)
    force = mass * change / duration / 2
    begin = PUSH_AT if gait in SLOW_GAITS else PUSH_AT + 3.0
    trials = []
    for side in range(SIDES):
        x, y = cos(2 * pi * side / SIDES), sin(2 * pi * side / SIDES)
        for phase in range(PHASES):
            push = {'t': begin, 'phase': phase / PHASES, 'duration': duration,
                    'force': [force * x, force * y, 0.0]}
            trials.append(Trial((gait, 'push', speed, change), {
                'name': f'{360 * side // SIDES} deg {phase / PHASES:.1f}', 'robot': robot,
                'duration': begin + AFTER, 'recover': False,
                'commands': [{'t': START, 'vx': speed, 'gait': gait}],
                'pushes': [{**push, 'at': at} for at in ('front', 'rear')]}))
    return trials


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return a row for each gait and what it was asked for: the worst of the runs."""
    failures: dict[tuple[object, ...], list[str]] = {}
    for trial, metrics in outcomes:
        if metrics['fell']:
            name = str(trial.scenario.get('name', trial.scenario.get('seed')))
            failures.setdefault(trial.row, []).append(name)
    return [_row(row, found, failures.get(row, [])) for row, found in by_row(outcomes).items()]


def _row(key: tuple[object, ...], found: list[Metrics], failures: list[str]) -> dict[str, Any]:
    gait, what = str(key[0]), str(key[1])
    first, second = (float(str(value)) for value in key[2:])
    row = {'gait': gait, 'what': what, 'stood': len(found) - len(failures), 'of': len(found),
           'slip': max(metrics['slip'] or 0.0 for metrics in found),
           'peak_torque': max(metrics['peak_torque'] for metrics in found),
           'torque_saturation': float(np.mean([m['torque_saturation'] for m in found])),
           'failures': failures}
    if what == 'speed':
        return {**row, 'speed': first, 'sideways': second,
                'speed_error': max(compute_miss(metrics, first, second) for metrics in found)}
    if what == 'turn':
        turned = degrees(found[0]['turned']) / TURN_FOR
        return {**row, 'speed': first, 'rate': second, 'turned': turned}
    return {**row, 'speed': first, 'change': second}


def passes(row: dict[str, Any]) -> bool:
    """Say whether a row meets what is asked of a robot."""
    if row['what'] == 'push':
        return bool(row['stood'] >= LEAST_RECOVERED * row['of'])
    if row['what'] == 'turn':
        return bool(row['stood'] == row['of']
                    and abs(row['turned'] - row['rate']) <= TURN_ALLOWED * row['rate'])
    speed = float(np.hypot(row['speed'], row['sideways']))
    return bool(row['stood'] == row['of']
                and row['speed_error'] <= max(SPEED_ALLOWED, SHARE_ALLOWED * speed))


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    if row['what'] == 'push':
        asked, reached = f'{row["change"]:.2f} m/s at {row["speed"]:.2f} m/s', ''
    elif row['what'] == 'turn':
        asked = f'{row["rate"]:.0f} deg/s at {row["speed"]:.2f} m/s'
        reached = f'{row["turned"]:.0f} deg/s'
    else:
        asked = f'{row["sideways"]:.2f} left' if row['sideways'] else f'{row["speed"]:.2f} m/s'
        reached = f'{row["speed_error"]:.3f} m/s off'
    return [row['gait'], row['what'], asked, f'{row["stood"]}/{row["of"]}', reached,
            f'{100 * row["slip"]:.1f} cm', f'{row["peak_torque"]:.3g} N m',
            f'{row["torque_saturation"]:.4f}']
