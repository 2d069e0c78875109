"""What the page needs of the graph: terrain, pace and gaits that change while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip('rclpy')

from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from ros_graph import Graph, open_graph
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from quadruped_control.command_line.main import main
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.nodes.setting import list_terrains
from quadruped_control.rollout import leg_numbers

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
TERRAIN_NODES = ('simulation', 'gait_scheduler')
RUN = 1                         # in /leg_state: of a later run the number is greater
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(name='graph', scope='module')
def _graph() -> Iterator[Graph]:
    with open_graph(GraphOptions(patient=True)) as graph:
        graph.client.listen(Float64MultiArray, '/leg_state', SENSOR)
        graph.client.listen(MarkerArray, '/terrain', LATCHED)
        graph.client.wait(lambda: read_legs(graph)[leg_numbers.STEP] > 500, 'a dog that stands')
        yield graph


def set_parameter(graph: Graph, node: str, key: str, value: Any) -> Any:
    request = SetParametersAtomically.Request(
        parameters=[Parameter(key, value=value).to_parameter_msg()])
    return graph.client.call(SetParametersAtomically, f'/{node}/set_parameters_atomically',
                             request).result


def read_legs(graph: Graph) -> Any:
    """Return the numbers of /leg_state, of now: those that wait to be read are passed over."""
    return graph.client.wait_for_next('/leg_state').data


def test_a_standing_dog_tells_that_its_legs_stand(graph: Graph) -> None:
    numbers = read_legs(graph)
    assert len(numbers) == leg_numbers.COUNT
    assert list(numbers[leg_numbers.STANCE]) == [1.0] * 4
    assert 250.0 < sum(numbers[leg_numbers.FORCE]) < 420.0         # a dog of 34 kg
    for asked, height in zip(numbers[leg_numbers.TARGET_HEIGHT], numbers[leg_numbers.HEIGHT],
                             strict=True):
        assert height == pytest.approx(asked, abs=0.03)


def test_a_stand_that_is_tuned_is_lower_at_once(graph: Graph) -> None:
    key = 'gait_parameters.stand.front.height'
    before = read_legs(graph)[leg_numbers.HEIGHT][0]
    assert set_parameter(graph, 'gait_scheduler', key, -0.05).successful
    graph.client.wait(lambda: read_legs(graph)[leg_numbers.HEIGHT][0] < before - 0.035,
                      'lower shoulders')
    assert set_parameter(graph, 'gait_scheduler', key, 0.0).successful
    graph.client.wait(lambda: read_legs(graph)[leg_numbers.HEIGHT][0] > before - 0.01,
                      'shoulders as before')


@pytest.mark.parametrize(('key', 'value', 'words'), [
    ('gait_parameters.trot.front.height', 0.5, '0.1'),
    ('gait_parameters.trot.rear_left.touchdown', 0.0, ''),
    ('gait_parameters.trot.front.toe_off.time', -0.1, 'time'),
    ('gait_parameters.trot.period', 'a', '')])
def test_a_gait_is_tuned_within_what_a_file_may_say(graph: Graph, key: str, value: Any,
                                                    words: str) -> None:
    result = set_parameter(graph, 'gait_scheduler', key, value)
    assert result.successful == (value == 0.0), result.reason
    assert words in result.reason


def test_slow_motion_takes_effect_at_once(graph: Graph) -> None:
    """At a tenth of the speed 600 steps take 6 s at least, and 0.6 s without slow motion."""
    assert set_parameter(graph, 'simulation', 'real_time_factor', 0.1).successful
    graph.client.wait_for_news('simulation')            # it has looked at it
    last, begin = read_legs(graph)[leg_numbers.STEP] + 600, time.monotonic()
    graph.client.wait(lambda: graph.client.newest['/leg_state'].data[leg_numbers.STEP] >= last,
                      'steps')
    assert time.monotonic() - begin > 2.0
    assert set_parameter(graph, 'simulation', 'real_time_factor', 1.0).successful


def test_a_terrain_is_entered_at_a_reset(graph: Graph) -> None:
    client = graph.client
    client.wait(lambda: '/terrain' in client.newest, 'the terrain')
    assert len(client.newest['/terrain'].markers) == 1
    for node in TERRAIN_NODES:
        refused = set_parameter(graph, node, 'terrain', 'nowhere')
        assert not refused.successful and 'nowhere' in refused.reason
        assert not set_parameter(graph, node, 'terrain', 'stand_rigid_spine').successful
        assert set_parameter(graph, node, 'terrain', 'stand_ramp_up').successful
    before = read_legs(graph)[RUN]
    assert client.call(Trigger, '/simulation/reset', Trigger.Request()).success
    client.wait(lambda: len(client.newest['/terrain'].markers) > 1, 'another ground')
    client.wait(lambda: client.value('simulation', 'terrain') == 'stand_ramp_up', 'its name')
    client.wait(lambda: read_legs(graph)[RUN] > before
                and read_legs(graph)[leg_numbers.STEP] > 1500, 'a dog on the ramp')
    soles = read_legs(graph)[leg_numbers.SOLES]
    assert soles[2] > soles[8] + 0.05                   # front feet are higher than rear ones
    assert client.value('simulation', 'losses of control') == '0'


def test_a_paused_dog_can_still_be_seen(graph: Graph) -> None:
    client = graph.client
    assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=True)).success
    client.wait_for_news('simulation')
    first = read_legs(graph)
    assert read_legs(graph) == first                    # legs that stay
    assert client.call(SetBool, '/simulation/pause', SetBool.Request(data=False)).success


def test_terrains_to_choose_from_are_of_this_dog() -> None:
    terrains = list_terrains()
    assert terrains[0] == 'flat' and 'stand_steps' in terrains
    assert 'stand_rigid_spine' not in terrains and 'stand' not in terrains


def test_gaits_and_skills_are_told(graph: Graph) -> None:
    client = graph.client
    client.wait(lambda: client.value('gait_scheduler', 'skills'), 'the skills')
    assert 'stand' in client.value('gait_scheduler', 'skills').split(', ')
    assert {'auto', 'walk', 'trot'} <= set(client.value('gait_scheduler', 'gaits').split(', '))


# The page's process


def test_up_without_viser_says_so_once(capsys: pytest.CaptureFixture[str],
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    from quadruped_control.command_line import page_option, up
    started: list[str] = []
    monkeypatch.setattr(page_option, 'has_viser', lambda: False)
    monkeypatch.setattr(up, 'compile_for_nodes', lambda robot, controller: None)
    monkeypatch.setattr(up, 'preload', lambda robot: None)
    monkeypatch.setattr(up, 'supervise', lambda supervisor, until: 0)
    monkeypatch.setattr(up, 'Supervisor', lambda nodes, **_: started.extend(
        node.name for node in nodes))
    assert main(['up']) == 0
    assert capsys.readouterr().out.count('viser is not installed') == 1
    assert 'simulation' in started and 'page' not in started


@pytest.mark.parametrize('words', [['--page-port', '0'], ['--page-port', '70000']])
def test_a_port_that_is_none_is_refused(words: list[str],
                                        capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['up', *words]) == 2
    assert '--page-port' in capsys.readouterr().err
