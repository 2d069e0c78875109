"""
The arguments of the launch files, and what they mean for the graph.

All that can be said without the packages launch and launch_ros, so that it is tested everywhere.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quadruped_control.control.controllers import choose_controller
from quadruped_control.control.schedulers import load_library
from quadruped_control.errors import InputError
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot
from quadruped_control.nodes.graph import PACKAGE, GraphOptions, NodeSpec, list_nodes
from quadruped_control.nodes.setting import choose_scenario

TRUTH = ('true', 'false')


@dataclass(frozen=True)
class LaunchArgument:
    """An argument with its default, as text, and what it means; any text where no choices are."""

    default: str
    description: str
    choices: tuple[str, ...] = ()


ARGUMENTS: dict[str, LaunchArgument] = {
    'terrain': LaunchArgument('flat', 'ground: flat, a name in config/scenarios, or a file'),
    'scenario': LaunchArgument('', 'file of a scenario to run, with its ground; empty: none'),
    'robot': LaunchArgument('', "robot of config/robots; empty: the terrain's, else the dog"),
    'controller': LaunchArgument('', "controller; empty: the robot's first"),
    'gait': LaunchArgument('auto', 'gait at the start: auto (by speed), or one of the robot'),
    'leap_planner': LaunchArgument('false', 'leap over what the planner finds ahead', TRUTH),
    'gui': LaunchArgument('true', 'false: no window at all, whatever rviz says', TRUTH),
    'rviz': LaunchArgument('true', 'start RViz', TRUTH),
    'page': LaunchArgument('false', 'the page to watch and drive it in a browser', TRUTH),
    'record': LaunchArgument('', 'file (.mcap) to record all topics to; empty: none'),
    'composed': LaunchArgument('false', 'all nodes in one process, for weak machines', TRUTH),
    'real_time_factor': LaunchArgument('1.0', 'of lock-step; 0: as fast as it goes'),
    'rate': LaunchArgument('0', 'steps per s by the wall clock, newest torques win; 0: lock-step'),
}

# the launch file that starts each node
SIMULATION = ('simulation', 'description', 'recorder', 'page')
CONTROL = ('gait_scheduler', 'leg_frame_controller', 'leap_planner')


def read_options(values: Mapping[str, str]) -> GraphOptions:
    """Return what the arguments ask for, or raise InputError."""
    for name, value in values.items():
        choices = ARGUMENTS[name].choices
        if choices and value.lower() not in choices:
            raise InputError(f'{name}:=', '', value, ' or '.join(choices))
    rate, factor = (_read_number(name, values[name]) for name in ('rate', 'real_time_factor'))
    if values['robot']:
        refuse_unknown_robot('robot:=', '', values['robot'])
    if values['controller']:
        choose_controller(values['robot'] or DEFAULT_ROBOT, values['controller'], 'controller:=')
    _refuse_unknown_gait(values)
    return GraphOptions(
        terrain=values['terrain'], scenario=_find_file(values['scenario']),
        robot=values['robot'], controller=values['controller'], gait=values['gait'], rate=rate,
        real_time_factor=factor, leap_planner=is_true(values['leap_planner']),
        page=is_true(values['page']), record=_find_file(values['record']),
    )  # fmt: skip


def refuse_unknown(words: Iterable[str]) -> None:
    """Raise InputError for an argument `name:=value` of the command line that nothing reads."""
    for word in words:
        name, mark, value = word.partition(':=')
        if mark and name not in ARGUMENTS:
            raise InputError(f'{name}:=', '', value, 'one of ' + ', '.join(ARGUMENTS))


def _refuse_unknown_gait(values: Mapping[str, str]) -> None:
    scene = choose_scenario(_find_file(values['scenario']), values['terrain'],
                            robot=values['robot'], controller=values['controller'])
    known = sorted(load_library(scene.robot, scene.controller).tables)
    if values['gait'] not in known:
        raise InputError('gait:=', '', values['gait'], ', '.join(known))


def _find_file(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path)) if path else ''


def _read_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f'{name}:=', '', text, 'a number') from None


def is_true(value: str) -> bool:
    """Tell whether an argument of choices true and false is true."""
    return value.lower() == 'true'


def choose_nodes(options: GraphOptions, names: Iterable[str]) -> list[NodeSpec]:
    """Return those nodes of a graph that a launch file starts, or raise InputError."""
    nodes = [node for node in list_nodes(options) if node.name in set(names)]
    if os.path.exists(options.record) and any(node.name == 'recorder' for node in nodes):
        raise InputError('record:=', '', options.record, 'a file that is not there yet')
    return nodes


def find_command(executable: str, module: str, prefix: str | None) -> list[str]:
    """
    Return what runs a node: colcon's program, pip's program, or the module.

    colcon puts programs into lib/<package> of a prefix, pip puts them beside the interpreter.

    :param prefix: of the package in the ament index; None where it is not in it.
    """
    folders = [Path(prefix, 'lib', PACKAGE)] if prefix else []
    folders.append(Path(sys.executable).parent)
    for folder in folders:
        found = shutil.which(executable, path=str(folder))
        if found:
            return [found]
    return [sys.executable, '-m', module]
