"""What is known of the ground: means and slopes of ramps, edges of stairs, nothing of a plain."""

from __future__ import annotations

from math import atan2, pi
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from quadruped_control.control.footholds import advance_over, choose_foothold, lift_over
from quadruped_control.control.observation import Observation
from quadruped_control.control.records import TargetRecord, memory_type
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import new_record
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.terrain.features import Feature
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import ground_height as true_height
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.local_map import (
    LEVEL,
    LocalMap,
    face_slope,
    ground_height,
    highest_over_line,
    mean_height,
    mean_slope,
    unevenness,
)
from quadruped_control.terrain.surveyor import Surveyor

RAMP = {'kind': 'ramp', 'x': (0.0, 10.0), 'y': (-5.0, 5.0), 'height': (0.0, 4.0)}
STEP, TREAD = 0.15, 0.3
SPACING = 0.02              # m, of the dog's map
STAIRS = [{'kind': 'box', 'x': (n * TREAD, (n + 1) * TREAD), 'y': (-5.0, 5.0),
           'height': (n + 1) * STEP} for n in range(8)]


def make_ground(*features: dict[str, Any]) -> Ground:
    adapter: TypeAdapter[Any] = TypeAdapter(Feature)
    return Ground.from_features([adapter.validate_python(item) for item in features])


def survey(*features: dict[str, Any], x: float = 2.0, reach: float = 5.0) -> LocalMap:
    return Surveyor(tabulate(make_ground(*features)), SPACING, reach).survey(x, 0.0)


def test_a_map_is_the_ground_at_its_points_and_even_between_them() -> None:
    steps = {'kind': 'steps', 'x': (0.0, 3.0), 'y': (-2.0, 2.0), 'depth': 0.3,
             'height': (0.0, 0.2)}
    rough = {'kind': 'rough', 'x': (3.0, 6.0), 'y': (-2.0, 2.0), 'amplitude': 0.1, 'cell': 0.15}
    table = tabulate(make_ground(steps, rough))
    found = Surveyor(table, SPACING, 1.0).survey(3.1, 0.3)
    for i, j in np.random.default_rng(1).integers(0, len(found.heights), (300, 2)):
        x, y = found.x + i * SPACING, found.y + j * SPACING
        assert ground_height(found, x, y) == pytest.approx(true_height(table, x, y), abs=1e-9)
    for x, y in np.random.default_rng(2).uniform((3.2, -0.6), (4.0, 1.2), (300, 2)):
        assert ground_height(found, x, y) == pytest.approx(true_height(table, x, y), abs=0.01)


def test_beyond_its_border_a_map_goes_on_as_at_it_and_nothing_is_read_for_no_number() -> None:
    found = survey(RAMP, reach=1.0)
    assert ground_height(found, 99.0, 0.0) == pytest.approx(0.4 * 3.0)
    assert ground_height(found, -99.0, 99.0) == pytest.approx(0.4 * 1.0)
    assert np.isfinite(ground_height(found, np.nan, np.nan))


def test_maps_that_follow_each_other_are_those_measured_anew() -> None:
    rough = {'kind': 'rough', 'x': (-9.0, 9.0), 'y': (-9.0, 9.0), 'amplitude': 0.1, 'cell': 0.15}
    table = tabulate(make_ground(rough))
    going = Surveyor(table, SPACING, 0.5)
    for x, y in ((0.0, 0.0), (0.11, -0.03), (0.4, 0.2), (5.0, 5.0), (4.9, 5.1)):
        went, anew = going.survey(x, y), Surveyor(table, SPACING, 0.5).survey(x, y)
        assert went[:3] == anew[:3]
        np.testing.assert_array_equal(went.heights, anew.heights)


def test_level_ground_is_exactly_level_at_any_height() -> None:
    box = {'kind': 'box', 'x': (-9.0, 9.0), 'y': (-9.0, 9.0), 'height': 0.1}
    assert survey() == LEVEL
    found = survey(box, reach=1.0)
    assert found.heights.size == 4
    heights = {ground_height(found, x, 0.3 * x) for x in np.linspace(-1.0, 3.0, 50)}
    assert heights == {0.1}


@pytest.mark.parametrize('angle', [0.0, 0.7, pi / 2, pi])
def test_a_ramp_is_known_by_its_height_and_slope_in_every_direction(angle: float) -> None:
    ground, ahead, left = survey(RAMP, x=5.0), np.cos(angle), np.sin(angle)
    assert mean_height(ground, 5.0, 1.0, ahead, left, 0.2) == pytest.approx(2.0)
    assert mean_slope(ground, 5.0, 1.0, ahead, left, 0.2) == pytest.approx(0.4 * ahead)
    slope = np.empty(2)
    face_slope(ground, 5.0, 1.0, 0.02, slope)
    assert slope == pytest.approx([0.4, 0.0])
    assert unevenness(ground, 5.0, 1.0, 0.4, 0.0, 0.06) == pytest.approx(0.0, abs=1e-12)
    assert unevenness(ground, 5.0, 1.0, 0.0, 0.0, 0.06) == pytest.approx(0.024)


def test_the_mean_over_a_stair_rises_evenly_and_its_treads_are_level() -> None:
    ground = survey(*STAIRS)
    x = np.arange(0.6, 1.8, 0.01)
    means = [mean_height(ground, at, 0.0, 1.0, 0.0, TREAD) for at in x]
    line = np.polyfit(x, means, 1)
    assert line[0] == pytest.approx(STEP / TREAD, rel=0.05)
    assert np.abs(np.polyval(line, x) - means).max() < 0.4 * STEP
    slope = np.empty(2)
    for at in (0.45, 0.601):                            # of a tread's middle, and of an edge
        face_slope(ground, at, 0.0, 0.02, slope)
        assert (slope == 0.0).all()
    assert unevenness(ground, 0.45, 0.0, 0.0, 0.0, 0.1) == 0.0
    assert unevenness(ground, 0.58, 0.0, 0.0, 0.0, 0.06) == pytest.approx(STEP)


def test_what_rises_over_the_line_between_two_places_is_found() -> None:
    ground = survey(*STAIRS)
    up = highest_over_line(ground, -0.05, 0.0, 0.0, 0.45, 0.0, 2 * STEP, 0.02)
    assert 0.5 * STEP < up < 1.1 * STEP
    wall = survey({'kind': 'barrier', 'x': (0.2, 0.25), 'y': (-1.0, 1.0), 'height': 0.1})
    assert highest_over_line(wall, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.02) == pytest.approx(0.1)
    for flat, z in ((survey(), 0.0), (survey(RAMP, x=5.0), 0.4)):
        assert highest_over_line(flat, 1.0, 0.0, z, 2.0, 0.0, 2 * z, 0.02) < 1e-12


def choose(ground: LocalMap, x: float, y: float = 0.0, heading: float = 0.0) -> np.record:
    """Return the memory after a foothold was chosen near a place."""
    robot, target = load_robot(), make_record(TargetRecord)
    memory, seen = new_record(memory_type(len(robot.links))), Observation(robot).record
    target.heading, target.swing_phase[0] = heading, 0.3
    memory['lift_off_place'][0] = x - 0.3, y, 0.03
    seen.support[0, 2], target.height[0] = ground_height(ground, x - 0.3, y), 0.46
    choose_foothold(robot.anatomy, target, ground, seen, memory, 0, x, y)
    return memory


@pytest.mark.parametrize('heading', [0.0, 0.5, -2.0])
def test_a_foot_is_set_on_a_tread_away_from_its_edges(heading: float) -> None:
    ground, margin = survey(*STAIRS), load_robot().anatomy['foot_margin']
    for x in np.arange(0.3, 1.5, 0.013):
        memory = choose(ground, x, heading=heading)
        at = memory['foothold'][0, 0] if memory['moved'][0] else x
        into = at % TREAD
        assert margin * 0.7 - 1e-9 <= into <= TREAD - margin * 0.7 + 1e-9
        assert memory['foothold_height'][0] == ground_height(ground, at, 0.0)


def test_on_a_plain_and_on_a_ramp_a_foot_goes_where_the_gait_wants_it() -> None:
    for ground in (survey(), survey(RAMP, x=5.0)):
        memory = choose(ground, 4.0)
        assert memory['moved'][0] == 0.0 and memory['hurdle'][0] == pytest.approx(0.0, abs=1e-9)
    flat = choose(survey(), 4.0)
    assert flat['hurdle'][0] == 0.0 and (flat['rolled'] == 0.0).all()
    rolled = choose(survey(RAMP, x=5.0), 4.0)['rolled'][0]
    radius = load_robot().anatomy['foot_radius'][0]
    assert rolled == pytest.approx([radius * np.sin(atan2(0.4, 1.0)), 0.0])


def test_a_foot_over_a_gap_is_held_where_its_leg_frame_stands() -> None:
    gap = {'kind': 'gap', 'x': (1.3, 2.0)}
    assert choose(survey(gap), 1.5)['foothold_height'][0] == 0.0
    stair = {'kind': 'box', 'x': (-9.0, 1.4), 'y': (-9.0, 9.0), 'height': 0.17}
    assert choose(survey(stair), 1.5)['foothold_height'][0] == 0.0


def test_where_no_ground_is_even_a_foot_keeps_to_its_place() -> None:
    stones = {'kind': 'rough', 'x': (0.0, 4.0), 'y': (-2.0, 2.0), 'amplitude': 0.2, 'cell': 0.05}
    assert choose(survey(stones), 2.0)['moved'][0] == 0.0


def test_a_foot_over_a_hurdle_rises_before_it_goes_on_and_comes_down_after() -> None:
    phases = np.linspace(0.0, 1.0, 101)
    lift, advance = (np.array([f(phase) for phase in phases]) for f in (lift_over, advance_over))
    assert lift[0] == lift[-1] == advance[0] == 0.0 and advance[-1] == 1.0
    assert (lift[(advance > 0.0) & (advance < 1.0)] > 0.999).all()
    assert (np.diff(advance) >= 0.0).all()
