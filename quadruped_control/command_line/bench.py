"""
Measure what a tick of the simulation costs on this machine, and where the time goes.

With --engines: compare the gaits in PyBullet and in MuJoCo, the fast engine of `tune`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.page_option import NO_VISER, has_viser
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.robot_option import add_robot_arguments
from quadruped_control.command_line.up import compile_for_nodes, require_ros
from quadruped_control.control.controllers import choose_controller, list_controllers
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.graph_benchmark import (
    HOPS,
    VARIANTS,
    measure_graph,
    measure_page,
)
from quadruped_control.rollout.benchmark import (
    PARTS,
    Figures,
    list_situations,
    measure,
    summarise,
)
from quadruped_control.rollout.solver_benchmark import FORMULATIONS, time_solver
from quadruped_control.worker_processes import open_pool

REPEATS, GRAPH_REPEATS = 24, 3         # where none are asked for
EXAMPLE = './quadruped bench --json bench.json'
HEADINGS = {
    'bare_step_us': 'bare engine step', 'read_us': 'read state', 'control_us': 'control',
    'write_us': 'write torques', 'loop_us': 'whole loop', 'ratio': 'whole loop / bare step',
    'real_time_factor': 'real-time factor', 'mujoco_step_us': 'MuJoCo, same tree: step',
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser, 'the dog')
    parser.add_argument('--json', type=Path, metavar='OUT', help='write the figures')
    parser.add_argument('--repeats', type=int,
                        help=f'how often each is measured (default: {REPEATS}; {GRAPH_REPEATS} '
                             'with --ros)')
    parser.add_argument('--engines', action='store_true',
                        help='instead compare how gaits go in both engines')
    parser.add_argument('--ros', action='store_true',
                        help='measure the ROS 2 graph instead: how fast, and which hop takes what')
    parser.add_argument('--page', action='store_true',
                        help='with --ros: how much of its speed is left with the page open')


def run(arguments: argparse.Namespace) -> int:
    """Measure, print a table and write the figures."""
    if arguments.page and not arguments.ros:
        raise InputError('--page', '', True, 'beside --ros')
    robot = arguments.robot or DEFAULT_ROBOT
    refuse_unknown_robot('--robot', '', robot)
    controller = choose_controller(robot, arguments.controller or None, '--controller')
    if arguments.ros:
        return _run_graph(arguments)
    repeats = REPEATS if arguments.repeats is None else arguments.repeats
    if not 3 <= repeats <= 1000:
        raise InputError('--repeats', '', repeats, 'a number from 3 to 1000')
    check_output_file('--json', arguments.json)
    announce_compilation()
    with_mujoco = importlib.util.find_spec('mujoco') is not None
    if arguments.engines:
        if robot != DEFAULT_ROBOT:
            raise InputError('--robot', '', robot, f'{DEFAULT_ROBOT}, beside --engines')
        return _compare_engines(arguments.json, with_mujoco)
    summaries: dict[str, dict[str, object]] = {}
    joints = len(load_robot(robot).joint_names)
    for situation in list_situations(robot, controller):
        figures = _measure(situation, repeats, with_mujoco, robot, controller)
        summaries[situation] = summarise(figures)
        title = f'{robot}: {situation}, {joints} joints, 1 kHz'
        Console().print(_table(title, figures, summaries[situation]))
    summaries['force_distribution'] = _measure_solver(robot)
    if with_mujoco and robot == DEFAULT_ROBOT:
        summaries['tuning'] = {'tuning_sim_s_per_wall_s': _measure_tuning()}
    elif not with_mujoco:
        print('mujoco is not installed: its step and the tuning engine were not measured')
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(summaries, indent=1) + '\n', encoding='utf-8')
    return 0


def _measure_solver(robot: str) -> dict[str, object]:
    """Time the distribution of forces in a trot, print a table and return the figures."""
    table = Table(title=f'{robot}: distribution of forces in the trot')
    for heading in ('formulation', 'median', '99 %', 'unsolved'):
        table.add_column(heading)
    found: dict[str, object] = {}
    offered = list_controllers(robot)
    for name, controller in FORMULATIONS.items():
        if controller not in offered:
            continue
        found[name] = figures = time_solver(robot, controller)
        table.add_row(name, f'{figures["median_us"]:.1f} us', f'{figures["p99_us"]:.1f} us',
                      f'{figures["unsolved"]:.0f}')
    Console().print(table)
    return found


def _compare_engines(out: Path | None, with_mujoco: bool) -> int:
    if not with_mujoco:
        raise QuadrupedError('--engines needs mujoco: pip install -e .[tune]')
    from quadruped_control.tuning.engines import FIGURES, GAITS, STEADY, compare
    table = Table(title=f'PyBullet / MuJoCo, {STEADY:g} s of a steady gait')
    for heading in ('gait', *(name.replace('_', ' ') for name in FIGURES)):
        table.add_column(heading)
    found = []
    with show_progress() as progress:
        for row in progress.track(compare(), len(GAITS), description='gaits in both engines'):
            found.append(row)
            table.add_row(f'{row.gait} {row.speed:g} m/s', *(
                f'{_figure(row.pybullet, name)} / {_figure(row.mujoco, name)} {unit}'
                for name, unit in FIGURES.items()))
    Console().print(table)
    if out is not None:
        out.write_text(json.dumps([asdict(row) for row in found], indent=1) + '\n',
                       encoding='utf-8')
    return 0


def _figure(figures: dict[str, float] | None, name: str) -> str:
    return 'fell' if figures is None else f'{figures[name]:.3g}'


def _run_graph(arguments: argparse.Namespace) -> int:
    """Measure the graph as separate processes and as one."""
    require_ros()
    check_output_file('--json', arguments.json)
    repeats = GRAPH_REPEATS if arguments.repeats is None else arguments.repeats
    if not 1 <= repeats <= 100:
        raise InputError('--repeats', '', repeats, 'a number from 1 to 100')
    compile_for_nodes(arguments.robot, arguments.controller)
    if arguments.page:
        return _run_page(arguments, repeats)
    figures: dict[str, dict[str, object]] = {}
    for name, composed in VARIANTS.items():
        figures[name] = _measure_graph(name, composed, repeats, arguments)
        Console().print(_graph_table(name, figures[name]))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({'ros': figures}, indent=1) + '\n',
                                  encoding='utf-8')
    return 0


def _run_page(arguments: argparse.Namespace, repeats: int) -> int:
    """Measure the graph without the page and with it open."""
    if not has_viser():
        raise QuadrupedError(NO_VISER)
    with show_progress() as progress:
        bar = progress.add_task('without and with the page', total=repeats)
        figures: dict[str, Any] = measure_page(
            repeats, lambda done: progress.update(bar, completed=done), arguments.robot,
            arguments.controller)
    least, most = figures['spread']
    print(f'lock-step, trot: {figures["real_time_factor"]:.2f} times real time, with the page '
          f'open {figures["with_page"]:.2f}: {figures["share"]:.0%} ({least:.0%} to {most:.0%})')
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({'page': figures}, indent=1) + '\n', encoding='utf-8')
    return 0


def _measure_graph(name: str, composed: bool, repeats: int,
                   arguments: argparse.Namespace) -> dict[str, object]:
    with show_progress() as progress:
        bar = progress.add_task(name, total=repeats)
        return measure_graph(composed, repeats,
                             lambda done: progress.update(bar, completed=done), arguments.robot,
                             arguments.controller)


def _graph_table(name: str, figures: dict[str, Any]) -> Table:
    least, most = figures['spread']
    table = Table(title=f'{name}, lock-step, trot: {figures["real_time_factor"]:.2f} times real '
                        f'time ({least:.2f} to {most:.2f})')
    for heading in ('hop', 'us a step', 'share'):
        table.add_column(heading, justify='left' if heading == 'hop' else 'right')
    for hop in HOPS:
        table.add_row(hop, f'{figures["hops_us"][hop]:.0f}', f'{figures["share"][hop]:.0%}')
    return table


def _measure(situation: str, repeats: int, with_mujoco: bool, robot: str, controller: str
             ) -> Figures:
    with show_progress() as progress:
        bar = progress.add_task(situation, total=repeats)
        return measure(situation, repeats, with_mujoco=with_mujoco, robot=robot,
                       controller=controller,
                       progress=lambda done: progress.update(bar, completed=done))


def _measure_tuning() -> dict[str, float]:
    """Measure the tuning engine, print a table and return simulated s per s."""
    from quadruped_control.tuning.throughput import measure_alone, measure_pool
    processes = os.cpu_count() or 1
    with open_pool() as pool:
        figures = {'one_process': measure_alone(),
                   'all_cores': measure_pool(pool, processes)}
    table = Table('simulated s per s', title='tuning engine (MuJoCo), trot')
    table.add_column(justify='right')
    table.add_row('one process', f'{figures["one_process"]:.1f}')
    table.add_row(f'all cores: {processes} processes', f'{figures["all_cores"]:.1f}')
    Console().print(table)
    return figures


def _table(title: str, figures: Figures, summary: dict[str, object]) -> Table:
    table = Table(title=f'{title}: median of {len(figures["loop_us"])} repeats')
    for heading in ('', 'median', 'least', 'most'):
        table.add_column(heading, justify='right' if heading else 'left')
    for key in PARTS:
        if summary[key] is None:
            continue
        values = figures[key]
        unit = ' us' if key.endswith('_us') else ''
        places = 0 if unit else 2
        table.add_row(HEADINGS[key], *(f'{value:.{places}f}{unit}' for value in (
            summary[key], min(values), max(values))))
    return table
