"""Leaps aimed at cells of (h, d, v): which are picked, what is kept, how flights count."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.coverage import choose_leaps, find_cell, list_borders
from quadruped_control.leaps.dictionary import LEVELS, LeapDictionary, load_dictionary, make_row
from quadruped_control.rollout.leap_outcome import measure_first_leap
from quadruped_control.tuning.leap_aiming import BATCH, BATCHES, Aimed, Aiming, rate_flight
from quadruped_control.tuning.leap_flight import fly_in_fork
from quadruped_control.tuning.leap_proof import run_leap
from quadruped_control.tuning.leap_runway import SPEEDS, STARTS

FLAT = LEVELS.index(0.0)
MOST_TRIES = 3              # one after the other for a cell, before others seem nearer


class Marksman(Executor):
    """Lets every leap land in the middle of the cell that it is for, or none."""

    def __init__(self, *, hits: bool) -> None:
        self.hits, self.tried = hits, list[tuple[Any, ...]]()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        if function is rate_flight:
            self.tried.append(arguments)
            answer.set_result(Aimed(float(arguments[0][0]), self.hits))
        else:
            parameters, speed = arguments
            middles = [borders[place:place + 2].mean() for borders, place
                       in zip(list_borders()[:2], self.tried[-1][2][:2], strict=True)]
            figures = np.array([*middles, speed, *np.zeros(19)])
            answer.set_result((1.0, make_row(figures, parameters)))
        return answer


def find_unsafe(dictionary: LeapDictionary) -> set[tuple[int, int, int]]:
    chances = dictionary.find_chances(0.0)
    return {cell for cell, n in choose_leaps(dictionary).items() if chances[n] < 1.0}


def make_unsafe() -> LeapDictionary:
    """Return the dictionary without the leaps for a cell that always land, but with some."""
    known = load_dictionary()
    rows = known.rows.copy()
    inside = [n for n, point in enumerate(known.points) if find_cell(point) == (2, 3, 1)]
    dictionary = LeapDictionary(rows)
    dictionary.landings[inside, FLAT] = 0.9
    return dictionary


def test_cells_whose_leap_fails_at_times_come_first_and_each_gets_one_leap() -> None:
    dictionary, pool, (least, most) = make_unsafe(), Marksman(hits=True), list_bounds()
    unsafe = find_unsafe(dictionary)
    aiming, rows = Aiming(dictionary, seed=1), []
    for _ in range(len(unsafe) + 2):
        rows += aiming.run_batch(pool)
    assert all(((least <= leap) & (leap <= most)).all() for leap, _, _ in pool.tried)
    assert all(speed in SPEEDS for _, speed, _ in pool.tried)
    found = [find_cell(row[:3]) for row in rows]
    assert len(found) == len(set(found)) == len(unsafe) + 2
    assert set(found[:len(unsafe)]) == unsafe and (2, 3, 1) in unsafe


def test_a_cell_that_is_not_reached_gives_way_to_another() -> None:
    pool, searches = Marksman(hits=False), 6
    aiming = Aiming(make_unsafe(), seed=1)
    for _ in range(searches * BATCHES):
        assert aiming.run_batch(pool) == []
    cells = [cell for _, _, cell in pool.tried]
    assert len(cells) == searches * BATCHES * BATCH
    each = [set(cells[n * BATCHES * BATCH:(n + 1) * BATCHES * BATCH]) for n in range(searches)]
    assert all(len(one) == 1 for one in each)
    assert len(set(cells)) >= 2 and max(each.count(one) for one in each) <= MOST_TRIES


def test_a_flight_is_the_leap_as_far_as_its_first_touch() -> None:
    dictionary = load_dictionary()
    sure = int(np.argmax(dictionary.find_chances(0.0)))
    parameters, speed = dictionary.parameters[sure], SPEEDS[3]
    flight = fly_in_fork(parameters, speed, STARTS[0])
    whole = measure_first_leap(run_leap(parameters, speed, STARTS[0]))
    assert flight is not None and whole is not None
    assert flight.height == pytest.approx(whole.height, abs=1e-9)
    assert flight.distance == pytest.approx(whole.distance, abs=0.05)
    assert flight.pitch == pytest.approx(whole.pitch, abs=0.05)
    assert fly_in_fork(list_bounds()[0], speed, STARTS[0]) is None


def test_a_flight_counts_most_in_its_cell() -> None:
    dictionary = load_dictionary()
    sure = (dictionary.find_chances(0.0) == 1.0) & (dictionary.column('height') < 1.0)
    apart = np.abs(dictionary.column('speed')[:, None] - np.array(SPEEDS))
    leap = int(np.argmin(np.where(sure, apart.min(axis=1), np.inf)))
    speed, parameters = SPEEDS[int(np.argmin(apart[leap]))], dictionary.parameters[leap]
    flight = fly_in_fork(parameters, speed, STARTS[0])
    assert flight is not None
    h, d, v = find_cell(np.array([flight.height, flight.distance, speed])) or (0, 0, 0)
    there = rate_flight(parameters, speed, (h, d, v))
    beside = rate_flight(parameters, speed, (h + 2, d, v))
    assert beside.score < there.score and not beside.good
    none = rate_flight(list_bounds()[0], speed, (h, d, v))
    assert none.score < beside.score and not none.good
