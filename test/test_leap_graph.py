"""The planner of leaps as a process of its own: the same leaps, bit for bit; and without it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip('rclpy')

from ros_graph import open_graph

from quadruped_control.command_line.main import main
from quadruped_control.control.leap import PARAMETERS
from quadruped_control.leaps.scouting import (
    APPROACH,
    GO,
    REFUSE,
    Order,
    flatten_order,
    read_order,
)
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.rollout.leap_driver import LeapDriver

COURSE = {
    'duration': 6.0, 'leap_planner': True, 'recover': False,
    'terrain': [{'kind': 'gap', 'x': [3.2, 3.8]}],
    'commands': [{'t': 0.3, 'vx': 0.9, 'gait': 'trot'}],
}


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return found


@pytest.fixture(name='course')
def _course(tmp_path: Path) -> Path:
    path = tmp_path / 'course.yaml'
    path.write_text(json.dumps(COURSE), encoding='utf-8')
    return path


@pytest.mark.timeout(400)
@pytest.mark.parametrize('composed', [False, True])
def test_the_same_leap_over_topics(course: Path, tmp_path: Path, composed: bool) -> None:
    assert main(['run', str(course), '--json', str(tmp_path / 'run.json')]) == 0
    options = GraphOptions(scenario=str(course), metrics_file=str(tmp_path / 'graph.json'),
                           patient=True, real_time_factor=0.0)
    with open_graph(options, composed=composed) as graph:
        graph.client.wait(lambda: not graph.is_running, 'the end')
    run, found = read(tmp_path / 'run.json'), read(tmp_path / 'graph.json')
    assert len(run['leaps']) == 1 and not run['fell']
    assert found['leaps'] == run['leaps']
    assert found['state_hash'] == run['state_hash']


@pytest.mark.timeout(400)
def test_auto_looks_ahead_over_topics_as_in_one_process(tmp_path: Path) -> None:
    """Stairs that are trotted on, then a gap that is leapt over."""
    terrain = [*({'kind': 'box', 'x': [2.0 + 0.3 * n, 2.3 + 0.3 * n], 'height': 0.12 * (n + 1)}
                 for n in range(3)), {'kind': 'box', 'x': [2.9, 6.9], 'height': 0.36},
               {'kind': 'gap', 'x': [6.9, 7.4]}, {'kind': 'box', 'x': [7.4, 12.0], 'height': 0.36}]
    path = tmp_path / 'mixed.yaml'
    path.write_text(json.dumps({'duration': 9.0, 'leap_planner': True, 'recover': False,
                                'terrain': terrain, 'commands': [{'t': 0.3, 'vx': 1.3}]}),
                    encoding='utf-8')
    assert main(['run', str(path), '--json', str(tmp_path / 'run.json')]) == 0
    options = GraphOptions(scenario=str(path), metrics_file=str(tmp_path / 'graph.json'),
                           patient=True, real_time_factor=0.0)
    with open_graph(options) as graph:
        graph.client.wait(lambda: not graph.is_running, 'the end')
    run, found = read(tmp_path / 'run.json'), read(tmp_path / 'graph.json')
    assert len(run['leaps']) == 1 and not run['fell']
    assert found['state_hash'] == run['state_hash']


@pytest.mark.timeout(400)
def test_the_dog_goes_on_without_its_planner(course: Path, tmp_path: Path) -> None:
    options = GraphOptions(scenario=str(course), metrics_file=str(tmp_path / 'graph.json'),
                           patient=True, real_time_factor=0.5)
    with open_graph(options) as graph:
        client = graph.client
        assert graph.set_parameter('gait_scheduler', 'leap_timeout', 0.4) == (True, '')
        client.wait(lambda: client.count('simulation', 'step') > 500, 'a trot')
        client.insist(lambda: graph.kill('leap_planner'),
                      lambda: client.count('gait_scheduler', 'leap orders missed') > 0,
                      'a question without an answer', every=0.5)
        client.wait(lambda: not graph.is_running, 'the end')
    assert read(tmp_path / 'graph.json')['graph']['losses_of_control'] == 0


def test_an_order_survives_its_numbers() -> None:
    parameters = tuple(float(n) for n in range(len(PARAMETERS)))
    order = Order(APPROACH, 0.9, 3.0, 1.0, 1.2, 0.1, 0.9, 1.4, parameters)
    assert read_order(flatten_order(order)) == order
    assert 'half strides' in order.describe()


def test_a_speed_that_is_asked_for_again_and_again_does_not_undo_an_order() -> None:
    scheduler = SimpleNamespace(command=np.zeros(4), clock={'cycles': 0.0})
    driver = LeapDriver(cast(Any, scheduler))

    def ask_for(speed: float) -> float:
        scheduler.command[0] = speed
        driver.heed()
        return float(scheduler.command[0])

    assert ask_for(0.9) == 0.9
    driver.obey(Order(REFUSE, speed=0.0, begin=1.0, end=3.0))
    assert [ask_for(0.9) for _ in range(3)] == [0.0] * 3        # as a joystick does
    assert ask_for(0.5) == 0.5                                  # another wish: it is asked anew
    driver.obey(Order(GO))
    assert scheduler.command[0] == 0.5


def test_one_who_is_to_stop_is_not_led_on_to_a_leap() -> None:
    scheduler = SimpleNamespace(command=np.zeros(4), clock={'cycles': 0.0},
                                skills=SimpleNamespace(leap_by=pytest.fail))
    driver = LeapDriver(cast(Any, scheduler))
    driver.obey(Order(APPROACH, speed=1.1, half_strides=2.0, begin=1.0, end=1.2))
    assert scheduler.command[0] == 0.0 and not driver.leaps and driver.words == ''
    driver.obey(Order(REFUSE, speed=0.8, begin=2.0, end=3.0))
    assert scheduler.command[0] == 0.0 and driver.refuses
