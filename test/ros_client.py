"""A client of the graph for tests, which says again what was not heard."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from ros_processes import LOCAL, PATIENCE

ASK_AGAIN = 5.0                 # s after which a request is repeated


class Client:
    """
    A node of a user, in a context of its own and spun by the waiting.

    A message, a request or its answer may be lost on a graph that just came up or that waits for
    a processor. What is to be heard is therefore said again until it is heard (`insist`,
    `publish_until`, `call`), and nothing depends on how long that takes.

    :ivar received: all messages of a topic that is listened to.
    :ivar status: the newest diagnostics of each node.
    """

    def __init__(self, domain: int) -> None:
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from rclpy.executors import SingleThreadedExecutor

        self.context = rclpy.Context()
        with patch.dict(os.environ, LOCAL):
            rclpy.init(context=self.context, domain_id=domain, signal_handler_options=None)
            self.node = rclpy.create_node('test_client', context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self.received: dict[str, list[Any]] = {}
        self.status: dict[str, Any] = {}
        self._since = 0.0
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_status, 10)

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    # ---- listening ----

    def listen(self, kind: type, topic: str, qos: Any = 10) -> list[Any]:
        messages = self.received.setdefault(topic, [])
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def hear(self, kind: type, topic: str, qos: Any = 10) -> Any:
        """Return one message, and listen no longer: a topic at 1 kHz keeps a core busy."""
        messages: list[Any] = []
        subscription = self.node.create_subscription(kind, topic, messages.append, qos)
        self.wait(lambda: messages, f'a message on {topic}')
        self.node.destroy_subscription(subscription)
        return messages[-1]

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.01)

    def wait(self, condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Listen until a condition holds, or fail."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                pytest.fail(f'{what}: not within {seconds} s; {self.describe()}')
            self._executor.spin_once(timeout_sec=0.02)

    def wait_for_silence(self, messages: list[Any], what: str, seconds: float = 1.0) -> None:
        """Wait for so many seconds in which no message came."""
        last = len(messages), time.monotonic()

        def is_silent() -> bool:
            nonlocal last
            if len(messages) != last[0]:
                last = len(messages), time.monotonic()
            return time.monotonic() - last[1] > seconds

        self.wait(is_silent, what)

    # ---- asking ----

    def insist(self, act: Callable[[], object], condition: Callable[[], object], what: str,
               every: float = 0.1) -> None:
        """Do something, again and again (s between), until a condition holds; or fail."""
        due = 0.0

        def holds() -> bool:
            nonlocal due
            if condition():
                return True
            if time.monotonic() >= due:
                act()
                due = time.monotonic() + every
            return False

        self.wait(holds, what)

    def publish_until(self, topic: str, message: Any, condition: Callable[[], object], what: str,
                      every: float = 0.1) -> None:
        """Publish a message, or what a function returns each time, until a condition holds."""
        first = message() if callable(message) else message
        publisher = self.node.create_publisher(type(first), topic, 10)
        self.wait(publisher.get_subscription_count, f'a listener to {topic}')
        self.insist(lambda: publisher.publish(message() if callable(message) else message),
                    condition, what, every)
        self.node.destroy_publisher(publisher)

    def call(self, kind: Any, name: str, request: Any) -> Any:
        """Call a service, once more where no answer comes: all that is asked may be repeated."""
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready, f'service {name}')
        answers: list[Any] = []
        self.insist(lambda: answers.append(client.call_async(request)),
                    lambda: any(answer.done() for answer in answers), f'answer of {name}',
                    every=ASK_AGAIN)
        self.node.destroy_client(client)
        return next(answer.result() for answer in answers if answer.done())

    # ---- diagnostics, which come once in a second ----

    def value(self, node: str, key: str) -> str:
        """Return a value of a node's diagnostics, empty where there is none yet."""
        status = self.status.get(node)
        found = [] if status is None else [v.value for v in status.values if v.key == key]
        return found[0] if found else ''

    def count(self, node: str, key: str) -> int:
        """Return a number of a node's diagnostics, 0 where there is none yet."""
        return int(self.value(node, key) or 0)

    def message(self, node: str) -> str:
        status = self.status.get(node)
        return '' if status is None else status.message

    def forget_status(self) -> None:
        """Believe only diagnostics that are written from now on; others may be on their way."""
        self.status.clear()
        self._since = time.time()

    def wait_for_news(self, node: str) -> None:
        """Wait until a node tells how it is now."""
        self.forget_status()
        self.wait(lambda: node in self.status, f'diagnostics of {node}')

    def describe(self) -> str:
        counts = {topic: len(messages) for topic, messages in self.received.items()}
        return f'received: {counts}; ' + '; '.join(
            f'{name}: {status.message} {[(v.key, v.value) for v in status.values]}'
            for name, status in self.status.items())

    def _on_status(self, message: Any) -> None:
        stamp = message.header.stamp
        if stamp.sec + 1e-9 * stamp.nanosec < self._since:
            return
        for status in message.status:
            self.status[status.name.split(':')[0]] = status
