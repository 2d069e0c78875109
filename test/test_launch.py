"""The launch files: what they say without ROS's launch, and what launch makes of them with it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from quadruped_control.errors import InputError
from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.launch_arguments import (
    ARGUMENTS,
    CONTROL,
    SIMULATION,
    choose_nodes,
    find_command,
    read_options,
    refuse_unknown,
)

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
DEFAULTS = {name: argument.default for name, argument in ARGUMENTS.items()}


def test_there_are_four() -> None:
    names = [path.name.removesuffix('.launch.py') for path in FILES]
    assert names == ['control', 'quadruped', 'rviz', 'simulation']


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_file_is_python_with_an_entry(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert functions == ['generate_launch_description']


def test_arguments_are_in_the_readme() -> None:
    text = (ROOT / 'README.md').read_text()
    for name, argument in ARGUMENTS.items():
        assert f'`{name}:=' in text, f'launch argument {name} is not in the README'
        assert argument.description


def test_defaults_are_those_of_the_graph() -> None:
    assert read_options(DEFAULTS) == GraphOptions()


def test_arguments_reach_the_nodes(tmp_path: Path) -> None:
    record = tmp_path / 'a.mcap'
    values = {**DEFAULTS, 'terrain': 'stand_steps', 'gait': 'trot', 'rate': '500',
              'record': str(record)}  # fmt: skip
    nodes = {node.name: node for node in list_nodes(read_options(values))}
    assert nodes['simulation'].parameters['terrain'] == 'stand_steps'
    assert nodes['simulation'].parameters['rate'] == 500.0
    assert nodes['simulation'].parameters['lock_step'] is False
    assert nodes['gait_scheduler'].parameters['gait'] == 'trot'
    assert nodes['recorder'].parameters['output'] == str(record)


@pytest.mark.parametrize(
    ('name', 'value'), [('rviz', 'perhaps'), ('composed', '2'), ('rate', 'fast')]
)
def test_wrong_value_is_refused(name: str, value: str) -> None:
    with pytest.raises(InputError, match=f'{name}:= is {value!r}'):
        read_options({**DEFAULTS, name: value})


def test_what_would_end_a_node_is_refused_before_any_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gait:= is 'moonwalk'; accepted: .*walk"):
        read_options({**DEFAULTS, 'gait': 'moonwalk'})
    with pytest.raises(InputError, match=r"gait:= is 'canter'; accepted: auto, "):
        read_options({**DEFAULTS, 'gait': 'canter', 'robot': 'a1'})
    record = tmp_path / 'old.mcap'
    record.touch()
    options = read_options({**DEFAULTS, 'record': str(record)})
    with pytest.raises(InputError, match=r'record:= is .*a file that is not there yet'):
        choose_nodes(options, SIMULATION)
    assert choose_nodes(options, CONTROL)


def test_an_argument_that_nothing_reads_is_refused() -> None:
    refuse_unknown(['gait:=trot', 'quadruped.launch.py'])
    with pytest.raises(InputError, match=r"gate:= is 'trot'; accepted: one of terrain, "):
        refuse_unknown(['gate:=trot'])


def test_without_control_or_recording_all_ends() -> None:
    needed = {node.name for node in list_nodes(GraphOptions(record='a.mcap')) if node.needed}
    assert needed == {'simulation', 'gait_scheduler', 'leg_frame_controller', 'recorder'}


def test_free_running_waits_for_nobody_for_long() -> None:
    def waits(rate: float) -> list[object]:
        nodes = {node.name: node.parameters for node in list_nodes(GraphOptions(rate=rate))}
        return [nodes['simulation'].get('torque_timeout'),
                nodes['leg_frame_controller'].get('gait_timeout')]

    assert waits(1000.0) == [0.5, 0.3]
    assert waits(0.0) == [None, None]               # as long as their own parameters say


def test_simulation_and_control_are_the_whole_graph() -> None:
    options = GraphOptions(record='a.mcap')
    started = [*choose_nodes(options, SIMULATION), *choose_nodes(options, CONTROL)]
    assert {node.name for node in started} == {node.name for node in list_nodes(options)}
    assert len(started) == len(list_nodes(options))


def test_program_is_found_as_colcon_or_pip_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    colcon = tmp_path / 'install' / 'lib' / 'quadruped_control' / 'quadruped_teleop'
    pip = tmp_path / 'venv' / 'bin' / 'quadruped_teleop'
    for path in (colcon, pip):
        path.parent.mkdir(parents=True)
    python = str(pip.parent / 'python')
    monkeypatch.setattr(sys, 'executable', python)
    arguments = ('quadruped_teleop', 'a.teleop', str(tmp_path / 'install'))
    assert find_command(*arguments) == [python, '-m', 'a.teleop']
    for path in (pip, colcon):
        path.write_text('')
        path.chmod(0o755)
        assert find_command(*arguments) == [str(path)]
    assert find_command('quadruped_teleop', 'a.teleop', None) == [str(pip)]


def test_view_of_rviz_shows_what_is_published() -> None:
    view = yaml.safe_load((ROOT / 'rviz' / 'quadruped.rviz').read_text())['Visualization Manager']
    assert view['Global Options']['Fixed Frame'] == 'odom'
    shown = {display['Class'].split('/')[1]: display for display in view['Displays']}
    assert shown['RobotModel']['Description Topic']['Value'] == '/robot_description'
    assert {'TF', 'Grid'} <= set(shown)
    arrays = {display['Topic']['Value']: display for display in view['Displays']
              if display['Class'].endswith('MarkerArray')}  # fmt: skip
    assert set(arrays) == {'/terrain', '/markers', '/leap_markers', '/target_markers'}
    assert arrays['/terrain']['Topic']['Durability Policy'] == 'Transient Local'
    assert arrays['/markers']['Topic']['Reliability Policy'] == 'Best Effort'
    assert set(arrays['/markers']['Namespaces']) == {
        'leg_frames', 'foot_placements', 'virtual_forces', 'contact_forces', 'gait_state',
    }  # fmt: skip
    assert set(arrays['/leap_markers']['Namespaces']) == {'planned_leaps'}


# With launch and launch_ros

NO_LAUNCH = 'the ROS packages launch and launch_ros are not installed (they are not on PyPI)'


def expand(entities: Any, context: Any) -> list[Any]:
    """Carry out what includes and functions give, but start no process."""
    from launch.actions import DeclareLaunchArgument, ExecuteProcess

    found = []
    for entity in entities or ():
        condition = getattr(entity, 'condition', None)
        if condition is not None and not condition.evaluate(context):
            continue
        if isinstance(entity, ExecuteProcess):
            found.append(entity)
        elif isinstance(entity, DeclareLaunchArgument):
            entity.visit(context)
            found.append(entity)
        else:
            found += expand(entity.visit(context), context)
    return found


def parse(path: Path, **arguments: str) -> list[Any]:
    pytest.importorskip('launch.actions', reason=NO_LAUNCH)
    pytest.importorskip('launch_ros', reason=NO_LAUNCH)
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    context = LaunchContext()
    context.launch_configurations.update(arguments)
    description = PythonLaunchDescriptionSource(str(path)).get_launch_description(context)
    return expand(description.entities, context)


def name_nodes(entities: list[Any]) -> set[str]:
    from launch_ros.actions import Node

    nodes = [entity for entity in entities if isinstance(entity, Node)]
    return {str(node.node_package or node._Node__node_name) for node in nodes}


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_launch_parses_the_file_and_documents_its_arguments(path: Path) -> None:
    entities = parse(path)
    from launch.actions import DeclareLaunchArgument

    declared = [entity for entity in entities if isinstance(entity, DeclareLaunchArgument)]
    assert {argument.name for argument in declared} <= set(ARGUMENTS)
    assert all(argument.description for argument in declared)


def test_launch_starts_the_nodes_of_the_graph() -> None:
    entities = parse(ROOT / 'launch' / 'quadruped.launch.py')
    expected = {node.name for node in list_nodes(GraphOptions())}
    assert name_nodes(entities) == {*expected, 'rviz2'}


def test_launch_starts_no_window_where_there_is_none() -> None:
    entities = parse(ROOT / 'launch' / 'quadruped.launch.py', gui='false')
    assert 'rviz2' not in name_nodes(entities)


def test_launch_composed_is_one_process() -> None:
    from_file = ROOT / 'launch' / 'quadruped.launch.py'
    entities = parse(from_file, composed='true', rviz='false')
    assert len(name_nodes(entities)) == 1
