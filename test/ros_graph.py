"""A graph of real processes on a ROS domain of its own, and a client that talks to it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from ros_processes import lease_domain, make_environment

from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.supervisor import Supervisor

PATIENCE = 150.0                # s for anything: a machine with other work, code to be compiled


class Client:
    """A node of a user: remembers the newest message of what it listens to."""

    def __init__(self, domain: int) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, signal_handler_options=None)
        self.node = Node('client', context=self.context)
        self.newest: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.status: dict[str, Any] = {}
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_status, 10)

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def listen(self, kind: Any, topic: str, qos: Any = 10) -> None:
        def keep(message: Any) -> None:
            self.newest[topic] = message
            self.counts[topic] = self.counts.get(topic, 0) + 1

        self.node.create_subscription(kind, topic, keep, qos)

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.01)

    def wait(self, condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f'{what}: not within {seconds} s; {self.describe()}'
            self._executor.spin_once(timeout_sec=0.02)

    def call(self, kind: Any, name: str, request: Any) -> Any:
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready, f'service {name}')
        future = client.call_async(request)
        self.wait(future.done, f'answer of {name}')
        self.node.destroy_client(client)
        return future.result()

    def value(self, node: str, key: str) -> str:
        """Return a value of a node's diagnostics, empty where there is none yet."""
        status = self.status.get(node)
        found = [] if status is None else [v.value for v in status.values if v.key == key]
        return found[0] if found else ''

    def message(self, node: str) -> str:
        status = self.status.get(node)
        return '' if status is None else status.message

    def describe(self) -> str:
        return '; '.join(f'{name}: {status.message} {[(v.key, v.value) for v in status.values]}'
                         for name, status in self.status.items())

    def _on_status(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.status[status.name.split(':')[0]] = status


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
        os.kill(self.supervisor.pids()[name], signal.SIGKILL)


@contextmanager
def open_graph(options: GraphOptions | None = None, *, composed: bool = False
               ) -> Iterator[Graph]:
    """Start a graph that restarts what dies, in a ROS domain of its own, and end it."""
    with lease_domain() as domain:
        graph = Graph(options or GraphOptions(), domain, composed)
        try:
            graph.start()
            yield graph
        finally:
            graph.close()
            print('\n'.join(graph.lines))
