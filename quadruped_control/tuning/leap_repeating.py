"""
How often the leap of each cell repeats on flat ground: more trials, and another leap if need be.

A leap that landed in each of its few trials may still land in two of three only. The one that
stands for a cell of (h, d, v) is tried again from other starts; where it fails another one of the
cell comes to be the best, and is tried in its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, as_completed

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.coverage import choose_leaps
from quadruped_control.leaps.dictionary import LEVELS, LeapDictionary
from quadruped_control.rollout.leap_outcome import measure_first_leap
from quadruped_control.tuning.leap_proof import (
    FLAT_STARTS,
    ProofStart,
    lands_on_flat,
    run_leap,
)

Array = NDArray[np.float64]
FLAT = LEVELS.index(0.0)
SEED, REPEATS = 31, 8       # of the starts' chance, and how many there are
FASTER, LATER = 0.03, (0.5, 0.9)    # m/s, either way; s


def draw_starts() -> tuple[ProofStart, ...]:
    """
    Return starts that differ in speed and time, leaping from one side and the other.

    The dog trots on at the speed it came with: faster than a planner lets it, or slower.
    """
    rng = np.random.default_rng(SEED)
    return tuple(ProofStart(2 + n % 2, round(float(rng.uniform(-FASTER, FASTER)), 4),
                            round(float(rng.uniform(*LATER)), 3), keeps=True)
                 for n in range(REPEATS))


def repeat_leap(parameters: Array, speed: float, take_off: float) -> int:
    """Return in how many of the drawn starts a leap at a speed (m/s) flies and lands well."""
    trials = [(start, run_leap(parameters, speed, start)) for start in draw_starts()]
    return sum(measure_first_leap(recording) is not None
               and lands_on_flat(recording, start, take_off) for start, recording in trials)


def repeat_dictionary(dictionary: LeapDictionary, pool: Executor) -> Iterator[LeapDictionary]:
    """Yield the dictionary after each leap, until all that come to be chosen were tried."""
    known = LeapDictionary(dictionary.rows.copy(), dictionary.origin)
    tried: set[int] = set()
    few = len(FLAT_STARTS)
    while chosen := sorted(set(choose_leaps(known).values()) - tried):
        futures = {pool.submit(repeat_leap, known.parameters[n], float(known.column('speed')[n]),
                               float(known.column('take_off')[n])): n for n in chosen}
        tried.update(chosen)
        for future in as_completed(futures):
            share = known.landings[futures[future], FLAT]
            share = (few * share + future.result()) / (few + REPEATS)
            known.landings[futures[future], FLAT] = share
            yield known
