"""
Controllers side by side: the same robot, speeds, pushes and grounds.

Speeds, forces, durations and heights are the dog's; another robot's are by its similarity to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, tan
from typing import Any

import numpy as np

from quadruped_control.control.controllers import CONTROLLERS, list_controllers
from quadruped_control.evaluation.gaits import NUDGE, make_nudges
from quadruped_control.evaluation.pushes import DIRECTIONS, TABLE_1, scale_row
from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.similarity import Similarity, round_to_digits

LEVEL = (('walk', 0.0), ('walk', 0.35), ('walk', 0.7), ('trot', 0.0), ('trot', 1.0),
         ('trot', 1.4), ('trot', 1.8), ('trot', 2.0))       # gait and m/s
SLOPES = (15.0, 20.0)               # degrees
CLIMBING = (('walk', 0.7), ('trot', 1.0))
FRICTIONS = (0.2, 0.3, 0.4)
RUN_UP, LENGTH = 1.5, 6.0           # m
ROUGHNESS, CELL = 0.05, 0.15        # m
BETWEEN = (0.5, 1.8)                # m/s, walk to trot and back
DURATION = 10.0                     # s, of level runs
AFTER = 6.0                         # s, after a push
ALLOWED = 0.95                      # share of runs that must stay up
CHANGED = 'walk-trot-walk by itself'
COLUMNS = ('robot', 'controller', 'what', 'stood', 'speed', 'cost of transport', 'tilt', 'slip',
           'torque jump', 'slips', 'jams', 'unsolved')


def make_trials(seeds: Sequence[int], robots: Sequence[str]) -> list[Trial]:
    """Return all trials: robots, their controllers, what is asked, seeds."""
    trials = []
    for robot in robots:
        similarity = load_robot(robot).similarity_to(load_model())
        for name, parts in list_variants(robot).items():
            for what, make in list_tasks(similarity).items():
                trials += [Trial((robot, name, what), {
                    'robot': robot, 'seed': seed, 'recover': False, **parts, **make(seed)})
                    for seed in seeds]
    return trials


def list_variants(robot: str) -> dict[str, dict[str, Any]]:
    """Return the controllers of a robot by name; one for any spine also with a rigid one."""
    found: dict[str, dict[str, Any]] = {}
    for name in list_controllers(robot):
        found[name] = {'controller': name}
        if robot == DEFAULT_ROBOT and not CONTROLLERS[name].rigid:
            found[f'{name}, rigid spine'] = {'controller': name, 'spine': 'rigid'}
    return found


def list_tasks(similarity: Similarity) -> dict[str, Any]:
    """Return what is asked, by name, each a function of a seed."""
    pace, size = similarity.factor('m/s'), similarity.length
    tasks: dict[str, Any] = {}

    def ask(name: str, gait: str, speed: float, terrain: list[dict[str, Any]],
            distance: float) -> None:
        wanted = round_to_digits(speed * pace, 3)

        def make(seed: int) -> dict[str, Any]:
            return {'duration': 2.0 + distance / speed * pace if terrain else DURATION,
                    'terrain': terrain, 'pushes': _nudge(seed, terrain, similarity),
                    'commands': [{'t': _begin(seed), 'vx': wanted, 'gait': gait}]}

        tasks[name] = make

    for gait, speed in LEVEL:
        ask(f'{gait} {speed:g}', gait, speed, [], 0.0)
    for angle in SLOPES:
        for gait, speed in CLIMBING:
            ask(f'{gait} up {angle:g} deg', gait, speed, _climb(angle, 1, size), 8.0)
            ask(f'{gait} down {angle:g} deg', gait, speed, _climb(angle, -1, size), 8.0)
    for friction in FRICTIONS:
        ask(f'trot, friction {friction:g}', 'trot', 1.0, [
            {'kind': 'patch', 'x': [RUN_UP * size, 60.0], 'y': [-20, 20],
             'friction': friction}], 8.0)
    rough = [{'kind': 'rough', 'x': [RUN_UP * size, 12.0 * size], 'y': [-5, 5],
              'amplitude': ROUGHNESS * size, 'cell': CELL * size}]
    for gait, speed in CLIMBING:
        ask(f'{gait}, rough 5 cm', gait, speed, rough, 8.0)
    for row in TABLE_1:
        if row[0] in ('walk', 'trot'):
            tasks[f'{row[0]}, push {row[2]:g} N'] = _make_push(scale_row(row, similarity))
    tasks[CHANGED] = _make_change(pace)
    return tasks


def _begin(seed: int) -> float:
    """Return when a run sets off, so that no two come to an edge in the same phase."""
    return round(float(np.random.default_rng(seed).uniform(0.3, 0.8)), 3)


def _nudge(seed: int, terrain: list[dict[str, Any]], similarity: Similarity) -> list[Any]:
    return [] if terrain else make_nudges(seed, DURATION, NUDGE * similarity.factor('N'))


def _climb(angle: float, way: int, size: float) -> list[dict[str, Any]]:
    """Return a ramp ahead, up or down."""
    x = [RUN_UP * size, (RUN_UP + LENGTH) * size]
    rise = LENGTH * size * tan(np.radians(angle))
    if way > 0:
        return [{'kind': 'ramp', 'x': x, 'y': [-5, 5], 'height': [0.0, rise]},
                {'kind': 'box', 'x': [x[1], x[1] + 5.0], 'y': [-5, 5], 'height': rise}]
    return [{'kind': 'box', 'x': [-3.0, x[0]], 'y': [-5, 5], 'height': rise},
            {'kind': 'ramp', 'x': x, 'y': [-5, 5], 'height': [rise, 0.0]}]


def _make_push(row: tuple[str, float, float, float]) -> Any:
    """Return a task with one push: frame, direction and phase by the seed."""
    gait, speed, force, duration = row

    def make(seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        x, y = DIRECTIONS[str(rng.choice(list(DIRECTIONS)))]
        push = {'t': 4.0, 'phase': round(float(rng.uniform(0.0, 0.99)), 2), 'duration': duration,
                'at': str(rng.choice(['front', 'rear'])), 'force': [force * x, force * y, 0.0]}
        return {'duration': 4.0 + AFTER, 'pushes': [push],
                'commands': [{'t': _begin(seed), 'vx': speed, 'gait': gait}]}

    return make


def _make_change(pace: float) -> Any:
    """Return a task in which the gait is left to the speed."""
    slow, fast = (round_to_digits(speed * pace, 3) for speed in BETWEEN)
    return lambda seed: {'duration': 18.0, 'commands': [
        {'t': _begin(seed), 'vx': slow}, {'t': 6.0, 'vx': fast}, {'t': 12.0, 'vx': slow}]}


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return a row for each robot, controller and task: means over the runs that stayed up."""
    return [_row(row, found) for row, found in by_row(outcomes).items()]


def _row(key: tuple[object, ...], found: list[Metrics]) -> dict[str, Any]:
    kept = [metrics for metrics in found if _succeeds(key, metrics)]

    def mean(values: list[Any]) -> float | None:
        there = [value for value in values if value is not None]
        return float(np.mean(there)) if there else None

    def total(name: str) -> int | None:
        there = [metrics[name] for metrics in found if metrics[name] is not None]
        return sum(there) if there else None

    robot, controller, what = (str(part) for part in key)
    return {'robot': robot, 'controller': controller, 'what': what, 'stood': len(kept),
            'of': len(found), 'speed': mean([metrics['mean_speed'] for metrics in kept]),
            'cost_of_transport': mean([metrics['cost_of_transport'] for metrics in kept]),
            'tilt': mean([degrees(max(metrics['pitch'][frame]['amplitude']
                                      for frame in ('front', 'rear'))) for metrics in kept]),
            'slip': mean([metrics['slip'] for metrics in kept]),
            'torque_jump': mean([metrics['torque_jump'] for metrics in kept]),
            'slips': total('slips'), 'jams': total('jams'), 'unsolved': total('unsolved')}


def _succeeds(key: tuple[object, ...], metrics: Metrics) -> bool:
    """Say whether a run stayed up, and went through the gaits where it should."""
    if metrics['fell']:
        return False
    names = [change['gait'] for change in metrics['gaits']]
    return key[2] != CHANGED or (names.count('trot') >= 1 and names[-1] == 'walk')


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough runs stayed up."""
    return bool(row['stood'] >= ALLOWED * row['of'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    def write(value: float | None, form: str) -> str:
        return '' if value is None else format(value, form)

    return [row['robot'], row['controller'], row['what'], f'{row["stood"]}/{row["of"]}',
            write(row['speed'], '.2f'), write(row['cost_of_transport'], '.2f'),
            write(row['tilt'], '.1f'), write(None if row['slip'] is None else 100 * row['slip'],
                                             '.1f'),
            write(row['torque_jump'], '.3f'), write(row['slips'], 'd'), write(row['jams'], 'd'),
            write(row['unsolved'], 'd')]
