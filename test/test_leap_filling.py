"""Leaps grown for cells that have none: which cells are picked, and what is kept."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.leap import list_bounds
from quadruped_control.leaps.coverage import find_cell, find_cells, list_borders
from quadruped_control.leaps.dictionary import LEVELS, LeapDictionary, load_dictionary, make_row
from quadruped_control.tuning.leap_filling import BATCH, Filling, rate_leap
from quadruped_control.tuning.leap_steering import FURTHEST, find_step

FLAT = LEVELS.index(0.0)


class Obedient(Executor):
    """Gives each leap tried the speed asked for, and the height and distance of its number."""

    def __init__(self, chance: float) -> None:
        self.chance, self.tried = chance, list[tuple[np.ndarray, float]]()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        parameters, speed = arguments
        self.tried.append((parameters, speed))
        place = np.random.default_rng(len(self.tried)).uniform(size=2)
        figures = np.zeros(22)
        figures[:3] = 0.7 + 0.7 * place[0], 0.2 + 1.4 * place[1], speed
        answer: Future[Any] = Future()
        answer.set_result((self.chance, make_row(figures, parameters)))
        return answer


def test_cells_fill_and_leaps_stay_within_their_bounds() -> None:
    known, pool, (least, most) = load_dictionary(), Obedient(1.0), list_bounds()
    filling = Filling(known, seed=1)
    before = filling.count()
    for _ in range(6):
        filling.run_batch(pool)
    assert len(pool.tried) == 6 * BATCH
    assert all(((least <= leap) & (leap <= most)).all() for leap, _ in pool.tried)
    assert all(0.0 <= speed <= list_borders()[2][-1] for _, speed in pool.tried)
    filled = filling.dictionary((), len(known))
    assert len(find_cells(filled.points)) == filling.count()[0] > before[0]
    np.testing.assert_array_equal(filled.rows[:len(known)], known.rows)
    new = [find_cell(point) for point in filled.points[len(known):]]
    assert len(set(new)) == len(new) and None not in new


def test_a_leap_that_lands_less_often_takes_no_place() -> None:
    known = load_dictionary()
    sure = LeapDictionary(known.rows[known.landings[:, FLAT] == 1.0])
    filling, cells = Filling(sure, seed=2), set(find_cells(sure.points))
    for _ in range(4):
        filling.run_batch(Obedient(0.9))
    assert all(filling.best[cell] < len(sure) for cell in cells)


def test_the_same_seed_tries_the_same_leaps() -> None:
    pools = [Obedient(1.0), Obedient(1.0)]
    for pool in pools:
        Filling(load_dictionary(), seed=3).run_batch(pool)
    for (a, v), (b, w) in zip(pools[0].tried, pools[1].tried, strict=True):
        assert v == w
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(('height', 'distance'), [(0.69, 1.0), (1.4, 1.0), (1.0, 0.19)])
def test_what_lies_outside_the_range_has_no_cell(height: float, distance: float) -> None:
    assert find_cell(np.array([height, distance, 0.5])) is None


def test_a_leap_that_always_lands_is_rated_so_and_one_without_force_is_not() -> None:
    dictionary = load_dictionary()
    safe = np.flatnonzero(dictionary.find_chances(0.0) == 1.0)
    sure = int(safe[np.argmin(dictionary.column('effort')[safe])])
    speed = float(dictionary.column('speed')[sure])
    chance, row = rate_leap(dictionary.parameters[sure], speed)
    assert chance == 1.0 and row is not None
    assert row[:3] == pytest.approx(dictionary.points[sure], abs=0.06)
    weak, row = rate_leap(list_bounds()[0], speed)
    assert weak == 0.0 and row is None


def test_a_step_leads_to_the_height_and_distance_aimed_for_where_both_are_linear() -> None:
    rng = np.random.default_rng(5)
    known, slopes = rng.uniform(0.3, 0.7, (200, 17)), rng.normal(0.0, 1.0, (17, 2))
    speeds = rng.uniform(0.0, 1.7, 200)
    points = np.column_stack([known @ slopes + 0.3 * speeds[:, None], speeds])
    aim = points[0] + np.array([0.1, -0.2, 0.2])
    step = find_step(known, points, 0, aim)
    reached = points[0, :2] + step @ slopes + 0.3 * 0.2
    assert np.linalg.norm(reached - aim[:2]) < 0.3 * np.linalg.norm([0.1, 0.2])
    far = find_step(known, points, 0, points[0] + np.array([50.0, 50.0, 0.0]))
    assert np.linalg.norm(far) == pytest.approx(FURTHEST)
