"""What the leap dictionary does in PyBullet: replays, courses and the longest gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.skill_numbers import Activity
from quadruped_control.evaluation.leap_courses import Hurdle, run_course, run_hurdles
from quadruped_control.evaluation.mixed_courses import run_mixed_course
from quadruped_control.leaps.coverage import choose_leaps, list_borders
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.leaps.models import MODELS
from quadruped_control.loading import validate
from quadruped_control.rollout.leap_outcome import find_leaps, measure_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario

STARTS = 5                  # perturbed starts of each leap
NEEDED = 0.8                # share of them that must land and trot on
SETTLE, AFTER = 2.5, 2.0    # s
LONGEST_GAP = 2.0           # m, and
APPROACHES = (0.8, 1.0, 1.2, 1.4, 1.6)      # m/s to come to it with
COURSES = 50
FIRST_SEED = 1000

Array = NDArray[np.float64]
Row = dict[str, Any]
Progress = Callable[[str, int, int], None]


def replay_leap(row: int, start: int, model: str) -> dict[str, float] | None:
    """
    Replay a leap from a start that differs a little; None if the dog falls or never flies.

    :param model: gives the parameters for its height, distance and speed.
    """
    dictionary = load_dictionary()
    height, distance, speed = dictionary.points[row].tolist()
    parameters = MODELS[model](dictionary).find(height, distance, speed)
    return replay(parameters, speed, np.random.default_rng([row, start]))


def replay(parameters: Array, speed: float, rng: np.random.Generator) -> dict[str, float] | None:
    """Let the dog leap out of a trot of about a speed (m/s); None if it falls or never flies."""
    speed += rng.uniform(-0.03, 0.03)
    settle = round(SETTLE + float(rng.uniform(0.0, 0.4)), 3)
    scenario = validate({
        'name': 'replay', 'duration': settle + AFTER + 1.0, 'recover': False,
        'commands': [{'t': 0.2, 'vx': max(speed, 0.0), 'gait': 'trot'}]}, Scenario, 'replay')
    loop = Loop(scenario)
    loop.run(round(1000 * settle))
    loop.scheduler.skills.leap_by(parameters, settle)
    loop.run(round(1000 * AFTER))
    recording = loop.recording
    loop.world.close()
    found = find_leaps(recording)
    if (recording.skill == Activity.FALLING).any() or not found:
        return None
    outcome = measure_leap(recording, *found[0])
    if outcome is None:
        return None
    return {'height': outcome.height, 'distance': outcome.distance, 'speed': outcome.speed,
            'take_off': outcome.take_off, 'landing': outcome.landing, 'pitch': outcome.pitch}


def replay_cells(pool: Executor, progress: Progress) -> list[Row]:
    """
    Replay a leap of every cell of (h, d, v) that has one, by each model.

    It is the one of least effort among those that landed best when they were proved.
    """
    cells = choose_leaps(load_dictionary())
    futures = {(cell, model): [pool.submit(replay_leap, row, start, model)
                               for start in range(STARTS)]
               for cell, row in cells.items() for model in MODELS}
    waiting = [future for found in futures.values() for future in found]
    wait_for('replays', waiting, progress)
    rows = []
    heights, distances, speeds = list_borders()
    for cell in cells:
        h, d, v = cell
        landed = {model: sum(future.result() is not None for future in futures[cell, model])
                  for model in MODELS}
        rows.append({'height': float(heights[h]), 'distance': float(distances[d]),
                     'speed': float(speeds[v]), **landed, 'of': STARTS,
                     'holds': landed['nearest'] >= NEEDED * STARTS})
    return rows


def summarise_cells(rows: Sequence[Row]) -> list[Row]:
    """Return for each band of speeds how many cells are reached, hold, and land by each model."""
    summary = []
    heights, distances, speeds = list_borders()
    every = (len(heights) - 1) * (len(distances) - 1)
    for low, high in pairwise(speeds.tolist()):
        found = [row for row in rows if row['speed'] == low]
        summary.append({
            'speed': f'{low:.1f} to {high:.1f} m/s', 'cells': every, 'reached': len(found),
            'hold': sum(row['holds'] for row in found),
            **{f'{model}: landed': sum(row[model] for row in found) for model in MODELS},
            'of': sum(row['of'] for row in found)})
    return summary


def wait_for(what: str, futures: Sequence[Future[Any]], progress: Progress) -> None:
    """Wait until all are done, and tell how far it is."""
    for done, future in enumerate(futures, 1):
        future.result()
        progress(what, done, len(futures))


def run_courses(pool: Executor, progress: Progress, count: int = COURSES) -> list[Row]:
    """Run courses of seeds not used in building; return how often each kind was passed."""
    futures = [pool.submit(run_course, seed) for seed in range(FIRST_SEED, FIRST_SEED + count)]
    wait_for('courses', futures, progress)
    return _summarise_courses([result for future in futures for result in future.result()])


def run_mixed_courses(pool: Executor, progress: Progress, count: int = COURSES) -> list[Row]:
    """Run courses with stairs and ramps in `auto`; return how often each kind was passed."""
    futures = [pool.submit(run_mixed_course, seed)
               for seed in range(FIRST_SEED, FIRST_SEED + count)]
    wait_for('mixed courses', futures, progress)
    return _summarise_courses([result for future in futures for result in future.result()])


def _summarise_courses(found: Sequence[dict[str, Any]]) -> list[Row]:
    kinds = sorted({result['kind'] for result in found})
    rows = [_summarise(kind, [item for item in found if item['kind'] == kind]) for kind in kinds]
    return [*rows, _summarise('all', found)]


def _summarise(kind: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    tried = [item for item in found if not item['refused']]
    return {'kind': kind, 'met': len(found), 'passed': sum(item['passed'] for item in found),
            'refused': len(found) - len(tried), 'fell': sum(item['fell'] for item in found)}


def leap_longest_gap(pool: Executor, progress: Progress) -> list[Row]:
    """Run at a 2 m gap from several approach speeds."""
    futures = [pool.submit(_leap_gap, LONGEST_GAP, speed) for speed in APPROACHES]
    wait_for('longest gap', futures, progress)
    return [{'speed': speed, **future.result()}
            for speed, future in zip(APPROACHES, futures, strict=True)]


def _leap_gap(width: float, speed: float) -> Row:
    gap = {'kind': 'gap', 'x': [6.0, 6.0 + width]}
    return run_hurdles([gap], [Hurdle('gap', 6.0, 6.0 + width, width)], speed)[0]
