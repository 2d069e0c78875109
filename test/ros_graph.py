"""A graph of real processes on a ROS domain of its own, and a client that talks to it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import ros_client
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros_processes import lease_domain, make_environment

from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.setting import choose_scenario
from quadruped_control.nodes.supervisor import Supervisor
from quadruped_control.rollout.world_half import exercise


class Client(ros_client.Client):
    """A client that keeps only the newest message of what it listens to, and counts them."""

    def __init__(self, domain: int) -> None:
        super().__init__(domain)
        self.newest: dict[str, Any] = {}
        self.counts: dict[str, int] = {}

    def listen(self, kind: type, topic: str, qos: Any = 10) -> list[Any]:
        def keep(message: Any) -> None:
            self.newest[topic] = message
            self.counts[topic] = self.counts.get(topic, 0) + 1

        self.node.create_subscription(kind, topic, keep, qos)
        return []

    def wait_for_next(self, topic: str, count: int = 10) -> Any:
        """Return the message that comes after so many others; ten may wait in the queue."""
        before = self.counts.get(topic, 0)
        self.wait(lambda: self.counts.get(topic, 0) > before + count, f'messages on {topic}')
        return self.newest[topic]


class Graph:
    """Processes under a supervisor that is looked after in a thread, and a client."""

    def __init__(self, options: GraphOptions, domain: int, composed: bool) -> None:
        self.environment = make_environment(domain)
        self.lines: list[str] = []
        self.supervisor = Supervisor(list_nodes(options), composed=composed, restart=True,
                                     say=self.lines.append, environment=self.environment)
        self.client = Client(domain)
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        self.code = self.supervisor.wait(self._over.is_set)

    @property
    def is_running(self) -> bool:
        return self._watch.is_alive()

    def start(self) -> None:
        self.supervisor.start()
        self._watch.start()

    def close(self) -> None:
        self._over.set()
        self._watch.join()
        self.supervisor.stop()
        self.client.close()

    def kill(self, name: str) -> None:
        """Kill a node, once it is there."""
        self.client.wait(lambda: name in self.supervisor.pids(), f'{name} as a process')
        os.kill(self.supervisor.pids()[name], signal.SIGKILL)

    def set_parameter(self, node: str, name: str, value: object) -> tuple[bool, str]:
        """Set a parameter; return whether it was taken, or why not."""
        parameter = Parameter(name, value=value).to_parameter_msg()
        result = self.client.call(SetParameters, f'/{node}/set_parameters',
                                  SetParameters.Request(parameters=[parameter])).results[0]
        return result.successful, result.reason


@cache
def compile_once() -> None:
    """Compile before any node starts: together they would take as often as long."""
    exercise(choose_scenario())


@contextmanager
def open_graph(options: GraphOptions | None = None, *, composed: bool = False
               ) -> Iterator[Graph]:
    """Start a graph that restarts what dies, in a ROS domain of its own, and end it."""
    compile_once()
    with lease_domain() as domain:
        graph = Graph(options or GraphOptions(), domain, composed)
        try:
            graph.start()
            yield graph
        finally:
            graph.close()
            print('\n'.join(graph.lines))
