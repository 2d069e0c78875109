"""
One trial of a leap in the fast engine: from the limit cycle of the trot, and from one disturbed.

The dog is its own mirror image: a leap from the other side tells nothing new, one after a nudge
does.
"""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controllers import make_controller
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.leaps.dictionary import ARC, FIGURES
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.leap_outcome import LeapOutcome, find_leaps, measure_leap
from quadruped_control.rollout.recording import Recording
from quadruped_control.scenario import Start
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.mujoco_world import MujocoWorld
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.terrain.ground import Ground
from quadruped_control.tuning.fast_loop import FastRollout, Snapshot, make_push

Array = NDArray[np.float64]
SETTLE = 2500               # steps from a stand to the limit cycle
AFTER = 2200                # steps from the request to the end: the dog must trot on
AFTER_NUDGE = 500           # steps from a nudge to the request
NUDGE = (make_push(FRONT, 0.0, 0.1, (30.0, -40.0)), make_push(REAR, 0.0, 0.1, (0.0, 40.0)))    # N
MOST_PITCH = 0.6            # rad at the first touch that a leap may land with
MOST_ROLL = 0.35
LOWEST, SHORTEST = 0.5, 0.1  # m, height and distance of a leap at least
SLOWEST = 0.3               # share of the approach speed that the dog goes on with at least
TIME_STEP = 1e-3
_BUSY = threading.Lock()    # of the one dog that the threads of a dask worker share


class LeapTrials:
    """A dog in the fast engine, for one process."""

    def __init__(self) -> None:
        robot, ground, library = load_robot(), Ground.from_features(()), GaitLibrary()
        self._scheduler = SkillScheduler(robot, library.stand, library.tables, gait='trot',
                                         time_step=TIME_STEP)
        self._controller = make_controller(robot)
        self._world = MujocoWorld(robot, ContactModel(), time_step=TIME_STEP)
        self._rollout = FastRollout(robot, self._world, self._scheduler, self._controller,
                                    time_step=TIME_STEP)
        self._pose = compute_start_pose(robot, ground, Start())
        self._settled: dict[tuple[float, bool], Snapshot] = {}

    def leap(self, parameters: Array, speed: float, *, half_strides: int,
             nudged: bool = False) -> Recording:
        """Trot at a commanded speed (m/s), leap, trot on; the recording ends at a fall."""
        snapshot = self._settle(round(speed, 2), nudged)
        self._rollout.restore(snapshot)
        self._scheduler.command[:] = speed, 0.0, 0.0, 1.0
        self._scheduler.skills.leap_by(parameters, 0.0, half_strides=half_strides)
        return self._rollout.run(AFTER)

    def _settle(self, speed: float, nudged: bool) -> Snapshot:
        """Return the dog in the trot, half a second after a nudge if there was one."""
        if (speed, nudged) in self._settled:
            return self._settled[speed, nudged]
        if nudged:
            self._rollout.restore(self._settle(speed, nudged=False))
        else:
            self._world.reset(self._pose)
            self._controller.reset()
            self._rollout.reset()
            self._scheduler.reset(gait='trot')
        self._scheduler.command[:] = speed, 0.0, 0.0, 1.0
        if nudged:
            self._rollout.run(AFTER_NUDGE, pushes=NUDGE)
        else:
            self._rollout.run(SETTLE)
        self._settled[speed, nudged] = self._rollout.snapshot()
        return self._settled[speed, nudged]


@cache
def _trials() -> LeapTrials:
    return LeapTrials()


def try_leap(parameters: Array, speed: float) -> Array | None:
    """
    Return what a leap does (FIGURES and arc), undisturbed and nudged, or None if one fails.

    Of the two the worse counts: the later take-off, the earlier landing, the lower arc.
    """
    with _BUSY:
        trials = _trials()
        outcomes = []
        for half_strides, nudged in ((2, False), (3, True)):
            recording = trials.leap(parameters, speed, half_strides=half_strides, nudged=nudged)
            outcome = judge(recording, AFTER, speed)
            if outcome is None:
                return None
            outcomes.append(outcome)
    return join_outcomes(outcomes)


def judge(recording: Recording, steps: int, speed: float) -> LeapOutcome | None:
    """Return what a leap did if the dog landed well and trots on, else None."""
    found = find_leaps(recording)
    if len(recording) < steps or not found:
        return None
    outcome = measure_leap(recording, *found[0])
    if outcome is None or abs(outcome.pitch) > MOST_PITCH or abs(outcome.roll) > MOST_ROLL:
        return None
    if outcome.height < LOWEST or outcome.distance < SHORTEST:
        return None                     # a stumble
    after = recording.tail(400)
    forward = float(after.leg_frame_velocity[:, :, 0].mean())
    upright = float(np.abs(after.leg_frame_rpy[:, :, :2]).max())
    if forward < SLOWEST * speed or upright > MOST_PITCH:
        return None
    return outcome


def join_outcomes(outcomes: list[LeapOutcome]) -> Array:
    """Return the figures of several runs of the same leap as one row."""
    row = np.empty(len(FIGURES) + ARC)
    for n, name in enumerate(FIGURES):
        values = [getattr(outcome, name) for outcome in outcomes]
        row[n] = {'take_off': max, 'landing': min}.get(name, np.mean)(values)
    row[len(FIGURES):] = np.min([outcome.arc for outcome in outcomes], axis=0)
    return row
