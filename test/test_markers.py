"""What is shown in RViz says what the controller does."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.nodes.markers import make_control_markers, write_gait
from quadruped_control.nodes.patched_message import PatchedMessage

Array = NDArray[np.float64]


def test_gait_is_written_with_the_legs_that_stand() -> None:
    assert write_gait('trot', np.array([1.0, 0.0, 0.0, 1.0])) == 'trot  FL .. .. RR'
    assert write_gait('stand', np.ones(4)) == 'stand  FL FR RL RR'


def draw_markers(markers: PatchedMessage, numbers: Array, seconds: int, nanoseconds: int
                 ) -> list[Marker]:
    written = markers.write(numbers, seconds, nanoseconds)
    assert isinstance(written, bytes)
    return list(deserialize_message(written, MarkerArray).markers)


def test_numbers_and_time_are_written_into_the_bytes_of_the_markers_and_nothing_else() -> None:
    markers = make_control_markers('trot  FL .. .. RR', 0.46)
    numbers = np.arange(77.0)
    first = draw_markers(markers, np.zeros(77), 0, 0)
    drawn = draw_markers(markers, numbers, 12, 345)
    assert [(m.ns, m.id, m.type, m.text) for m in drawn] == [
        (m.ns, m.id, m.type, m.text) for m in first]
    assert {(m.header.stamp.sec, m.header.stamp.nanosec) for m in drawn} == {(12, 345)}
    turn, place = drawn[1].pose.orientation, drawn[1].pose.position
    assert (turn.x, turn.y, turn.z, turn.w, place.x, place.y, place.z) == tuple(range(7, 14))
    end = drawn[-2].points[1]                       # of the last contact force
    assert (end.x, end.y, end.z) == (71.0, 72.0, 73.0)
    words = drawn[-1]
    assert words.text == 'trot  FL .. .. RR'
    assert (words.pose.position.x, words.pose.position.z) == (74.0, 76.0)
    assert words.pose.orientation.w == 1.0 and words.scale.z == pytest.approx(0.08)


def test_numbers_that_are_not_found_in_the_bytes_are_set_in_the_message() -> None:
    stamp, point = Time(), Point()
    unstamped = PatchedMessage(point, [(point, 'x'), (point, 'z')], stamp)
    assert not unstamped.is_patched
    message = unstamped.write(np.array([1.5, 2.5]), 3, 4)
    assert message is point and (point.x, point.y, point.z) == (1.5, 0.0, 2.5)
