"""The README's tables of topics, services and parameters are those of the running graph."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest
from graph_facts import (
    Topic,
    find_nodes,
    find_parameters,
    find_services,
    find_topics,
    read_names,
    read_picture,
    read_rows,
)
from ros_client import Client
from ros_processes import lease_domain, node_program, running

pytest.importorskip('rclpy', reason='rclpy is not installed')

from quadruped_control.nodes.graph import GraphOptions, list_nodes

UP = [sys.executable, '-m', 'quadruped_control.command_line', 'up']
HAS_PAGE = importlib.util.find_spec('viser') is not None
NODES = {*(node.name for node in list_nodes(GraphOptions(record='-', page=HAS_PAGE))), 'teleop'}
ABSENT = set() if HAS_PAGE else {'page'}
DISCOVERY = 120.0               # s until every node has found every other
TF = {'/tf', '/tf_static'}
Found = TypeVar('Found')


def has_tf() -> bool:
    try:
        import tf2_msgs.msg  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.fixture(name='client', scope='module')
def _client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Give a client of the whole graph: up, the recorder and teleop."""
    folder = tmp_path_factory.mktemp('graph')
    with ExitStack() as stack:
        domain = stack.enter_context(lease_domain())
        up = [*UP, '--record', str(folder / 'all.mcap')]
        silent = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL}
        stack.enter_context(running(up, domain, **silent))
        stack.enter_context(running(node_program('teleop'), domain, **silent))
        client = Client(domain)
        stack.callback(client.close)
        client.wait(lambda: find_nodes(client) >= NODES, f'nodes {NODES}')
        client.wait(lambda: client.status.keys() >= NODES, f'diagnostics of {NODES}')
        yield client


def find_at_last(client: Client, find: Callable[[], Found], listed: Found) -> Found:
    """Give what is found when it is as listed, or after some time in which nodes find others."""
    end = time.monotonic() + DISCOVERY
    while find() != listed and time.monotonic() < end:
        client.spin(0.5)
    return find()


def read_topics() -> dict[str, Topic]:
    topics = {}
    for name, kind, qos, _, publishers, subscribers in read_rows('topic'):
        reliability = 'best_effort' if 'best effort' in qos else 'reliable'
        durability = 'transient_local' if 'transient local' in qos else 'volatile'
        package, message = kind.split('/')
        ends = [NODES if cell == 'all nodes' else {*read_names(cell)} - ABSENT
                for cell in (publishers, subscribers)]  # fmt: skip
        topics[read_names(name)[0]] = Topic(
            f'{package}/msg/{message}', (reliability, durability), *map(frozenset, ends)
        )
    return topics


pytestmark = pytest.mark.timeout(600)  # the code may have to be compiled


def test_nodes_are_those_of_the_graph(client: Client) -> None:
    assert find_at_last(client, lambda: find_nodes(client), NODES) == NODES


def test_topics(client: Client) -> None:
    listed = read_topics()
    if not has_tf():
        listed = {name: topic for name, topic in listed.items() if name not in TF}

    def find() -> dict[str, Topic]:
        return {name: topic._replace(subscribers=topic.subscribers - {'recorder'})
                for name, topic in find_topics(client).items()}

    assert find_at_last(client, find, listed) == listed


def test_every_arrow_of_the_picture_is_in_the_table() -> None:
    rows = {read_names(name)[0]: (publishers, subscribers)
            for name, _, _, _, publishers, subscribers in read_rows('topic')}
    arrows = read_picture()
    assert len(arrows) > 10
    for topic, publisher, subscriber in arrows:
        publishers, subscribers = rows[topic]
        assert publisher in publishers and subscriber in subscribers, topic


def test_services(client: Client) -> None:
    listed = {
        read_names(name)[0]: kind.replace('/', '/srv/')
        for name, kind, *_ in read_rows('service')
    }
    assert find_at_last(client, lambda: find_services(client, NODES), listed) == listed


@pytest.mark.parametrize('node', sorted(NODES))
def test_parameters(client: Client, node: str) -> None:
    listed = {
        read_names(name)[0]: (default, limits, changes)
        for name, nodes, default, limits, changes, _ in read_rows('parameter')
        if node in read_names(nodes)
    }
    found = {
        name: (parameter.default, parameter.range, 'no' if parameter.fixed else 'yes')
        for name, parameter in find_parameters(client, node).items()
    }
    for prefix in ('gains', 'gait_parameters'):
        many = {name: found.pop(name) for name in list(found) if name.startswith(f'{prefix}.')}
        assert bool(many) == (listed.pop(f'{prefix}.*', None) is not None)
        assert all(limits and changes == 'yes' for _, limits, changes in many.values())
    if node == 'recorder':
        assert Path(found['output'][0]).name == 'all.mcap'
        found['output'] = ('""', *found['output'][1:])
    assert found == listed
