"""Run scenarios headless, as fast as they go, and tell what happened."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import cast

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.robot_option import add_robot_arguments
from quadruped_control.errors import InputError
from quadruped_control.expectation import apply_expectations
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario, load_scenario
from quadruped_control.viewer.cut import WHOLE, Cut
from quadruped_control.worker_processes import open_pool

EXAMPLE = './quadruped run config/scenarios/stand_push_front_left.yaml --sheet push.png'
EXPECTATION_FAILED = 1


@dataclass(frozen=True)
class Outputs:
    """Files that a run writes besides its metrics."""

    sheet: Path | None
    video: Path | None
    record: Path | None
    gait_graph: Path | None = None
    cut: Cut = WHOLE

    @property
    def paths(self) -> tuple[Path | None, ...]:
        """All files, in the order of the fields."""
        return self.sheet, self.video, self.record, self.gait_graph

    def named(self, stem: str) -> Outputs:
        """Return the same with the scenario's name in each file's."""
        sheet, video, record, gait_graph = (
            None if path is None else path.with_name(f'{path.stem}-{stem}{path.suffix}')
            for path in self.paths)
        return Outputs(sheet, video, record, gait_graph, self.cut)


@dataclass(frozen=True)
class Job:
    """One scenario with what is to be written of it."""

    path: Path
    scenario: Scenario
    outputs: Outputs


@dataclass(frozen=True)
class Outcome:
    """Metrics of one scenario, which expectations failed, and which skills were refused."""

    job: Job
    metrics: dict[str, object]
    failures: list[str]
    refusals: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('files', nargs='+', type=Path, metavar='FILE.yaml')
    add_robot_arguments(parser, 'the one in the file')
    parser.add_argument('--seed', type=int, help='instead of the seed in the file')
    parser.add_argument('--json', type=Path, metavar='OUT', help='write the metrics')
    parser.add_argument('--sheet', type=Path, metavar='OUT.png',
                        help='write a contact sheet of poses')
    parser.add_argument('--video', type=Path, metavar='OUT', help='write an .mp4 or .gif')
    parser.add_argument('--from', dest='begin', type=float, default=0.0, metavar='S',
                        help='of the video and the sheet: simulated time at which they begin')
    parser.add_argument('--until', dest='end', type=float, default=inf, metavar='S',
                        help='of the video and the sheet: simulated time at which they end')
    parser.add_argument('--slower', type=float, default=1.0, metavar='N',
                        help='of the video: how many times slower than it was')
    parser.add_argument('--record', type=Path, metavar='OUT.mcap',
                        help='write a rosbag2 recording')
    parser.add_argument('--gait-graph', type=Path, metavar='OUT.png',
                        help='write when each leg should stand and did, in the last 2 s')


def run(arguments: argparse.Namespace) -> int:
    """Run all files; 0 when every expectation held, 1 when not."""
    jobs = list(_make_jobs(arguments))
    announce_compilation()
    outcomes = run_one(jobs[0]) if len(jobs) == 1 else run_many(jobs)
    for outcome in outcomes:
        print(describe(outcome))
    if arguments.json is not None:
        metrics = [{'scenario': str(o.job.path), **o.metrics} for o in outcomes]
        text = json.dumps(metrics[0] if len(metrics) == 1 else metrics, indent=1)
        arguments.json.write_text(text + '\n', encoding='utf-8')
    failed = sum(bool(outcome.failures) for outcome in outcomes)
    if len(outcomes) > 1:
        print(f'{len(outcomes) - failed} of {len(outcomes)} scenarios hold')
    return EXPECTATION_FAILED if failed else 0


def _make_jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    cut = Cut(arguments.begin, arguments.end, arguments.slower)
    outputs = Outputs(arguments.sheet, arguments.video, arguments.record, arguments.gait_graph,
                      cut)
    for path, label in zip(arguments.files, _label(arguments.files), strict=True):
        scenario = load_scenario(path, seed=arguments.seed, robot=arguments.robot,
                                 controller=arguments.controller)
        named = outputs if len(arguments.files) == 1 else outputs.named(label)
        _check_outputs(named, arguments.json)
        _check_cut(cut, scenario.duration)
        yield Job(path, scenario, named)


def _label(paths: list[Path]) -> list[str]:
    """Name files by their stems, with a number where two would be the same."""
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else f'{stem}-{n}' for n, stem in enumerate(stems, 1)]


def _check_outputs(outputs: Outputs, metrics: Path | None) -> None:
    """Refuse what could not be written before any time is spent on the run."""
    check_output_file('--json', metrics)
    check_output_file('--sheet', outputs.sheet)
    check_output_file('--video', outputs.video)
    check_output_file('--record', outputs.record)
    check_output_file('--gait-graph', outputs.gait_graph)
    _check_picture('--sheet', outputs.sheet)
    _check_picture('--gait-graph', outputs.gait_graph)
    if outputs.video is not None:
        from quadruped_control.viewer.video import check_video_path
        check_video_path(outputs.video)
    if outputs.record is not None:
        from quadruped_control.rollout.bag import check_bag_path
        check_bag_path(outputs.record)


def _check_cut(cut: Cut, duration: float) -> None:
    if not 0.0 <= cut.begin < duration:
        raise InputError('--from', '', cut.begin,
                         f'a time before the end of the run, {duration:g} s')
    if not cut.end > cut.begin:
        raise InputError('--until', '', cut.end, f'a time after --from, {cut.begin:g} s')
    if not 0.1 <= cut.slower <= 100.0:
        raise InputError('--slower', '', cut.slower, 'a number from 0.1 to 100')


def _check_picture(option: str, path: Path | None) -> None:
    if path is not None and path.suffix.lower() != '.png':
        raise InputError(option, '', str(path), 'a name that ends in .png')


def run_one(job: Job) -> list[Outcome]:
    """Run one scenario in this process."""
    with show_progress() as progress:
        bar = progress.add_task(job.scenario.name, total=job.scenario.duration)
        rollout = run_scenario(job.scenario, progress=lambda t: progress.update(bar, completed=t))
        progress.remove_task(bar)
        if job.outputs.video is not None:
            from quadruped_control.viewer.video import write_video
            bar = progress.add_task('video', total=1.0)
            write_video(job.outputs.video, rollout, cut=job.outputs.cut,
                        progress=lambda done: progress.update(bar, completed=done))
    return [_finish(job, rollout)]


def run_many(jobs: list[Job]) -> list[Outcome]:
    """Run scenarios on all cores, each in a process of its own."""
    longest_first = sorted(range(len(jobs)), key=lambda n: -jobs[n].scenario.duration)
    first = longest_first.pop()
    found = {first: _run_silently(jobs[first])}     # so that the others find the compiled code
    with show_progress() as progress, open_pool() as pool:
        bar = progress.add_task('scenarios', total=len(jobs), completed=1)
        futures: dict[Future[Outcome], int] = {
            pool.submit(_run_silently, jobs[n]): n for n in longest_first}
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            progress.advance(bar)
    return [found[n] for n in range(len(jobs))]


def _run_silently(job: Job) -> Outcome:
    rollout = run_scenario(job.scenario)
    if job.outputs.video is not None:
        from quadruped_control.viewer.video import write_video
        write_video(job.outputs.video, rollout, cut=job.outputs.cut)
    return _finish(job, rollout)


def _finish(job: Job, rollout: Rollout) -> Outcome:
    if job.outputs.sheet is not None:
        from quadruped_control.viewer.contact_sheet import write_contact_sheet
        write_contact_sheet(job.outputs.sheet, rollout, cut=job.outputs.cut)
    if job.outputs.record is not None:
        from quadruped_control.rollout.bag import write_bag
        write_bag(rollout.recording, job.outputs.record, robot=rollout.robot)
    if job.outputs.gait_graph is not None:
        from quadruped_control.viewer.gait_graph import write_gait_graph
        write_gait_graph(job.outputs.gait_graph, rollout)
    return Outcome(job, rollout.metrics, apply_expectations(job.scenario.expect, rollout.metrics),
                   rollout.refusals)


def describe_pursuit(metrics: dict[str, object]) -> list[str]:
    """Say what became of targets and of the ball."""
    lines = []
    for target in cast(list[dict[str, float | None]], metrics['target']):
        after = target['reached_after']
        fate = 'was not reached' if after is None else f'was reached after {after:.2f} s'
        lines.append(f'  target of {target["t"]:.2f} s: {fate}, {target["error"]:.2f} m off')
    if metrics['ball'] is not None:
        ball = cast(dict[str, float | None], metrics['ball'])
        after = ball['caught_after']
        fate = 'was not caught' if after is None else f'was caught after {after:.2f} s'
        lines.append(f'  ball: rolled {ball["rolls"]} times, {fate}')
    return lines


def describe(outcome: Outcome) -> str:
    """Say in a few lines what happened."""
    metrics, scenario = outcome.metrics, outcome.job.scenario
    fate = f'fell at {metrics["fall_time"]:.2f} s' if metrics['fell'] else 'did not fall'
    x, y = cast(list[float], metrics['displacement'])
    lines = [f'{scenario.name}: {fate} in {scenario.duration:g} s, moved ({x:+.3f}, {y:+.3f}) m, '
             f'peak torque {metrics["peak_torque"]:.0f} N m, '
             f'{metrics["real_time_factor"]:.1f} times real time, hash {metrics["state_hash"]}']
    lines += describe_pursuit(metrics)
    if metrics['slips']:
        lines.append(f'  feet slipped {metrics["slips"]} times, legs were jammed '
                     f'{metrics["jams"]} times')
    lines += [f'  REFUSED: {refusal}' for refusal in outcome.refusals]
    lines += [f'  EXPECTED OTHERWISE: {failure}' for failure in outcome.failures]
    lines += [f'  wrote {path}' for path in outcome.job.outputs.paths if path]
    return '\n'.join(lines)
