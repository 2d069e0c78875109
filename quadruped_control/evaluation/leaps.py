"""What the leap dictionary does in PyBullet: replays, courses and the longest gap."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from quadruped_control.control.skill_table import FALLING
from quadruped_control.evaluation.leap_courses import Hurdle, run_course, run_hurdles
from quadruped_control.leaps.coverage import DISTANCES, HEIGHTS, SPEEDS, find_cells
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.loading import validate
from quadruped_control.rollout.leap_outcome import find_leaps, measure_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario

STARTS = 5                  # perturbed starts of each leap
NEEDED = 0.8                # share of them that must land and trot on
SETTLE, AFTER = 2.5, 2.0    # s
LONGEST_GAP = 2.0           # m, and
FASTEST = 1.7               # m/s to approach it with
COURSES = 50
FIRST_SEED = 1000


def replay_leap(row: int, start: int) -> dict[str, float] | None:
    """Replay a leap from a start that differs a little; None if the dog falls or never flies."""
    dictionary = load_dictionary()
    rng = np.random.default_rng([row, start])
    speed = float(dictionary.column('speed')[row]) + rng.uniform(-0.03, 0.03)
    settle = round(SETTLE + float(rng.uniform(0.0, 0.4)), 3)
    scenario = validate({
        'name': 'replay', 'duration': settle + AFTER + 1.0, 'recover': False,
        'commands': [{'t': 0.2, 'vx': max(speed, 0.0), 'gait': 'trot'}]}, Scenario, 'replay')
    loop = Loop(scenario)
    loop.run(round(1000 * settle))
    loop.scheduler.skills.leap_by(dictionary.parameters[row], settle)
    loop.run(round(1000 * AFTER))
    recording = loop.recording
    loop.world.close()
    found = find_leaps(recording)
    if (recording.skill == FALLING).any() or not found:
        return None
    outcome = measure_leap(recording, *found[0])
    if outcome is None:
        return None
    return {'height': outcome.height, 'distance': outcome.distance, 'speed': outcome.speed,
            'take_off': outcome.take_off, 'landing': outcome.landing, 'pitch': outcome.pitch}


def replay_cells(pool: Executor) -> list[dict[str, Any]]:
    """Replay one leap of every cell of (h, d, v) that has one."""
    cells = find_cells(load_dictionary().points)
    futures = {cell: [pool.submit(replay_leap, rows[0], start) for start in range(STARTS)]
               for cell, rows in sorted(cells.items())}
    rows = []
    for cell, waiting in futures.items():
        landed = sum(future.result() is not None for future in waiting)
        h, d, v = cell
        rows.append({'height': float(HEIGHTS[h]), 'distance': float(DISTANCES[d]),
                     'speed': float(SPEEDS[v]), 'landed': landed, 'of': STARTS,
                     'passes': landed >= NEEDED * STARTS})
    return rows


def run_courses(pool: Executor, count: int = COURSES) -> list[dict[str, Any]]:
    """Run courses of seeds not used in building; return how often each kind was passed."""
    futures = [pool.submit(run_course, seed) for seed in range(FIRST_SEED, FIRST_SEED + count)]
    found = [result for future in futures for result in future.result()]
    kinds = sorted({result['kind'] for result in found})
    return [_summarise(kind, [item for item in found if item['kind'] == kind]) for kind in kinds]


def _summarise(kind: str, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    tried = [item for item in found if not item['refused']]
    return {'kind': kind, 'met': len(found), 'passed': sum(item['passed'] for item in found),
            'refused': len(found) - len(tried), 'fell': sum(item['fell'] for item in found)}


def leap_longest_gap(speed: float) -> dict[str, Any]:
    """Run at a 2 m gap."""
    gap = {'kind': 'gap', 'x': [5.0, 5.0 + LONGEST_GAP]}
    return run_hurdles([gap], [Hurdle('gap', 5.0, 5.0 + LONGEST_GAP, LONGEST_GAP)], speed)[0]
