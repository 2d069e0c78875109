"""The leap of each cell of (h, d, v): how it is chosen, tried again, and gives way to another."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.leap import PARAMETERS, list_bounds
from quadruped_control.leaps.coverage import choose_leaps, find_cell
from quadruped_control.leaps.dictionary import LEVELS, LeapDictionary, load_dictionary, make_row
from quadruped_control.tuning.leap_repeating import (
    REPEATS,
    draw_starts,
    repeat_dictionary,
    repeat_leap,
)

FLAT = LEVELS.index(0.0)
LOADING = PARAMETERS.index('loading')


def make_dictionary() -> LeapDictionary:
    """Return three leaps of one cell, each told by its loading, that landed in 1, 1 and 5 of 6."""
    rows = []
    for loading, effort, share in ((0.1, 1.0, 1.0), (0.2, 2.0, 1.0), (0.3, 0.5, 5 / 6)):
        figures = np.zeros(22)
        figures[:4] = 0.75, 0.3, 0.2, effort
        parameters = list_bounds()[0]
        parameters[LOADING] = loading
        row = make_row(figures, parameters)
        row[-len(PARAMETERS) - len(LEVELS) + FLAT] = share
        rows.append(row)
    return LeapDictionary(np.array(rows))


class Landings(Executor):
    """Says of each leap how often it landed, by its loading."""

    def __init__(self, landed: dict[float, int]) -> None:
        self.landed, self.tried = landed, list[float]()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.tried.append(float(arguments[0][LOADING]))
        answer: Future[Any] = Future()
        answer.set_result(self.landed[self.tried[-1]])
        return answer


def test_of_those_that_landed_best_the_one_of_least_effort_is_chosen() -> None:
    assert choose_leaps(make_dictionary()) == {(0, 0, 0): 0}


def test_a_leap_that_does_not_repeat_gives_way_to_the_next_best() -> None:
    pool = Landings({0.1: 2, 0.2: REPEATS, 0.3: REPEATS})
    *_, repeated = repeat_dictionary(make_dictionary(), pool)
    assert pool.tried == [0.1, 0.2]
    assert choose_leaps(repeated) == {(0, 0, 0): 1}
    assert repeated.landings[:, FLAT] == pytest.approx([8 / 14, 1.0, 5 / 6])


def test_a_leap_that_repeats_is_all_that_is_tried() -> None:
    pool = Landings({0.1: REPEATS})
    *_, repeated = repeat_dictionary(make_dictionary(), pool)
    assert pool.tried == [0.1]
    np.testing.assert_array_equal(repeated.rows, make_dictionary().rows)


def test_every_cell_of_the_dictionary_has_one_leap_of_its_own() -> None:
    dictionary = load_dictionary()
    for cell, row in choose_leaps(dictionary).items():
        assert find_cell(dictionary.points[row]) == cell


def test_the_starts_are_the_same_each_time_and_differ() -> None:
    assert draw_starts() == draw_starts()
    assert len(set(draw_starts())) == REPEATS
    assert {start.half_strides for start in draw_starts()} == {2, 3}


def test_a_leap_without_force_lands_from_no_start() -> None:
    assert repeat_leap(list_bounds()[0], 0.8, 0.0) == 0
