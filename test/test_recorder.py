"""The recorder on real topics: nothing is lost, and a killed one leaves a readable file."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from ros_processes import PATIENCE, choose_domain, node_program, running, wait_until

pytest.importorskip('rclpy', reason='rclpy is not installed')

from rosbags.highlevel import AnyReader

from quadruped_control.nodes.recorder import CHECKPOINT_PERIOD
from quadruped_control.rollout.mcap_writer import McapWriter

STREAMS = ('/robot_state', '/gait_state', '/joint_torques')

# publishes three topics of numbered messages at 1 kHz, once all are listened to, and one latched;
# it keeps 1000 messages for a recorder that waits for a processor, and waits with it for longer
SOURCE = """
import array, sys, time, rclpy
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float64MultiArray, String
count, listeners = int(sys.argv[1]), int(sys.argv[2])
rclpy.init()
node = rclpy.create_node('source')
latched = node.create_publisher(
    String, '/gait', QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
latched.publish(String(data='trot'))
names = ('/robot_state', '/gait_state', '/joint_torques')
publishers = [node.create_publisher(Float64MultiArray, name, 1000) for name in names]
while (publishers[0].get_subscription_count() < listeners
       or not all(publisher.get_subscription_count() for publisher in publishers)):
    time.sleep(0.01)
begin = time.monotonic()
for step in range(count):
    message = Float64MultiArray(data=array.array('d', [step] * 150))
    for publisher in publishers:
        publisher.publish(message)
    time.sleep(max(0.0, begin + 0.001 * (step + 1) - time.monotonic()))
    if step % 500 == 499:
        for publisher in publishers:
            assert publisher.wait_for_all_acked(Duration(seconds=100))
print('done', flush=True)
time.sleep(1000)
"""


def count_messages(path: Path) -> Counter[str]:
    with AnyReader([path]) as reader:
        return Counter(connection.topic for connection, _, _ in reader.messages())


def has_recorded(path: Path, topic: str, count: int) -> bool:
    """Say whether so many messages are there; a file that is just being written cannot tell."""
    try:
        return count_messages(path)[topic] >= count
    except Exception as error:  # bytes of two checkpoints break a reader in many ways
        print(f'{path.name} cannot be read yet: {error!r}')
        return False


def read_numbers(path: Path, topic: str) -> list[float]:
    with AnyReader([path]) as reader:
        wanted = [connection for connection in reader.connections if connection.topic == topic]
        return [
            reader.deserialize(data, connection.msgtype).data[0]
            for connection, _, data in reader.messages(wanted)
        ]


def test_file_is_complete_after_every_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / 'a.mcap'
    writer = McapWriter(path)
    first = writer.add_channel('/a', 'std_msgs/msg/String', 'string data', {})
    text = b'\0\1\0\0\2\0\0\0x\0'
    for time in range(3):
        writer.write(first, 100 + time, text)
    writer.checkpoint()
    assert count_messages(path) == {'/a': 3}
    second = writer.add_channel('/b', 'std_msgs/msg/String', 'string data', {})
    writer.write(first, 200, text)
    writer.write(second, 150, text)
    assert count_messages(path) == {'/a': 3}
    writer.checkpoint()
    writer.checkpoint()
    assert count_messages(path) == {'/a': 4, '/b': 1}
    with AnyReader([path]) as reader:
        assert [time for _, time, _ in reader.messages()] == [100, 101, 102, 150, 200]
        assert {reader.deserialize(data, c.msgtype).data for c, _, data in reader.messages()} == {
            'x'
        }
    writer.close()
    writer.close()
    with pytest.raises(FileExistsError):
        McapWriter(path)


@pytest.mark.timeout(180)
def test_every_message_at_1_khz_is_there(tmp_path: Path) -> None:
    domain, path, count = choose_domain(), tmp_path / 'out.mcap', 5000
    source = [sys.executable, '-c', SOURCE, str(count), '1']
    with running(node_program('recorder', output=path), domain) as recorder:
        with running(source, domain, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == 'done\n'
            wait_until(lambda: all(has_recorded(path, topic, count) for topic in STREAMS),
                       'all messages in the file')
        recorder.terminate()
        assert recorder.wait(PATIENCE) == 0
    counts = count_messages(path)
    for topic in STREAMS:
        assert counts[topic] == count
        assert read_numbers(path, topic) == list(range(count))
    assert counts['/gait'] == 1


@pytest.mark.timeout(180)
def test_killed_recorder_leaves_what_came_before_the_last_checkpoint(tmp_path: Path) -> None:
    domain, path = choose_domain(), tmp_path / 'out.mcap'
    source = [sys.executable, '-c', SOURCE, '4000', '2']
    chosen = node_program('recorder', output=path, topics='/robot_state')
    # the source waits for listeners of all its topics
    other = node_program('recorder', output=tmp_path / 'other.mcap')
    with (
        running(chosen, domain) as recorder,
        running(other, domain),
        running(source, domain, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        process.stdout.readline()
        wait_until(lambda: has_recorded(path, '/robot_state', 4000), 'all messages in the file')
        recorder.kill()
        recorder.wait()
    numbers = read_numbers(path, '/robot_state')
    assert numbers == list(range(4000))
    assert CHECKPOINT_PERIOD < 1.0                      # s: more is never lost
    assert set(count_messages(path)) == {'/robot_state'}


def test_existing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'out.mcap'
    path.write_text('precious')
    with running(
        node_program('recorder', output=path), choose_domain(),
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert 'out.mcap' in errors and 'Traceback' not in errors
    assert path.read_text() == 'precious'
