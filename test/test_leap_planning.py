"""The leap dictionary, the obstacles in a scan, and the planner's choices."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.leap import PARAMETERS, flatten_leap, list_bounds, load_seed
from quadruped_control.control.leap_measures import load_leap_measures
from quadruped_control.control.leap_records import leap_type
from quadruped_control.errors import InputError
from quadruped_control.leaps.dictionary import (
    ARC,
    BEYOND,
    COLUMNS,
    LANDING_COLUMNS,
    LEVELS,
    UNTRIED,
    LeapDictionary,
    load_dictionary,
    make_row,
    save_dictionary,
)
from quadruped_control.leaps.models import NearestModel, PrincipalModel
from quadruped_control.leaps.obstacles import Obstacle, find_obstacles
from quadruped_control.leaps.planner import Planner

SPACING = 0.05
OBSTACLES, MEASURES = load_leap_measures().obstacles, load_leap_measures().planner
AHEAD = np.arange(0.0, 4.0, SPACING)
TRAVEL = 0.4                # m from the hips to the take-off of the leaps made here


def make_leap(height: float, distance: float, speed: float, effort: float = 1e4) -> np.ndarray:
    """Return a row whose feet fly a parabola of the height over 0.46 m."""
    share = np.linspace(0.0, 1.0, ARC)
    arc = 4 * (height - 0.46) * share * (1 - share)
    figures = [height, distance, speed, effort, TRAVEL, TRAVEL + distance]
    return make_row(np.concatenate([figures, arc]), flatten_leap(load_seed()))


def make_dictionary() -> LeapDictionary:
    rows = [make_leap(h, d, v, 1e4 * d) for h in (0.6, 0.75, 0.9)
            for d in (0.4, 0.8, 1.2) for v in (0.8, 1.0, 1.2)]
    return LeapDictionary(np.array(rows), ('made for a test',))


def test_there_are_the_papers_17_parameters_and_a_torque_with_which_the_record_begins() -> None:
    names = leap_type().names or ()
    assert len(PARAMETERS) == 17 + 1
    assert names[:len(PARAMETERS)] == PARAMETERS
    least, most = list_bounds()
    assert (least < most).all()
    assert ((least <= flatten_leap(load_seed())) & (flatten_leap(load_seed()) <= most)).all()


def test_dictionary_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / 'leaps.csv'
    save_dictionary(make_dictionary(), path)
    again = load_dictionary(path)
    np.testing.assert_allclose(again.rows, make_dictionary().rows, rtol=1e-4)
    assert again.origin == ('made for a test',)


@pytest.mark.parametrize('line', ['1,2,3', ','.join(['nan'] * len(COLUMNS)), 'a' * 10])
def test_dictionary_refuses_broken_rows(tmp_path: Path, line: str) -> None:
    path = tmp_path / 'leaps.csv'
    path.write_text(','.join(COLUMNS) + '\n' + line + '\n', encoding='utf-8')
    with pytest.raises(InputError, match='row 1'):
        load_dictionary(path)


def test_flat_ground_and_ramps_have_no_obstacles() -> None:
    assert find_obstacles(np.zeros(len(AHEAD)), SPACING, OBSTACLES) == []
    assert find_obstacles(0.3 * AHEAD, SPACING, OBSTACLES) == []


@pytest.mark.parametrize(('kind', 'heights', 'height'), [
    ('gap', np.where((AHEAD > 1.49) & (AHEAD < 1.99), -2.0, 0.0), 0.0),
    ('barrier', np.where((AHEAD > 1.49) & (AHEAD < 1.59), 0.3, 0.0), 0.3),
    ('step_up', np.where(AHEAD > 1.49, 0.4, 0.0), 0.4),
    ('step_down', np.where(AHEAD > 1.49, -0.4, 0.0), 0.0),
])
def test_kinds_of_obstacles(kind: str, heights: np.ndarray, height: float) -> None:
    found = find_obstacles(heights, SPACING, OBSTACLES)
    assert [obstacle.kind for obstacle in found] == [kind]
    assert found[0].begin == pytest.approx(1.45)        # the last ground before the edge
    assert found[0].height == pytest.approx(height)
    if kind == 'gap':
        assert found[0].end == pytest.approx(2.0)


def test_a_depth_without_another_side_is_a_gap_as_long_as_is_seen() -> None:
    found = find_obstacles(np.where(AHEAD > 1.49, -2.0, 0.0), SPACING, OBSTACLES)
    assert [obstacle.kind for obstacle in found] == ['gap']
    assert found[0].end == pytest.approx(AHEAD[-1], abs=2 * SPACING)
    assert Planner(make_dictionary()).plan_over(
        found[0], speed=1.0, stride_time=0.4).is_refusal


def test_two_obstacles_are_told_apart() -> None:
    heights = np.where((AHEAD > 0.9) & (AHEAD < 1.3), -2.0, np.where(AHEAD > 2.5, 0.3, 0.0))
    found = find_obstacles(heights, SPACING, OBSTACLES)
    assert [item.kind for item in found] == ['gap', 'step_up']


@pytest.mark.parametrize(('width', 'begin'), [(0.3, 2.0), (0.6, 2.6), (0.9, 3.1)])
def test_leap_over_a_gap_begins_before_it_and_ends_behind_it(width: float, begin: float) -> None:
    gap = Obstacle('gap', begin, begin + width, 0.0)
    plan = Planner(make_dictionary()).plan_over(gap, speed=1.0, stride_time=0.4)
    assert not plan.is_refusal
    assert plan.take_off <= begin - MEASURES.margin + 1e-9
    assert plan.landing >= begin + width + MEASURES.margin - 1e-9
    assert plan.start > 0.0


def test_feet_clear_a_barrier() -> None:
    barrier = Obstacle('barrier', 2.0, 2.1, 0.2)
    dictionary = make_dictionary()
    plan = Planner(dictionary).plan_over(barrier, speed=1.0, stride_time=0.4)
    places = np.linspace(plan.start + TRAVEL,
                         plan.start + TRAVEL + dictionary.column('distance')[plan.leap], ARC)
    arc = np.interp([2.0, 2.05, 2.1], places, dictionary.arcs[plan.leap])
    assert (arc >= 0.2).all()


def test_what_is_out_of_reach_is_refused_and_the_dog_stops_before_it() -> None:
    planner = Planner(make_dictionary())
    for obstacle in (Obstacle('gap', 1.0, 3.5, 0.0), Obstacle('barrier', 1.0, 1.1, 0.9)):
        near = planner.plan_over(obstacle, speed=1.0, stride_time=0.4)
        assert near.is_refusal
        assert near.speed == 0.0
        far = planner.plan_over(obstacle.moved(3.0 + MEASURES.stopping), speed=1.0,
                                stride_time=0.4)
        assert far.is_refusal
        assert far.speed > 0.0


def test_a_place_is_reached_with_the_hind_feet_or_not_at_all() -> None:
    planner = Planner(make_dictionary())
    plan = planner.plan_at(3.0, speed=1.0, stride_time=0.4)
    assert plan is not None and plan.landing == pytest.approx(3.0, abs=0.1)
    assert planner.plan_at(0.2, speed=1.0, stride_time=0.4) is None
    assert planner.plan_at(30.0, speed=1.0, stride_time=0.4) is None


def test_what_the_dog_stands_on_or_has_leapt_over_is_no_obstacle() -> None:
    heights = np.zeros(200)
    heights[5:10] = 0.3                 # 0.1 to 0.2 m before the hips
    planner = Planner(make_dictionary())
    assert planner.plan(heights, spacing=0.02, ahead=0.0, speed=1.0, stride_time=0.4) is None


def test_less_effort_is_preferred() -> None:
    rows = np.array([make_leap(0.7, 0.8, 1.0, 5e5), make_leap(0.7, 0.8, 1.0, 1e4)])
    gap = Obstacle('gap', 2.0, 2.5, 0.0)
    plan = Planner(LeapDictionary(rows)).plan_over(gap, speed=1.0, stride_time=0.4)
    assert plan.leap == 1


def set_landings(row: np.ndarray, level: float, chance: float) -> np.ndarray:
    row[COLUMNS.index(LANDING_COLUMNS[LEVELS.index(level)])] = chance
    return row


def test_chances_to_land_are_those_of_the_levels_and_between_them() -> None:
    row = set_landings(set_landings(make_leap(0.9, 0.8, 1.0), 0.2, 1.0), 0.3, 0.0)
    dictionary = LeapDictionary(np.array([row]))
    for rise, chance in ((0.2, 1.0), (0.25, 0.5), (0.3, 0.0), (0.0, 1.0),
                         (LEVELS[-1], UNTRIED), (LEVELS[-1] + BEYOND / 2, UNTRIED)):
        assert dictionary.find_chances(rise)[0] == pytest.approx(chance)


@pytest.mark.parametrize('rise', [LEVELS[0] - 0.1, LEVELS[-1] + 0.1])
def test_no_leap_is_dared_onto_ground_beyond_the_levels(rise: float) -> None:
    row = make_leap(2.0, 0.8, 1.0)
    for level in LEVELS:
        set_landings(row, level, 1.0)
    dictionary = LeapDictionary(np.array([row]))
    assert dictionary.find_chances(rise)[0] == 0.0
    step = Obstacle('step_up' if rise > 0.0 else 'step_down', 2.0, 2.1, max(rise, 0.0), rise)
    plan = Planner(dictionary).plan_over(step, speed=1.0, stride_time=0.4)
    assert plan.is_refusal and not plan.reachable


def test_a_leap_that_lands_well_on_such_ground_is_preferred_to_one_that_fits_better() -> None:
    fits = set_landings(make_leap(0.75, 0.6, 1.0), 0.2, 1 / 3)
    lands = set_landings(make_leap(0.95, 0.9, 1.0), 0.2, 1.0)
    step = Obstacle('step_up', 2.0, 2.1, 0.2, 0.2)
    planner = Planner(LeapDictionary(np.array([fits, lands])))
    assert planner.plan_over(step, speed=1.0, stride_time=0.4).leap == 1
    barrier = Obstacle('barrier', 2.0, 2.1, 0.2, 0.0)       # lands on the ground it came from
    assert planner.plan_over(barrier, speed=1.0, stride_time=0.4).leap == 0
    alone = Planner(LeapDictionary(np.array([fits])))
    assert alone.plan_over(step, speed=1.0, stride_time=0.4).is_refusal


def test_obstacles_tell_by_how_much_the_ground_behind_them_is_higher() -> None:
    for heights, rise in ((np.where(AHEAD > 1.5, 0.3, 0.0), 0.3),
                          (np.where(AHEAD > 1.5, 0.0, 0.4), -0.4),
                          (np.where((AHEAD > 1.5) & (AHEAD < 2.0), -2.0, 0.0), 0.0)):
        assert find_obstacles(heights, SPACING, OBSTACLES)[0].rise == pytest.approx(rise)


def test_planning_takes_less_than_2_ms_of_a_processor() -> None:
    rows = np.repeat(make_dictionary().rows, 40, axis=0)        # a thousand leaps
    planner = Planner(LeapDictionary(rows))
    heights = np.where((AHEAD > 2.0) & (AHEAD < 2.5), -2.0, 0.0)
    times = []
    for _ in range(30):
        begin = time.thread_time()                              # without that of others
        plan = planner.plan(heights, spacing=SPACING, ahead=0.0, speed=1.0, stride_time=0.4)
        times.append(time.thread_time() - begin)
    assert plan is not None
    assert min(times) < 2e-3


def test_nearest_model_gives_a_leap_of_the_dictionary() -> None:
    dictionary = make_dictionary()
    rows = dictionary.rows.copy()
    rows[:, COLUMNS.index('loading')] = np.linspace(0.1, 0.2, len(rows))
    dictionary = LeapDictionary(rows)
    found = NearestModel(dictionary).find(0.9, 1.2, 1.2)
    np.testing.assert_allclose(found, dictionary.parameters[-1])


def test_principal_model_finds_parameters_that_depend_linearly_on_height_and_distance() -> None:
    rows = make_dictionary().rows.copy()
    force = COLUMNS.index('rear_force')
    rows[:, force] = 1.0 + 2.0 * rows[:, 0] + 0.5 * rows[:, 1]
    found = PrincipalModel(LeapDictionary(rows)).find(0.7, 0.9, 1.0)
    assert found[PARAMETERS.index('rear_force')] == pytest.approx(1.0 + 1.4 + 0.45, abs=1e-6)
