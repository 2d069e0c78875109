"""Topics of which only the newest messages matter, read when they are wanted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile


class PolledTopics:
    """
    Subscriptions that wake nobody: what came is taken when it is asked for.

    They belong to a node that no executor spins, and which is there only while any is open. A
    page that draws 30 pictures a second would else be woken hundreds of times a second by what it
    does not show.

    :param name: of that node; ROS hides one that begins with an underscore.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._node: Node | None = None
        self._subscriptions: dict[str, Any] = {}

    @property
    def are_open(self) -> bool:
        """Say whether there are any."""
        return bool(self._subscriptions)

    def open(self, kind: Any, topic: str, qos: QoSProfile) -> None:
        """Listen to a topic from now on; its depth says how many messages are kept."""
        if self._node is None:
            self._node = Node(self._name, start_parameter_services=False, enable_rosout=False,
                              use_global_arguments=False)
        self._subscriptions[topic] = self._node.create_subscription(
            kind, topic, lambda _: None, qos, raw=True)

    def close(self) -> None:
        """Listen to nothing any more."""
        self._subscriptions = {}
        if self._node is not None:
            self._node.destroy_node()
            self._node = None

    def take(self, topic: str) -> Iterator[bytes]:
        """Yield the serialised messages that came since the last time, the oldest first."""
        subscription = self._subscriptions.get(topic)
        if subscription is None:
            return
        handle = subscription.handle
        with handle:
            while (found := handle.take_message(subscription.msg_type, True)) is not None:
                yield found[0]

    def take_newest(self, topic: str) -> bytes | None:
        """Return the newest serialised message that came since the last time, if any did."""
        return next(iter(deque(self.take(topic), maxlen=1)), None)
