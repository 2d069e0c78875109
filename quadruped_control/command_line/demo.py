"""Let the dog stand and be pushed, tell what happens, and write pictures of it."""

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
FORCES = ((100, 0), (-100, 0), (0, 100), (0, -100))     # N: forward, left
FIRST_PUSH, BETWEEN = 1.0, 2.0                          # s


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
    count = len(scenario.pushes)
    print(f'A dog of 30 links and 67 joints stands for {arguments.seconds:g} s under torque '
          f'control at 1 kHz and is pushed {count} time{"" if count == 1 else "s"}.', flush=True)
    announce_compilation()
    with show_progress() as progress:
        bar = progress.add_task('simulating', total=scenario.duration)
        rollout = run_scenario(scenario, progress=lambda t: progress.update(bar, completed=t))
        times = [push.t + delay for push in scenario.pushes for delay in (0.0, 0.1, 0.3)]
        write_contact_sheet(sheet, rollout, times=times[:24] or None)
        if video is not None:
            bar = progress.add_task('video', total=1.0)
            write_video(video, rollout, progress=lambda d: progress.update(bar, completed=d))
    job = Job(Path('demo'), scenario, Outputs(sheet.resolve(), video and video.resolve(), None))
    print(describe(Outcome(job, rollout.metrics, [])))
    return 0


def make_scenario(seconds: float) -> Scenario:
    """Push front and rear from four sides in turn, as often as the time allows."""
    pushes = []
    directions = [(at, force) for force in FORCES for at in ('front', 'rear')]
    for n, (at, (x, y)) in enumerate(directions):
        t = FIRST_PUSH + n * BETWEEN
        if t < seconds:
            pushes.append({'t': t, 'at': at, 'force': [x, y, 0], 'duration': 0.1})
    data = {'name': 'standing, pushed from four sides', 'duration': seconds, 'pushes': pushes}
    return validate(data, Scenario, 'demo')
