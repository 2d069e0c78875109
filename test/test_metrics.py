"""Metrics of synthetic recordings whose answers are known."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from quadruped_control.control.skill_numbers import Mode
from quadruped_control.kinematics.records import LEGS
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout import recording as columns
from quadruped_control.rollout.events import (
    Events,
    GaitChange,
    LeapEvent,
    LeapPlan,
    PostureEvent,
)
from quadruped_control.rollout.metrics import compute_metrics, low_pass
from quadruped_control.rollout.recording import SAMPLE_SIZE, Recording
from quadruped_control.rollout.travel import find_speed_windows

DT = 0.001
JOINTS = ('hip', 'knee', 'ankle', 'toe')
MASS = 34.0
MEASURES = load_robot().measures
TROT = {'front_left': 0.5, 'front_right': 0.0, 'rear_left': 0.0, 'rear_right': 0.5}


@dataclass(frozen=True)
class Command:
    t: float = 0.0
    vx: float | None = None
    vy: float | None = None
    wz: float | None = None
    gait: str | None = None
    skill: str | None = None
    target: tuple[float, float] | None = None
    target_heading: float | None = None


@dataclass(frozen=True)
class Scenario:
    commands: list[Command] = field(default_factory=list)
    duration: float = 1.0
    seed: int = 0
    ball: None = None
    expect: dict[str, object] = field(default_factory=dict)


class Flat:
    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.zeros_like(x)


class Step:
    """Ground that is 0.1 m high from x = 1 m on."""

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(x >= 1.0, 0.1, 0.0)


def record(seconds: float, time_step: float = DT) -> Recording:
    """Record a dog that stands still, all feet on the ground, leg frames 0.45 m high."""
    steps = round(seconds / time_step)
    result = Recording(steps, time_step, JOINTS, gait_names=('stand', 'trot'))
    result.count = steps
    result.samples[:, columns.TIME] = np.arange(steps) * time_step
    result.leg_frame_position[:, :, 2] = 0.45
    result.leg_frame_position[:, 0, 0] = 0.26
    result.leg_frame_position[:, 1, 0] = -0.26
    result.samples[:, columns.FOOT_CONTACT] = 1.0
    return result


def move(result: Recording, vx: np.ndarray | float, vy: np.ndarray | float = 0.0) -> None:
    """Let the leg frames move with a velocity in the world."""
    velocity = np.zeros((len(result), 2))
    velocity[:, 0], velocity[:, 1] = vx, vy
    result.leg_frame_velocity[:, :, :2] = velocity[:, np.newaxis]
    travel = np.cumsum(velocity, axis=0) * result.time_step
    result.leg_frame_position[:, :, :2] += (travel - travel[0])[:, np.newaxis]


def measure(result: Recording, *commands: Command, ground: object = None, **more: object) -> dict:
    metrics = compute_metrics(
        result, Scenario(list(commands)), ground or Flat(), mass=MASS, measures=MEASURES, **more
    )
    json.dumps(metrics, allow_nan=False)
    return metrics


def trot(
    result: Recording,
    period: float = 0.4,
    duty: float = 0.6,
    phases: dict[str, float] = TROT,
) -> None:
    """Set the contacts of a trot, or of another gait by its phases."""
    for leg, name in enumerate(LEGS):
        # Half a step before the edge, so that rounding does not move it.
        phase = ((result.time + 0.5 * DT) / period - phases[name]) % 1.0
        result.foot_contact[:, leg] = phase < duty


# Recording ------------------------------------------------------------------------------------


def test_columns_fill_a_sample_without_gap_or_overlap() -> None:
    filled = np.zeros(SAMPLE_SIZE)
    for name, value in vars(columns).items():
        if isinstance(value, slice) or (
            isinstance(value, int) and name.isupper() and not name.endswith('SIZE')
        ):
            filled[value] += 1
    np.testing.assert_array_equal(filled, 1.0)


def test_views_show_what_was_appended() -> None:
    result = Recording(3, DT, JOINTS)
    result.append(np.arange(float(SAMPLE_SIZE)), np.arange(11.0), np.arange(10.0))
    assert len(result) == 1
    assert result.leg_frame_position[0, 1].tolist() == [4.0, 5.0, 6.0]
    assert result.foot_position[0, 3].tolist() == [28.0, 29.0, 30.0]
    assert result.command[0].tolist() == [45.0, 46.0, 47.0]
    assert result.mode.tolist() == [50]
    assert result.pose.shape == (1, 11)
    assert result.joint_velocity[0].tolist() == [6.0, 7.0, 8.0, 9.0]
    for view in (result.time, result.foot_position, result.command, result.pose):
        assert np.shares_memory(view, result.samples) or np.shares_memory(view, result.poses)


def test_a_full_recording_takes_no_more() -> None:
    result = Recording(1, DT, JOINTS)
    row = np.zeros(SAMPLE_SIZE), np.zeros(11), np.zeros(10)
    result.append(*row)
    with pytest.raises(IndexError):
        result.append(*row)
    assert len(result) == 1


def test_state_hash_is_of_every_bit_of_pose_and_velocity_only() -> None:
    first, second = record(0.1), record(0.1)
    second.samples += 1.0
    assert len(first.state_hash) == 32
    assert first.state_hash == second.state_hash
    second.poses[50, 8] = np.nextafter(0.0, 1.0)
    assert first.state_hash != second.state_hash
    third = record(0.1)
    third.velocities[-1, -1] = -0.0
    assert first.state_hash != third.state_hash


def test_an_empty_recording_is_refused() -> None:
    with pytest.raises(ValueError, match='empty'):
        measure(Recording(5, DT, JOINTS))


# Falls ----------------------------------------------------------------------------------------


def test_standing_is_no_fall() -> None:
    metrics = measure(record(1.0))
    assert (metrics['fell'], metrics['fall_time'], metrics['falls']) == (False, None, [])


def test_body_contact_is_a_fall_at_once() -> None:
    result = record(2.0)
    result.samples[700, columns.BODY_CONTACT] = 1.0
    metrics = measure(result)
    assert metrics['fell'] is True
    assert metrics['fall_time'] == pytest.approx(0.7)


@pytest.mark.parametrize('mode', [Mode.POSTURE, Mode.GET_UP, Mode.LEAP])
def test_what_was_asked_for_is_no_fall(mode: Mode) -> None:
    result = record(2.0)
    result.samples[500:1500, columns.BODY_CONTACT] = 1.0
    result.leg_frame_position[500:1500, :, 2] = 0.1
    result.samples[500:1500, columns.MODE] = mode
    assert measure(result)['fell'] is False


def test_low_for_longer_than_0_3_s_is_a_fall() -> None:
    result = record(2.0)
    result.leg_frame_position[500:800, 1, 2] = 0.19
    assert measure(result)['fell'] is False
    result.leg_frame_position[800, 1, 2] = 0.19
    assert measure(result)['fall_time'] == pytest.approx(0.8)


def test_low_is_counted_over_the_ground_and_only_while_unasked() -> None:
    result = record(2.0)
    result.leg_frame_position[:, :, 0] += 2.0
    result.leg_frame_position[500:1000, :, 2] = 0.25
    assert measure(result)['fell'] is False
    assert measure(result, ground=Step())['fell'] is True
    result.samples[500:750, columns.MODE] = Mode.POSTURE
    assert measure(result, ground=Step())['fell'] is False


def test_recovery_is_counted_to_the_start_of_a_second_upright() -> None:
    result = record(6.0)
    result.samples[1000:1500, columns.BODY_CONTACT] = 1.0
    result.leg_frame_position[1000:2000, :, 2] = 0.15
    result.samples[1200:3000, columns.MODE] = Mode.GET_UP
    result.leg_frame_position[2900, 0, 2] = 0.29
    result.samples[4000:, columns.BODY_CONTACT] = 1.0
    falls = measure(result)['falls']
    assert [fall['time'] for fall in falls] == pytest.approx([1.0, 4.0])
    assert falls[0]['recovered_after'] == pytest.approx(1.901)
    assert falls[1]['recovered_after'] is None


@pytest.mark.parametrize(('next_contact', 'recovered_after'), [(2000, None), (2001, 0.001)])
def test_recovery_takes_a_full_second(next_contact: int, recovered_after: float | None) -> None:
    result = record(2.5)
    result.samples[1000, columns.BODY_CONTACT] = 1.0
    result.samples[next_contact, columns.BODY_CONTACT] = 1.0
    falls = measure(result)['falls']
    assert len(falls) == (1 if recovered_after is None else 2)
    assert falls[0]['recovered_after'] == pytest.approx(recovered_after)


def test_a_diverged_state_is_a_fall_and_leaves_no_nan() -> None:
    result = record(2.0)
    result.samples[1000:, columns.LEG_FRAME_POSITION] = np.nan
    result.samples[1000:, columns.HEAD_VELOCITY] = np.inf
    with np.errstate(invalid='ignore'):
        metrics = measure(result)
    assert metrics['fall_time'] == pytest.approx(1.3)
    assert metrics['distance'] is None
    assert metrics['head_acceleration'] is None


# Travel ---------------------------------------------------------------------------------------


def test_distance_and_displacement_of_a_square() -> None:
    result = record(4.0)
    quarter = np.repeat(np.arange(4), 1000)
    move(result, np.array((1.0, 0.0, -1.0, 0.0))[quarter], np.array((0, 1.0, 0, -1.0))[quarter])
    metrics = measure(result)
    assert metrics['distance'] == pytest.approx(4.0, abs=0.01)
    assert metrics['displacement'] == pytest.approx([0.0, 0.0], abs=0.01)


def test_speed_and_error_leave_out_two_seconds_after_a_command() -> None:
    result = record(8.0)
    commands = Command(0.0, vx=1.0), Command(4.0, vx=2.0)
    speed = np.where(result.time < 4.0, 0.9, 1.9)
    speed[:2000], speed[4000:6000] = 0.0, 7.0
    move(result, speed)
    metrics = measure(result, *commands)
    assert metrics['speed_error'] == pytest.approx(0.1)
    assert metrics['mean_speed'] == pytest.approx(1.4)


def test_speed_is_measured_in_the_heading_frame() -> None:
    result = record(4.0)
    result.leg_frame_rpy[:, 0, 2] = np.pi / 2 + 0.1
    result.leg_frame_rpy[:, 1, 2] = np.pi / 2 - 0.1
    move(result, -0.3, 0.6)
    metrics = measure(result, Command(vx=1.0, vy=0.3))
    assert metrics['mean_speed'] == pytest.approx(np.hypot(0.3, 0.6))
    assert metrics['speed_error'] == pytest.approx(0.4)
    assert measure(result, Command(vx=0.6))['speed_error'] == pytest.approx(0.3)


def test_swing_within_a_stride_is_no_speed_error() -> None:
    result = record(8.0)
    move(result, 1.0 + 0.4 * np.sin(2.0 * np.pi * 4.0 * result.time))
    assert measure(result, Command(vx=1.0))['speed_error'] == pytest.approx(0.0, abs=1e-9)


def test_windows_end_with_what_moves_the_dog_otherwise() -> None:
    commands = [
        Command(0.0, gait='trot'),
        Command(0.0, vx=1.0),
        Command(1.0, gait='pace'),
        Command(5.0, vy=0.2),
        Command(6.0, wz=0.5),
        Command(9.0, skill='sit'),
        Command(12.0, vx=0.5),
        Command(15.0, target=(1.0, 1.0)),
    ]
    windows = find_speed_windows(commands, 20.0)
    assert windows == [(2.0, 5.0, 1.0, 0.0), (8.0, 9.0, 1.0, 0.2), (14.0, 15.0, 0.5, 0.2)]


def test_without_velocity_command_there_is_no_error_but_a_speed() -> None:
    result = record(3.0)
    move(result, 0.7)
    metrics = measure(result, Command(target=(4.0, 0.0)))
    assert (metrics['speed_error'], metrics['mean_speed']) == (None, pytest.approx(0.7))


def test_heading_error_is_wrapped() -> None:
    result = record(1.0)
    result.leg_frame_rpy[:, :, 2] = np.pi - 0.1
    result.samples[:, columns.TARGET_HEADING] = -np.pi + 0.1
    assert measure(result)['heading_error'] == pytest.approx(0.2)
    result.samples[:, columns.TARGET_HEADING] = np.nan
    assert measure(result)['heading_error'] is None


def test_lateral_drift_is_across_the_intended_path() -> None:
    result = record(4.0)
    heading = np.pi / 6
    move(result, np.cos(heading + 0.1), np.sin(heading + 0.1))
    result.samples[:, columns.TARGET_HEADING] = heading
    result.command[:, 0] = 1.0
    assert measure(result)['lateral_drift'] == pytest.approx(np.sin(0.1))
    result.command[:, :2] = np.cos(0.1), np.sin(0.1)
    assert measure(result)['lateral_drift'] == pytest.approx(0.0, abs=1e-9)


def test_a_perfect_circle_has_no_lateral_drift() -> None:
    result = record(6.0)
    heading = 0.8 * result.time
    move(result, np.cos(heading), np.sin(heading))
    result.samples[:, columns.TARGET_HEADING] = heading
    assert measure(result)['lateral_drift'] == pytest.approx(0.0, abs=1e-3)


def test_too_short_a_way_has_no_drift_and_no_cost() -> None:
    result = record(1.0)
    move(result, 0.4)
    metrics = measure(result)
    assert metrics['lateral_drift'] is None
    assert metrics['cost_of_transport'] is None


# Feet -----------------------------------------------------------------------------------------


def test_footfalls_of_a_trot() -> None:
    result = record(4.0)
    trot(result)
    metrics = measure(result)
    rear = metrics['footfalls']['rear_left']
    front = metrics['footfalls']['front_left']
    assert rear['touchdown'] == pytest.approx(np.arange(0.4, 3.9, 0.4))
    assert rear['lift_off'] == pytest.approx(np.arange(0.24, 4.0, 0.4))
    assert front['touchdown'] == pytest.approx(np.arange(0.2, 4.0, 0.4))
    assert front['lift_off'] == pytest.approx(np.arange(0.04, 4.0, 0.4))
    for leg, phase in TROT.items():
        assert metrics['duty_factor'][leg] == pytest.approx(0.6)
        assert metrics['phase'][leg] == pytest.approx(phase)


def test_phase_is_the_delay_after_rear_left() -> None:
    walk = {'front_left': 0.25, 'front_right': 0.75, 'rear_left': 0.0, 'rear_right': 0.5}
    result = record(4.0)
    trot(result, 0.8, 0.75, walk)
    metrics = measure(result)
    assert metrics['phase'] == pytest.approx(walk)
    assert metrics['duty_factor'] == pytest.approx(dict.fromkeys(walk, 0.75))


def test_phase_is_a_circular_mean() -> None:
    result = record(4.0)
    trot(result)
    for stride in range(1, 10):
        # Alternately 20 ms before and after the reference: 0.95 and 0.05 of a stride.
        touchdown = 400 * stride + (20 if stride % 2 else -20)
        result.foot_contact[400 * stride - 40 : touchdown, 0] = 0.0
        result.foot_contact[touchdown : 400 * stride + 100, 0] = 1.0
        result.foot_contact[400 * stride + 100 : 400 * stride + 360, 0] = 0.0
    result.foot_contact[:360, 0] = 0.0
    phase = measure(result)['phase']['front_left']
    assert min(phase, 1.0 - phase) == pytest.approx(0.0, abs=1e-6)


def test_short_gaps_and_touches_are_ignored() -> None:
    result = record(2.0)
    result.samples[:, columns.FOOT_CONTACT] = 0.0
    result.foot_contact[500:1000, 0] = 1.0
    result.foot_contact[700:709, 0] = 0.0
    result.foot_contact[1200:1209, 0] = 1.0
    result.foot_contact[:, 1] = 0.0
    result.foot_contact[500:510, 1] = 1.0
    footfalls = measure(result)['footfalls']
    assert footfalls['front_left'] == {'touchdown': [0.5], 'lift_off': [1.0]}
    assert footfalls['front_right'] == {'touchdown': [0.5], 'lift_off': [0.51]}


def test_feet_that_always_or_never_touch() -> None:
    result = record(1.0)
    result.foot_contact[:, 0] = 0.0
    result.foot_contact[:500, 1] = 0.0
    metrics = measure(result)
    assert list(metrics['duty_factor'].values()) == [0.0, None, 1.0, 1.0]
    assert set(metrics['phase'].values()) == {None}
    assert metrics['footfalls']['rear_left'] == {'touchdown': [], 'lift_off': []}


def test_slip_is_the_way_slid_per_stance() -> None:
    result = record(4.0)
    trot(result)
    # 40 whole stances, and the last 40 ms of two that had begun before, without a slide.
    for leg, name in enumerate(LEGS):
        stance = ((result.time + 0.5 * DT) / 0.4 - TROT[name]) % 1.0 * 0.4
        # 3 cm between 50 and 150 ms of each stance, and a jump at its very start.
        result.sole_velocity[(stance > 0.05) & (stance < 0.15), leg, 1] = 0.3
        result.sole_velocity[stance < 0.008, leg, 0] = 50.0
    assert measure(result)['slip'] == pytest.approx(0.03 * 40 / 42, abs=1e-4)


def test_a_foot_that_rolls_does_not_slide() -> None:
    result = record(2.0)
    result.foot_position[:, :, 0] = 0.02 * result.time[:, np.newaxis]
    assert measure(result)['slip'] == 0.0


def test_a_standing_foot_makes_one_stance() -> None:
    result = record(2.0)
    result.sole_velocity[:, 0, 0] = 0.02
    assert measure(result)['slip'] == pytest.approx(0.02 * 1.979 / 4.0)


def test_clearance_is_over_the_ground_and_not_of_leaps() -> None:
    result = record(4.0)
    trot(result)
    phase = ((result.time + 0.5 * DT) / 0.4) % 1.0
    result.foot_position[:, :, 0] = 2.0
    result.foot_position[:, :, 2] = (0.1 + 0.08 * np.abs(np.sin(np.pi * phase)))[:, np.newaxis]
    swinging = result.foot_contact == 0.0
    expected = 0.08 * max(abs(np.sin(np.pi * phase[swinging[:, 2]])))
    result.foot_contact[:, (0, 1, 3)] = 1.0
    result.foot_position[3000:, 2, 2] = 3.0
    result.samples[3000:, columns.MODE] = Mode.LEAP
    assert measure(result, ground=Step())['clearance'] == pytest.approx(expected)
    assert measure(record(1.0))['clearance'] is None


# Body and effort ------------------------------------------------------------------------------


def test_height_and_pitch_of_a_sine() -> None:
    result = record(10.0)
    wave = np.sin(2.0 * np.pi * result.time)
    result.leg_frame_position[:, 0, 0] = 2.0
    result.leg_frame_position[:, 0, 2] = 0.55 + 0.02 * wave
    result.leg_frame_rpy[:, 1, 1] = 0.05 - 0.1 * wave
    metrics = measure(result, ground=Step())
    # The 97.5 percentile of a sine is sin(0.475 pi).
    most = np.sin(0.475 * np.pi)
    assert metrics['height']['front']['mean'] == pytest.approx(0.45)
    assert metrics['height']['front']['amplitude'] == pytest.approx(0.02 * most, rel=1e-3)
    assert metrics['height']['rear'] == pytest.approx({'mean': 0.45, 'amplitude': 0.0})
    assert metrics['pitch']['rear']['mean'] == pytest.approx(0.05)
    assert metrics['pitch']['rear']['amplitude'] == pytest.approx(0.1 * most, rel=1e-3)


def test_head_acceleration_of_a_sine() -> None:
    result = record(4.0)
    omega = 2.0 * np.pi * 2.0
    result.head_velocity[:, 2] = 0.3 * np.sin(omega * result.time)
    expected = 0.3 * omega / np.sqrt(2.0)
    assert measure(result)['head_acceleration'] == pytest.approx(expected, rel=1e-3)


def test_low_pass_has_its_gain_and_no_delay() -> None:
    time = np.arange(4000) * DT
    for frequency, gain in ((5.0, 0.9999), (50.0, 0.5), (200.0, 1.0 / 257.0)):
        wave = np.sin(2.0 * np.pi * frequency * time)[:, np.newaxis]
        filtered = low_pass(wave, DT, 50.0)
        middle = slice(1000, 3000)
        np.testing.assert_allclose(filtered[middle], gain * wave[middle], atol=2e-3)


def test_steady_acceleration_rings_at_no_end() -> None:
    result = record(1.0)
    result.head_velocity[:, 0] = 4.0 + 3.0 * result.time
    assert measure(result)['head_acceleration'] == pytest.approx(3.0)


def test_torque_saturation_and_cost_of_transport() -> None:
    result = record(5.0)
    move(result, 2.0)
    result.samples[:, columns.POWER] = 500.0
    result.samples[1234, columns.PEAK_TORQUE] = 87.0
    result.samples[:1000, columns.SATURATED] = 2.0
    metrics = measure(result, gravity=10.0)
    assert metrics['peak_torque'] == 87.0
    assert metrics['torque_saturation'] == pytest.approx(0.1)
    assert metrics['cost_of_transport'] == pytest.approx(500.0 / (MASS * 10.0 * 2.0), rel=1e-3)


# Events ---------------------------------------------------------------------------------------


def test_gaits_come_from_events_or_else_from_the_steps() -> None:
    result = record(2.0)
    result.samples[:500, columns.GAIT] = -1
    result.samples[1500:, columns.GAIT] = 1
    assert measure(result)['gaits'] == [{'t': 0.5, 'gait': 'stand'}, {'t': 1.5, 'gait': 'trot'}]
    events = Events(gaits=(GaitChange(0.1, 'pace'),))
    assert measure(result, events=events)['gaits'] == [{'t': 0.1, 'gait': 'pace'}]


def test_postures_leaps_speed_and_hash_are_passed_on() -> None:
    result = record(1.0)
    events = Events(
        postures=(PostureEvent('sit', 1.0, 1.5, True),),
        leaps=(LeapEvent(2.0, LeapPlan(0.4, 1.2, 3.0), takeoff=2.4, feet_on=4),),
    )
    metrics = measure(result, events=events, real_time_factor=3.3)
    assert metrics['postures'] == [{'skill': 'sit', 't': 1.0, 'done_after': 1.5, 'held': True}]
    assert metrics['leaps'][0]['planned'] == {'h': 0.4, 'd': 1.2, 'v': 3.0}
    assert metrics['leaps'][0]['landing'] is None
    assert metrics['real_time_factor'] == 3.3
    assert metrics['state_hash'] == result.state_hash


def test_names_are_those_of_the_contract() -> None:
    assert list(measure(record(0.5))) == [
        'fell',
        'fall_time',
        'falls',
        'distance',
        'displacement',
        'mean_speed',
        'speed_error',
        'heading_error',
        'lateral_drift',
        'gaits',
        'footfalls',
        'duty_factor',
        'phase',
        'slip',
        'clearance',
        'height',
        'pitch',
        'head_acceleration',
        'peak_torque',
        'torque_saturation',
        'cost_of_transport',
        'torque_jump',
        'slips',
        'jams',
        'unsolved',
        'target',
        'ball',
        'postures',
        'leaps',
        'real_time_factor',
        'state_hash',
    ]


def test_other_time_steps_give_the_same_answers() -> None:
    for time_step in (0.0005, 0.002):
        result = record(4.0, time_step)
        result.leg_frame_position[result.time >= 1.9995, 0, 2] = 0.1
        move(result, 1.0)
        metrics = measure(result, Command(vx=1.1))
        assert metrics['fall_time'] == pytest.approx(2.3, abs=2.0 * time_step)
        assert metrics['speed_error'] == pytest.approx(0.1)
        assert metrics['distance'] == pytest.approx(4.0, abs=0.01)
