"""Canter and gallop: footfalls, flight and speed, closed loop in PyBullet; leads by footfall."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.gait import load_gait
from quadruped_control.control.gait_fields import list_places
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.kinematics.records import LEGS, new_record, state_type
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.footfalls import (
    Footfalls,
    compute_phase,
    find_footfalls,
    tell_gallop,
)
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario

STEP = 0.001
SPEEDS = {'canter': 3.0, 'transverse_gallop': 5.0, 'rotary_gallop': 3.5}
KINDS = {'canter': 'transverse', 'transverse_gallop': 'transverse', 'rotary_gallop': 'rotary'}


def fall_at(touchdowns: dict[str, float], duty: float = 0.3) -> dict[str, Footfalls]:
    """Return the footfalls of ten strides of 0.4 s with touchdowns at these phases."""
    time = np.arange(4000) * STEP
    found = {}
    for leg, phase in touchdowns.items():
        starts = np.array([round((n + phase) * 400) for n in range(10)])
        found[leg] = Footfalls(starts + 1, starts + 1 + round(duty * 400), time)
    return found


@pytest.mark.parametrize(('order', 'kind'), [
    (('rear_left', 'rear_right', 'front_left', 'front_right'), 'transverse'),
    (('rear_right', 'rear_left', 'front_right', 'front_left'), 'transverse'),
    (('rear_left', 'rear_right', 'front_right', 'front_left'), 'rotary'),
    (('rear_right', 'rear_left', 'front_left', 'front_right'), 'rotary')])
def test_gallops_are_told_apart_by_their_footfalls(order: tuple[str, ...], kind: str) -> None:
    feet = fall_at(dict(zip(order, (0.0, 0.15, 0.5, 0.65), strict=True)))
    assert tell_gallop(feet) == kind


def test_a_trot_and_a_bound_are_no_gallops() -> None:
    trot = dict(zip(LEGS, (0.5, 0.0, 0.0, 0.5), strict=True))
    bound = dict(zip(LEGS, (0.5, 0.5, 0.0, 0.0), strict=True))
    assert tell_gallop(fall_at(trot)) is None
    assert tell_gallop(fall_at(bound)) is None


@pytest.mark.parametrize('gait', SPEEDS)
def test_gait_graphs_have_one_lead_and_a_flight(gait: str) -> None:
    """And feet that stand for a shorter part of the stride when faster."""
    duties = []
    for at in load_gait(gait).speeds:
        footfalls = {leg: getattr(at.gait_graph, leg) for leg in LEGS}
        feet = fall_at({leg: f.touchdown % 1 for leg, f in footfalls.items()})
        assert tell_gallop(feet) == KINDS[gait]
        phases = np.arange(1000) / 1000
        swings = np.array([(phases - f.lift_off) % 1 < f.touchdown - f.lift_off
                           for f in footfalls.values()])
        assert swings.all(axis=0).mean() > 0.05
        duties.append(1 - swings.mean())
    assert duties == sorted(duties, reverse=True)


@cache
def gallop(gait: str) -> Rollout:
    """Run a gait from a stand by command alone."""
    data: dict[str, Any] = {'name': gait, 'duration': 9.0, 'recover': False, 'commands': [
        {'t': 0.3, 'vx': SPEEDS[gait], 'gait': gait}]}
    return run_scenario(validate(data, Scenario, gait))


@pytest.mark.timeout(300)
@pytest.mark.parametrize('gait', SPEEDS)
def test_a_fast_gait_is_reached_from_a_stand_and_keeps_its_speed(gait: str) -> None:
    metrics: dict[str, Any] = gallop(gait).metrics
    assert not metrics['fell']
    assert metrics['gaits'][-1]['gait'] == gait
    steady = gallop(gait).recording.tail(4000)
    speed = steady.leg_frame_velocity[:, :, 0].mean()
    assert speed == pytest.approx(SPEEDS[gait], rel=0.05)
    assert metrics['slip'] < 0.04
    assert metrics['torque_saturation'] < 0.03


@pytest.mark.timeout(300)
@pytest.mark.parametrize('gait', SPEEDS)
def test_feet_fall_in_the_order_of_the_gait_and_the_dog_flies(gait: str) -> None:
    steady = gallop(gait).recording.tail(4000)
    feet = find_footfalls(steady)
    assert tell_gallop(feet) == KINDS[gait]
    assert (steady.foot_contact.max(axis=1) == 0.0).mean() > 0.05


@pytest.mark.timeout(300)
def test_the_canter_has_three_beats() -> None:
    feet = find_footfalls(gallop('canter').recording.tail(4000))
    together = compute_phase(feet['front_left'], feet['rear_right'])
    assert together is not None and min(together, 1 - together) < 0.12
    first = compute_phase(feet['rear_right'], feet['rear_left'])
    last = compute_phase(feet['front_right'], feet['rear_left'])
    assert first is not None and last is not None
    assert 0.15 < first < 0.45 < last < 0.8


@pytest.mark.timeout(300)
def test_on_the_left_lead_the_feet_of_the_other_side_land_last() -> None:
    data = {'name': 'left', 'duration': 10.0, 'recover': False, 'commands': [
        {'t': 0.3, 'vx': 3.0, 'gait': 'canter'}, {'t': 5.0, 'gait': 'canter_left'}]}
    rollout = run_scenario(validate(data, Scenario, 'left'))
    assert not rollout.metrics['fell']
    for part, lead in ((rollout.recording.between(2500, 5000), 'right'),
                       (rollout.recording.between(7000, 10000), 'left')):
        feet = find_footfalls(part)
        other = 'left' if lead == 'right' else 'right'
        for pair in ('front', 'rear'):
            later = compute_phase(feet[f'{pair}_{lead}'], feet[f'{pair}_{other}'])
            assert later is not None and 0.1 < later < 0.5


@pytest.mark.timeout(300)
@pytest.mark.parametrize('side', [1, -1])
def test_a_canter_that_is_spun_by_a_push_at_the_pelvis_turns_back(side: int) -> None:
    data = {'name': 'spun', 'duration': 9.0, 'recover': False,
            'commands': [{'t': 0.5, 'vx': 3.0, 'gait': 'canter'}],
            'pushes': [{'t': 4.0, 'phase': 0.5, 'at': 'rear', 'force': [0, side * 300, 0],
                        'duration': 0.1}]}
    rollout = run_scenario(validate(data, Scenario, 'spun'))
    assert not rollout.metrics['fell']
    yaw = rollout.recording.leg_frame_rpy[:, 1, 2]
    assert np.abs(yaw[4000:5500]).max() > 0.4           # it was spun
    assert np.abs(yaw[-1000:]).mean() < 0.15            # and goes straight again


def test_a_leg_frame_off_its_heading_is_asked_to_turn_back() -> None:
    """The shoulders to one side and the pelvis to the other, as fast as the gait says."""
    found = {}
    for turning in (0.0, 2.0):
        library = GaitLibrary()
        table = library.tables['canter']
        table.rows[:, list_places()['turning']] = turning
        robot = load_robot('dog')
        scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=STEP,
                                  gait='canter')
        scheduler.command[0] = 3.0
        state = new_record(state_type(len(robot.links)))
        state['base_quaternion'] = 0.0, 0.0, np.sin(0.1), np.cos(0.1)       # 0.2 rad to the left
        state['base_velocity'][0] = 3.0
        for _ in range(3000):
            target = scheduler.update(state)
        found[turning] = target['velocity'][:, 1].copy()
    turned = found[2.0] - found[0.0]
    lever = robot.anatomy['lever']
    np.testing.assert_allclose(turned, -2.0 * 0.2 * lever, rtol=0.1)


def test_front_feet_are_exchanged_between_two_gallops_only_in_the_air() -> None:
    """Whenever the other gallop is asked for, no front foot is to land half-way between them."""
    library, robot = GaitLibrary(), load_robot('dog')
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=STEP,
                              gait='transverse_gallop')
    scheduler.command[0] = 4.5
    state = new_record(state_type(len(robot.links)))
    state['base_velocity'][0] = 4.5
    for _ in range(3000):
        scheduler.update(state)
    changes = 0
    for n in range(60):
        scheduler.request(('rotary_gallop', 'transverse_gallop')[n % 2])
        for _ in range(707):                    # no whole number of strides
            target = scheduler.update(state)
            if 0.0 < scheduler.clock['fade'] < 1.0:
                assert target['stance'][:2].sum() == 0.0
        changes += scheduler.clock['fade'] == 1.0
    assert changes == 60
