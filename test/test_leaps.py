"""Leaps in the closed loop, in PyBullet."""

from __future__ import annotations

import numpy as np
import pytest

from quadruped_control.control.leap import flatten_leap, load_seed
from quadruped_control.control.skill_numbers import Activity, Mode
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.loading import validate
from quadruped_control.rollout.leap_outcome import find_leaps, measure_leap
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario, load_scenario
from quadruped_control.share import share_folder

SPEED = 0.8                 # m/s, of the first leap


def make_loop(**others: object) -> Loop:
    return Loop(validate({
        'name': 'leap', 'duration': 6.0, 'recover': False,
        'commands': [{'t': 0.2, 'vx': SPEED, 'gait': 'trot'}], **others}, Scenario, 'leap'))


@pytest.mark.timeout(240)
@pytest.mark.parametrize('half_strides', [2, 3])
def test_the_first_leap_flies_lands_and_trots_on(half_strides: int) -> None:
    loop = make_loop()
    loop.run(2500)
    loop.scheduler.skills.leap_by(flatten_leap(load_seed()), 2.5, half_strides=half_strides)
    loop.run(2500)
    recording = loop.recording
    leaps = find_leaps(recording)
    assert len(leaps) == 1
    outcome = measure_leap(recording, *leaps[0])
    assert outcome is not None
    assert (outcome.touch - outcome.lift_off) * recording.time_step > 0.3      # s in the air
    assert outcome.height > 0.7
    assert outcome.landing - outcome.take_off > 1.0         # m without a foot on the ground
    assert not (recording.skill == Activity.FALLING).any()
    end = recording.tail(500)
    assert end.leg_frame_velocity[:, :, 0].mean() == pytest.approx(SPEED, abs=0.2)
    assert np.abs(end.leg_frame_rpy[:, :, :2]).max() < 0.3
    assert (recording.mode[slice(*leaps[0])] == Mode.LEAP).all()
    assert recording.skill[-1] != Activity.LEAPING
    assert recording.peak_torque.max() <= 100.0
    loop.world.close()


@pytest.mark.timeout(240)
def test_hips_turn_the_leg_frames_from_a_leap_s_request_to_after_its_landing() -> None:
    loop = make_loop()

    def by_hips() -> bool:
        return bool(loop.scheduler.target['by_hips'])

    loop.run(2500)
    assert not by_hips()
    loop.scheduler.skills.leap_by(flatten_leap(load_seed()), 2.5, half_strides=3)
    loop.run(50)
    assert by_hips() and loop.recording.skill[-1] != Activity.LEAPING
    loop.run(500)
    assert by_hips() and loop.recording.skill[-1] == Activity.LEAPING
    loop.run(2900)
    assert not by_hips()
    loop.world.close()


@pytest.mark.timeout(240)
def test_in_flight_nothing_but_gravity_moves_the_centre_of_mass() -> None:
    loop = make_loop()
    loop.run(2500)
    loop.scheduler.skills.leap_by(flatten_leap(load_seed()), 2.5)
    loop.run(1500)
    recording = loop.recording
    outcome = measure_leap(recording, *find_leaps(recording)[0])
    assert outcome is not None
    flight = slice(outcome.lift_off + 5, outcome.touch - 5)
    time, centre = recording.time[flight], recording.centre_of_mass[flight]
    fall = np.polyfit(time - time[0], centre[:, 2], 2)[0]
    assert 2 * fall == pytest.approx(-9.81, rel=0.03)
    assert np.ptp(np.gradient(centre[:, 0], time)) < 0.15
    loop.world.close()


@pytest.mark.timeout(240)
def test_legs_do_not_shake_in_flight() -> None:
    loop = make_loop()
    loop.run(2500)
    loop.scheduler.skills.leap_by(flatten_leap(load_seed()), 2.5)
    loop.run(1500)
    recording = loop.recording
    outcome = measure_leap(recording, *find_leaps(recording)[0])
    assert outcome is not None
    flight = recording.peak_torque[outcome.lift_off:outcome.touch]
    assert np.median(flight) < 30.0             # N m; legs are drawn in and stretched in between
    loop.world.close()


@pytest.mark.timeout(240)
def test_what_is_asked_for_in_a_leap_waits_for_its_landing() -> None:
    loop = make_loop()
    loop.run(2500)
    skills, clock = loop.scheduler.skills, loop.scheduler.clock
    skills.leap_by(flatten_leap(load_seed()), 2.5, half_strides=3)
    loop.run(20)
    loop.scheduler.command[:3] = 0.0, 0.0, 1.0
    heading = float(clock.heading)
    while skills.activity != 'leaping':
        loop.run(10)
    while skills.activity == 'leaping':
        assert float(clock.heading) == heading
        loop.run(10)
    assert float(clock.asked) > 0.5 * SPEED
    loop.run(1500)
    assert len(find_leaps(loop.recording)) == 1
    assert not (loop.recording.skill == Activity.FALLING).any()
    assert float(clock.heading) > heading + 0.5 and float(clock.speed[0]) < 0.2
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_second_leap_is_refused_while_one_is_under_way() -> None:
    loop = make_loop()
    loop.run(1500)
    skills = loop.scheduler.skills
    skills.leap_by(flatten_leap(load_seed()), 1.5)
    loop.run(600)
    assert skills.activity == 'leaping'
    with pytest.raises(SkillRefusedError, match='under way'):
        skills.leap_by(flatten_leap(load_seed()), 2.1)
    loop.world.close()


@pytest.mark.timeout(240)
def test_the_planner_leaps_over_a_gap_and_stops_before_one_out_of_reach() -> None:
    scenario = load_scenario(share_folder() / 'config' / 'scenarios' / 'leap_gap.yaml')
    gap, abyss = (feature.x for feature in scenario.terrain)
    loop = Loop(scenario)
    loop.run(round(1000 * scenario.duration))
    hips = loop.recording.leg_frame_position[:, 1, 0]
    feet = loop.recording.foot_position
    assert not (loop.recording.skill == Activity.FALLING).any()
    assert loop.guide is not None
    driver = loop.guide.driver
    assert len(driver.leaps) == 1
    assert gap[1] + 0.5 < hips[-1] < abyss[0] - 0.3
    assert feet[:, :, 2].min() > -0.05                  # no foot went into the gap
    assert driver.refused
    assert np.ptp(hips[-500:]) < 0.05                   # it stands
    loop.world.close()


@pytest.mark.timeout(240)
def test_the_dog_leaps_to_a_place_that_is_named() -> None:
    loop = make_loop(leap_planner=True, duration=9.0)
    assert loop.guide is not None and loop.guide.scout is not None
    loop.guide.scout.target = 5.0, 0.0
    loop.run(9000)
    recording = loop.recording
    leaps = find_leaps(recording)
    assert len(leaps) == 1
    outcome = measure_leap(recording, *leaps[0])
    assert outcome is not None
    begin = recording.leg_frame_position[outcome.begin, 1, 0]
    assert begin + outcome.landing == pytest.approx(5.0, abs=0.2)
    assert loop.guide.scout.target is None
    assert not (recording.skill == Activity.FALLING).any()
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_leap_that_is_only_asked_for_lands_at_every_speed_of_leaps() -> None:
    for seed, speed in enumerate((1.0, 1.16, 1.3, 1.45, 1.58)):
        begin = 3.0 + 0.07 * seed
        loop = make_loop(duration=begin + 4.0, seed=seed, commands=[
            {'t': 0.4, 'vx': speed, 'gait': 'trot'}, {'t': begin, 'skill': 'leap'}])
        loop.run(round((begin + 4.0) * 1000))
        assert len(find_leaps(loop.recording)) == 1
        assert not (loop.recording.skill == Activity.FALLING).any()
        loop.world.close()
