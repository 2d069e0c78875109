"""What a graph of real processes does when something is wrong, and when somebody is killed."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from os import environ

import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Twist, WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    SetParameters,
)
from rclpy.parameter import Parameter
from ros_graph import Graph, open_graph
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger


@pytest.fixture(scope='module')
def graph() -> Iterator[Graph]:
    with open_graph() as graph:
        client = graph.client
        client.listen(Odometry, '/odom')
        client.listen(String, '/gait')
        client.wait(lambda: client.counts.get('/odom', 0) > 50, 'the dog in the world')
        yield graph


def speed(graph: Graph) -> float:
    return float(graph.client.newest['/odom'].twist.twist.linear.x)


def height(graph: Graph) -> float:
    return float(graph.client.newest['/odom'].pose.pose.position.z)


def is_fine(graph: Graph) -> bool:
    client = graph.client
    return all(client.message(name).startswith('works') for name in (
        'simulation', 'gait_scheduler', 'leg_frame_controller'))


def settle(graph: Graph) -> None:
    """Go back to the start, with all nodes at work."""
    client = graph.client
    assert client.call(Trigger, '/simulation/reset', Trigger.Request()).success
    client.status.clear()
    client.wait(lambda: is_fine(graph), 'nodes at work')
    seen = client.counts['/odom']
    client.wait(lambda: client.counts['/odom'] > seen + 10, 'odometry')
    client.wait(lambda: height(graph) > 0.3, 'a standing dog')


def drive(graph: Graph, seconds: float, vx: float) -> None:
    publisher = graph.client.node.create_publisher(Twist, '/cmd_vel', 10)
    message = Twist()
    message.linear.x = vx
    for _ in range(round(seconds / 0.1)):
        publisher.publish(message)
        graph.client.spin(0.1)
    graph.client.node.destroy_publisher(publisher)


def set_parameter(graph: Graph, node: str, name: str, value: object) -> tuple[bool, str]:
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    result = graph.client.call(SetParameters, f'/{node}/set_parameters', request).results[0]
    return result.successful, result.reason


def test_parameters_have_ranges_and_a_gain_changes_at_run_time(graph: Graph) -> None:
    node, name = 'leg_frame_controller', 'gains.joints.hip.kp'
    request = DescribeParameters.Request(names=[name])
    described = graph.client.call(DescribeParameters, f'/{node}/describe_parameters', request)
    span = described.descriptors[0].floating_point_range[0]
    assert (span.from_value, span.to_value) == (0.0, 4000.0)
    assert described.descriptors[0].description
    assert set_parameter(graph, node, name, 390.0) == (True, '')
    values = graph.client.call(GetParameters, f'/{node}/get_parameters',
                               GetParameters.Request(names=[name])).values
    assert values[0].double_value == 390.0
    for bad in (-1.0, 1e9, math.nan):
        taken, reason = set_parameter(graph, node, name, bad)
        assert not taken and '4000' in reason and name in reason
    taken, reason = set_parameter(graph, node, name, 'stiff')
    assert not taken and reason
    taken, reason = set_parameter(graph, 'simulation', 'scenario', 'other.yaml')
    assert not taken
    graph.client.spin(0.3)
    assert height(graph) > 0.3


def test_dog_walks_by_cmd_vel_and_stands_when_it_falls_silent(graph: Graph) -> None:
    settle(graph)
    drive(graph, 3.0, 0.6)
    assert speed(graph) > 0.3
    assert graph.client.newest['/gait'].data == 'walk'
    client = graph.client
    client.wait(lambda: abs(speed(graph)) < 0.1, 'a dog that stops')
    client.wait(lambda: client.newest['/gait'].data == 'stand', 'a dog that stands')
    assert height(graph) > 0.3


@pytest.mark.parametrize(('vx', 'wz'), [(math.nan, 0.0), (0.0, math.inf), (1e6, 0.0)])
def test_absurd_twist_is_refused_and_reported(graph: Graph, vx: float, wz: float) -> None:
    client = graph.client
    client.wait(lambda: is_fine(graph), 'a graph at work')
    before = int(client.value('gait_scheduler', 'refused'))
    publisher = client.node.create_publisher(Twist, '/cmd_vel', 10)
    client.wait(publisher.get_subscription_count, 'the scheduler')
    message = Twist()
    message.linear.x, message.angular.z = vx, wz
    publisher.publish(message)
    client.wait(lambda: int(client.value('gait_scheduler', 'refused')) > before, 'a refusal')
    assert 'cmd_vel' in client.value('gait_scheduler', 'last refusal')
    assert math.isfinite(speed(graph)) and abs(speed(graph)) < 0.2


def test_unknown_gait_skill_and_push_are_refused_in_words(graph: Graph) -> None:
    client = graph.client
    for kind, topic, message, node in (
            (String, '/gait_request', String(data='hop'), 'gait_scheduler'),
            (String, '/skill_request', String(data='leap'), 'gait_scheduler'),
            (String, '/leap_request', String(data='1.0'), 'leap_planner'),
            (WrenchStamped, '/push', WrenchStamped(), 'simulation')):
        publisher = client.node.create_publisher(kind, topic, 10)
        client.wait(publisher.get_subscription_count, f'a listener to {topic}')
        publisher.publish(message)
        client.wait(lambda topic=topic, node=node: topic in client.value(node, 'last refusal'),
                    f'a refusal of {topic}')


@pytest.mark.parametrize('numbers', [[1.0, 2.0], None])
def test_torques_of_wrong_length_or_not_finite_are_never_applied(
        graph: Graph, numbers: list[float] | None) -> None:
    client = graph.client
    client.listen(Float64MultiArray, '/joint_torques')
    client.wait(lambda: '/joint_torques' in client.newest and is_fine(graph), 'torques')
    if numbers is None:
        numbers = list(client.newest['/joint_torques'].data)
        numbers[0] = math.nan
        numbers[-1] = math.nan
    before = int(client.value('simulation', 'refused'))
    publisher = client.node.create_publisher(Float64MultiArray, '/joint_torques', 10)
    client.wait(publisher.get_subscription_count, 'the simulation')
    publisher.publish(Float64MultiArray(data=numbers))
    client.wait(lambda: int(client.value('simulation', 'refused')) > before, 'a refusal')
    assert 'joint_torques' in client.value('simulation', 'last refusal')
    assert math.isfinite(height(graph)) and height(graph) > 0.3


def test_second_simulation_refuses(graph: Graph) -> None:
    environment = {**environ, **graph.environment}
    done = subprocess.run([sys.executable, '-m', 'quadruped_control.nodes.simulation'],
                          capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 2
    assert 'another simulation' in done.stdout + done.stderr
    graph.client.wait(lambda: is_fine(graph), 'the first at work')


def test_nodes_that_another_simulation_led_away_are_called_back(graph: Graph) -> None:
    """A second simulation may have begun before it hears of the first, and ends then."""
    settle(graph)
    client = graph.client
    client.listen(Float64MultiArray, '/robot_state')
    client.wait(lambda: '/robot_state' in client.newest, 'a state')
    led_away = client.newest['/robot_state']
    led_away.data[1] += 1e6                                 # a run that began 1 s later
    stale = int(client.value('simulation', 'torques of another run'))
    publisher = client.node.create_publisher(Float64MultiArray, '/robot_state', 10)
    client.wait(lambda: publisher.get_subscription_count() >= 3, 'listeners')
    publisher.publish(led_away)
    client.wait(lambda: int(client.value('simulation', 'torques of another run')) > stale,
                'a simulation that notices')
    client.node.destroy_publisher(publisher)
    client.status.clear()
    client.wait(lambda: is_fine(graph), 'nodes at work')
    before = client.counts['/odom']
    client.wait(lambda: client.counts['/odom'] > before + 50, 'steps')
    assert client.value('simulation', 'mode') == 'lock_step'
    assert height(graph) > 0.3


def test_pause_holds_and_goes_on(graph: Graph) -> None:
    client = graph.client
    settle(graph)
    # less than the pause, but not of a machine with other work
    assert set_parameter(graph, 'simulation', 'torque_timeout', 2.0) == (True, '')
    losses = client.value('simulation', 'losses of control')
    assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=True)).success
    client.spin(1.5)                        # until diagnostics tell of it
    step, before = client.value('simulation', 'step'), client.counts['/odom']
    client.spin(1.5)
    assert client.value('simulation', 'step') == step
    assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success
    client.wait(lambda: client.counts['/odom'] > before + 10, 'steps')
    client.status.clear()
    client.wait(lambda: client.value('simulation', 'mode') == 'lock_step', 'control')
    assert client.value('simulation', 'losses of control') == losses
    assert set_parameter(graph, 'simulation', 'torque_timeout', 0.5) == (True, '')


@pytest.mark.timeout(180)
def test_controller_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    graph.kill('leg_frame_controller')
    client.wait(lambda: 'damped' in client.message('simulation'), 'damped joints')
    before = client.counts['/odom']
    client.wait(lambda: client.counts['/odom'] > before + 20, 'a simulation that goes on')
    client.wait(lambda: is_fine(graph), 'control again')
    assert any('leg_frame_controller died by signal SIGKILL' in line for line in graph.lines)
    settle(graph)


@pytest.mark.timeout(180)
def test_scheduler_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    drive(graph, 2.0, 0.6)
    graph.kill('gait_scheduler')
    client.wait(lambda: 'scheduler is silent' in client.message('leg_frame_controller'),
                'a controller that notices')
    client.wait(lambda: abs(speed(graph)) < 0.1 and height(graph) > 0.3, 'a dog that stops')
    client.wait(lambda: is_fine(graph), 'the scheduler again')
    assert height(graph) > 0.3
    drive(graph, 2.5, 0.6)
    assert speed(graph) > 0.3


@pytest.mark.timeout(180)
def test_simulation_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    graph.kill('simulation')
    client.spin(1.0)
    before = client.counts['/odom']
    client.spin(0.5)
    assert client.counts['/odom'] == before
    client.status.clear()
    client.wait(lambda: client.counts['/odom'] > before + 50 and is_fine(graph), 'all again')
    assert height(graph) > 0.3
    drive(graph, 2.5, 0.6)
    assert speed(graph) > 0.3


@pytest.mark.timeout(180)
def test_wrong_parameter_ends_a_node_with_words() -> None:
    for word, part in (('rate:=-5.0', 'out of range'), ('rate:=fast', 'must be a float'),
                       ('scenario:=none.yaml', 'none.yaml')):
        done = subprocess.run(
            [sys.executable, '-m', 'quadruped_control.nodes.simulation', '--ros-args', '-p', word],
            capture_output=True, text=True, timeout=60, env={**environ, 'ROS_DOMAIN_ID': '40'})
        assert done.returncode == 2, done.stderr
        assert part in done.stderr and 'Traceback' not in done.stderr
