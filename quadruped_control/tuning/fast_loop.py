"""The closed loop in MuJoCo, from snapshots: what a search runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controller import Controller
from quadruped_control.control.observation import Observation
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.kinematics.records import FRONT, as_block
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.echo import new_echo
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.tick import Body, run_ticks
from quadruped_control.scenario import Push
from quadruped_control.simulation.mujoco_world import MujocoWorld

Array = NDArray[np.float64]
Block = NDArray[np.record]


@dataclass(frozen=True)
class Snapshot:
    """All that a run continues from: the engine's coordinates and the control's memory."""

    positions: Array
    speeds: Array
    warm_start: Array
    heading: float              # rad
    scheduler: list[NDArray[Any]]
    controller: list[NDArray[Any]]
    observation: Block


class FastRollout:
    """Runs of one robot on flat ground in the fast engine."""

    def __init__(self, robot: Robot, world: MujocoWorld, scheduler: SkillScheduler,
                 controller: Controller, *, time_step: float) -> None:
        self._robot, self._world = robot, world
        self._scheduler, self._controller = scheduler, controller
        self._time_step = time_step
        self._observation = Observation(robot, world.state)
        self._body = Body(world.engine, self._observation.blocks, as_block(new_echo()),
                          robot.trunk, np.zeros(len(robot.links)))

    def reset(self) -> None:
        """Forget what outlives a tick."""
        self._observation.reset()

    def run(self, steps: int, *, start: Snapshot | None = None,
            pushes: tuple[Push, ...] = ()) -> Recording:
        """
        Run with the scheduler's command; the recording ends early at a fall.

        :param pushes: their times are from the begin of this run on.
        """
        recording = Recording(steps, self._time_step, self._robot.joint_names)
        if start is not None:
            self.restore(start)
        self._world.state['time'] = 0.0
        recording.count = run_ticks(
            steps, self._body, self._scheduler.planning, self._controller.parts,
            list_pushes(pushes), self._time_step, 0,
            (recording.samples, recording.poses, recording.velocities), True)
        return recording

    def snapshot(self) -> Snapshot:
        """Return a copy of the present."""
        engine = self._world.engine
        return Snapshot(engine.positions.copy(), engine.speeds.copy(), engine.warm_start.copy(),
                        float(self._scheduler.clock['heading']), self._scheduler.save(),
                        self._controller.save(), self._observation.blocks.seen.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        engine = self._world.engine
        engine.positions[:] = snapshot.positions
        engine.speeds[:] = snapshot.speeds
        engine.warm_start[:] = snapshot.warm_start
        self._scheduler.restore(snapshot.scheduler)
        self._controller.restore(snapshot.controller)
        self._observation.blocks.seen[:] = snapshot.observation
        self._world.refresh()


def make_push(frame: int, first: float, duration: float, force: tuple[float, float]) -> Push:
    """Return a push of a leg frame, along and across the heading (N)."""
    return Push(t=first, at='front' if frame == FRONT else 'rear', duration=duration,
                force=(force[0], force[1], 0.0))
