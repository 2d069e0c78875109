"""
The middle of the range of leaps: replays of any h, d and v there, by each model.

The places are drawn at random, not those of leaps: what a model gives between them counts.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.evaluation.leaps import STARTS, Progress, Row, replay, wait_for
from quadruped_control.leaps.coverage import find_cell, find_cells
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.leaps.models import MODELS, NEAREST

Array = NDArray[np.float64]
LOW, HIGH = (0.7, 0.4, 0.5), (1.0, 1.2, 1.2)    # h, d (m) and v (m/s) of the middle
PLACES = 60                 # that are drawn
SEED = 2011


class Replay(NamedTuple):
    """
    What was asked of a leap, and what came of it.

    :param reached: h and d, m, None if it did not land.
    :param nearest: it is the nearest leap of the dictionary.
    """

    asked: tuple[float, float, float]
    reached: tuple[float, float] | None
    nearest: bool


def draw_places(count: int = PLACES, seed: int = SEED) -> Array:
    """Return places (h, d, v) in cells that the dictionary reaches (count, 3)."""
    rng = np.random.default_rng(seed)
    reached = set(find_cells(load_dictionary().points))
    places: list[Array] = []
    while len(places) < count:
        place = rng.uniform(LOW, HIGH)
        if find_cell(place) in reached:
            places.append(place)
    return np.array(places)


def replay_place(place: tuple[float, float, float], number: int, start: int, model: str) -> Replay:
    """Replay what a model gives for a place from a start that differs a little."""
    dictionary = load_dictionary()
    parameters = MODELS[model](dictionary).find(*place)
    nearest = bool((parameters == MODELS[NEAREST](dictionary).find(*place)).all())
    outcome = replay(parameters, place[2], np.random.default_rng([SEED, number, start]))
    return Replay(place, None if outcome is None else (outcome['height'], outcome['distance']),
                  nearest)


def replay_middle(pool: Executor, progress: Progress, count: int = PLACES) -> list[Row]:
    """Replay places in the middle of the range by each model, from several starts each."""
    places = [(float(h), float(d), float(v)) for h, d, v in draw_places(count)]
    futures = {model: [pool.submit(replay_place, place, number, start, model)
                       for number, place in enumerate(places) for start in range(STARTS)]
               for model in MODELS}
    wait_for('middle', [future for found in futures.values() for future in found], progress)
    return [summarise_replays(model, [future.result() for future in found])
            for model, found in futures.items()]


def summarise_replays(model: str, replays: list[Replay]) -> Row:
    """Return how many landed, and the median error of h and of d among them (m)."""
    missed = np.array([np.abs(np.array(item.reached) - item.asked[:2]) for item in replays
                       if item.reached is not None]).reshape(-1, 2)
    height, distance = np.median(missed, axis=0) if len(missed) else (np.nan, np.nan)
    return {'model': model, 'speed': f'{LOW[2]:g} to {HIGH[2]:g} m/s',
            'height': f'{LOW[0]:g} to {HIGH[0]:g} m', 'distance': f'{LOW[1]:g} to {HIGH[1]:g} m',
            'landed': len(missed), 'of': len(replays),
            'of them the nearest leap': sum(item.nearest for item in replays),
            'error of h': float(height),
            'error of d': float(distance)}
