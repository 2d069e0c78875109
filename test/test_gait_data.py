"""Gaits as data: files, trajectories, the scheduler's clock, the controller's ground."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.gait import Gait, GaitTable, available_gaits, flatten, load_gait
from quadruped_control.control.gait_file import replace_speed, unflatten, write_gait
from quadruped_control.control.gait_library import GaitLibrary, read_tables
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.control.gears import SHIFT
from quadruped_control.control.ladder import AUTO
from quadruped_control.control.lead import change_lead
from quadruped_control.control.trajectory import KNOTS, evaluate_cycle, evaluate_span
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.loading import load, validate
from quadruped_control.model.robot_files import list_files, list_robots
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.scenario import Scenario
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import ground_height, tabulate
from quadruped_control.yaml_file import read_yaml

DT = 1e-3
OUTSIDE = 0.05              # share of the numbers of a row, at most


def test_all_six_gaits_are_there() -> None:
    assert available_gaits() == {'walk', 'trot', 'pace', 'canter', 'transverse_gallop',
                                 'rotary_gallop'}


@pytest.mark.parametrize('name', sorted(available_gaits() | {'stand'}))
def test_writing_a_gait_back_changes_nothing(name: str, tmp_path: Path) -> None:
    gait = load_gait(name)
    again = gait
    for at in gait.speeds:
        again = replace_speed(again, unflatten(flatten(at), at.speed))
    write_gait(tmp_path / 'gait.yaml', again, ['how it was made'])
    read = load(tmp_path / 'gait.yaml', Gait)
    np.testing.assert_allclose(GaitTable.of(read).rows, GaitTable.of(gait).rows, rtol=1e-4,
                               atol=1e-9)


@pytest.mark.parametrize(('robot', 'name'), [
    (robot, name) for robot in list_robots() for name in list_files(robot, 'gaits')])
def test_numbers_of_a_row_lie_between_those_of_its_neighbours(robot: str, name: str) -> None:
    rows = GaitTable.of(load_gait(name, robot)).rows
    for before, row, after in zip(rows, rows[1:], rows[2:], strict=False):
        outside = (row < np.minimum(before, after)) | (row > np.maximum(before, after))
        assert outside.mean() <= OUTSIDE


def test_a_gait_file_says_once_what_speeds_share(tmp_path: Path) -> None:
    gait = load_gait('trot')
    write_gait(tmp_path / 'trot.yaml', gait, ['how it was made'])
    data = read_yaml(tmp_path / 'trot.yaml')
    assert isinstance(data, dict)
    assert data['speeds'][0] == {'speed': gait.speeds[0].speed}
    assert all('swing_advance' not in at.get('front', {}) for at in data['speeds'])
    assert load(tmp_path / 'trot.yaml', Gait) == gait
    last = {'speed': 9.0, 'front': {'toe_off': {'angle': 0.1}}}
    changed = validate({**data, 'speeds': [*data['speeds'], last]}, Gait, 'trot.yaml')
    first, added = changed.speeds[0], changed.speeds[-1]
    assert added.front.toe_off.angle == 0.1
    assert added.front.toe_off.time == first.front.toe_off.time
    assert added.rear == first.rear and added.period == first.period
    with pytest.raises(InputError, match='base'):
        validate({**data, 'base': 3}, Gait, 'trot.yaml')
    with pytest.raises(InputError, match='gate'):
        validate({**data, 'base': {**data['base'], 'gate': 1}}, Gait, 'trot.yaml')


@pytest.mark.parametrize(('change', 'key'), [
    ({'period': -0.4}, 'period'), ({'period': float('nan')}, 'period'), ({'gate': 1}, 'gate'),
    ({'gait_graph': {}}, 'gait_graph'), ({'speed': 'fast'}, 'speed'),
])
def test_bad_gaits_are_refused_by_name(change: dict[str, object], key: str) -> None:
    data = load_gait('trot').model_dump(mode='json')
    data['speeds'][0].update(change)
    with pytest.raises(InputError, match=key):
        validate(data, Gait, 'trot.yaml')


def test_a_touchdown_before_its_lift_off_is_refused() -> None:
    data = load_gait('trot').model_dump(mode='json')
    data['speeds'][0]['gait_graph']['rear_left'] = {'lift_off': 0.5, 'touchdown': 0.4}
    with pytest.raises(InputError, match='after lift_off'):
        validate(data, Gait, 'trot.yaml')


def test_a_cycle_closes_and_passes_its_knots() -> None:
    knots = np.arange(KNOTS, dtype=float)
    for n in range(KNOTS):
        assert evaluate_cycle(knots, n / KNOTS) == pytest.approx(n)
    assert evaluate_cycle(knots, 1 - 0.5 / KNOTS) == pytest.approx((KNOTS - 1) / 2)
    assert evaluate_cycle(knots, 1.25) == pytest.approx(evaluate_cycle(knots, 0.25))


def test_a_span_begins_and_ends_at_its_knots() -> None:
    knots = np.array([0.0, 1.0, 4.0, 9.0, 16.0, 25.0])
    assert evaluate_span(knots, -1.0) == 0.0
    assert evaluate_span(knots, 2.0) == 25.0
    assert evaluate_span(knots, 0.5) == pytest.approx(6.5)


def walk_clock(gait: str, speed: float, cycles: int = 3) -> tuple[np.ndarray, float]:
    """Return whether each leg swings at every tick of some cycles, for a dog that keeps up."""
    robot, library = load_robot(), GaitLibrary()
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=DT)
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0, 0, 0, 1
    state['base_velocity'] = speed, 0, 0
    scheduler.request(gait)
    scheduler.command[:] = speed, 0, 0, 1
    for _ in range(2000):
        scheduler.update(state)
    period = float(scheduler._parameters['period'][0])
    swings = [scheduler.update(state)['stance'].copy() < 0.5
              for _ in range(round(cycles * period / DT))]
    return np.array(swings), period


@pytest.mark.parametrize(('gait', 'speed'), [('walk', 0.5), ('trot', 1.0), ('pace', 1.0)])
def test_legs_swing_as_long_as_the_gait_graph_says(gait: str, speed: float) -> None:
    swings, _ = walk_clock(gait, speed)
    table = GaitTable.of(load_gait(gait))
    at = load_gait(gait).speeds[int(np.argmin(abs(table.speeds - speed)))]
    for leg, name in enumerate(('front_left', 'front_right', 'rear_left', 'rear_right')):
        footfall = getattr(at.gait_graph, name)
        assert swings[:, leg].mean() == pytest.approx(footfall.touchdown - footfall.lift_off,
                                                      abs=0.01)


def test_a_trot_swings_diagonal_legs_together_and_a_pace_those_of_a_side() -> None:
    trot, _ = walk_clock('trot', 1.0)
    pace, _ = walk_clock('pace', 1.0)
    assert (trot[:, 0] == trot[:, 3]).all() and (trot[:, 1] == trot[:, 2]).all()
    assert (pace[:, 0] == pace[:, 2]).all() and (pace[:, 1] == pace[:, 3]).all()


def test_auto_has_a_gait_for_every_speed_in_two_gears() -> None:
    table = GaitLibrary().tables[AUTO]
    first = int(table.gears[0])
    slow, fast = slice(0, first), slice(first, None)
    for gear in (slow, fast):
        assert (np.diff(table.speeds[gear]) > 0).all()
    assert list(dict.fromkeys(table.names[slow])) == ['walk', 'trot']
    assert list(dict.fromkeys(table.names[fast])) == ['canter', 'transverse_gallop']
    assert table.speeds[first] <= table.gears[2] < table.gears[1] <= table.speeds[first - 1] + 0.2


def test_symmetric_gaits_have_no_lead_and_changing_it_twice_changes_nothing() -> None:
    own = read_tables()
    trot = own['trot'].rows[0]
    for name in ('walk', 'trot', 'pace'):
        assert change_lead(own[name], trot).rows == pytest.approx(own[name].rows, abs=1e-12)
    for name in ('canter', 'transverse_gallop', 'rotary_gallop'):
        left = change_lead(own[name], trot)
        assert np.abs(left.rows - own[name].rows).max() > 0.1
        assert change_lead(left, trot).rows == pytest.approx(own[name].rows, abs=1e-12)


@pytest.mark.parametrize(('gait', 'speeds', 'seen'), [
    ('auto', (1.0, 2.0, 2.5, 3.0, 4.5), 'walk trot canter canter transverse_gallop'),
    ('canter', (0.5, 1.6, 2.0, 3.5), 'walk trot canter canter'),
    ('transverse_gallop', (0.5, 2.0, 4.5), 'walk canter transverse_gallop'),
    ('rotary_gallop_left', (0.5, 2.0, 4.5), 'walk canter rotary_gallop')])
def test_speed_leads_up_and_down_the_ladder(gait: str, speeds: tuple[float, ...],
                                            seen: str) -> None:
    robot, library = load_robot(), GaitLibrary()
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=DT)
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0, 0, 0, 1
    scheduler.request(gait)
    found = []
    for speed in (*speeds, *reversed(speeds)):
        scheduler.command[:] = speed, 0, 0, 1
        for _ in range(3000):
            state['base_velocity'] = scheduler.clock['aim'][0], 0, 0
            scheduler.update(state)
        found.append(scheduler.gait)
    there = seen.split()
    assert found == [*there, *reversed(there)]


def test_a_shift_of_gear_takes_its_time_and_has_no_jump() -> None:
    """All numbers of the gait, the gait graph too, go steadily from the trot's to the canter's."""
    robot, library = load_robot(), GaitLibrary()
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=DT)
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0, 0, 0, 1
    scheduler.command[:] = 2.25, 0, 0, 0
    state['base_velocity'] = 2.25, 0, 0
    for _ in range(3000):
        scheduler.update(state)
    assert scheduler.gait == 'trot'
    scheduler.command[0] = 2.35
    shifts = []
    for _ in range(1000):
        before = scheduler._numbers.copy()
        scheduler.update(state)
        shifts.append(abs(scheduler._numbers - before))
    assert scheduler.gait == 'canter'
    lasted = (np.array(shifts).max(axis=1) > 0).sum() * DT
    assert SHIFT - 0.01 < lasted < SHIFT + 0.1
    change = np.sum(shifts, axis=0)
    assert (np.max(shifts, axis=0) <= 3 * DT / SHIFT * change + 1e-9).all()


def test_no_leg_begins_in_the_middle_of_a_swing() -> None:
    """A foot that takes off mid-swing would have to jump; every swing starts at its lift-off."""
    robot, library = load_robot(), GaitLibrary()
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=DT)
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0, 0, 0, 1
    scheduler.request('walk')
    scheduler.command[:] = 0.5, 0, 0, 1
    swung = np.zeros(4, bool)
    for _ in range(1000):
        target = scheduler.update(state)
        swings = target['stance'] < 0.5
        begun = swings & ~swung
        assert (target['swing_phase'][begun] < 0.1).all()
        swung = swings


def test_the_controllers_ground_is_the_ground() -> None:
    terrain = [
        {'kind': 'box', 'x': [0, 2], 'y': [-1, 1], 'height': 0.1},
        {'kind': 'steps', 'x': [2, 4], 'y': [-1, 1], 'depth': 0.3, 'height': [0.0, 0.2]},
        {'kind': 'rough', 'x': [4, 6], 'y': [-1, 1], 'amplitude': 0.1, 'cell': 0.15},
        {'kind': 'ramp', 'x': [5.5, 7], 'y': [-0.5, 1], 'height': [0.0, 0.3]},
        {'kind': 'gap', 'x': [7.2, 7.9]},
        {'kind': 'patch', 'x': [0, 9], 'y': [-1, 1], 'friction': 0.4},
    ]
    scenario = validate({'duration': 1.0, 'terrain': terrain}, Scenario, 'test')
    ground = Ground.from_features(scenario.terrain, 3)
    table = tabulate(ground)
    rng = np.random.default_rng(0)
    for x, y in rng.uniform([-1, -1.2], [9, 1.2], (2000, 2)):
        assert ground_height(table, x, y) == pytest.approx(ground.height_at(x, y), abs=1e-12)
    assert ground_height(tabulate(Ground.from_features(())), 1.0, 2.0) == 0.0
