"""What a graph of real processes does when something is wrong, and when somebody is killed."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import Twist, WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import DescribeParameters, GetParameters
from ros_graph import Graph, open_graph
from ros_processes import PATIENCE, choose_domain, make_environment
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger

from quadruped_control.nodes.graph import PATIENT, GraphOptions
from quadruped_control.nodes.qos import LATCHED

STEADY = GraphOptions(patient=True)     # a busy machine is no fault, unless a test waits for one


@pytest.fixture(scope='module')
def graph() -> Iterator[Graph]:
    with open_graph(STEADY) as graph:
        graph.client.listen(Odometry, '/odom')
        graph.client.listen(String, '/gait', LATCHED)
        graph.client.wait_for_next('/odom', 50)
        yield graph


def speed(graph: Graph) -> float:
    return float(graph.client.newest['/odom'].twist.twist.linear.x)


def height(graph: Graph) -> float:
    return float(graph.client.newest['/odom'].pose.pose.position.z)


def is_fine(graph: Graph) -> bool:
    client = graph.client
    return all(client.message(name).startswith('works') for name in (
        'simulation', 'gait_scheduler', 'leg_frame_controller'))


def wait_until_fine(graph: Graph) -> None:
    graph.client.forget_status()
    graph.client.wait(lambda: is_fine(graph), 'nodes at work')


def settle(graph: Graph) -> None:
    """Go back to the start, with all nodes at work."""
    client = graph.client
    assert client.call(Trigger, '/simulation/reset', Trigger.Request()).success
    wait_until_fine(graph)
    client.wait_for_next('/odom')
    client.wait(lambda: height(graph) > 0.3, 'a standing dog')


def drive(graph: Graph, vx: float) -> None:
    """Ask for a speed until the dog walks at half of it at least."""
    message, client = Twist(), graph.client
    message.linear.x = vx
    client.publish_until('/cmd_vel', message, lambda: speed(graph) > 0.5 * vx
                         and client.newest['/gait'].data == 'walk', 'a dog that walks')


@contextmanager
def impatient(graph: Graph, node: str, key: str, seconds: float) -> Iterator[None]:
    """Let a node wait no longer than so for others, which a busy machine can let it do too."""
    assert graph.set_parameter(node, key, seconds) == (True, '')
    yield
    assert graph.set_parameter(node, key, PATIENT) == (True, '')


def test_parameters_have_ranges_and_a_gain_changes_at_run_time(graph: Graph) -> None:
    node, name = 'leg_frame_controller', 'gains.joints.hip.kp'
    request = DescribeParameters.Request(names=[name])
    described = graph.client.call(DescribeParameters, f'/{node}/describe_parameters', request)
    span = described.descriptors[0].floating_point_range[0]
    assert (span.from_value, span.to_value) == (0.0, 4000.0)
    assert described.descriptors[0].description
    assert graph.set_parameter(node, name, 390.0) == (True, '')
    values = graph.client.call(GetParameters, f'/{node}/get_parameters',
                               GetParameters.Request(names=[name])).values
    assert values[0].double_value == 390.0
    for bad in (-1.0, 1e9, math.nan):
        taken, reason = graph.set_parameter(node, name, bad)
        assert not taken and '4000' in reason and name in reason
    taken, reason = graph.set_parameter(node, name, 'stiff')
    assert not taken and reason
    taken, reason = graph.set_parameter('simulation', 'scenario', 'other.yaml')
    assert not taken
    graph.client.wait_for_next('/odom', 30)
    assert height(graph) > 0.3


def test_dog_walks_by_cmd_vel_and_stands_when_it_falls_silent(graph: Graph) -> None:
    settle(graph)
    drive(graph, 0.6)
    client = graph.client
    client.wait(lambda: abs(speed(graph)) < 0.1, 'a dog that stops')
    client.wait(lambda: client.newest['/gait'].data == 'stand', 'a dog that stands')
    assert height(graph) > 0.3


@pytest.mark.parametrize(('vx', 'wz'), [(math.nan, 0.0), (0.0, math.inf), (1e6, 0.0)])
def test_absurd_twist_is_refused_and_reported(graph: Graph, vx: float, wz: float) -> None:
    client = graph.client
    wait_until_fine(graph)
    before = client.count('gait_scheduler', 'refused')
    message = Twist()
    message.linear.x, message.angular.z = vx, wz
    client.publish_until('/cmd_vel', message, lambda: client.count('gait_scheduler', 'refused')
                         > before, 'a refusal')
    assert 'cmd_vel' in client.value('gait_scheduler', 'last refusal')
    assert math.isfinite(speed(graph)) and abs(speed(graph)) < 0.2


def test_unknown_gait_skill_and_push_are_refused_in_words(graph: Graph) -> None:
    client = graph.client
    for topic, message, node in (
            ('/gait_request', String(data='hop'), 'gait_scheduler'),
            ('/skill_request', String(data='leap'), 'gait_scheduler'),
            ('/leap_request', String(data='1.0'), 'leap_planner'),
            ('/push', WrenchStamped(), 'simulation')):
        client.publish_until(
            topic, message, lambda topic=topic, node=node: topic in client.value(
                node, 'last refusal'), f'a refusal of {topic}')


@pytest.mark.parametrize('numbers', [[1.0, 2.0], None])
def test_torques_of_wrong_length_or_not_finite_are_never_applied(
        graph: Graph, numbers: list[float] | None) -> None:
    client = graph.client
    if numbers is None:
        numbers = list(client.hear(Float64MultiArray, '/joint_torques').data)
        numbers[0] = math.nan
        numbers[-1] = math.nan
    wait_until_fine(graph)
    before = client.count('simulation', 'refused')
    client.publish_until('/joint_torques', Float64MultiArray(data=numbers),
                         lambda: client.count('simulation', 'refused') > before, 'a refusal')
    assert 'joint_torques' in client.value('simulation', 'last refusal')
    client.wait_for_next('/odom', 30)
    assert math.isfinite(height(graph)) and height(graph) > 0.3


def test_second_simulation_refuses(graph: Graph) -> None:
    done = subprocess.run([sys.executable, '-m', 'quadruped_control.nodes.simulation'],
                          capture_output=True, text=True, env=graph.environment,
                          timeout=PATIENCE)
    assert done.returncode == 2
    assert 'another simulation' in done.stdout + done.stderr
    wait_until_fine(graph)


def test_nodes_that_another_simulation_led_away_are_called_back(graph: Graph) -> None:
    """A second simulation may have begun before it hears of the first, and ends then."""
    settle(graph)
    client = graph.client
    led_away = client.hear(Float64MultiArray, '/robot_state')
    led_away.data[1] += 1e6                                 # a run that began 1 s later
    stale = client.count('simulation', 'torques of another run')
    client.publish_until(
        '/robot_state', led_away,
        lambda: client.count('simulation', 'torques of another run') > stale,
        'a simulation that notices')
    wait_until_fine(graph)
    client.wait_for_next('/odom', 50)
    assert client.value('simulation', 'mode') == 'lock_step'
    assert height(graph) > 0.3


def test_pause_holds_and_goes_on(graph: Graph) -> None:
    client = graph.client
    settle(graph)
    losses = client.value('simulation', 'losses of control')
    with impatient(graph, 'simulation', 'torque_timeout', 3.0):     # less than the pause
        assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=True)).success
        client.wait_for_news('simulation')
        step = client.value('simulation', 'step')
        client.spin(4.0)
        client.wait_for_news('simulation')
        assert client.message('simulation') == 'is paused'
        assert client.value('simulation', 'step') == step
        assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success
    client.wait_for_next('/odom')
    wait_until_fine(graph)
    assert client.value('simulation', 'mode') == 'lock_step'
    assert client.value('simulation', 'losses of control') == losses


@pytest.mark.timeout(180)
def test_controller_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    losses = client.count('simulation', 'losses of control')
    with impatient(graph, 'simulation', 'torque_timeout', 0.5):
        graph.kill('leg_frame_controller')
        client.wait(lambda: client.count('simulation', 'losses of control') > losses,
                    'joints that are damped')
        client.wait_for_next('/odom', 20)                   # a simulation that goes on
    wait_until_fine(graph)
    assert any('leg_frame_controller died by signal SIGKILL' in line for line in graph.lines)
    settle(graph)


@pytest.mark.timeout(180)
def test_scheduler_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    drive(graph, 0.6)
    stops = client.count('leg_frame_controller', 'stops without scheduler')
    with impatient(graph, 'leg_frame_controller', 'gait_timeout', 0.3):
        graph.kill('gait_scheduler')
        client.wait(lambda: client.count('leg_frame_controller', 'stops without scheduler')
                    > stops, 'a controller that notices')
        client.wait(lambda: abs(speed(graph)) < 0.1 and height(graph) > 0.3, 'a dog that stops')
    wait_until_fine(graph)
    assert height(graph) > 0.3
    drive(graph, 0.6)


@pytest.mark.timeout(180)
def test_simulation_killed_then_back(graph: Graph) -> None:
    settle(graph)
    client = graph.client
    first = client.value('simulation', 'born')
    graph.kill('simulation')
    client.wait(lambda: client.value('simulation', 'born') not in ('', first), 'another one')
    wait_until_fine(graph)
    client.wait_for_next('/odom', 50)
    assert height(graph) > 0.3
    drive(graph, 0.6)


@pytest.mark.timeout(180)
def test_wrong_parameter_ends_a_node_with_words() -> None:
    environment = make_environment(choose_domain())
    for word, part in (('rate:=-5.0', 'out of range'), ('rate:=fast', 'must be a float'),
                       ('scenario:=none.yaml', 'none.yaml')):
        done = subprocess.run(
            [sys.executable, '-m', 'quadruped_control.nodes.simulation', '--ros-args', '-p', word],
            capture_output=True, text=True, timeout=PATIENCE, env=environment)
        assert done.returncode == 2, done.stderr
        assert part in done.stderr and 'Traceback' not in done.stderr
