"""Courses of gaps, platforms, barriers, stairs and ramps in any order, gone over in `auto`."""

from __future__ import annotations

from math import radians, tan
from typing import Any

import numpy as np

from quadruped_control.evaluation.leap_courses import (
    APART,
    BARRIER_LENGTH,
    BARRIERS,
    FIRST,
    GAPS,
    PLATFORMS,
    Hurdle,
    run_hurdles,
)

KINDS = ('gap', 'platform', 'barrier', 'stairs', 'ramp')
FEATURES = (3, 5)                   # of a course
SPEEDS = (1.0, 1.6)                 # m/s
RISES, TREADS, STEPS = (0.06, 0.17), (0.28, 0.35), (3, 8)       # of stairs: m, m, how many
SLOPES, LENGTHS = (5.0, 20.0), (2.0, 4.0)                       # of ramps: degrees, m
TOP = 3.0                           # m of level ground on top of stairs and ramps

Terrain = list[dict[str, Any]]


def make_mixed_course(seed: int) -> tuple[Terrain, list[Hurdle], float]:
    """Return the terrain of a scenario, its hurdles, and the speed (m/s) that is asked for."""
    rng = np.random.default_rng([seed, len(KINDS)])
    terrain: Terrain = []
    hurdles: list[Hurdle] = []
    x = FIRST
    for _ in range(int(rng.integers(FEATURES[0], FEATURES[1] + 1))):
        kind = str(rng.choice(KINDS))
        apart = _draw(rng, APART)
        make = {'stairs': _make_stairs, 'ramp': _make_ramp}.get(kind)
        if make is not None:
            features, found = make(rng, x)
        else:
            features, found = _make_leap(rng, kind, x, apart)
        terrain += features
        hurdles += found
        x = round(hurdles[-1].end + apart, 2)
    return terrain, hurdles, _draw(rng, SPEEDS)


def run_mixed_course(seed: int) -> list[dict[str, Any]]:
    """Run a course; return for each hurdle that was come to whether it was passed or refused."""
    terrain, hurdles, speed = make_mixed_course(seed)
    return run_hurdles(terrain, hurdles, speed, gait='auto')


def _draw(rng: np.random.Generator, between: tuple[float, float]) -> float:
    return round(float(rng.uniform(*between)), 2)


def _make_leap(rng: np.random.Generator, kind: str, x: float,
               apart: float) -> tuple[Terrain, list[Hurdle]]:
    """Return what is leapt over, or onto and down from."""
    if kind == 'gap':
        size = _draw(rng, GAPS)
        return [{'kind': 'gap', 'x': [x, x + size]}], [Hurdle('gap', x, x + size, size)]
    if kind == 'barrier':
        size, end = _draw(rng, BARRIERS), x + BARRIER_LENGTH
        return ([{'kind': 'barrier', 'x': [x, end], 'height': size}],
                [Hurdle('barrier', x, end, size)])
    size, end = _draw(rng, PLATFORMS), x + apart
    return ([{'kind': 'box', 'x': [x, end], 'height': size}],
            [Hurdle('up', x, x, size), Hurdle('down', end, end, size)])


def _make_stairs(rng: np.random.Generator, x: float) -> tuple[Terrain, list[Hurdle]]:
    """Return stairs up, a landing, and stairs down."""
    rise, tread = _draw(rng, RISES), _draw(rng, TREADS)
    count = int(rng.integers(STEPS[0], STEPS[1] + 1))
    tops = [*range(1, count + 1), *range(count - 1, 0, -1)]
    widths = [*[tread] * (count - 1), TOP, *[tread] * (count - 1)]
    edges = np.round(x + np.concatenate([[0.0], np.cumsum(widths)]), 3).tolist()
    terrain: Terrain = [{'kind': 'box', 'x': [a, b], 'height': round(top * rise, 3)}
                        for a, b, top in zip(edges, edges[1:], tops, strict=False)]
    return terrain, [Hurdle('stairs up', x, edges[count - 1], rise),
                     Hurdle('stairs down', edges[count], edges[-1], rise)]


def _make_ramp(rng: np.random.Generator, x: float) -> tuple[Terrain, list[Hurdle]]:
    """Return a ramp up, level ground, and a ramp down."""
    angle, length = _draw(rng, SLOPES), _draw(rng, LENGTHS)
    rise = round(length * tan(radians(angle)), 3)
    a, b, c, d = (round(x + way, 3) for way in (0.0, length, length + TOP, 2 * length + TOP))
    return ([{'kind': 'ramp', 'x': [a, b], 'height': [0.0, rise]},
             {'kind': 'box', 'x': [b, c], 'height': rise},
             {'kind': 'ramp', 'x': [c, d], 'height': [rise, 0.0]}],
            [Hurdle('ramp up', a, b, angle), Hurdle('ramp down', c, d, angle)])
