"""Let the dog stand, be pushed, walk, trot and turn; tell what happens, and write pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.command_line.output_files import make_output_folder
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.run import Job, Outcome, Outputs, describe
from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.scenario import Scenario
from quadruped_control.viewer.contact_sheet import write_contact_sheet
from quadruped_control.viewer.video import write_video

EXAMPLE = './quadruped demo --seconds 6'
COMMANDS = (
    {'t': 4.5, 'vx': 0.6},
    {'t': 8.0, 'vx': 1.5},
    {'t': 11.5, 'wz': 0.6},
    {'t': 14.0, 'wz': 0.0},
    {'t': 15.0, 'vx': 0.0},
)
PUSHES = (
    {'t': 1.0, 'at': 'front', 'force': [0, 100, 0], 'duration': 0.1},
    {'t': 2.5, 'at': 'rear', 'force': [0, -100, 0], 'duration': 0.1},
    {'t': 10.5, 'at': 'front', 'force': [0, 120, 0], 'duration': 0.1},
)
PICTURES = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('--seconds', type=float, default=18.0,
                        help='simulated time after which it ends (default: %(default)s)')
    parser.add_argument('--out', type=Path, default=Path('out'),
                        help='folder for the pictures (default: %(default)s)')
    parser.add_argument('--no-video', action='store_true', help='write only the contact sheet')


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration."""
    if not 0.5 <= arguments.seconds <= 3600:
        raise InputError('--seconds', '', arguments.seconds, 'a time from 0.5 to 3600 s')
    scenario = make_scenario(arguments.seconds)
    make_output_folder('--out', arguments.out)
    sheet = arguments.out / 'demo.png'
    video = None if arguments.no_video else arguments.out / 'demo.mp4'
    print('A dog of 30 links and 67 joints under torque control at 1 kHz: it stands, is pushed, '
          f'walks, trots, turns and stops; {arguments.seconds:g} s.', flush=True)
    announce_compilation()
    with show_progress() as progress:
        bar = progress.add_task('simulating', total=scenario.duration)
        rollout = run_scenario(scenario, progress=lambda t: progress.update(bar, completed=t))
        write_contact_sheet(sheet, rollout, count=PICTURES)
        if video is not None:
            bar = progress.add_task('video', total=1.0)
            write_video(video, rollout, progress=lambda d: progress.update(bar, completed=d))
    job = Job(Path('demo'), scenario, Outputs(sheet.resolve(), video and video.resolve(), None))
    print(describe(Outcome(job, rollout.metrics, [])))
    return 0


def make_scenario(seconds: float) -> Scenario:
    """Return as much of the demonstration as the time allows."""
    data = {'name': 'demonstration', 'duration': seconds,
            'commands': [command for command in COMMANDS if command['t'] < seconds],
            'pushes': [push for push in PUSHES if float(str(push['t'])) < seconds]}
    return validate(data, Scenario, 'demo')
