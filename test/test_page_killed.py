"""A page that is watched and killed leaves a run as it is, bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy')

from ros_graph import Client, open_graph
from ros_processes import PATIENCE
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool

from quadruped_control.command_line.main import main
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.nodes.qos import CLOCK


def read_clock(client: Client) -> float:
    """Return the newest simulated time, s: diagnostics come only once in a second."""
    newest = client.newest.get('/clock')
    return 0.0 if newest is None else newest.clock.sec + 1e-9 * newest.clock.nanosec


@pytest.mark.timeout(400)
def test_a_page_that_is_open_and_killed_changes_nothing_in_a_run(tmp_path: Path) -> None:
    pytest.importorskip('viser', reason='viser is not installed')
    scenario = tmp_path / 'trot.yaml'
    scenario.write_text(json.dumps({'duration': 4.0, 'commands': [
        {'t': 0.2, 'vx': 1.0, 'gait': 'trot'}]}), encoding='utf-8')
    assert main(['run', str(scenario), '--json', str(tmp_path / 'run.json')]) == 0
    out = tmp_path / 'graph.json'
    options = GraphOptions(scenario=str(scenario), metrics_file=str(out), patient=True,
                           start_paused=True, page=True, page_port=18300,
                           real_time_factor=0.3)        # time to look at it and to kill it
    with open_graph(options) as graph:
        graph.client.listen(Clock, '/clock', CLOCK)
        address = ' the page: '
        graph.client.wait(lambda: any(address in line for line in graph.lines), 'a page')
        url = next(line for line in graph.lines if address in line).split(address)[1]
        reader = subprocess.Popen([sys.executable, '-m', 'quadruped_control.page.reader', url,
                                   str(PATIENCE)], stdout=subprocess.DEVNULL)
        try:
            graph.client.wait(lambda: graph.client.value('page', 'open') == '1', 'an open page')
            assert graph.client.call(SetBool, '/simulation/pause',
                                     SetBool.Request(data=False)).success
            graph.client.wait(lambda: read_clock(graph.client) > 0.3, 'a watched run')
            assert graph.is_running
            graph.kill('page')
        finally:
            reader.kill()
            reader.wait()
        graph.client.wait(lambda: not graph.is_running, 'the end')
    run, found = (json.loads((tmp_path / name).read_text(encoding='utf-8'))
                  for name in ('run.json', 'graph.json'))
    assert found['state_hash'] == run['state_hash']
    assert found['graph']['losses_of_control'] == 0
