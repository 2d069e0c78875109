"""A driven run, recorded and replayed: every message is there, and the run repeats bit for bit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from graph_facts import read_names, read_rows
from ros_client import Client
from ros_processes import ROOT, choose_domain, make_environment, running

pytest.importorskip('rclpy', reason='rclpy is not installed')

from geometry_msgs.msg import Twist
from rosbags.highlevel import AnyReader
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from quadruped_control.errors import InputError
from quadruped_control.nodes.qos import CLOCK
from quadruped_control.nodes.replay import read_commands
from quadruped_control.rollout.mcap_writer import McapWriter

COMMAND = [sys.executable, '-m', 'quadruped_control.command_line']
SECONDS = 20
STEPS = 1000 * SECONDS
STREAMS = ('/robot_state', '/gait_state', '/joint_torques')
# simulated s: forward and turn of cmd_vel from then on, and the gait that is asked for
DRIVE = ((1.0, 0.4, 0.0, 'auto'), (6.0, 0.8, 0.3, 'trot'), (11.0, 0.6, -0.3, 'trot'),
         (14.0, None, None, 'trot'), (17.0, 0.3, 0.0, 'walk'))  # fmt: skip


def drive(client: Client, process: subprocess.Popen[Any]) -> None:
    """Publish cmd_vel at about 10 Hz, with a silence, and ask for gaits, until the end."""
    clock = client.listen(Clock, '/clock', CLOCK)
    twists = client.node.create_publisher(Twist, '/cmd_vel', 10)
    gaits = client.node.create_publisher(String, '/gait_request', 10)
    asked = 'auto'
    while process.poll() is None:
        client.spin(0.1)
        now = clock[-1].clock.sec + 1e-9 * clock[-1].clock.nanosec if clock else 0.0
        due = [row for row in DRIVE if row[0] <= now]
        if not due:
            continue
        _, forward, turn, gait = due[-1]
        if gait != asked:
            asked = gait
            gaits.publish(String(data=gait))
        if forward is not None:
            twist = Twist()
            twist.linear.x, twist.angular.z = forward, turn
            twists.publish(twist)


def read_hash(path: Path) -> str:
    return str(json.loads(path.read_text())['state_hash'])


@pytest.mark.timeout(600)
def test_driven_run_is_recorded_whole_and_repeats(tmp_path: Path) -> None:
    domain, bag = choose_domain(), tmp_path / 'run.mcap'
    up = [*COMMAND, 'up', '--no-page', '--seconds', str(SECONDS), '--metrics']
    client = Client(domain)
    try:
        with running([*up, str(tmp_path / 'a.json'), '--record', str(bag)], domain) as process:
            drive(client, process)
            assert process.returncode == 0
    finally:
        client.close()
    check_recording(bag)
    again = [*up, str(tmp_path / 'b.json'), '--paused', '--real-time-factor', '0']
    with running(again, domain) as process:
        result = subprocess.run(
            [*COMMAND, 'replay', str(bag)], env=make_environment(domain), capture_output=True,
            text=True)
        assert result.returncode == 0, result.stderr
        assert 'commands replayed' in result.stdout
        assert process.wait() == 0
    assert read_hash(tmp_path / 'a.json') == read_hash(tmp_path / 'b.json')


def check_recording(bag: Path) -> None:
    steps: dict[str, list[int]] = {topic: [] for topic in STREAMS}
    counts: Counter[str] = Counter()
    with AnyReader([bag]) as reader:
        for connection, _, data in reader.messages():
            counts[connection.topic] += 1
            if connection.topic in steps:
                message: Any = reader.deserialize(data, connection.msgtype)
                steps[connection.topic].append(int(message.data[0]))
    for topic, found in steps.items():
        # a state may be sent twice while the others are waited for, none may be missing
        assert sorted(set(found)) == list(range(STEPS)), topic
        assert found == sorted(found), topic
    assert counts['/cmd_vel_applied'] >= len(DRIVE)
    check_rates(counts)


def check_rates(counts: Counter[str]) -> None:
    """Compare how often messages came with what the README says."""
    checked = 0
    for name, _, qos, rate, *_ in read_rows('topic'):
        hertz = re.match(r'(\d+) Hz(?! of wall time| base_link)', rate)
        if hertz:
            expected, found = int(hertz[1]) * SECONDS, counts[read_names(name)[0]]
            assert 0 < found <= 1.05 * expected, name
            assert found >= 0.95 * expected or 'best effort' in qos, name   # which may be lost
            checked += 1
    assert checked == 11


def test_file_without_commands_is_refused(tmp_path: Path) -> None:
    empty = McapWriter(tmp_path / 'empty.mcap')
    empty.close()
    for path in (tmp_path / 'empty.mcap', tmp_path / 'missing.mcap', ROOT / 'README.md'):
        with pytest.raises(InputError, match=r'accepted: a recording'):
            read_commands(path)


def test_replay_of_a_missing_file_is_a_sentence() -> None:
    result = subprocess.run([*COMMAND, 'replay', 'missing.mcap'], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith('quadruped: missing.mcap')
