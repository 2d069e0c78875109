"""Subscriptions that are read when somebody wants them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.serialization import deserialize_message  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from quadruped_control.nodes.polled_topics import PolledTopics  # noqa: E402
from quadruped_control.nodes.qos import SENSOR  # noqa: E402

TOPIC = '/polled'


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(domain_id=120 + os.getpid() % 80)
    yield
    rclpy.shutdown()


def test_messages_wait_until_they_are_taken_and_only_the_newest_are_kept(ros: None) -> None:
    topics, node = PolledTopics('polled'), rclpy.create_node('speaker')
    publisher = node.create_publisher(Float64MultiArray, TOPIC, SENSOR)
    assert list(topics.take(TOPIC)) == [] and not topics.are_open
    topics.open(Float64MultiArray, TOPIC, SENSOR)
    end = time.monotonic() + 20.0
    while not publisher.get_subscription_count():
        assert time.monotonic() < end
        time.sleep(0.02)
    for number in range(25):
        publisher.publish(Float64MultiArray(data=[float(number)]))
        time.sleep(0.005)
    time.sleep(0.5)
    values = [deserialize_message(data, Float64MultiArray).data[0] for data in topics.take(TOPIC)]
    assert values == [float(number) for number in range(25 - SENSOR.depth, 25)]
    assert topics.take_newest(TOPIC) is None
    for number in (7.0, 8.0):
        publisher.publish(Float64MultiArray(data=[number]))
        time.sleep(0.2)
    newest = topics.take_newest(TOPIC)
    assert newest is not None and deserialize_message(newest, Float64MultiArray).data[0] == 8.0
    topics.close()
    assert not topics.are_open and list(topics.take(TOPIC)) == []
    node.destroy_node()
