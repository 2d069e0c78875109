"""A bag read back holds what the recording held."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.errors import InputError
from quadruped_control.rollout.recording import COMMAND, SAMPLE_SIZE, TIME, Recording

pytest.importorskip('rosbags')

from rosbags.highlevel import AnyReader

from quadruped_control.rollout.bag import check_bag_path, write_bag

JOINTS = ('hip', 'knee', 'toe')
QUARTER_LEFT = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


@pytest.fixture
def recording() -> Recording:
    """Half a second along +y, the base turned by 90 degrees; the command changes at 0.3 s."""
    steps = 500
    result = Recording(steps, 0.001, JOINTS)
    for step in range(steps):
        sample = np.zeros(SAMPLE_SIZE)
        sample[TIME] = 0.001 * step
        sample[COMMAND] = (1.0, 0.0, 0.0) if step < 300 else (1.0, 0.0, 0.5)
        pose = np.array((0.0, 0.002 * step, 0.5, *QUARTER_LEFT, 0.1, 0.2, 0.001 * step))
        velocity = np.array((0.0, 2.0, 0.0, 0.3, 0.0, 0.5, 1.0, 2.0, 3.0))
        result.append(sample, pose, velocity)
    return result


def read(path: Path) -> dict[str, list[tuple[int, object]]]:
    """Read all messages by topic, with their times in ns."""
    topics: dict[str, list[tuple[int, object]]] = {}
    with AnyReader([path]) as reader:
        for connection, time, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            topics.setdefault(connection.topic, []).append((time, message))
    return topics


@pytest.mark.parametrize('name', ['out.mcap', 'out'])
def test_all_steps_of_all_topics_come_back(
    recording: Recording, tmp_path: Path, name: str
) -> None:
    write_bag(recording, tmp_path / name)
    topics = read(tmp_path / name)
    counts = {topic: len(messages) for topic, messages in topics.items()}
    assert counts == {'/clock': 500, '/odom': 500, '/joint_states': 500, '/cmd_vel': 2}
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_path_with_suffix_mcap_is_one_mcap_file(recording: Recording, tmp_path: Path) -> None:
    write_bag(recording, tmp_path / 'a.b.mcap', every=100)
    content = (tmp_path / 'a.b.mcap').read_bytes()
    assert content.startswith(b'\x89MCAP0\r\n')
    assert content.endswith(b'\x89MCAP0\r\n')


def test_joint_states_hold_names_positions_and_velocities(
    recording: Recording, tmp_path: Path
) -> None:
    write_bag(recording, tmp_path / 'out.mcap')
    time, state = read(tmp_path / 'out.mcap')['/joint_states'][499]
    assert time == 499_000_000
    assert (state.header.stamp.sec, state.header.stamp.nanosec) == (0, 499_000_000)
    assert tuple(state.name) == JOINTS
    np.testing.assert_array_equal(state.position, recording.pose[499, 7:])
    np.testing.assert_array_equal(state.velocity, (1.0, 2.0, 3.0))


def test_odometry_velocity_is_in_the_base_frame(recording: Recording, tmp_path: Path) -> None:
    write_bag(recording, tmp_path / 'out.mcap')
    _, odometry = read(tmp_path / 'out.mcap')['/odom'][100]
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('odom', 'base_link')
    pose, twist = odometry.pose.pose, odometry.twist.twist
    assert pose.position.y == pytest.approx(0.2)
    assert pose.orientation.z == pytest.approx(np.sqrt(0.5))
    assert (twist.linear.x, twist.linear.y) == pytest.approx((2.0, 0.0))
    assert (twist.angular.x, twist.angular.y) == pytest.approx((0.0, -0.3))
    assert twist.angular.z == pytest.approx(0.5)


def test_command_is_written_when_it_changes(recording: Recording, tmp_path: Path) -> None:
    write_bag(recording, tmp_path / 'out.mcap', every=7)
    commands = read(tmp_path / 'out.mcap')['/cmd_vel']
    assert [time for time, _ in commands] == [0, 300_000_000]
    assert [(c.linear.x, c.angular.z) for _, c in commands] == [(1.0, 0.0), (1.0, 0.5)]


def test_every_tenth_step_and_other_names(recording: Recording, tmp_path: Path) -> None:
    write_bag(recording, tmp_path / 'out.mcap', every=10, joint_names=('a', 'b', 'c'))
    topics = read(tmp_path / 'out.mcap')
    assert [time for time, _ in topics['/clock']] == list(range(0, 500_000_000, 10_000_000))
    assert tuple(topics['/joint_states'][0][1].name) == ('a', 'b', 'c')


def test_nothing_is_overwritten(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / 'out.mcap'
    path.write_text('precious')
    with pytest.raises(InputError, match=r'out\.mcap'):
        write_bag(recording, path)
    assert path.read_text() == 'precious'
    with pytest.raises(InputError, match='absent'):
        check_bag_path(tmp_path / 'absent' / 'out.mcap')


def test_wrong_number_of_names_or_rate_is_refused(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='2 joint names for 3'):
        write_bag(recording, tmp_path / 'out.mcap', joint_names=('a', 'b'))
    with pytest.raises(ValueError, match='every is 0'):
        write_bag(recording, tmp_path / 'out.mcap', every=0)
    assert not list(tmp_path.iterdir())
