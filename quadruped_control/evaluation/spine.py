"""
What the flexible spine does for a canter: the dog beside one whose back is a single piece.

Both gaits were tuned from the same one, with the same budget, each on its own dog.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from quadruped_control.control.gait import Gait, GaitTable
from quadruped_control.control.gait_library import GaitLibrary, make_approach
from quadruped_control.evaluation import pushes
from quadruped_control.evaluation.largest_push import MOST, STEP, find_largest
from quadruped_control.loading import load, validate
from quadruped_control.model.robot_files import DEFAULT_ROBOT, Spine, robot_folder
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario

GAIT, SPEED = 'canter', 3.0             # m/s
SPINES: tuple[Spine, ...] = ('flexible', 'rigid')
STEADY = 3.5                            # s at the end of a run that are measured: ten strides
DURATION = 9.0                          # s
AFTER = 3.5                             # s after a push in which a dog must not fall
PHASES_APART = 2                        # of the ten of table 1: every other
PUSH_DURATIONS = (0.1, 0.35)            # s
COLUMNS = ('spine', 'speed', 'pitch of shoulders', 'pitch of hips', 'height of shoulders',
           'height of hips', 'bending', 'cost of transport', 'largest push 0.1 s',
           'largest push 0.35 s')

Row = dict[str, Any]
Progress = Callable[[str, int, int], None]      # what is run, how much of it is done, and in all


def gait_file(spine: Spine) -> Path:
    """Return where the canter for a spine is."""
    return robot_folder(DEFAULT_ROBOT) / 'spine' / f'{GAIT}_{spine}.yaml'


def run_canter(spine: Spine, push: dict[str, Any] | None = None) -> Rollout:
    """Run the canter that was tuned for a spine, from a stand; perhaps with a push."""
    library = GaitLibrary()
    numbers = GaitTable.of(load(gait_file(spine), Gait)).interpolate(SPEED)
    library.tables[GAIT] = make_approach(library, GAIT, SPEED, numbers)
    after = AFTER if push else DURATION - push_time()
    return run_scenario(validate({
        'name': f'{GAIT} {SPEED:g} m/s, {spine} spine', 'duration': push_time() + after,
        'spine': spine, 'recover': False, 'commands': [{'t': 0.5, 'vx': SPEED, 'gait': GAIT}],
        'pushes': [push] if push else []}, Scenario, 'spine'), library=library)


def push_time() -> float:
    """Return when dogs are pushed, s."""
    return pushes.PUSH_AT.get(GAIT, pushes.PUSH_AT_ELSE)


def _falls(spine: Spine, push: dict[str, Any]) -> bool:
    return bool(run_canter(spine, push).metrics['fell'])


def measure(spine: Spine) -> Row:
    """Return the figures of the undisturbed canter, oscillations as half their range."""
    rollout = run_canter(spine)
    steady = rollout.recording.tail(round(STEADY / rollout.recording.time_step))
    pitch, height = steady.leg_frame_rpy[:, :, 1], steady.leg_frame_position[:, :, 2]
    bending = pitch[:, 1] - pitch[:, 0]
    return {'spine': spine, 'fell': rollout.metrics['fell'],
            'speed': float(steady.leg_frame_velocity[:, :, 0].mean()),
            'pitch': [_half_range(pitch[:, frame]) for frame in range(2)],
            'height': [_half_range(height[:, frame]) for frame in range(2)],
            'bending': _half_range(bending),
            'cost_of_transport': rollout.metrics['cost_of_transport']}


def _half_range(values: np.ndarray) -> float:
    return float(np.ptp(values)) / 2.0


def find_rows(pool: Executor, progress: Progress,
              keep: Callable[[list[Row]], None] = lambda rows: None) -> list[Row]:
    """
    Return the figures of both dogs, and the largest pushes they recover from (N).

    :param keep: is given the rows so far.
    """
    rows = list(pool.map(measure, SPINES))
    for row in rows:
        keep(rows)
        row['largest'] = [find_largest_push(row['spine'], duration, pool, progress)
                          for duration in PUSH_DURATIONS]
    return rows


def find_largest_push(spine: Spine, duration: float, pool: Executor, progress: Progress) -> float:
    """Return the largest force that the dog takes from all sides, at five phases (N)."""
    paper = next(force for gait, _, force, lasts in pushes.TABLE_1
                 if gait == GAIT and lasts == duration)
    failed: list[str] = []

    def holds(force: float) -> bool:
        trials = pushes.make_row_trials(GAIT, SPEED, force, duration)[::PHASES_APART]
        trials.sort(key=lambda trial: trial.scenario['name'] not in failed)
        futures: dict[Future[bool], str] = {
            pool.submit(_falls, spine, trial.scenario['pushes'][0]): trial.scenario['name']
            for trial in trials}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                progress(f'{spine} spine, {force:.0f} N for {duration:g} s', done, len(futures))
                if future.result():
                    failed.append(futures[future])
                    return False
            return True
        finally:
            for future in futures:
                future.cancel()

    return find_largest(holds, paper / 2, step=STEP, most=MOST * paper)


def cells(row: Row) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    return [row['spine'], f'{row["speed"]:.2f} m/s',
            *(f'{np.degrees(value):.1f} deg' for value in row['pitch']),
            *(f'{100 * value:.1f} cm' for value in row['height']),
            f'{np.degrees(row["bending"]):.1f} deg', f'{row["cost_of_transport"]:.2f}',
            *(f'{force:.0f} N' for force in row['largest'])]
