"""The demonstration: the whole graph, or one process where there is no ROS 2; and its pictures."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from quadruped_control.command_line.output_files import make_output_folder
from quadruped_control.command_line.page_option import (
    PageOptions,
    read_page_options,
)
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.run import Job, Outcome, Outputs, describe
from quadruped_control.command_line.up import compile_for_nodes, supervise
from quadruped_control.control.skill_book import load_book
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.graph import GraphOptions, NodeSpec, list_nodes
from quadruped_control.nodes.setting import FLAT, choose_scenario
from quadruped_control.nodes.supervisor import Supervisor
from quadruped_control.rollout.demonstration import make_demonstration
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.recording_file import load_recording
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario
from quadruped_control.terrain.ground import Ground
from quadruped_control.viewer.contact_sheet import write_contact_sheet
from quadruped_control.viewer.video import write_video

PICTURES = 16


def demonstrate(arguments: argparse.Namespace, with_graph: bool) -> int:
    """Run it, as ROS 2 nodes or in this process, tell what happened, and write the pictures."""
    name = arguments.robot or DEFAULT_ROBOT
    scenario = make_demonstration(arguments.seconds, name, arguments.controller)
    make_output_folder('--out', arguments.out)
    sheet = arguments.out / 'demo.png'
    video = None if arguments.no_video else arguments.out / 'demo.mp4'
    robot = load_robot(name)
    print(f'{name}: {sum(link.is_real for link in robot.links)} links and '
          f'{len(robot.joint_names)} joints under torque control at 1 kHz: it stands, is pushed, '
          f'walks, trots, turns and stops; {arguments.seconds:g} s.', flush=True)
    rollout = (run_graph(scenario, read_page_options(arguments)) if with_graph
               else run_here(scenario))
    if rollout is None:
        return 1
    with show_progress() as progress:
        write_contact_sheet(sheet, rollout, count=PICTURES)
        if video is not None:
            bar = progress.add_task('video', total=1.0)
            write_video(video, rollout, progress=lambda d: progress.update(bar, completed=d))
    job = Job(Path('demo'), scenario, Outputs(sheet.resolve(), video and video.resolve(), None))
    print(describe(Outcome(job, rollout.metrics, [])))
    return 0


def run_graph(scenario: Scenario, page: PageOptions) -> Rollout | None:
    """Run it as separate ROS 2 nodes; None where it was ended before its time."""
    compile_for_nodes(scenario.robot, scenario.controller or '')
    print('Starting the nodes; drive it yourself on the page, by ./quadruped teleop, or by '
          '/cmd_vel.', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file, figures = Path(folder) / 'recording.npz', Path(folder) / 'metrics.json'
        options = GraphOptions(seconds=scenario.duration, robot=scenario.robot,
                               controller=scenario.controller or '', recording_file=str(file),
                               metrics_file=str(figures), patient=True, **page)
        nodes = [*list_nodes(options),
                 NodeSpec('demo_driver', 'DemoDriverNode', {'robot': scenario.robot})]
        code = supervise(Supervisor(nodes))
        if not file.is_file():
            print(f'the demonstration was ended before its time (exit code {code})')
            return None
        recording = load_recording(file)
        found = json.loads(figures.read_text(encoding='utf-8'))
    if found['graph']['terrain'] != FLAT:       # somebody chose another one on the page
        scenario = choose_scenario(terrain=found['graph']['terrain'], duration=scenario.duration,
                                   robot=scenario.robot)
    robot = load_robot(scenario.robot, scenario.spine)
    ground = Ground.from_features(scenario.terrain, scenario.seed)
    recording.skills = load_book(scenario.robot)
    metrics = compute_metrics(recording, scenario, ground, mass=float(robot.tree['total_mass']),
                              measures=robot.measures,
                              real_time_factor=found['real_time_factor'])
    return Rollout(scenario, robot, ground, recording, metrics)


def run_here(scenario: Scenario) -> Rollout:
    """Run it in this process."""
    print('rclpy cannot be imported: the demonstration runs without ROS 2, in one process')
    announce_compilation()
    with show_progress() as progress:
        bar = progress.add_task('simulating', total=scenario.duration)
        return run_scenario(scenario, progress=lambda t: progress.update(bar, completed=t))
