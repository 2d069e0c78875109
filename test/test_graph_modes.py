"""Free-running, commands that are repeated bit for bit, and figures of the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import QoSProfile
from ros_graph import open_graph
from std_srvs.srv import SetBool

from quadruped_control.command_line.main import main
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.nodes.graph_node import STAMPED


def drive_live(out: Path) -> list[TwistStamped]:
    """Run for 2.5 s, driven by hand; return what was applied."""
    applied: list[TwistStamped] = []
    options = GraphOptions(seconds=2.5, metrics_file=str(out), patient=True)
    with open_graph(options) as graph:
        client = graph.client
        client.node.create_subscription(TwistStamped, '/cmd_vel_applied', applied.append,
                                        QoSProfile(depth=100))
        publisher = client.node.create_publisher(Twist, '/cmd_vel', 10)
        client.wait(lambda: applied, 'the first tick')
        message = Twist()
        for tick in range(12):
            message.linear.x, message.angular.z = 0.1 * tick, 0.05 * tick
            publisher.publish(message)
            client.spin(0.1)
        client.wait(lambda: not graph.is_running, 'the end')
        client.spin(0.3)
    return applied


def repeat(applied: list[TwistStamped], out: Path) -> None:
    """Run again with the same commands at the same times."""
    options = GraphOptions(seconds=2.5, metrics_file=str(out), patient=True, start_paused=True,
                           real_time_factor=0.0)
    with open_graph(options) as graph:
        client = graph.client
        publisher = client.node.create_publisher(TwistStamped, '/cmd_vel_stamped', 100)
        client.wait(publisher.get_subscription_count, 'the scheduler')
        client.wait(lambda: client.message('simulation') == 'is paused', 'a paused simulation')
        client.wait(lambda: client.value('gait_scheduler', 'step') == '0', 'the first state')
        for message in applied:
            publisher.publish(message)
        client.wait(lambda: client.value('gait_scheduler', STAMPED) == str(len(applied)),
                    'all commands at the scheduler')
        assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success
        client.wait(lambda: not graph.is_running, 'the end')


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return found


@pytest.mark.timeout(400)
def test_commands_that_were_applied_repeat_the_run_bit_for_bit(tmp_path: Path) -> None:
    applied = drive_live(tmp_path / 'live.json')
    speeds = [message.twist.linear.x for message in applied]
    assert len(applied) > 8 and max(speeds) > 0.9
    assert speeds[-1] == 0.0            # silence stopped the dog
    repeat(applied, tmp_path / 'again.json')
    live, again = read(tmp_path / 'live.json'), read(tmp_path / 'again.json')
    assert live['displacement'][0] > 0.1
    assert live['state_hash'] == again['state_hash']


@pytest.mark.timeout(400)
def test_free_running_keeps_the_rate_and_counts_late_torques(tmp_path: Path) -> None:
    options = GraphOptions(seconds=1.0, rate=200.0, metrics_file=str(tmp_path / 'free.json'))
    with open_graph(options) as graph:
        client = graph.client
        client.wait(lambda: client.value('simulation', 'mode') == 'free', 'free running')
        assert client.value('simulation', 'late torques').isdigit()
        client.wait(lambda: not graph.is_running, 'the end')
    found = read(tmp_path / 'free.json')
    assert found['graph']['late_torques'] >= 0      # how many depends on the machine
    assert 0.1 < found['graph']['real_time_factor'] < 0.22


@pytest.mark.timeout(240)
def test_bench_of_the_graph_tells_the_share_of_each_hop(
        capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / 'bench.json'
    assert main(['bench', '--ros', '--repeats', '1', '--json', str(out)]) == 0
    assert 'transport' in capsys.readouterr().out
    found = read(out)['ros']
    assert set(found) == {'separate', 'composed'}
    for figures in found.values():
        assert figures['real_time_factor'] > 0.05
        assert sum(figures['share'].values()) == pytest.approx(1.0, abs=0.05)
        assert all(value > 0 for value in figures['hops_us'].values())
