"""Targets over topics: RViz's goal, a point that moves, and a ball, in the running graph."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, cos, hypot, sin
from typing import Any

import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import PointStamped, PoseStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_graph import Graph, open_graph
from std_srvs.srv import Trigger
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.control.pursuit import find_pace
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.graph import GraphOptions

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SHOWN = '/target_markers'
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(name='graph', scope='module')
def _graph() -> Iterator[Graph]:
    with open_graph(GraphOptions(patient=True)) as graph:
        graph.client.listen(Odometry, '/odom')
        graph.client.listen(MarkerArray, SHOWN, LATCHED)
        graph.client.wait(lambda: '/odom' in graph.client.newest, 'a dog')
        yield graph


def locate(graph: Graph) -> tuple[float, float, float]:
    """Return where the dog's middle is, and where it faces."""
    pose = graph.client.newest['/odom'].pose.pose
    turn = pose.orientation
    yaw = atan2(2 * (turn.w * turn.z + turn.x * turn.y), 1 - 2 * (turn.y**2 + turn.z**2))
    place = find_pace(load_robot()).locate(pose.position.x, pose.position.y, yaw)
    return place.x, place.y, yaw


def list_shown(graph: Graph) -> dict[str, Any]:
    """Return the markers of a target that are to be seen, by namespace: the last of each."""
    message = graph.client.newest.get(SHOWN, MarkerArray())
    return {marker.ns: marker for marker in message.markers if marker.action == Marker.ADD}


def distance_to(graph: Graph, x: float, y: float) -> float:
    here = locate(graph)
    return hypot(here[0] - x, here[1] - y)


def make_goal(x: float, y: float, heading: float, frame: str = 'odom') -> PoseStamped:
    goal = PoseStamped()
    goal.header.frame_id = frame
    goal.pose.position.x, goal.pose.position.y = x, y
    goal.pose.orientation.z, goal.pose.orientation.w = sin(heading / 2), cos(heading / 2)
    return goal


def make_point(x: float, y: float, frame: str = 'odom') -> PointStamped:
    point = PointStamped()
    point.header.frame_id = frame
    point.point.x, point.point.y = x, y
    return point


def make_twist(vx: float = 0.0, wz: float = 0.0) -> Twist:
    twist = Twist()
    twist.linear.x, twist.angular.z = vx, wz
    return twist


def test_the_goal_of_rviz_is_reached_and_faced(graph: Graph) -> None:
    goal = 1.2, 0.6
    graph.client.publish_until('/goal_pose', make_goal(*goal, 1.5),
                               lambda: 'target' in list_shown(graph), 'a marker at the goal',
                               every=1.0)
    graph.client.wait(lambda: distance_to(graph, *goal) < 0.3, 'a dog at its goal')
    graph.client.wait(lambda: not list_shown(graph), 'the end of the pursuit')
    assert distance_to(graph, *goal) < 0.3
    assert abs(locate(graph)[2] - 1.5) < 0.25


@pytest.mark.parametrize(('topic', 'message', 'words'), [
    ('/goal_pose', make_goal(1.0, 0.0, 0.0, 'map'), "'map'"),
    ('/goal_pose', make_goal(float('nan'), 0.0, 0.0), 'nan'),
    ('/target', make_point(1.0, 0.0, 'base_link'), "'base_link'"),
    ('/target', make_point(0.0, 1e9), '1000000000')])
def test_what_is_no_place_in_the_world_is_refused_in_words(graph: Graph, topic: str, message: Any,
                                                           words: str) -> None:
    def refusal() -> str:
        return graph.client.value('gait_scheduler', 'last refusal')

    graph.client.publish_until(topic, message,
                               lambda: refusal().startswith(topic) and words in refusal(),
                               'a refusal', every=1.0)
    assert message.header.frame_id == 'odom' or 'odom' in refusal()
    assert not list_shown(graph)


def test_a_point_that_moves_is_followed_until_somebody_drives(graph: Graph) -> None:
    x, y, yaw = locate(graph)
    ahead = [2.0]

    def move() -> PointStamped:
        ahead[0] += 0.02
        return make_point(x + ahead[0] * cos(yaw), y + ahead[0] * sin(yaw))

    graph.client.publish_until('/target', move, lambda: distance_to(graph, x, y) > 0.5,
                               'a dog that follows', every=0.1)
    graph.client.publish_until('/target', move, lambda: 'target' in list_shown(graph),
                               'a marker at the point', every=0.1)
    graph.client.publish_until('/cmd_vel', make_twist(wz=0.3), lambda: not list_shown(graph),
                               'the end of the pursuit')
    graph.client.wait(lambda: abs(graph.client.newest['/odom'].twist.twist.linear.x) < 0.1,
                      'a dog that stops when nobody drives')


def test_a_ball_is_chased_and_rolls_away(graph: Graph) -> None:
    answer = graph.client.call(Trigger, '/gait_scheduler/ball', Trigger.Request())
    assert answer.success
    graph.client.wait(lambda: 'ball' in list_shown(graph), 'a ball')
    first = list_shown(graph)['ball'].pose.position
    assert list_shown(graph)['ball'].color.r > 0.5

    def has_rolled() -> bool:
        now = list_shown(graph).get('ball')
        return now is not None and hypot(now.pose.position.x - first.x,
                                         now.pose.position.y - first.y) > 0.5

    graph.client.wait(has_rolled, 'a ball that rolls away')
    graph.client.publish_until('/cmd_vel', make_twist(vx=-0.1), lambda: not list_shown(graph),
                               'the end of the chase')
