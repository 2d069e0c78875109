"""Subscriptions that are read when somebody wants them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from ros_processes import choose_domain, wait_until

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.serialization import deserialize_message  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from quadruped_control.nodes.polled_topics import PolledTopics  # noqa: E402
from quadruped_control.nodes.qos import SENSOR  # noqa: E402

TOPIC = '/polled'


def read(data: bytes | None) -> float | None:
    return None if data is None else deserialize_message(data, Float64MultiArray).data[0]


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(domain_id=choose_domain())
    yield
    rclpy.shutdown()


def test_messages_wait_until_they_are_taken_and_only_the_newest_are_kept(ros: None) -> None:
    topics, node = PolledTopics('polled'), rclpy.create_node('speaker')
    publisher = node.create_publisher(Float64MultiArray, TOPIC, SENSOR)
    assert list(topics.take(TOPIC)) == [] and not topics.are_open
    topics.open(Float64MultiArray, TOPIC, SENSOR)
    wait_until(publisher.get_subscription_count, 'the listener')

    def publish(*numbers: float) -> None:
        for number in numbers:
            publisher.publish(Float64MultiArray(data=[number]))
        time.sleep(0.2)

    def keeps_the_newest() -> bool:             # unless one of them was lost
        publish(*map(float, range(25)))
        return [*map(read, topics.take(TOPIC))] == [*range(25 - SENSOR.depth, 25)]

    wait_until(keeps_the_newest, 'the newest messages')
    wait_until(lambda: topics.take_newest(TOPIC) is None, 'nothing more')
    wait_until(lambda: publish(7.0, 8.0) or read(topics.take_newest(TOPIC)) == 8.0, 'the newest')
    topics.close()
    assert not topics.are_open and list(topics.take(TOPIC)) == []
    node.destroy_node()
