"""Another robot than the dog in the graph: parameters, topics, ground, lock-step, page."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('pybullet_data', reason='pybullet_data is not installed: no foreign robot')

from rcl_interfaces.srv import GetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_client import Client
from ros_processes import PATIENCE, choose_domain, lease_domain, make_environment, node_program
from ros_processes import running as run_process
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from test_description import Later, place_links

from quadruped_control.command_line.main import main
from quadruped_control.command_line.up import change_robot, compile_for_nodes
from quadruped_control.control.controllers import list_controllers
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.loading import validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import list_robots
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.graph import GraphOptions
from quadruped_control.nodes.launch_arguments import ARGUMENTS, read_options
from quadruped_control.nodes.layout import GaitLayout, StateLayout, as_numbers
from quadruped_control.nodes.map_message import Measured, read_map, write_map
from quadruped_control.nodes.setting import choose_scenario
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.local_map import LEVEL, LocalMap
from quadruped_control.terrain.surveyor import Surveyor

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
UP = [sys.executable, '-m', 'quadruped_control.command_line', 'up']
STEPS = {'kind': 'steps', 'x': [0.4, 3], 'y': [-2, 2], 'depth': 0.3, 'height': [0.0, 0.015]}
TROT = {'duration': 1.2, 'seed': 3, 'robot': 'a1', 'terrain': [STEPS],
        'commands': [{'t': 0.1, 'vx': 0.8, 'gait': 'trot'}],
        'pushes': [{'t': 0.6, 'at': 'front', 'force': [0, 20, 0], 'duration': 0.1}]}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(name='a1', scope='module')
def _a1() -> Robot:
    compile_for_nodes('a1')
    return load_robot('a1')


@pytest.fixture(name='client')
def _client() -> Iterator[Client]:
    client = Client(choose_domain())
    yield client
    client.close()


# What is asked for


@pytest.mark.parametrize('words', [['--robot', 'moon'], ['--controller', 'moon'],
                                   ['--robot', 'a1', '--gait', 'canter'],
                                   ['--robot', 'a1', '--leap-planner']])
def test_up_names_what_is_accepted(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(['up', *words]) == 2
    message = capsys.readouterr().err
    accepted = {'moon': list_robots() if words[0] == '--robot' else list_controllers(),
                'canter': ['auto', 'trot', 'walk'], '--leap-planner': ['a1', 'leap']}[words[-1]]
    assert all(name in message for name in accepted) and 'Traceback' not in message


@pytest.mark.parametrize(('name', 'value'), [('robot', 'moon'), ('controller', 'moon')])
def test_launch_names_what_is_accepted(name: str, value: str) -> None:
    values = {key: argument.default for key, argument in ARGUMENTS.items()}
    accepted = list_robots() if name == 'robot' else list_controllers()
    with pytest.raises(InputError, match=accepted[0]):
        read_options({**values, name: value})
    assert read_options({**values, 'robot': 'a1'}).robot == 'a1'


@pytest.mark.parametrize('node', ['description', 'leg_frame_controller', 'teleop'])
def test_a_node_names_what_is_accepted(node: str) -> None:
    program = node_program(node, robot='moon')
    with run_process(program, choose_domain(), stderr=subprocess.PIPE, text=True,
                     stdin=subprocess.DEVNULL) as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "'moon'; accepted: a robot of config/robots" in errors and 'mini_cheetah' in errors


def test_a_robot_takes_the_place_of_the_scenarios(tmp_path: Path) -> None:
    file = tmp_path / 'trot.yaml'
    file.write_text(json.dumps(TROT))
    assert choose_scenario(str(file)).robot == 'a1'
    assert choose_scenario(str(file), robot='mini_cheetah').robot == 'mini_cheetah'
    assert choose_scenario(str(file), controller='leg_frames').controller == 'leg_frames'
    file.write_text(json.dumps({**TROT, 'robot': 'dog', 'commands': [{'t': 0.5, 'skill': 'sit'}]}))
    with pytest.raises(InputError, match="skill' is 'sit'"):
        choose_scenario(str(file), robot='a1')


def test_another_robot_keeps_what_it_can_of_a_graph(tmp_path: Path) -> None:
    record = tmp_path / 'run.mcap'
    options = GraphOptions(robot='dog', gait='canter', record=str(record), leap_planner=True,
                           terrain='stand_steps')
    other = change_robot(options, 'a1')
    assert (other.robot, other.gait, other.leap_planner) == ('a1', 'auto', False)
    assert other.terrain == 'stand_steps' and Path(other.record) == tmp_path / 'run_a1.mcap'
    (tmp_path / 'run_a1.mcap').touch()
    assert Path(change_robot(options, 'a1').record) == tmp_path / 'run_a11.mcap'
    assert change_robot(options, 'cat').gait == 'canter'


# What is told


def test_tf_of_a1_is_what_another_reader_of_its_urdf_says(client: Client, a1: Robot) -> None:
    messages = pytest.importorskip('tf2_msgs.msg', reason='tf2_msgs is not built here')
    yourdfpy = pytest.importorskip('yourdfpy')
    angles = np.linspace(-0.5, 0.5, len(a1.movable)) + a1.convention.offsets
    state = JointState(name=list(a1.joint_names), position=angles.tolist())
    with run_process(node_program('description', robot='a1'), choose_domain()):
        urdf = client.hear(String, '/robot_description', LATCHED).data
        assert client.hear(String, '/robot', LATCHED).data == 'a1'
        static = client.listen(messages.TFMessage, '/tf_static', LATCHED)
        moving = client.listen(messages.TFMessage, '/tf')
        client.publish_until('/joint_states', Later(state), lambda: static and moving, 'tf')
    placed = place_links([*static[0].transforms, *moving[0].transforms], 'base_link')
    other = yourdfpy.URDF.load(BytesIO(urdf.encode()), load_meshes=False)
    other.update_cfg(dict(zip(a1.joint_names, angles, strict=True)))
    assert set(placed) == set(other.link_map)
    for link, (position, rotation) in placed.items():
        wanted = other.get_transform(link, 'base_link')
        np.testing.assert_allclose(position, wanted[:3, 3], atol=1e-9)
        np.testing.assert_allclose(rotation, wanted[:3, :3], atol=1e-9)


def test_joint_states_are_in_the_angles_of_the_urdf(client: Client, a1: Robot) -> None:
    """Of a simulation that waits: its state is the same again and again."""
    layout, state = StateLayout(len(a1.links)), new_record(state_type(len(a1.links)))
    with run_process(node_program('simulation', robot='a1', start_paused=True), choose_domain(),
                     stderr=subprocess.DEVNULL):
        numbers = np.array(client.hear(Float64MultiArray, '/robot_state').data)
        told = client.hear(JointState, '/joint_states')
    layout.unpack(numbers, as_numbers(state))
    assert list(told.name) == list(a1.joint_names)
    np.testing.assert_array_equal(told.position, a1.convention.to_user(
        state['joint_position'][list(a1.movable)]))
    knee = dict(zip(told.name, told.position, strict=True))['FL_lower_joint']
    assert -1.8 < knee < -1.1               # of a1's own URDF, where legs are straight at zero


# The ground


def make_map(*features: dict[str, Any]) -> LocalMap:
    scene = validate({'duration': 1.0, 'terrain': list(features)}, Scenario, 'test')
    ground = tabulate(Ground.from_features(scene.terrain, scene.seed))
    return Surveyor(ground, 0.05, 0.5).survey(0.75, 0.1)


def test_the_map_arrives_as_it_was() -> None:
    told = make_map(STEPS)
    assert told.heights.shape == (21, 21) and np.ptp(told.heights) > 0.0
    found = read_map(np.array(write_map(Measured(50, 17.0, told)).data))
    assert found is not None and (found.step, found.run) == (50, 17.0)
    assert found.map[:3] == told[:3]
    np.testing.assert_array_equal(found.map.heights, told.heights)


@pytest.mark.parametrize('spoil', [
    lambda numbers: numbers[:-1], lambda numbers: numbers[:2], lambda numbers: [*numbers, 0.0],
    lambda numbers: [*numbers[:5], 1e9, *numbers[6:]], lambda numbers: [*numbers[:-1], np.nan],
    lambda numbers: [*numbers[:4], 0.0, *numbers[5:]],
    lambda numbers: [*numbers[:5], 441.0, 1.0, *numbers[7:]]])
def test_what_is_no_map_is_not_walked_on(spoil: Any) -> None:
    numbers = list(write_map(Measured(0, 1.0, make_map(STEPS))).data)
    assert read_map(np.array(numbers)) is not None
    assert read_map(np.array(spoil(numbers))) is None


def test_no_state_is_answered_before_its_ground_is_there(client: Client, a1: Robot) -> None:
    library = GaitLibrary('a1')
    scheduler = SkillScheduler(a1, library.stand, library.tables, time_step=TIME_STEP)
    state = new_record(state_type(len(a1.links)))
    state['base_quaternion'], state['base_position'] = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.32)
    scheduler.update(state)
    states, gaits, run = StateLayout(len(a1.links)), GaitLayout(), 5.0
    gait = Float64MultiArray(data=gaits.pack(
        0, run, requested=0, command=np.zeros(4), gait=0, clock=as_numbers(scheduler.clock),
        target=as_numbers(scheduler.target)))
    told = Float64MultiArray(data=array('d', states.pack(0, run, as_numbers(state))))
    torques = client.listen(Float64MultiArray, '/joint_torques')
    program = node_program('leg_frame_controller', robot='a1', gait_timeout=60.0)
    with run_process(program, choose_domain(), stderr=subprocess.DEVNULL):
        gait_publisher = client.node.create_publisher(Float64MultiArray, '/gait_state', 10)

        def ask() -> Float64MultiArray:
            gait_publisher.publish(gait)
            return told

        ground = client.node.create_publisher(Float64MultiArray, '/height_map', LATCHED)
        ground.publish(write_map(Measured(0, run - 1.0, LEVEL)))
        client.publish_until('/robot_state', ask, lambda: client.message(
            'leg_frame_controller').startswith('waits for the ground'), 'a wait for the ground')
        assert not torques
        ground.publish(write_map(Measured(0, run, LEVEL)))
        client.publish_until('/robot_state', ask, lambda: torques, 'torques')
        assert torques[0].data[1] == run


# The whole


def test_a1_over_topics_gives_the_same_bits_as_one_process(a1: Robot, tmp_path: Path) -> None:
    """On steps: the ground that came by a topic is the one that there is."""
    scenario, alone, graph = (tmp_path / name for name in ('a.yaml', 'alone.json', 'graph.json'))
    scenario.write_text(json.dumps(TROT))
    assert main(['run', str(scenario), '--json', str(alone)]) == 0
    with lease_domain() as domain:
        done = subprocess.run(
            [*UP, '--no-page', '--scenario', str(scenario), '--metrics', str(graph),
             '--real-time-factor', '0'], env=make_environment(domain), capture_output=True,
            text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    expected, found = (json.loads(path.read_text()) for path in (alone, graph))
    differing = {key for key in expected if found[key] != expected[key]}
    assert differing <= {'real_time_factor', 'scenario'}


def test_up_starts_anew_with_the_robot_that_the_page_asks_for(a1: Robot, tmp_path: Path) -> None:
    """By the file to which the page writes what was chosen there."""
    pytest.importorskip('viser', reason='viser is not installed: no page')
    with ExitStack() as stack:
        domain = stack.enter_context(lease_domain())
        up = stack.enter_context(run_process([*UP, '--page-port', '18300'], domain, cwd=tmp_path,
                                             stdout=subprocess.DEVNULL))
        client = Client(domain)
        stack.callback(client.close)
        robots = client.listen(String, '/robot', LATCHED)
        client.wait(lambda: robots and robots[-1].data == 'dog', 'a dog')
        value = client.call(GetParameters, '/page/get_parameters',
                            GetParameters.Request(names=['restart_file'])).values[0].string_value
        Path(value).write_text('a1')
        client.wait(lambda: robots[-1].data == 'a1', 'an a1')
        client.forget_status()
        client.wait(lambda: client.value('simulation', 'robot') == 'a1'
                    and client.count('simulation', 'step') > 0, 'an a1 that stands')
        assert not Path(value).exists() and up.poll() is None


def test_a_recording_of_a1_is_repeated_by_a1_and_refused_by_the_dog(a1: Robot, tmp_path: Path
                                                                    ) -> None:
    scenario, bag = tmp_path / 'trot.yaml', tmp_path / 'run.mcap'
    scenario.write_text(json.dumps({**TROT, 'terrain': [], 'pushes': []}))
    files = {name: tmp_path / f'{name}.json' for name in ('first', 'again')}
    up = [*UP, '--no-page', '--real-time-factor', '0']
    with lease_domain() as domain:
        environment = make_environment(domain)
        first = [*up, '--scenario', str(scenario), '--metrics', str(files['first']),
                 '--record', str(bag)]
        done = subprocess.run(first, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        with run_process([*up, '--robot', 'dog'], domain, stdout=subprocess.DEVNULL):
            result = replay(bag, environment)
            assert result.returncode == 2
            assert "'a1'; accepted: dog" in result.stderr and '--robot a1' in result.stderr
        again = [*up, '--robot', 'a1', '--seconds', str(TROT['duration']), '--paused',
                 '--metrics', str(files['again'])]
        with run_process(again, domain, stdout=subprocess.DEVNULL) as process:
            result = replay(bag, environment)
            assert result.returncode == 0, result.stderr
            assert process.wait(PATIENCE) == 0
    hashes = {json.loads(file.read_text())['state_hash'] for file in files.values()}
    assert len(hashes) == 1


def replay(bag: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*UP[:-1], 'replay', str(bag)], env=environment, capture_output=True,
                          text=True, timeout=PATIENCE)
