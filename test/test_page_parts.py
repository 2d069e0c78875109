"""What the page is made of: the dog, charts, markers, keys; without ROS and without a browser."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from math import cos, sin
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
from ros_processes import PATIENCE
from yourdfpy import URDF

pytest.importorskip('viser', reason='viser is not installed')

from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.gait_entries import list_units
from quadruped_control.control.gait_tuning import list_knobs
from quadruped_control.errors import QuadrupedError
from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import as_block, motion_type, new_record, state_type
from quadruped_control.model.base_link import add_base_link
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.user_description import write_user_urdf
from quadruped_control.page import posed_node
from quadruped_control.page.bag_server import BagServer
from quadruped_control.page.charts import MARGIN, WIDTH, draw_gait_graph
from quadruped_control.page.follow import FollowedPoint
from quadruped_control.page.footprints import Footprints
from quadruped_control.page.marker_layers import MarkerLayers
from quadruped_control.page.marker_types import ARROW, CUBE, DELETE, LINE_STRIP, SPHERE, TEXT
from quadruped_control.page.page_robot import find_page_robot
from quadruped_control.page.posed_node import PosedNode
from quadruped_control.page.robot_model import RobotModel
from quadruped_control.page.scene import Shift
from quadruped_control.page.server import describe_address, open_server
from quadruped_control.page.shapes import make_ball, make_box, make_cylinder
from quadruped_control.page.terrain_view import rule_lines
from quadruped_control.page.tune_panel import TunePanel
from quadruped_control.page.urdf_visuals import read_bodies

ROBOT = load_robot('dog', 'flexible')


@pytest.fixture(name='server', scope='module')
def _server() -> Iterator[Any]:
    server = open_server('127.0.0.1', 18080)
    yield server
    server.stop()


def rotate(turn: tuple[float, ...], vector: Any) -> Any:
    w, u = turn[0], np.array(turn[1:])
    return vector + 2 * np.cross(u, np.cross(u, vector) + w * vector)


def multiply(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    w = a[0] * b[0] - np.dot(a[1:], b[1:])
    return (w, *(a[0] * np.array(b[1:]) + b[0] * np.array(a[1:]) + np.cross(a[1:], b[1:])))


# The ground


def test_a_click_is_where_the_ground_is_under_a_moved_and_turned_world() -> None:
    shift = Shift((-3.0, 1.0, -0.2), -0.7)
    place = np.array((2.0, -1.5, 0.2))                  # in the world, on ground at 0.2 m
    c, s = cos(-0.7), sin(-0.7)
    seen = np.array((c * place[0] - s * place[1], s * place[0] + c * place[1], place[2])
                    ) + shift.place
    eye = np.array((0.5, -4.0, 2.0))
    found = shift.find_ground(eye.tolist(), (seen - eye).tolist(), 0.2)
    assert found is not None
    np.testing.assert_allclose(found, place[:2])
    assert shift.find_ground(eye.tolist(), (0.0, 1.0, 0.1), 0.2) is None        # the sky
    assert shift.find_ground(eye.tolist(), (0.0, 1.0, 0.0), 0.2) is None


# The dog


def test_the_dog_of_the_page_is_where_the_controllers_is(server: Any) -> None:
    generator = np.random.default_rng(3)
    angles = generator.uniform(-0.5, 0.5, len(ROBOT.joint_names))
    state = new_record(state_type(len(ROBOT.links)))
    state['base_position'] = 1.0, 2.0, 0.5
    state['base_quaternion'] = 0.1, -0.2, 0.3, np.sqrt(1 - 0.14)
    state['joint_position'][list(ROBOT.movable)] = angles
    motion = new_record(motion_type(len(ROBOT.links)))
    compute_motion(ROBOT.tree, as_block(state)[0], as_block(motion)[0])

    urdf = add_base_link(ROBOT.urdf.read_text(), ROBOT.links[0].name)
    dog = RobotModel(server.scene, urdf, '/test_dog')
    x, y, z, w = state['base_quaternion'].tolist()
    dog.move(state['base_position'].tolist(), (w, x, y, z), ROBOT.joint_names, angles.tolist())

    places: dict[str, Any] = {'': np.zeros(3)}
    turns: dict[str, Any] = {'': (1.0, 0.0, 0.0, 0.0)}
    names = [link.name for link in ROBOT.links]
    for body, node in zip(read_bodies(urdf), dog._nodes, strict=True):
        handle = node.handle
        places[body.name] = places[body.parent] + rotate(turns[body.parent], handle.position)
        turns[body.name] = multiply(turns[body.parent], tuple(handle.wxyz))
        if body.name in names:
            link = names.index(body.name)
            np.testing.assert_allclose(places[body.name], motion['position'][link], atol=1e-3)
            for axis in np.eye(3):
                np.testing.assert_allclose(rotate(turns[body.name], axis),
                                           motion['rotation'][link] @ axis, atol=2e-3)
    assert len(places) == 32                            # 30 bodies, the base, the world


@pytest.mark.parametrize('name', ['a1', 'mini_cheetah'])
def test_a_foreign_robot_of_the_page_is_where_its_urdf_says(server: Any, name: str) -> None:
    pytest.importorskip('pybullet_data')
    robot = load_robot(name)
    urdf = write_user_urdf(robot)
    other = URDF.load(BytesIO(urdf.encode()), load_meshes=False)
    angles = robot.convention.offsets + np.linspace(-0.4, 0.4, len(robot.movable))
    other.update_cfg(dict(zip(robot.joint_names, angles.tolist(), strict=True)))
    model = RobotModel(server.scene, urdf, f'/test_{name}')
    model.move((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), robot.joint_names, angles.tolist())
    poses = {'': (np.zeros(3), (1.0, 0.0, 0.0, 0.0))}
    bodies = read_bodies(urdf)
    assert len(bodies) >= len(robot.links) and sum(len(body.meshes) for body in bodies) > 12
    for body, node in zip(bodies, model._nodes, strict=True):
        place, turn = poses[body.parent]
        poses[body.name] = (place + rotate(turn, np.array(node.handle.position)),
                            multiply(turn, tuple(node.handle.wxyz)))
        wanted = other.get_transform(body.name, 'base_link')
        np.testing.assert_allclose(poses[body.name][0], wanted[:3, 3], atol=1e-4)
        for axis in np.eye(3):
            np.testing.assert_allclose(rotate(poses[body.name][1], axis), wanted[:3, :3] @ axis,
                                       atol=5e-4)
    model.remove()


@pytest.mark.parametrize('suffix', ['obj', 'stl', 'dae'])
def test_meshes_of_all_kinds_are_read(tmp_path: Path, suffix: str) -> None:
    """A box of 1 x 2 x 3 cm, scaled by ten, turned upright and set aside, in a mesh file."""
    path = tmp_path / f'box.{suffix}'
    trimesh.creation.box((0.01, 0.02, 0.03)).export(path)
    urdf = ('<robot name="box"><link name="box"><visual><origin xyz="1 0 0" rpy="0 1.5707963 0"/>'
            f'<geometry><mesh filename="file://{path}" scale="10 10 10"/></geometry>'
            '<material name="red"><color rgba="1 0 0 1"/></material></visual></link></robot>')
    (body,) = read_bodies(urdf)
    vertices = np.concatenate([mesh.vertices for mesh in body.meshes])
    np.testing.assert_allclose(np.ptp(vertices, axis=0), (0.3, 0.2, 0.1), atol=1e-6)
    np.testing.assert_allclose(vertices.mean(axis=0), (1.0, 0.0, 0.0), atol=1e-6)
    assert {mesh.colour for mesh in body.meshes} == {(255, 0, 0)}


def test_controls_are_of_the_robots_size() -> None:
    dog, a1, horse = (find_page_robot(name).limits for name in ('dog', 'a1', 'horse'))
    assert dog.forward == 5.75 and dog.easy == (0.6, 0.2, 0.6) and dog.push == 100.0
    assert a1.forward < dog.forward < horse.forward and a1.turn > dog.turn > horse.turn
    assert a1.push < dog.push < horse.push
    slower = find_page_robot('dog', 'kokkevis').limits          # which does not gallop
    assert 1.8 < slower.forward <= load_gait('trot').speeds[-1].speed < dog.forward
    assert find_page_robot('a1').leg_joints['front_left'] == [
        'FL_hip_joint', 'FL_upper_joint', 'FL_lower_joint']
    assert list(find_page_robot('a1').requests) == ['auto', 'trot', 'walk']


def test_the_panel_has_a_slider_for_every_number_of_a_gait(server: Any) -> None:
    panel = TunePanel(server.gui, SimpleNamespace(), ['stand', 'trot', 'canter'])  # type: ignore
    turned = [place for name in panel._sliders for place in list_knobs()[name].places]
    assert sorted(turned) == list(range(len(list_units())))
    for gait in ('stand', 'trot', 'canter'):
        panel.follow(gait, 2.0)
        row = GaitTable.of(load_gait(gait)).rows[panel._row]
        for name, slider in panel._sliders.items():
            assert slider.value == pytest.approx(list_knobs()[name].read(row)), name
            assert slider.min <= slider.value <= slider.max and slider.min < slider.max, name


@pytest.mark.parametrize('has_messages', [True, False])
def test_a_pose_is_sent_as_by_an_assignment(server: Any, monkeypatch: pytest.MonkeyPatch,
                                            has_messages: bool) -> None:
    place, turn = (1.0, 2.0, 3.0), (0.6, 0.0, 0.8, 0.0)
    sent: list[Any] = []
    monkeypatch.setattr(server.scene._websock_interface, 'queue_message', sent.append)
    if not has_messages:                                # as in another version of viser
        monkeypatch.setattr(posed_node, 'SetPositionMessage', None)
    handle = server.scene.add_frame('/assigned')
    sent.clear()
    handle.position, handle.wxyz = place, turn
    assigned = [message.as_serializable_dict() for message in sent]
    handle = server.scene.add_frame('/assigned')
    node = PosedNode(handle)
    sent.clear()
    node.place(place)
    node.turn(turn)
    assert [message.as_serializable_dict() for message in sent] == assigned
    assert len(assigned) == 2
    assert tuple(handle.position) == place and tuple(handle.wxyz) == turn


def test_all_visuals_of_the_urdf_are_drawn() -> None:
    urdf = ROBOT.urdf.read_text()
    bodies = read_bodies(urdf)
    assert sum(len(body.meshes) for body in bodies) == urdf.count('<visual>') > 30
    assert {hinge.name for body in bodies for hinge in body.hinges} == set(ROBOT.joint_names)
    colours = {mesh.colour for body in bodies for mesh in body.meshes}
    assert len(colours) == 4


def test_a_dog_at_a_steady_speed_is_followed_without_lag() -> None:
    point, place = FollowedPoint(0.26, 0.45), np.array((0.0, 0.0, 0.45))
    for picture in range(300):
        place[0] = 2.0 * picture / 30
        point.update(place, (1.0, 0.0, 0.0, 0.0))
    assert point.place[0] == pytest.approx(place[0] + 0.26, abs=0.05)
    place[0] = -7.0                                     # a reset
    point.update(place, (cos(0.5), 0.0, 0.0, sin(0.5)))
    assert point.heading == pytest.approx(1.0)
    assert point.place[0] == pytest.approx(-7.0 + 0.26 * cos(1.0))


# Charts


def read_bars(svg: str) -> list[tuple[float, float, float, str]]:
    """Return left, width, top and colour of all bars."""
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="8" '
                       r'fill="(#\w+)"', svg)
    return [(float(x), float(width), float(y), colour) for x, y, width, colour in found]


def test_gait_graph_shows_when_legs_stand() -> None:
    times = np.arange(0.0, 2.001, 0.01)
    stance, contact = np.zeros((len(times), 4)), np.zeros((len(times), 4))
    stance[100:151, 1] = 1.0                            # from 1.0 to 1.5 s
    contact[105:151, 1] = 1.0
    bars = read_bars(draw_gait_graph(times, stance, contact, 2.0))
    (x1, width1, y1, light), (x2, width2, y2, dark) = bars
    middle, second = (MARGIN + WIDTH) / 2, (WIDTH - MARGIN) / 2
    assert x1 == pytest.approx(middle, abs=0.2) and width1 == pytest.approx(second / 2, abs=0.2)
    assert x2 == pytest.approx(middle + 0.05 * second, abs=0.2)
    assert x2 + width2 == pytest.approx(x1 + width1, abs=0.2)
    assert y2 > y1 > 20 and light != dark               # the second row
    later = read_bars(draw_gait_graph(times + 0.2, stance, contact, 2.0))
    for bar, before in zip(later, bars, strict=True):   # the newest is always at the right
        assert bar[:3] == pytest.approx(before[:3], abs=0.2)


# Markers


def marker(kind: int, number: int = 0, **keys: Any) -> Any:
    point, turn = SimpleNamespace(x=0.0, y=0.0, z=0.0), SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
    return SimpleNamespace(**{
        'ns': 'some', 'id': number, 'type': kind, 'action': 0, 'points': [], 'text': '',
        'pose': SimpleNamespace(position=point, orientation=turn),
        'scale': SimpleNamespace(x=0.1, y=0.2, z=0.3),
        'color': SimpleNamespace(r=1.0, g=0.5, b=0.0, a=1.0), **keys})


def points(*places: tuple[float, float, float]) -> list[Any]:
    return [SimpleNamespace(x=x, y=y, z=z) for x, y, z in places]


def test_markers_are_added_moved_switched_and_deleted(server: Any) -> None:
    shown = {'some': True}
    layers = MarkerLayers(server.scene, '/test_markers', lambda name: shown[name])
    arrow = marker(ARROW, 1, points=points((1, 0, 0), (1, 0, 0.2)))
    layers.show([marker(CUBE), arrow, marker(LINE_STRIP, 2, points=points((0, 0, 0), (1, 1, 0))),
                 marker(TEXT, 3, text='trot')])
    assert len(layers._solids) == 2 and len(layers._handles) == 2
    body = layers._solids['some', 1]._handle
    assert tuple(body.position) == (1, 0, 0) and tuple(body.scale) == pytest.approx((1, 1, 0.2))

    layers.show([marker(ARROW, 1, points=points((2, 0, 0), (2.5, 0, 0)))])
    assert layers._solids['some', 1]._handle is body    # moved, not made anew
    assert tuple(body.position) == (2, 0, 0) and tuple(body.scale) == pytest.approx((1, 1, 0.5))
    np.testing.assert_allclose(rotate(tuple(body.wxyz), np.array((0, 0, 1))), (1, 0, 0),
                               atol=1e-6)

    shown['some'] = False
    layers.switch()
    assert not layers._solids and not layers._handles
    shown['some'] = True
    layers.switch()
    assert len(layers._solids) == 2
    layers.show([marker(SPHERE, 1, action=DELETE)])
    assert list(layers._solids) == [('some', 0)]


def test_footprints_are_where_feet_come_down(server: Any) -> None:
    prints = Footprints(server.scene, '/test_prints', find_page_robot('dog'))
    soles = np.arange(12.0).reshape(4, 3)
    prints.watch((100.0, 100.0, 0.0, 0.0), soles)       # standing is no touchdown
    prints.watch((0.0, 100.0, 0.0, 0.0), soles)
    prints.watch((8.0, 100.0, 0.0, 50.0), soles + 1)    # too light a touch, and one that counts
    prints.watch((90.0, 100.0, 0.0, 50.0), soles + 2)
    shown = prints._places[prints._places[:, 2] > -100]
    np.testing.assert_allclose(shown[:, :2], [(2, 3), (10, 11)])


def test_lines_on_the_ground_stay_inside_it() -> None:
    lines = rule_lines((0.5, 3.0), (-1000.0, 0.5), 0.1)
    assert (lines[:, :, 0] >= 0.5).all() and (lines[:, :, 0] <= 3.0).all()
    assert (lines[:, :, 1] <= 0.5).all() and (lines[:, :, 1] >= -30.0).all()
    assert len(lines) == 3 + 31


# The server


def test_the_page_says_when_others_can_reach_it(server: Any) -> None:
    words = describe_address(server, '127.0.0.1')
    assert words == f'the page: http://127.0.0.1:{server.get_port()}'
    assert 'everybody' in describe_address(server, '0.0.0.0')


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(QuadrupedError, match=r'cannot listen on 192\.0\.2\.1'):
        open_server('192.0.2.1', 18090)


def test_a_port_that_is_taken_is_passed_over(server: Any) -> None:
    other = open_server('127.0.0.1', server.get_port())
    assert other.get_port() != server.get_port()
    other.stop()


def test_bags_are_handed_out_and_nothing_else(tmp_path: Path) -> None:
    bag, secret = tmp_path / 'a b.mcap', tmp_path / 'secret'
    bag.write_bytes(b'bag' * 1000)
    secret.write_bytes(b'secret')
    bags = BagServer('127.0.0.1')
    bags.offer(bag)
    address = f'http://127.0.0.1:{bags.port}'
    assert 'a%20b.mcap' in bags.write_links()
    with urllib.request.urlopen(f'{address}/a%20b.mcap', timeout=PATIENCE) as answer:
        assert answer.read() == bag.read_bytes()
    for path in ('secret', '../secret', '', str(secret)):
        with pytest.raises(urllib.error.HTTPError, match='404'):
            urllib.request.urlopen(f'{address}/{path}', timeout=PATIENCE)


# Shapes


@pytest.mark.parametrize(('shape', 'volume'), [
    (make_box(1.0, 2.0, 3.0), 6.0), (make_cylinder(sides=200), np.pi / 4),
    (make_ball(rings=60, sides=80), np.pi / 6),
    (make_cylinder(0.5, 0.0, 1.0, 0.0, sides=200), np.pi / 12)])
def test_shapes_are_closed_and_face_outwards(shape: Any, volume: float) -> None:
    vertices, triangles = shape
    a, b, c = (vertices[triangles[:, n]].astype(float) for n in range(3))
    assert np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6 == pytest.approx(volume, rel=0.01)
    np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0.0, atol=1e-6)
