"""A recording on the page: the same poses as the run, joint by joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.command_line.main import main
from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.rollout.bag import write_bag
from quadruped_control.rollout.playback import Timed, _Collector, load_playback
from quadruped_control.rollout.recording import BASE_POSE_SIZE, Recording
from quadruped_control.rollout.recording_file import load_recording, save_recording
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.scenario import Scenario

SECONDS = 1.2


@pytest.fixture(name='recording', scope='module')
def _recording() -> Recording:
    data = {'duration': SECONDS, 'commands': [{'t': 0.1, 'vx': 1.0, 'wz': 0.3, 'gait': 'trot'}]}
    return run_scenario(validate(data, Scenario, 'test')).recording


@pytest.fixture(name='bag', scope='module')
def _bag(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp('bag') / 'run.mcap'
    write_bag(recording, path, every=10)
    return path


def test_poses_are_those_of_the_run(recording: Recording, bag: Path) -> None:
    playback = load_playback(bag)
    rows = recording.poses[:len(recording):10]
    assert playback.joint_names == list(recording.joint_names)
    np.testing.assert_array_equal(playback.joints, rows[:, BASE_POSE_SIZE:])
    np.testing.assert_array_equal(playback.poses, rows[:, :BASE_POSE_SIZE])
    np.testing.assert_allclose(playback.times, recording.time[::10], atol=1e-9)
    assert playback.asked.at(0.5) == 1.0


def test_the_page_shows_the_poses_of_the_run(recording: Recording, bag: Path) -> None:
    pytest.importorskip('viser', reason='viser is not installed')
    from quadruped_control.page.play_page import PlayPage
    from quadruped_control.page.robot_model import multiply_turns

    page = PlayPage(load_playback(bag), bag.name, '127.0.0.1', 18100)
    try:
        dog: Any = page.scene._dog
        names = list(recording.joint_names)
        for time in (0.0, 0.33, 0.8, 1.15):
            page.seek(time)
            page.step(0.0)
            row = recording.poses[10 * (round(time * 1000) // 10)]
            angles = row[BASE_POSE_SIZE:].tolist()
            np.testing.assert_allclose(dog._nodes[0].handle.position, row[:3], atol=1e-6)
            shown = 0
            for body, node in zip(dog._bodies, dog._nodes, strict=True):
                handle = node.handle
                chain = [(names.index(hinge.name), hinge) for hinge in body.hinges]
                shown += len(chain)
                if chain:
                    turn = multiply_turns(body.turn, chain, angles)
                    np.testing.assert_allclose(handle.wxyz, turn, atol=2e-4)
            assert shown == len(names) == 67
    finally:
        page.server.stop()


def test_time_goes_on_at_the_speed_and_stops_at_the_end(bag: Path) -> None:
    pytest.importorskip('viser', reason='viser is not installed')
    from quadruped_control.page.play_page import PlayPage

    page = PlayPage(load_playback(bag), bag.name, '127.0.0.1', 18110)
    try:
        page.step(0.2)
        first = page.index
        page._speed.value = 0.5
        page.step(0.2)
        assert (first, page.index) == (20, 30)
        page.play(False)
        page.step(5.0)
        assert page.index == 30
        page.play(True)
        page.step(60.0)
        assert page.index == len(page._playback.times) - 1
        page.play(True)                                 # from the end: anew
        page.step(0.0)
        assert page.index == 0
    finally:
        page.server.stop()


def test_a_simulation_that_was_set_back_goes_on_growing() -> None:
    from types import SimpleNamespace as Some

    collector = _Collector()
    for time in (0, 10, 20, 0, 10):                     # ms; set back after the third
        header = Some(stamp=Some(sec=0, nanosec=time * 1_000_000))
        pose = Some(position=Some(x=0.0, y=0.0, z=0.0),
                    orientation=Some(x=0.0, y=0.0, z=0.0, w=1.0))
        twist = Some(linear=Some(x=0.0))
        collector.takers['/joint_states'](
            Some(header=header, name=['a'], position=[0.0], effort=[0.0]))
        collector.takers['/odom'](Some(header=header, pose=Some(pose=pose),
                                       twist=Some(twist=twist)))
    playback = collector.finish()
    np.testing.assert_allclose(playback.times, [0, 0.010, 0.020, 0.021, 0.031])
    np.testing.assert_allclose(playback.clock, [0, 0.010, 0.020, 0, 0.010])


def test_what_holds_at_a_time() -> None:
    timed = Timed()
    assert timed.at(1.0) is None
    timed.add(1.0, 'walk')
    timed.add(2.0, 'trot')
    assert [timed.at(time) for time in (0.9, 1.0, 1.9, 2.5)] == [None, 'walk', 'walk', 'trot']


def test_what_is_no_recording_is_refused(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match='a recording'):
        load_playback(tmp_path / 'none.mcap')
    file = tmp_path / 'text.mcap'
    file.write_text('no bag')
    assert main(['play', str(file)]) == 2
    assert 'text.mcap' in capsys.readouterr().err


@pytest.mark.timeout(240)          # it may be the first to compile for the a1
def test_a_recording_knows_its_robot(tmp_path: Path) -> None:
    """In its own angles: where the knees of a1 are bent backwards, and where they are zero."""
    pytest.importorskip('pybullet_data')
    scenario = validate({'duration': 0.05, 'robot': 'a1'}, Scenario, 'test')
    rollout = run_scenario(scenario)
    write_bag(rollout.recording, tmp_path / 'a1.mcap', robot=rollout.robot)
    playback = load_playback(tmp_path / 'a1.mcap')
    assert playback.robot == 'a1' and 'base_link_to_trunk' in playback.urdf
    rows = rollout.recording.pose[:, BASE_POSE_SIZE:]
    np.testing.assert_array_equal(playback.joints, rollout.robot.convention.to_user(rows))
    save_recording(tmp_path / 'a1.npz', rollout.recording)
    assert load_recording(tmp_path / 'a1.npz').robot == 'a1'


def test_an_old_recording_is_of_the_dog(recording: Recording, bag: Path, tmp_path: Path) -> None:
    assert load_playback(bag).robot == 'dog' and not load_playback(bag).urdf
    old = tmp_path / 'old.npz'
    save_recording(old, recording)
    with np.load(old) as file:
        np.savez(old, **{key: file[key] for key in file if key != 'robot'})
    assert load_recording(old).robot == 'dog'
