"""The page in a real browser: it opens, shows the dog, drives it, and may be closed and killed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from math import hypot
from typing import Any

import pytest

pytest.importorskip('rclpy')

from browser import (
    PATIENCE,
    count_coat,
    keep_picture,
    open_browser,
    require_chromium,
    said,
    take_picture,
)
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_graph import Client, Graph, open_graph
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.nodes.graph import GraphOptions

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ADDRESS = re.compile(r'^\[page\] the page: (http://\S+)')
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(name='graph', scope='module')
def _graph() -> Iterator[Graph]:
    require_chromium()
    with open_graph(GraphOptions(page=True, page_port=18200, patient=True)) as graph:
        graph.client.listen(Odometry, '/odom')
        graph.client.listen(String, '/gait')
        graph.client.wait(lambda: '/odom' in graph.client.newest, 'a dog')
        yield graph


@pytest.fixture(name='page', scope='module')
def _page(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    address = find_address(graph)
    with open_browser(tmp_path_factory.mktemp('browser')) as browser:
        page = browser.new_page()
        page.goto(address)
        wait_for_dog(graph, page)
        yield page


def find_address(graph: Graph, number: int = 0) -> str:
    """Return the address that the page's process printed, the first or a later one."""
    def addresses() -> list[str]:
        return [found[1] for line in list(graph.lines) if (found := ADDRESS.search(line))]

    graph.client.wait(lambda: len(addresses()) > number, 'the address of the page')
    assert addresses()[number].startswith('http://127.0.0.1:')
    return addresses()[number]


def wait_for_dog(graph: Graph, page: Any) -> None:
    wait_for(graph.client, page, lambda: count_coat(take_picture(page)) > 1000, 'a dog in sight')


def wait_for(client: Client, page: Any, condition: Callable[[], object], what: str) -> None:
    """Wait while browser and client both go on."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, (
            f'{what}: not within {PATIENCE} s; {client.describe()}; {client.newest.get("/odom")}; '
            f'picture: {keep_picture(page)}; said: {said[-40:]}; text: {text_of(page)}')
        client.spin(0.1)
        page.wait_for_timeout(100)


def speed(client: Client) -> float:
    message = client.newest.get('/odom')
    return 0.0 if message is None else float(message.twist.twist.linear.x)


def height(client: Client) -> float:
    """Return how high the pelvis is, m."""
    return float(client.newest['/odom'].pose.pose.position.z)


def mean_speed(client: Client, seconds: float = 1.0) -> float:
    """Return the mean forward speed over some simulated time, by odometry."""
    client.wait(lambda: '/odom' in client.newest, 'odometry')
    values, end = [], _time(client) + seconds
    client.wait(lambda: values.append(speed(client)) or _time(client) > end, 'time')
    return sum(values) / len(values)


def _time(client: Client) -> float:
    stamp = client.newest['/odom'].header.stamp
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def drag_slider(page: Any, label: str, share: float) -> None:
    """Drag the thumb of a slider to a share of its length."""
    row = page.locator('label', has_text=re.compile(f'^{label}$')).first
    slider = row.locator('xpath=ancestor::*[.//*[@role="slider"]][1]')
    thumb = slider.locator('[role="slider"]').first
    track = slider.locator('.mantine-Slider-track').first.bounding_box()
    at = thumb.bounding_box()
    page.mouse.move(at['x'] + at['width'] / 2, at['y'] + at['height'] / 2)
    page.mouse.down()
    page.mouse.move(track['x'] + share * track['width'], at['y'] + at['height'] / 2, steps=4)
    page.mouse.up()


def text_of(page: Any) -> str:
    return str(page.evaluate('document.body.innerText'))


def test_the_dog_is_in_sight(graph: Graph, page: Any) -> None:
    picture = take_picture(page)
    assert count_coat(picture) > 1000
    assert len({tuple(pixel) for pixel in picture[::8, ::8].reshape(-1, 3).tolist()}) > 50
    wait_for(graph.client, page, lambda: 'simulation' in text_of(page)
             and 'works in lock-step' in text_of(page), 'the state of the nodes')


def test_the_forward_slider_drives_the_dog_at_its_speed(graph: Graph, page: Any) -> None:
    drag_slider(page, 'Forward', (0.8 + 1.0) / 6.75)    # of -1 to 5.75 m/s
    wait_for(graph.client, page, lambda: speed(graph.client) > 0.6, 'the dog to walk')
    asked = float(page.locator('label', has_text=re.compile('^Forward$')).first.locator(
        'xpath=ancestor::*[.//input][1]').locator('input').last.input_value())
    assert asked == pytest.approx(0.8, abs=0.15)
    mean_speed(graph.client, 1.0)                       # until the speed is steady
    assert mean_speed(graph.client, 1.5) == pytest.approx(asked, abs=0.12)


def test_the_gait_graph_moves(graph: Graph, page: Any) -> None:
    def bars() -> list[str]:
        found = page.evaluate(
            """[...document.querySelectorAll('svg rect[rx]')].map(r => r.getAttribute('x'))""")
        return list(found)

    # a dog that walks: several steps a leg
    wait_for(graph.client, page, lambda: len(bars()) > 12, 'a gait graph')
    first = bars()
    wait_for(graph.client, page, lambda: bars() != first, 'another gait graph')


def test_a_push_is_felt(graph: Graph, page: Any) -> None:
    page.get_by_role('button', name='Stop').click()
    wait_for(graph.client, page, lambda: abs(mean_speed(graph.client, 0.3)) < 0.03, 'a stand')
    sideways = [0.0]
    graph.client.node.create_subscription(        # the queue holds what comes during the click
        Odometry, '/odom',
        lambda message: sideways.append(abs(message.twist.twist.linear.y)), 5000)
    mean_speed(graph.client, 1.0)
    assert max(sideways) < 0.03
    drag_slider(page, 'Force', 0.12)              # 80 N: it stays on its feet
    page.get_by_role('button', name='Push').click()
    graph.client.wait(lambda: max(sideways) > 0.05, 'a push that is felt')


def test_the_sit_button_makes_it_sit_or_shows_the_refusal(graph: Graph, page: Any) -> None:
    wait_for(graph.client, page, lambda: graph.client.value('gait_scheduler', 'skill') == 'stand'
             and abs(mean_speed(graph.client, 0.3)) < 0.03, 'a dog that stands')
    assert height(graph.client) > 0.4
    page.get_by_role('button', name='sit', exact=True).click()
    if 'sit' in graph.client.value('gait_scheduler', 'skills').split(', '):
        wait_for(graph.client, page, lambda: height(graph.client) < 0.3, 'a pelvis that goes down')
        page.get_by_role('button', name='stand', exact=True).click()
        wait_for(graph.client, page, lambda: height(graph.client) > 0.4, 'a dog that stands again')
    else:
        wait_for(graph.client, page, lambda: "refused: /skill_request: skill is 'sit'"
                 in text_of(page), 'the refusal on the page')


def test_keys_drive_while_they_are_held(graph: Graph, page: Any) -> None:
    page.mouse.click(550, 560)                          # the ground: away from all sliders
    page.keyboard.down('w')
    wait_for(graph.client, page, lambda: speed(graph.client) > 0.4, 'a dog driven by a key')
    page.keyboard.up('w')
    wait_for(graph.client, page, lambda: abs(mean_speed(graph.client, 0.3)) < 0.05, 'a stop')


def list_targets(client: Client) -> list[Any]:
    """Return the markers that show what is pursued."""
    message = client.newest.get('/target_markers')
    return [] if message is None else [m for m in message.markers if m.action == Marker.ADD]


def distance_to(client: Client, place: Any) -> float:
    """Return how far the dog's pelvis is from a place, m."""
    here = client.newest['/odom'].pose.pose.position
    return float(hypot(here.x - place.x, here.y - place.y))


def test_a_click_on_the_ground_sends_the_dog_there(graph: Graph, page: Any) -> None:
    client = graph.client
    client.listen(MarkerArray, '/target_markers', LATCHED)
    page.get_by_role('button', name='Go to a point').click()
    page.get_by_role('button', name='Click on the ground').wait_for()
    page.mouse.click(550, 600)                          # the ground before the camera
    wait_for(client, page, lambda: list_targets(client), 'a marker where the click was')
    goal = list_targets(client)[0].pose.position
    page.get_by_role('button', name='Go to a point').wait_for()     # one click, then no more
    assert 0.3 < distance_to(client, goal) < 5.0
    wait_for(client, page, lambda: distance_to(client, goal) < 0.65, 'a dog at the place')
    wait_for(client, page, lambda: not list_targets(client), 'the end of the pursuit')


def test_the_ball_is_chased_until_stop(graph: Graph, page: Any) -> None:
    client = graph.client
    page.get_by_role('button', name='Ball').click()
    wait_for(client, page, lambda: [m for m in list_targets(client) if m.ns == 'ball'], 'a ball')
    wait_for(client, page, lambda: speed(client) > 0.3, 'a dog after it')
    page.get_by_role('button', name='Stop').click()
    wait_for(client, page, lambda: not list_targets(client), 'the end of the chase')
    wait_for(client, page, lambda: abs(mean_speed(client, 0.3)) < 0.05, 'a stop')


def test_a_page_that_is_closed_and_killed_changes_nothing_and_comes_back(
        graph: Graph, page: Any) -> None:
    client, before, browser = graph.client, _time(graph.client), page.context
    page.close()
    client.wait(lambda: client.value('page', 'open') == '0', 'a page that nobody has open')
    graph.kill('page')
    client.wait(lambda: _time(client) > before + 1.0, 'a simulation that goes on')
    client.wait_for_news('simulation')
    assert client.message('simulation') == 'works in lock-step'
    assert client.value('simulation', 'losses of control') == '0'
    address = find_address(graph, 1)                    # started once more by the supervisor
    again = browser.new_page()
    again.goto(address)
    wait_for_dog(graph, again)
    wait_for(client, again, lambda: 'stand' in text_of(again), 'the gait')
