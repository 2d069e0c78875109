"""The dog moves: gaits, speeds, steering and pushes, closed loop in PyBullet."""

from __future__ import annotations

from typing import Any

import pytest

from quadruped_control.evaluation.trial import Trial, run_trial
from quadruped_control.rollout.demonstration import make_demonstration
from quadruped_control.rollout.rollout import run_scenario

Metrics = dict[str, Any]


def go(duration: float, *commands: dict[str, Any], **others: Any) -> Metrics:
    """Run commands on flat ground unless told otherwise."""
    return run_trial(Trial(('test',), {'duration': duration, 'commands': list(commands),
                                       'recover': False, **others}))


@pytest.mark.timeout(200)
@pytest.mark.parametrize(('gait', 'speed'), [
    ('walk', 0.4), ('walk', 0.8), ('trot', 0.0), ('trot', 1.0), ('trot', 2.0), ('pace', 1.0)])
def test_a_gait_keeps_its_speed(gait: str, speed: float) -> None:
    metrics = go(10.0, {'t': 0.5, 'vx': speed, 'gait': gait})
    assert not metrics['fell']
    assert metrics['mean_speed'] == pytest.approx(speed, abs=max(0.1, 0.05 * speed))
    assert metrics['heading_error'] < 0.15
    assert metrics['torque_saturation'] < 0.02


@pytest.mark.timeout(200)
def test_feet_fall_as_the_trot_wants_them() -> None:
    phase = go(8.0, {'t': 0.5, 'vx': 1.0, 'gait': 'trot'})['phase']
    assert phase['front_right'] == pytest.approx(0.0, abs=0.08) or phase['front_right'] > 0.92
    assert phase['front_left'] == pytest.approx(0.5, abs=0.08)
    assert phase['rear_right'] == pytest.approx(0.5, abs=0.05)


@pytest.mark.timeout(200)
def test_speed_chooses_the_gait_and_the_dog_stops() -> None:
    metrics = go(14.0, {'t': 0.5, 'vx': 0.5}, {'t': 3.0, 'vx': 1.0}, {'t': 5.0, 'vx': 2.0},
                 {'t': 8.0, 'vx': 1.0}, {'t': 10.0, 'vx': 0.3}, {'t': 12.0, 'vx': 0.0})
    assert not metrics['fell']
    assert [change['gait'] for change in metrics['gaits']] == [
        'stand', 'walk', 'trot', 'walk', 'stand']


@pytest.mark.timeout(200)
@pytest.mark.parametrize('rate', [0.8, -0.8])
def test_the_trot_turns(rate: float) -> None:
    metrics = go(8.0, {'t': 0.5, 'vx': 1.0, 'gait': 'trot'}, {'t': 2.5, 'wz': rate})
    assert not metrics['fell']
    assert metrics['turned'] == pytest.approx(rate * 5.5, rel=0.15)


@pytest.mark.timeout(200)
def test_the_trot_goes_backwards_and_sideways() -> None:
    back = go(8.0, {'t': 0.5, 'vx': -0.5, 'gait': 'trot'})
    side = go(8.0, {'t': 0.5, 'vy': 0.3, 'gait': 'trot'})
    assert not back['fell'] and back['displacement'][0] < -2.5
    assert not side['fell'] and side['displacement'][1] > 1.4


@pytest.mark.timeout(200)
def test_a_trot_becomes_a_pace_and_a_trot_again() -> None:
    metrics = go(10.0, {'t': 0.5, 'vx': 1.2, 'gait': 'trot'}, {'t': 4.0, 'gait': 'pace'},
                 {'t': 7.0, 'gait': 'trot'})
    assert not metrics['fell']
    assert [change['gait'] for change in metrics['gaits']] == ['stand', 'trot', 'pace', 'trot']


@pytest.mark.timeout(200)
@pytest.mark.parametrize('speed', [1.0, 1.5, 2.5])
@pytest.mark.parametrize('stop', [5.0, 5.1, 5.2])
def test_a_dog_told_to_stop_at_once_stops_on_its_feet(speed: float, stop: float) -> None:
    metrics = go(9.0, {'t': 0.5, 'vx': speed}, {'t': stop, 'vx': 0.0})
    assert not metrics['fell']
    assert metrics['gaits'][-1]['gait'] == 'stand'


@pytest.mark.timeout(200)
@pytest.mark.parametrize('at', ['front', 'rear'])
def test_the_walk_recovers_from_the_papers_push(at: str) -> None:
    metrics = go(7.0, {'t': 0.5, 'vx': 1.0, 'gait': 'walk'}, pushes=[
        {'t': 3.5, 'phase': 0.6, 'at': at, 'force': [0, 230, 0], 'duration': 0.1}])
    assert not metrics['fell']


@pytest.mark.timeout(200)
@pytest.mark.parametrize('side', [1, -1])
def test_the_trot_recovers_from_the_papers_push(side: int) -> None:
    metrics = go(8.0, {'t': 0.5, 'vx': 2.2, 'gait': 'trot'}, pushes=[
        {'t': 4.0, 'phase': 0.3, 'at': 'front', 'force': [0, 200 * side, 0], 'duration': 0.1}])
    assert not metrics['fell']


@pytest.mark.timeout(200)
def test_the_dog_goes_where_a_target_is() -> None:
    metrics = go(8.0, {'t': 0.5, 'target': [2.0, 2.0], 'gait': 'trot'})
    assert not metrics['fell']
    x, y = metrics['displacement']
    assert x == pytest.approx(2.0, abs=0.6) and y == pytest.approx(2.0, abs=0.6)


@pytest.mark.timeout(200)
def test_a_fall_stays_bounded() -> None:
    """A dog knocked over comes to rest near where it fell; its joints do not run away."""
    metrics = go(5.0, {'t': 0.5, 'vx': 1.0, 'gait': 'trot'}, pushes=[
        {'t': 2.0, 'at': 'rear', 'force': [0, 900, 0], 'duration': 0.2}])
    assert metrics['fell']
    assert abs(metrics['displacement'][0]) < 8 and abs(metrics['displacement'][1]) < 8


@pytest.mark.timeout(200)
def test_the_demonstration_shows_a_dog_on_its_feet() -> None:
    metrics = run_scenario(make_demonstration(18.0)).metrics
    assert not metrics['fell']
    assert {'stand', 'walk', 'trot'} <= {change['gait'] for change in metrics['gaits']}
