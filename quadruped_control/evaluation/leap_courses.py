"""Courses of gaps, platforms and barriers that the dog leaps over by its planner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quadruped_control.control.skill_numbers import Activity
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

FIRST, APART = 5.0, (4.0, 5.0)      # m to the first feature, and between two
GAPS = (0.3, 1.2)                   # m wide
PLATFORMS = (0.1, 0.5)              # m high
BARRIERS = (0.1, 0.4)               # m high
BARRIER_LENGTH = 0.1                # m
SPEED = 1.0                         # m/s
BEHIND = 1.5                        # m that the hips must get behind a feature, on their feet
SLOWEST = 0.3                       # of the speed asked for, which stairs may make of it
STOPPED = 3.0                       # s without way after which the dog has stopped


@dataclass(frozen=True)
class Hurdle:
    """A feature of a course: what it is, from where to where (m), how wide or high (m)."""

    kind: str
    begin: float
    end: float
    size: float


def make_course(seed: int) -> tuple[list[dict[str, Any]], list[Hurdle]]:
    """Return the terrain of a scenario and its hurdles; a platform has two, up and down."""
    rng = np.random.default_rng(seed)
    terrain: list[dict[str, Any]] = []
    hurdles: list[Hurdle] = []
    x = FIRST
    count = int(rng.integers(3, 7))
    while len(hurdles) < count:
        kind = str(rng.choice(['gap', 'platform', 'barrier']))
        apart = round(float(rng.uniform(*APART)), 2)
        if kind == 'gap':
            size = round(float(rng.uniform(*GAPS)), 2)
            terrain.append({'kind': 'gap', 'x': [x, x + size]})
            hurdles.append(Hurdle('gap', x, x + size, size))
        elif kind == 'barrier':
            size = round(float(rng.uniform(*BARRIERS)), 2)
            terrain.append({'kind': 'barrier', 'x': [x, x + BARRIER_LENGTH], 'height': size})
            hurdles.append(Hurdle('barrier', x, x + BARRIER_LENGTH, size))
        else:
            size = round(float(rng.uniform(*PLATFORMS)), 2)
            terrain.append({'kind': 'box', 'x': [x, x + apart], 'height': size})
            hurdles += [Hurdle('up', x, x, size), Hurdle('down', x + apart, x + apart, size)]
        x = round(hurdles[-1].end + apart, 2)
    return terrain, hurdles


def run_course(seed: int) -> list[dict[str, Any]]:
    """Run a course; return for each hurdle that was come to whether it was passed or refused."""
    terrain, hurdles = make_course(seed)
    return run_hurdles(terrain, hurdles, SPEED)


def run_hurdles(terrain: list[dict[str, Any]], hurdles: list[Hurdle], speed: float,
                gait: str = 'trot') -> list[dict[str, Any]]:
    """Run the dog over hurdles at a speed (m/s) until it falls, stops or has passed them all."""
    duration = (hurdles[-1].end + 4.0) / (SLOWEST * speed) + 5.0
    scenario = validate({
        'name': 'course', 'duration': duration, 'terrain': terrain, 'leap_planner': True,
        'recover': False, 'commands': [{'t': 0.5, 'vx': speed, 'gait': gait}]},
        Scenario, 'course')
    loop = Loop(scenario)
    still = 0.0
    for _ in range(round(duration / TIME_STEP / 100)):
        loop.run(100)
        hips = float(loop.recording.leg_frame_position[-1, 1, 0])
        moved = hips - float(loop.recording.leg_frame_position[-100, 1, 0])
        still = still + 0.1 if moved < 0.01 else 0.0
        fell = bool((loop.recording.skill[-100:] == Activity.FALLING).any())
        if fell or still > STOPPED or hips > hurdles[-1].end + BEHIND:
            break
    loop.world.close()
    reached = float(loop.recording.leg_frame_position[:, 1, 0].max())
    return _judge(hurdles, reached, fell=fell)


def _judge(hurdles: list[Hurdle], reached: float, *, fell: bool) -> list[dict[str, Any]]:
    results = []
    for hurdle in hurdles:
        passed = reached > hurdle.end + BEHIND
        results.append({'kind': hurdle.kind, 'size': hurdle.size, 'passed': passed,
                        'fell': fell and not passed, 'refused': not passed and not fell})
        if not passed:
            break
    return results
