"""Leaps grown for high platforms, long gaps and height: their ratings, and which are varied."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.leap import PARAMETERS, list_bounds
from quadruped_control.leaps.coverage import choose_leaps
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.rollout.leap_outcome import LeapOutcome
from quadruped_control.tuning.leap_heightening import Heightening, value_height
from quadruped_control.tuning.leap_lengthening import Lengthening, rate_length
from quadruped_control.tuning.leap_raising import BATCH, FIRST, GOOD, PARENTS, Raising, rate_height
from quadruped_control.tuning.leap_search import BATCH as SEARCH_BATCH
from quadruped_control.tuning.leap_search import Rating


class Rated(Executor):
    """Rates a leap by its speed, in this process."""

    def __init__(self) -> None:
        self.tried: list[tuple[np.ndarray, float]] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.tried.append((arguments[0], arguments[1]))
        answer: Future[Any] = Future()
        answer.set_result((3.0 * arguments[1], np.zeros(3)))
        return answer


def test_the_best_are_varied_within_their_bounds_and_good_ones_are_returned() -> None:
    least, most = list_bounds()
    raising, pool = Raising(load_dictionary(), seed=1), Rated()
    first = raising.run_batch(pool)
    assert len(pool.tried) == FIRST
    assert len(first) == sum(3.0 * speed >= GOOD for _, speed in pool.tried)
    slowest = min(item.speed for item in raising.population)
    for _ in range(6):
        raising.run_batch(pool)
    assert len(pool.tried) == FIRST + 6 * BATCH
    assert all(((least <= tried) & (tried <= most)).all() for tried, _ in pool.tried)
    assert len(raising.population) == PARENTS
    assert min(item.speed for item in raising.population) > slowest


def test_the_same_seed_tries_the_same_leaps() -> None:
    pools = [Rated(), Rated()]
    for pool in pools:
        raising = Raising(load_dictionary(), seed=4)
        raising.run_batch(pool)
        raising.run_batch(pool)
    for (a, v), (b, w) in zip(pools[0].tried, pools[1].tried, strict=True):
        assert v == w
        np.testing.assert_array_equal(a, b)


def test_a_leap_that_lands_on_platforms_counts_more_than_one_that_is_too_low() -> None:
    dictionary = load_dictionary()
    lands = int(np.argmax(dictionary.landings[:, -3]))          # at 0.3 m
    low = int(np.argmin(dictionary.arcs.max(axis=1)))
    speed = dictionary.column('speed')
    score, row = rate_height(dictionary.parameters[lands], float(speed[lands]))
    assert score > GOOD and row is not None
    assert row[:2] == pytest.approx(dictionary.rows[lands, :2], abs=0.1)
    assert rate_height(dictionary.parameters[low], float(speed[low]))[0] < 0.3


class Stretched(Executor):
    """Says that a leap is as long, or as high, as one of its parameters is great."""

    def __init__(self, parameter: str, good: float) -> None:
        self.column, self.good = PARAMETERS.index(parameter), good
        self.tried: list[np.ndarray] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.tried.append(arguments[0])
        value = float(arguments[0][self.column])
        answer: Future[Any] = Future()
        answer.set_result(Rating(value, value, np.zeros(3) if value > self.good else None))
        return answer


@pytest.mark.parametrize(('kind', 'parameter', 'good'), [
    (Lengthening, 'forward', 3.5), (Heightening, 'rear_force', 7.5)])
def test_a_covariance_search_goes_where_the_score_grows_and_keeps_good_leaps(
        kind: Any, parameter: str, good: float) -> None:
    least, most = list_bounds()
    pool, search, kept = Stretched(parameter, good), kind(load_dictionary(), seed=1), []
    for _ in range(12):
        kept.append(len(search.run_batch(pool)))
    assert len(pool.tried) == 12 * SEARCH_BATCH
    assert all(((least <= leap) & (leap <= most)).all() for leap in pool.tried)
    values = [leap[pool.column] for leap in pool.tried]
    assert np.mean(values[-SEARCH_BATCH:]) > np.mean(values[:SEARCH_BATCH])
    assert kept[-1] >= kept[0]
    assert search.longest == pytest.approx(max(values))


def test_a_high_leap_counts_less_where_it_comes_down_on_its_nose() -> None:
    level = LeapOutcome(height=1.2, distance=1.0, speed=0.2, effort=1e4, take_off=0.4,
                        landing=1.2, arc=(), pitch=0.1, roll=0.0, begin=0, lift_off=1, touch=2)
    assert value_height(level) == pytest.approx(1.2)
    for worse in ({'pitch': 0.6}, {'pitch': -0.6}, {'roll': 0.3}, {'distance': 1.8}):
        assert value_height(replace(level, **worse)) < 1.2


def test_a_longer_leap_counts_more() -> None:
    dictionary = load_dictionary()
    tried = np.array(sorted(choose_leaps(dictionary).values()))     # from most starts
    sure = tried[dictionary.find_chances(0.0)[tried] == 1.0]
    easy = sure[np.argsort(dictionary.column('effort')[sure])][:len(sure) // 2]
    length = (dictionary.column('landing') - dictionary.column('take_off'))[easy]
    shown = [int(easy[np.argsort(length)[n]]) for n in (len(easy) // 2, -1)]
    ratings = [rate_length(dictionary.parameters[n], float(dictionary.column('speed')[n]))
               for n in shown]
    assert ratings[0].score < ratings[1].score
    assert ratings[1].row is not None and ratings[1].length > 1.3
    nothing = rate_length(least_leap(), 0.8)
    assert nothing.score < 0.3 and nothing.row is None


def least_leap() -> np.ndarray:
    """Return a leap without force."""
    return list_bounds()[0]
