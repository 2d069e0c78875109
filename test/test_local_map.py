"""What is known of the ground: means and slopes of ramps, edges of stairs, nothing of a plain."""

from __future__ import annotations

from math import atan2, pi
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from quadruped_control.control.footholds import advance_over, choose_foothold, lift_over
from quadruped_control.control.records import TargetRecord, memory_type
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import new_record
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.terrain.features import Feature
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import GroundTable, ground_height, tabulate
from quadruped_control.terrain.local_map import (
    face_slope,
    highest_over_line,
    mean_height,
    mean_slope,
    unevenness,
)

RAMP = {'kind': 'ramp', 'x': (0.0, 10.0), 'y': (-5.0, 5.0), 'height': (0.0, 4.0)}
STEP, TREAD = 0.15, 0.3
STAIRS = [{'kind': 'box', 'x': (n * TREAD, (n + 1) * TREAD), 'y': (-5.0, 5.0),
           'height': (n + 1) * STEP} for n in range(8)]


def table(*features: dict[str, Any]) -> GroundTable:
    adapter: TypeAdapter[Any] = TypeAdapter(Feature)
    return tabulate(Ground.from_features([adapter.validate_python(item) for item in features]))


@pytest.mark.parametrize('angle', [0.0, 0.7, pi / 2, pi])
def test_a_ramp_is_known_by_its_height_and_slope_in_every_direction(angle: float) -> None:
    ground, ahead, left = table(RAMP), np.cos(angle), np.sin(angle)
    assert mean_height(ground, 5.0, 1.0, ahead, left, 0.2) == pytest.approx(2.0)
    assert mean_slope(ground, 5.0, 1.0, ahead, left, 0.2) == pytest.approx(0.4 * ahead)
    slope = np.empty(2)
    face_slope(ground, 5.0, 1.0, 0.02, slope)
    assert slope == pytest.approx([0.4, 0.0])
    assert unevenness(ground, 5.0, 1.0, 0.4, 0.0, 0.06) == pytest.approx(0.0, abs=1e-12)
    assert unevenness(ground, 5.0, 1.0, 0.0, 0.0, 0.06) == pytest.approx(0.024)


def test_the_mean_over_a_stair_rises_evenly_and_its_treads_are_level() -> None:
    ground = table(*STAIRS)
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
    ground = table(*STAIRS)
    up = highest_over_line(ground, -0.05, 0.0, 0.0, 0.45, 0.0, 2 * STEP, 0.02)
    assert 0.5 * STEP < up < 1.1 * STEP
    wall = table({'kind': 'barrier', 'x': (0.2, 0.25), 'y': (-1.0, 1.0), 'height': 0.1})
    assert highest_over_line(wall, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.02) == pytest.approx(0.1)
    for flat, z in ((table(), 0.0), (table(RAMP), 0.4)):
        assert highest_over_line(flat, 1.0, 0.0, z, 2.0, 0.0, 2 * z, 0.02) < 1e-12


def choose(ground: GroundTable, x: float, y: float = 0.0, heading: float = 0.0) -> np.record:
    """Return the memory after a foothold was chosen near a place."""
    robot, target = load_robot(), make_record(TargetRecord)
    memory = new_record(memory_type(len(robot.links)))
    target.heading, target.swing_phase[0] = heading, 0.3
    memory['lift_off_place'][0] = x - 0.3, y, 0.03
    choose_foothold(robot.anatomy, target, ground, memory, 0, x, y)
    return memory


@pytest.mark.parametrize('heading', [0.0, 0.5, -2.0])
def test_a_foot_is_set_on_a_tread_away_from_its_edges(heading: float) -> None:
    ground, margin = table(*STAIRS), load_robot().anatomy['foot_margin']
    for x in np.arange(0.3, 1.5, 0.013):
        memory = choose(ground, x, heading=heading)
        at = memory['foothold'][0, 0] if memory['moved'][0] else x
        into = at % TREAD
        assert margin * 0.7 - 1e-9 <= into <= TREAD - margin * 0.7 + 1e-9
        assert memory['foothold_height'][0] == ground_height(ground, at, 0.0)


def test_on_a_plain_and_on_a_ramp_a_foot_goes_where_the_gait_wants_it() -> None:
    for ground in (table(), table(RAMP)):
        memory = choose(ground, 4.0)
        assert memory['moved'][0] == 0.0 and memory['hurdle'][0] == pytest.approx(0.0, abs=1e-9)
    flat = choose(table(), 4.0)
    assert flat['hurdle'][0] == 0.0 and (flat['rolled'] == 0.0).all()
    rolled, radius = choose(table(RAMP), 4.0)['rolled'][0], load_robot().anatomy['foot_radius'][0]
    assert rolled == pytest.approx([radius * np.sin(atan2(0.4, 1.0)), 0.0])


def test_where_no_ground_is_even_a_foot_keeps_to_its_place() -> None:
    stones = {'kind': 'rough', 'x': (0.0, 4.0), 'y': (-2.0, 2.0), 'amplitude': 0.2, 'cell': 0.05}
    assert choose(table(stones), 2.0)['moved'][0] == 0.0


def test_a_foot_over_a_hurdle_rises_before_it_goes_on_and_comes_down_after() -> None:
    phases = np.linspace(0.0, 1.0, 101)
    lift, advance = (np.array([f(phase) for phase in phases]) for f in (lift_over, advance_over))
    assert lift[0] == lift[-1] == advance[0] == 0.0 and advance[-1] == 1.0
    assert (lift[(advance > 0.0) & (advance < 1.0)] > 0.999).all()
    assert (np.diff(advance) >= 0.0).all()
