"""A trial: one scenario of an evaluation, and its metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quadruped_control.control.skill_numbers import Activity
from quadruped_control.loading import validate
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop, run_scenario
from quadruped_control.rollout.travel import compute_heading
from quadruped_control.scenario import Scenario


@dataclass(frozen=True)
class Trial:
    """
    A scenario of a matrix.

    :param row: the row of the table that it counts for, such as a gait and a speed.
    :param scenario: as in a scenario file.
    """

    row: tuple[object, ...]
    scenario: dict[str, Any] = field(hash=False)


Metrics = dict[str, Any]
Outcome = tuple[Trial, Metrics]
Progress = Callable[[int], None]
Run = Callable[[Trial], Metrics]
Keep = Callable[[Callable[[], list[Outcome]]], None]       # finds the outcomes so far
LONG = ('footfalls',)       # metrics that are left out
FINAL = 1.0                 # s at the end of a run, for its final speed


def run_trial(trial: Trial) -> Metrics:
    """
    Run a trial in this process.

    The long lists of footfalls are left out; ``turned`` is by how much the heading changed (rad),
    ``final_speed`` the mean speed of the last second (m/s), ``top_speed`` the most of any second,
    ``lay`` how the dog lay when it first began to get up (roll and pitch of the shoulders, rad).
    """
    scenario = validate({'name': str(trial.row), **trial.scenario}, Scenario, str(trial.row))
    rollout = run_scenario(scenario)
    recording = rollout.recording
    heading = np.unwrap(compute_heading(recording))
    kept = {key: value for key, value in rollout.metrics.items() if key not in LONG}
    return {**kept, 'turned': float(heading[-1] - heading[0]),
            'final_speed': _compute_final_speed(recording),
            'top_speed': compute_top_speed(recording), 'lay': _find_lying(recording)}


def measure(loop: Loop) -> Metrics:
    """Return the metrics of a loop as far as it was run."""
    metrics = compute_metrics(loop.recording, loop.scenario, loop.ground,
                              mass=float(loop.robot.tree['total_mass']),
                              measures=loop.robot.measures)
    return {key: value for key, value in metrics.items() if key not in LONG}


def _find_lying(recording: Recording) -> tuple[float, float] | None:
    """Return roll and pitch of the shoulders when the dog first began to get up (rad)."""
    rising = np.flatnonzero(recording.skill == Activity.GETTING_UP)
    if rising.size == 0:
        return None
    roll, pitch, _ = recording.leg_frame_rpy[rising[0], 0].tolist()
    return roll, pitch


def _compute_final_speed(recording: Recording) -> float:
    last = recording.tail(min(len(recording), round(FINAL / recording.time_step)))
    return float(np.linalg.norm(last.leg_frame_velocity[:, :, :2].mean(axis=(0, 1))))


def compute_top_speed(recording: Recording) -> float:
    """Return the greatest speed over the ground, each a mean over a second (m/s)."""
    count = min(len(recording), round(FINAL / recording.time_step))
    velocity = recording.leg_frame_velocity[:, :, :2].mean(axis=1)
    sums = np.vstack((np.zeros(2), np.cumsum(velocity, axis=0)))
    spans = sums[count:] - sums[:-count]
    return float(np.linalg.norm(spans / count, axis=1).max())


def run_trials(trials: Sequence[Trial], pool: Executor, progress: Progress, *,
               run: Run | None = None, keep: Keep | None = None) -> list[Outcome]:
    """
    Run trials on a pool; the outcomes are in the order of the trials.

    :param run: runs one in a worker, in place of :func:`run_trial`.
    :param keep: is given all outcomes so far after each.
    """
    futures: dict[Future[Metrics], int] = {
        pool.submit(run or run_trial, trial): n for n, trial in enumerate(trials)}
    found: dict[int, Metrics] = {}

    def list_outcomes() -> list[Outcome]:
        return [(trial, found[n]) for n, trial in enumerate(trials) if n in found]

    for future in as_completed(futures):
        found[futures[future]] = future.result()
        progress(len(found))
        if keep is not None:
            keep(list_outcomes)
    return list_outcomes()


def find_first(trials: Sequence[Trial], pool: Executor, wanted: Callable[[Metrics], bool],
               progress: Progress) -> Trial | None:
    """Run trials until the metrics of one are as wanted, and return it; the rest is not begun."""
    futures: dict[Future[Metrics], Trial] = {
        pool.submit(run_trial, trial): trial for trial in trials}
    try:
        for done, future in enumerate(as_completed(futures), 1):
            if wanted(future.result()):
                return futures[future]
            progress(done)
        return None
    finally:
        for future in futures:
            future.cancel()


def by_row(outcomes: Sequence[Outcome]) -> dict[tuple[object, ...], list[Metrics]]:
    """Collect the metrics of each row, rows in the order they came."""
    rows: dict[tuple[object, ...], list[Metrics]] = {}
    for trial, metrics in outcomes:
        rows.setdefault(trial.row, []).append(metrics)
    return rows
