"""
Make a reference motion for `tune --reference` from a run of a scenario in PyBullet.

It is the mean gait cycle of the end of the run: where shoulders, hips, head and feet are. What
the file says, and how to write one from a film of a dog, is in docs/references.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import load_scenario
from quadruped_control.tuning.marker_motion import make_reference
from quadruped_control.tuning.reference import write_reference

EXAMPLE = './quadruped reference config/scenarios/trot_1.yaml --out my_trot.yaml'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('scenario', type=Path, metavar='SCENARIO.yaml')
    parser.add_argument('--out', type=Path, metavar='FILE', required=True,
                        help='reference motion to write (YAML)')
    parser.add_argument('--from', type=float, dest='begin', metavar='T',
                        help='time in s from which the gait is steady (default: half the run)')


def run(arguments: argparse.Namespace) -> int:
    """Run the scenario and write the file."""
    scenario = load_scenario(arguments.scenario)
    check_output_file('--out', arguments.out)
    begin = scenario.duration / 2 if arguments.begin is None else arguments.begin
    if not 0.0 <= begin < scenario.duration:
        raise InputError('--from', '', begin, f'a time from 0 to {scenario.duration:g} s, the end')
    announce_compilation()
    with show_progress() as progress:
        bar = progress.add_task(scenario.name, total=scenario.duration)
        rollout = run_scenario(scenario, progress=lambda t: progress.update(bar, completed=t))
    write(arguments, rollout, begin)
    return 0


def write(arguments: argparse.Namespace, rollout: Rollout, begin: float) -> None:
    """Write the mean cycle from a time on, and how it was made."""
    if rollout.metrics['fell']:
        raise QuadrupedError(f'{arguments.scenario}: the dog fell: no steady gait')
    recording = rollout.recording
    steady = recording.tail(len(recording) - round(begin / recording.time_step))
    reference, period = make_reference(steady, rollout.robot)
    speed = f'{rollout.metrics["mean_speed"]:.2f} m/s, period {period:.3f} s'
    write_reference(arguments.out, reference, [
        f'{rollout.scenario.name}: the mean cycle from {begin:g} s on at {speed}; made by',
        f'./quadruped reference {arguments.scenario} --from {begin:g} --out {arguments.out}'])
    print(f'wrote {arguments.out}: {len(reference.markers)} markers over a cycle, {speed}')
