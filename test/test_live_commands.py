"""Commands that come from outside, and a dog that nobody controls; without ROS."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.gains import load_gains
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.live_commands import LiveCommands
from quadruped_control.rollout.recording_file import load_recording, save_recording
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.rollout.world_half import WorldHalf
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

ROBOT = load_robot()
LINKS = len(ROBOT.links)


class Ticks:
    """A scheduler and its commands, told the time."""

    def __init__(self, **options: float) -> None:
        library = GaitLibrary()
        self.scheduler = SkillScheduler(ROBOT, library.stand, library.tables, time_step=TIME_STEP)
        self.commands = LiveCommands(self.scheduler,
                                     **options)  # type: ignore[arg-type]
        self._state = new_record(state_type(LINKS))

    def at(self, step: int) -> list[float]:
        """Return the command in force at a step."""
        self._state['time'] = step * TIME_STEP
        self.commands.apply(self._state)
        return [float(value) for value in self.scheduler.command]


def test_velocity_holds_until_silence_and_then_the_dog_is_asked_for_nothing() -> None:
    ticks = Ticks(silence=0.5)
    ticks.commands.request_gait('trot')
    assert ticks.at(0) == [0.0, 0.0, 0.0, 0.0]      # nobody drives: no stepping on the spot
    ticks.commands.receive(1.0, 0.1, -0.2)
    assert ticks.at(1) == [1.0, 0.1, -0.2, 1.0]
    assert ticks.at(501) == [1.0, 0.1, -0.2, 1.0]
    assert ticks.at(502) == [0.0, 0.0, 0.0, 0.0]
    ticks.commands.receive(0.5, 0.0, 0.0)
    assert ticks.at(503) == [0.5, 0.0, 0.0, 1.0]


def test_stamped_velocity_holds_exactly_from_its_time_and_does_not_run_out() -> None:
    ticks = Ticks()
    ticks.commands.receive_at(0.2, 0.7, 0.0, 0.0)
    ticks.commands.receive_at(0.1, 0.3, 0.0, 0.0)
    assert ticks.at(99)[0] == 0.0
    assert ticks.at(100)[0] == 0.3
    assert ticks.at(199)[0] == 0.3
    assert ticks.at(200)[0] == 0.7
    assert ticks.at(5000)[0] == 0.7
    assert ticks.commands.late == 0
    ticks.commands.receive_at(1.0, 0.0, 0.0, 0.0)
    assert ticks.at(5001)[0] == 0.0 and ticks.commands.late == 1


@pytest.mark.parametrize('vx', [math.nan, math.inf, -math.inf, 1e6, 11.0])
def test_absurd_velocity_is_refused(vx: float) -> None:
    ticks = Ticks()
    ticks.commands.receive(0.4, 0.0, 0.0)
    with pytest.raises(InputError):
        ticks.commands.receive(vx, 0.0, 0.0)
    with pytest.raises(InputError):
        ticks.commands.receive_at(0.0, vx, 0.0, 0.0)
    assert ticks.at(0)[0] == 0.4


def test_skill_stand_stops_and_unknown_ones_are_refused() -> None:
    ticks = Ticks()
    ticks.commands.receive(0.4, 0.0, 0.0)
    ticks.at(0)
    ticks.commands.request_skill('stand')
    assert ticks.at(1) == [0.0, 0.0, 0.0, 0.0]
    with pytest.raises(InputError, match='stand'):
        ticks.commands.request_skill('hop')
    with pytest.raises(SkillRefusedError, match='leap is not possible while stand'):
        ticks.commands.request_skill('leap')
    assert ticks.commands.request_skill('sit') == 'sit: begins'
    with pytest.raises(InputError, match='walk'):
        ticks.commands.request_gait('hop')


def make_scenario(**keys: object) -> Scenario:
    return validate({'name': 'test', 'duration': 0.3, **keys}, Scenario, 'test')


@pytest.mark.timeout(180)
def test_damped_joints_lose_energy_and_let_the_dog_sink() -> None:
    half = WorldHalf(make_scenario())
    start = float(half.state['base_position'][2])
    fastest = 0.0
    for _ in range(2000):
        half.damp()
        half.act()
        fastest = max(fastest, float(np.abs(half.state['joint_velocity']).max()))
    assert np.isfinite(half.state['joint_position']).all()
    assert float(half.state['base_position'][2]) < start - 0.1
    assert fastest < 100.0
    assert float(np.abs(half.state['joint_velocity']).mean()) < 0.5
    assert float(np.abs(half.state['base_velocity']).max()) < 0.3
    half.world.close()


@pytest.mark.timeout(180)
def test_recording_comes_back_whole_from_its_file(tmp_path: Path) -> None:
    recording = run_scenario(make_scenario()).recording
    save_recording(tmp_path / 'recording.npz', recording)
    again = load_recording(tmp_path / 'recording.npz')
    assert again.state_hash == recording.state_hash and len(again) == len(recording)
    assert (again.samples == recording.samples).all()
    assert again.joint_names == recording.joint_names
    assert again.gait_names == recording.gait_names


def test_gains_are_parameters_and_can_be_changed() -> None:
    pytest.importorskip('rclpy')
    from quadruped_control.nodes.gain_settings import change_gains, list_gain_settings
    gains = load_gains()
    settings = list_gain_settings(gains)
    assert settings['gains.joints.hip.kp'].default == gains.joints.hip.kp
    changed = change_gains(gains, {'gains.joints.hip.kp': 77.0})
    assert changed.joints.hip.kp == 77.0 and changed.joints.knee == gains.joints.knee
    for setting in settings.values():
        assert setting.least is not None and setting.most is not None
        assert setting.least <= setting.default <= setting.most  # type: ignore[operator]
    with pytest.raises(InputError):
        change_gains(gains, {'gains.joints.hip.kp': -1.0})
