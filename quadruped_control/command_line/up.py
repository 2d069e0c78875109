"""
Start the ROS 2 graph of the dog: a process for each node, watched over until Ctrl-C.

The page to watch and drive it is at the address that it prints.

The nodes are those of `ros2 launch quadruped_control quadruped.launch.py`; this needs no launch.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.page_option import add_page_arguments, read_page_options
from quadruped_control.command_line.progress import announce_compilation
from quadruped_control.command_line.robot_option import add_robot_arguments
from quadruped_control.compiled import is_compiled_for, note_compiled
from quadruped_control.control.controllers import choose_controller
from quadruped_control.control.ladder import AUTO
from quadruped_control.control.offers import explain_missing, list_offers
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.model.robot_files import list_robots
from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.node_process import has_ros, preload
from quadruped_control.nodes.setting import FLAT, choose_scenario
from quadruped_control.nodes.supervisor import Supervisor
from quadruped_control.rollout.bag import check_bag_path
from quadruped_control.rollout.world_half import exercise

EXAMPLE = './quadruped up --terrain stand_steps --seconds 60'
NO_ROS = 'rclpy is not installed: run ./quadruped once more, or source a ROS 2 installation'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, 'that of the scenario, else the dog')
    parser.add_argument('--urdf', type=Path, metavar='FILE',
                        help='the robot of a URDF, as `robot add` finds it; nothing is written')
    parser.add_argument('--terrain', default=FLAT, metavar='FILE|NAME',
                        help='features of the ground: a file, or a name in config/scenarios')
    parser.add_argument('--scenario', type=Path, metavar='FILE',
                        help='run a scenario, with its commands, to its end')
    parser.add_argument('--metrics', type=Path, metavar='OUT',
                        help='write the metrics at the end, with the state hash')
    parser.add_argument('--record', type=Path, metavar='PATH', help='record to a rosbag2 (mcap)')
    parser.add_argument('--seconds', type=float, default=0.0,
                        help='simulated time after which it ends (default: never)')
    parser.add_argument('--rate', type=float, default=0.0, metavar='HZ',
                        help='free-running at so many steps a second, instead of lock-step')
    parser.add_argument('--real-time-factor', type=float, default=1.0, metavar='F',
                        help='of lock-step; 0: as fast as it goes (default: %(default)s)')
    parser.add_argument('--gait', default='auto', help='at the start (default: by speed)')
    parser.add_argument('--leap-planner', action='store_true',
                        help='leap over what is ahead, and stop before what is out of reach')
    parser.add_argument('--composed', action='store_true', help='all nodes in one process')
    parser.add_argument('--paused', action='store_true',
                        help='begin when /simulation/pause is called with false')
    parser.add_argument('--restart', action='store_true', help='start a node that dies once more')
    add_page_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Start, watch, and end everything."""
    require_ros()
    with TemporaryDirectory() as home:
        if arguments.urdf is not None:
            if arguments.robot:
                raise InputError('--robot', '', arguments.robot, 'none beside --urdf')
            # with it come libraries that are slow to load
            from quadruped_control.command_line.robot import lend_robot
            arguments.robot = lend_robot(arguments.urdf, Path(home))
        return run_graph(arguments)


def run_graph(arguments: argparse.Namespace) -> int:
    """Run the graph; anew with another robot when the page asks for one."""
    if arguments.scenario is None and arguments.robot in ('', *list_robots()):
        preload(arguments.robot)            # while the options are read
    options = read_options(arguments)
    scene = choose_scenario(options.scenario, options.terrain, robot=options.robot,
                            controller=options.controller)
    preload(scene.robot)
    compile_for_nodes(scene.robot, scene.controller or '')
    with TemporaryDirectory() as folder:
        wanted = Path(folder) / 'robot'
        while True:
            nodes = list_nodes(replace(options, restart_file=str(wanted)))
            code = supervise(Supervisor(nodes, composed=arguments.composed,
                                        restart=arguments.restart), lambda: _prepare(wanted))
            if not wanted.is_file():
                return code
            options = change_robot(options, wanted.read_text(encoding='utf-8'))
            wanted.unlink()


def _prepare(wanted: Path) -> bool:
    """Say whether the page asks for another robot; compile for it while the old one still goes."""
    if not wanted.is_file():
        return False
    robot = wanted.read_text(encoding='utf-8')
    print(f'[up] the page asks for {robot}: starting anew', flush=True)
    compile_for_nodes(robot)
    return True


def change_robot(options: GraphOptions, robot: str) -> GraphOptions:
    """Return the options of the same graph with another robot; a recording is another file."""
    kept = options.gait in {AUTO, *list_offers(robot).gaits}
    return replace(options, robot=robot, controller='', gait=options.gait if kept else AUTO,
                   leap_planner=options.leap_planner and LEAP in list_offers(robot).skills,
                   record=options.record and _name_next(Path(options.record), robot))


def _name_next(path: Path, robot: str) -> str:
    """Return a file beside one that has been written, which is not there yet."""
    for number in count():
        suffix = f'_{robot}{number or ""}'
        other = path.with_name(f'{path.stem}{suffix}{path.suffix}')
        if not other.exists():
            return str(other)
    raise AssertionError('numbers do not end')


def compile_for_nodes(robot: str = '', controller: str = '') -> None:
    """Compile once what the nodes would else compile all at the same time."""
    scene = choose_scenario(robot=robot, controller=controller)
    what = f'{scene.robot} {choose_controller(scene.robot, scene.controller)}'
    if not is_compiled_for(what):
        announce_compilation(what)
        exercise(scene)
        note_compiled(what)


def require_ros() -> None:
    """Raise QuadrupedError unless rclpy can be imported."""
    if not has_ros():
        raise QuadrupedError(NO_ROS)


def read_options(arguments: argparse.Namespace) -> GraphOptions:
    """Return the options of a graph, or raise InputError before anything is started."""
    for name, most in (('seconds', 3600.0), ('rate', 10000.0), ('real_time_factor', 100.0)):
        value = getattr(arguments, name)
        if not 0.0 <= value <= most:
            option = f'--{name.replace("_", "-")}'
            raise InputError(option, '', value, f'a number from 0 to {most:g}')
    scenario = '' if arguments.scenario is None else str(arguments.scenario.resolve())
    terrain = arguments.terrain
    if Path(terrain).is_file():
        terrain = str(Path(terrain).resolve())
    if scenario and terrain != FLAT:
        raise InputError('--terrain', '', terrain, 'none beside --scenario, which has its own')
    scene = choose_scenario(scenario, terrain, arguments.seconds, arguments.robot,
                            arguments.controller)
    offers = list_offers(scene.robot, scene.controller)
    gaits = {AUTO, *offers.gaits}
    if arguments.gait not in gaits:
        raise InputError('--gait', '', arguments.gait, ', '.join(sorted(gaits)))
    if arguments.leap_planner and LEAP not in offers.skills:
        raise InputError('--leap-planner', '', True,
                         'a robot and controller with leaps: '
                         f'{explain_missing(scene.robot, LEAP, scene.controller)}')
    check_output_file('--metrics', arguments.metrics)
    if arguments.record is not None:
        check_bag_path(arguments.record)
    if arguments.metrics is not None and not scenario and not arguments.seconds:
        raise InputError('--metrics', '', str(arguments.metrics), 'an end: --scenario, --seconds')
    return GraphOptions(
        terrain=terrain, scenario=scenario, robot=arguments.robot,
        controller=arguments.controller, seconds=arguments.seconds, rate=arguments.rate,
        real_time_factor=arguments.real_time_factor, gait=arguments.gait,
        start_paused=arguments.paused, leap_planner=arguments.leap_planner,
        record='' if arguments.record is None else str(arguments.record.resolve()),
        patient=arguments.metrics is not None, **read_page_options(arguments),
        metrics_file='' if arguments.metrics is None else str(arguments.metrics.resolve()))


def supervise(supervisor: Supervisor, until: Callable[[], bool] = lambda: False) -> int:
    """Run until the end, a condition, Ctrl-C or SIGTERM; leave no process behind."""
    signals: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        signals.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        supervisor.start()
        code = supervisor.wait(lambda: bool(signals) or until())
        return code if not signals else 0
    finally:
        supervisor.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
