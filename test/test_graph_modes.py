"""Free-running, commands that are repeated bit for bit, and figures of the graph."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import QoSProfile
from ros_client import Client
from ros_graph import open_graph
from ros_processes import PATIENCE, choose_domain, name_domain, node_program, running
from std_srvs.srv import SetBool, Trigger

from quadruped_control.command_line.main import main
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.nodes import graph_benchmark, pace
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.nodes.graph_node import STAMPED
from quadruped_control.nodes.parent import PARENT
from quadruped_control.rollout.sanity import describe_insanity
from quadruped_control.terrain.ground import Ground


def drive_live(out: Path) -> list[TwistStamped]:
    """Run for 2.5 s in slow motion, driven by hand; return what was applied."""
    applied: list[TwistStamped] = []
    options = GraphOptions(seconds=2.5, metrics_file=str(out), patient=True, start_paused=True,
                           real_time_factor=0.25)
    with open_graph(options) as graph:
        client = graph.client
        client.node.create_subscription(TwistStamped, '/cmd_vel_applied', applied.append,
                                        QoSProfile(depth=100))
        client.insist(lambda: client.call(Trigger, '/simulation/reset', Trigger.Request()),
                      lambda: applied, 'the first tick', every=2.0)
        assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success
        speeds = itertools.count()

        def drive_faster() -> Twist:
            message, tick = Twist(), next(speeds)
            message.linear.x, message.angular.z = 0.1 * tick, 0.05 * tick
            return message

        client.publish_until('/cmd_vel', drive_faster, lambda: applied[-1].twist.linear.x > 0.95,
                             'a dog that is to trot', every=0.3)
        client.wait(lambda: applied[-1].twist.linear.x == 0.0, 'silence that stops the dog')
        client.wait(lambda: not graph.is_running, 'the end')
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
    assert len(applied) > 3             # how many depends on the machine
    repeat(applied, tmp_path / 'again.json')
    live, again = read(tmp_path / 'live.json'), read(tmp_path / 'again.json')
    assert live['displacement'][0] > 0.1
    assert live['state_hash'] == again['state_hash']


@pytest.mark.timeout(400)
def test_free_running_is_not_faster_than_its_rate_and_counts_late_torques(tmp_path: Path) -> None:
    options = GraphOptions(seconds=1.0, rate=200.0, metrics_file=str(tmp_path / 'free.json'),
                           start_paused=True)
    with open_graph(options) as graph:
        client = graph.client
        client.wait(lambda: client.value('simulation', 'mode') == 'free', 'free running')
        assert client.value('simulation', 'late torques').isdigit()
        assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success
        client.wait(lambda: not graph.is_running, 'the end')
    found = read(tmp_path / 'free.json')
    assert found['graph']['late_torques'] >= 0      # how many depends on the machine
    assert 0.0 < found['graph']['real_time_factor'] < 0.22


@pytest.mark.timeout(400)
def test_free_running_without_fresh_torques_is_damped_and_does_not_run_away() -> None:
    """A controller that has no processor for a while: old torques would throw the dog."""
    with open_graph(GraphOptions(rate=1000.0)) as graph:
        client = graph.client
        client.wait(lambda: client.value('simulation', 'mode') == 'free', 'free running')
        client.wait(lambda: client.count('simulation', 'step') > 100, 'steps')
        assert graph.set_parameter('simulation', 'rate', 300.0)[0]
        controller = graph.supervisor.pids()['leg_frame_controller']
        for _ in range(5):
            os.kill(controller, signal.SIGSTOP)
            client.spin(0.2)
            os.kill(controller, signal.SIGCONT)
            client.spin(0.3)
        client.wait(lambda: client.count('simulation', 'damped steps') > 50, 'damped steps')
        client.wait_for_news('simulation')
        assert client.value('simulation', 'mode') in ('free', 'damped')
        before = client.count('simulation', 'step')
        client.wait_for_news('simulation')
        assert client.count('simulation', 'step') - before < 600        # of the new rate


def test_what_is_beyond_all_reason_is_named() -> None:
    def find_ground(x: float, y: float) -> float:
        return float(Ground.from_features((), 0).height(np.array([x]), np.array([y]))[0])

    state = new_record(state_type(31))
    assert describe_insanity(state, find_ground) == ''
    state['base_velocity'] = 1650.0, 0.0, 0.0
    assert describe_insanity(state, find_ground) == 'it moves at 1650 m/s'
    state['base_velocity'], state['base_position'] = 0.0, (0.0, 0.0, 1100.0)
    assert describe_insanity(state, lambda x, y: 10.0) == 'it is 1090 m above the ground'
    state['base_position'], state['joint_velocity'][3] = 0.0, np.nan
    assert describe_insanity(state, find_ground) == 'the state is not finite'
    state['joint_velocity'], state['base_position'] = 0.0, np.nan
    assert describe_insanity(state, find_ground) == 'the state is not finite'


@pytest.mark.timeout(400)
def test_an_interrupt_in_the_middle_of_a_step_ends_nodes_without_a_word_of_error() -> None:
    """Ctrl-C reaches all at once, and most of the time one is just at work or publishes."""
    domain, names = choose_domain(), ('simulation', 'gait_scheduler', 'leg_frame_controller')
    client = Client(domain)
    with ExitStack() as stack:
        processes = [stack.enter_context(running(
            node_program(name), domain, stderr=subprocess.PIPE, text=True)) for name in names]
        client.wait(lambda: client.count('simulation', 'step') > 100, 'a graph at work')
        for process in processes:
            process.send_signal(signal.SIGINT)
        errors = [process.communicate(timeout=PATIENCE)[1] for process in processes]
    client.close()
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert not [text for text in errors if 'Exception' in text or 'Traceback' in text]


@pytest.mark.timeout(400)
def test_a_node_ends_with_the_process_that_it_was_told_to_watch() -> None:
    domain = choose_domain()
    client = Client(domain)
    with subprocess.Popen(['sleep', '600']) as starter, running(
            ['env', f'{PARENT}={starter.pid}', *node_program('description')], domain) as process:
        client.wait_for_news('description')
        starter.kill()
        starter.wait(PATIENCE)
        process.wait(PATIENCE)
    client.close()


def test_steps_that_are_due_are_those_of_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 50.0
    monkeypatch.setattr(pace, 'monotonic', lambda: now)
    steps = pace.Pace(200.0)
    made = 0
    for milliseconds in (1, 4, 5, 30, 7, 53):
        now += 1e-3 * milliseconds + 1e-9
        made += steps.count_due(most=20)
    assert (made, steps.given_up) == (20, 0)            # in 0.1 s
    now += 1.0                                          # as if somebody else had the processor
    assert steps.count_due(most=20) == 20 and steps.given_up == 180
    now += 0.05
    assert steps.count_due(most=20) in (9, 10)


@pytest.mark.timeout(240)
def test_bench_of_the_graph_tells_the_share_of_each_hop(
        capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_benchmark, 'private_domain', lambda: name_domain(choose_domain()))
    out = tmp_path / 'bench.json'
    assert main(['bench', '--ros', '--repeats', '1', '--json', str(out)]) == 0
    assert 'transport' in capsys.readouterr().out
    found = read(out)['ros']
    assert set(found) == {'separate', 'composed'}
    for figures in found.values():
        assert figures['real_time_factor'] > 0.0
        assert sum(figures['share'].values()) == pytest.approx(1.0, abs=0.05)
        assert all(value > 0 for value in figures['hops_us'].values())
