"""The transition controller from trot to canter: its file, what it changes and when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.gait import GaitTable, as_numbers
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import FASTEST_CHANGE
from quadruped_control.control.gears import (
    EXCHANGE,
    TRIM_RATE,
    exchange_feet,
    mix_gears,
    shift_gear,
    trim_speed,
)
from quadruped_control.control.graph_match import find_match, find_stances
from quadruped_control.control.ladder import AUTO
from quadruped_control.control.lead import LEFT
from quadruped_control.control.records import clock_type, gait_type
from quadruped_control.control.skill_numbers import Activity
from quadruped_control.control.skill_scheduler import HARDEST_TURN
from quadruped_control.control.transition import (
    CHANGES,
    TROT_TO_CANTER,
    Transition,
    as_change,
    list_limits,
    load_transition,
)
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import as_block, new_record
from quadruped_control.loading import load, validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.tuning.objective import Weights
from quadruped_control.tuning.task import Engine, Task
from quadruped_control.tuning.transition_evaluation import (
    TransitionEvaluator,
    flatten_transition,
    make_transition,
    measure_speed_error,
    transition_parameters,
)

TOLD = 2.4                  # m/s
ROBOT = load_robot()


def mix(gear: float, fast: float, *, shift: bool = True) -> np.ndarray:
    """Return the parameters of `auto` at a place of its shift."""
    table = GaitLibrary().tables[AUTO]
    now = new_record(clock_type())
    now['aim'][0], now['gear'], now['fast'] = TOLD, gear, fast
    numbers = as_numbers(new_record(gait_type()))
    change = table.shift if shift else np.zeros_like(table.shift)
    mix_gears((table.speeds, table.rows, table.gears, change), 1.0, now, numbers)
    return numbers.copy()


def test_it_changes_parameters_most_in_the_middle_of_a_shift_up_and_at_no_other_time() -> None:
    change = as_change(load_transition(TROT_TO_CANTER))
    assert np.abs(change).max() > 0.0
    for gear, share in ((0.0, 0.0), (0.25, 0.75), (0.5, 1.0), (0.75, 0.75), (1.0, 0.0)):
        np.testing.assert_allclose(mix(gear, 1.0) - mix(gear, 1.0, shift=False), share * change,
                                   atol=1e-9)
        np.testing.assert_array_equal(mix(gear, 0.0), mix(gear, 0.0, shift=False))


@pytest.mark.parametrize('request_', [AUTO, 'canter', 'canter_left'])
def test_the_canter_is_left_where_both_gaits_stand_on_the_same_legs(request_: str) -> None:
    table = GaitLibrary().tables[request_]
    first, _, down, begin, length, _ = table.gears.tolist()
    gears = [GaitTable(table.speeds[part], table.rows[part], table.names[part])
             for part in (slice(int(first)), slice(int(first), None))]
    inside = np.mod(begin + np.linspace(0.01, length - 0.01, 20), 1.0)
    slow, fast = (find_stances(gear.interpolate(down), inside) for gear in gears)
    np.testing.assert_array_equal(slow, fast)
    assert length > 0.1 and (slow.sum(axis=1) == 2).all()

    now = new_record(clock_type())
    for phase in np.linspace(0.0, 0.99, 100):
        now['aim'][0], now['gear'], now['fast'], now['phase'] = down - 0.1, 1.0, 1.0, phase
        shift_gear(table.gears, as_block(now)[0], 1e-3)
        assert (now['gear'] < 1.0) == ((phase - begin) % 1.0 <= length)
        assert now['fast'] == 0.0


@pytest.mark.parametrize('request_', ['rotary_gallop', 'rotary_gallop_left'])
def test_between_the_canter_and_the_rotary_gallop_is_no_third_gait(request_: str) -> None:
    """Half-way, both front feet would land at once: at any speed it is the one or the other."""
    table = GaitLibrary().tables[request_]
    row = int(table.gears[5])
    assert [name.removesuffix(LEFT) for name in table.names[row - 1:row + 1]] == [
        'canter', 'rotary_gallop']
    gait = new_record(gait_type())
    now = as_block(new_record(clock_type()))[0]
    now.fast = now.gear = now.fade = 1.0
    speeds = np.linspace(table.speeds[row - 1] - 0.1, table.speeds[row] + 0.1, 50)
    own = {find_lag(table.rows[row - 1]), find_lag(table.rows[row])}
    seen = []
    for speed in (*speeds, *speeds[::-1]):
        now.aim[0] = speed
        for _ in range(100):
            exchange_feet(table.speeds, table.gears, 0.1, now, 1e-3)
        mix_gears((table.speeds, table.rows, table.gears, table.shift), 1.0, now,
                  as_numbers(gait))
        seen.append(find_lag(as_numbers(gait)))
    assert set(seen) == own
    assert seen[25] != seen[-26]                # with hysteresis


def find_lag(row: np.ndarray) -> float:
    """Return by how much of a cycle the left front foot lands after the right one."""
    gait = new_record(gait_type())
    as_numbers(gait)[:] = row
    return round(float(np.mod(gait['touchdown'][0] - gait['touchdown'][1], 1.0)), 3)


def test_feet_are_exchanged_only_while_none_of_them_is_about_to_land() -> None:
    table = GaitLibrary().tables['rotary_gallop']
    now = as_block(new_record(clock_type()))[0]
    now.fast = now.gear = now.fade = 1.0
    now.aim[0] = table.speeds[-1]
    exchange_feet(table.speeds, table.gears, 0.0, now, 1e-3)
    assert now.exchange == 0.0
    exchange_feet(table.speeds, table.gears, 2 * EXCHANGE, now, 1e-3)
    exchange_feet(table.speeds, table.gears, 0.0, now, 1e-3)
    assert now.exchange == pytest.approx(2e-3 / EXCHANGE)


@pytest.mark.timeout(240)
@pytest.mark.parametrize('request_', ['rotary_gallop', 'rotary_gallop_left'])
def test_the_rotary_gallop_is_taken_up_from_the_canter_and_left_again(request_: str) -> None:
    """Of 48 such runs 28 fell while the gait between was gone in for as long as the speed rose."""
    for seed, (slow, fast) in enumerate(((2.9, 5.2), (3.2, 4.6))):
        commands = [{'t': 0.5, 'vx': slow, 'gait': request_}, {'t': 4.3 + 0.1 * seed, 'vx': fast},
                    {'t': 7.0, 'vx': slow}, {'t': 9.1, 'vx': fast}]
        loop = Loop(validate({'name': 'rotary', 'duration': 12.0, 'recover': False, 'seed': seed,
                              'commands': commands}, Scenario, 'rotary'))
        loop.run(12000)
        assert not (loop.recording.skill == Activity.FALLING).any()
        assert loop.scheduler.gait.removesuffix(LEFT) == 'rotary_gallop'
        loop.world.close()


@pytest.mark.timeout(240)
@pytest.mark.parametrize('gait', ['canter', 'transverse_gallop', 'rotary_gallop'])
def test_a_fast_gait_turns_as_hard_as_it_can_and_no_harder(gait: str) -> None:
    speed = 3.2 if gait == 'canter' else 4.8
    commands = [{'t': 0.5, 'vx': speed, 'gait': gait}, {'t': 5.0, 'wz': 1.5}]
    loop = Loop(validate({'name': 'turn', 'duration': 10.0, 'recover': False,
                          'commands': commands}, Scenario, 'turn'))
    loop.run(10000)
    yaw = np.unwrap(loop.recording.leg_frame_rpy[6000:, 1, 2])
    sideways = speed * (yaw[-1] - yaw[0]) / 4.0
    assert not (loop.recording.skill == Activity.FALLING).any()
    assert 0.75 * HARDEST_TURN < sideways < 1.1 * HARDEST_TURN
    loop.world.close()


def test_graphs_that_never_match_and_those_that_always_do() -> None:
    trot = GaitLibrary().tables['trot'].rows[0]
    pace = GaitLibrary().tables['pace'].rows[0]
    assert find_match(trot, trot).length == 1.0
    match = find_match(trot, pace)
    assert match.length < 0.3


def test_numbers_of_a_search_are_a_transition_and_back() -> None:
    parameters, limits = transition_parameters(), np.tile(list_limits(), 2)
    vector = np.linspace(0.0, 1.0, 2 * len(CHANGES))
    numbers = parameters.insert(vector, np.zeros(len(vector)))
    assert (np.abs(numbers) <= limits).all() and numbers[-1] == limits[-1]
    np.testing.assert_allclose(flatten_transition(make_transition(numbers)), numbers, atol=1e-5)


def test_a_transition_that_is_no_number_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / 'far.yaml'
    file.write_text('name: far\nfront: {height: .inf}\n', encoding='utf-8')
    with pytest.raises(InputError, match=r'front\.height.*inf'):
        load(file, Transition)


def test_an_even_rise_has_no_speed_error_and_a_delay_has_one() -> None:
    recording = Recording(2000, 1e-3, ('joint',), gait_names=('trot',))
    recording.count = 2000
    time = np.arange(2000) * 1e-3
    before, after = 2.0, 2.6

    def rise(begin: float) -> float:
        speed = np.clip(before + FASTEST_CHANGE * (time - begin), before, after)
        recording.leg_frame_velocity[:, :, 0] = (speed + 0.2 * np.sin(2 * np.pi * time / 0.4)
                                                 )[:, None]
        return measure_speed_error(recording, before, after)

    assert rise(0.0) < 0.02 < 0.1 < rise(0.6)


def test_trim_waits_for_a_dog_that_is_far_behind() -> None:
    gears, trims = np.array([5.0, 2.3, 2.1, 0.0, 0.0, 0.0]), []
    for aim in (4.5, 5.5):
        now = new_record(clock_type())
        now['fast'], now['asked'], now['aim'][0], now['speed'][0] = 1.0, 5.5, aim, aim - 0.5
        for _ in range(1000):
            trim_speed(ROBOT.anatomy, gears, 5.5, now, 1e-3)
        trims.append(float(now['trim']))
    behind, near = trims
    assert near == pytest.approx(min(0.5 * TRIM_RATE, ROBOT.measures.most_trim))
    assert 0.0 < behind < 0.3 * near


@pytest.mark.timeout(300)
def test_a_shift_costs_the_same_again_and_a_bad_transition_more() -> None:
    """What was found by search does better than none, on shifts that it was not searched on."""
    task = Task(2.7, ((50.0, 0.1),), duration=1.5, gait=TROT_TO_CANTER, engine=Engine.BULLET)
    evaluator, weights = TransitionEvaluator(task), Weights()
    own = flatten_transition(load_transition(TROT_TO_CANTER))
    costs = [evaluator.cost(own, seed, weights) for seed in (30_001, 30_002)]
    none = [evaluator.cost(np.zeros_like(own), seed, weights) for seed in (30_001, 30_002)]
    assert np.mean(costs) < np.mean(none)
    assert evaluator.cost(own, 30_001, weights) == costs[0]
    bad = transition_parameters().insert(np.zeros(len(own)), own)
    assert evaluator.cost(bad, 30_001, weights) > 1.1 * costs[0]


@pytest.mark.timeout(240)
def test_a_trot_after_a_canter_stops_and_goes_back_as_any_trot() -> None:
    commands = [{'t': 0.5, 'vx': 2.8, 'gait': 'canter'}, {'t': 4.0, 'vx': 1.4, 'gait': 'trot'},
                {'t': 7.0, 'vx': -0.9}, {'t': 9.5, 'wz': 0.3}]
    loop = Loop(validate({'name': 'back', 'duration': 12.0, 'recover': False,
                          'commands': commands}, Scenario, 'back'))
    loop.run(12000)
    yaw = loop.recording.leg_frame_rpy[:, 1, 2]
    assert not (loop.recording.skill == Activity.FALLING).any()
    assert loop.scheduler.clock.gear == 0.0
    assert np.abs(yaw[7000:9500]).max() < 0.15
    assert yaw[-1] - yaw[9500] == pytest.approx(0.75, abs=0.15)
    loop.world.close()
