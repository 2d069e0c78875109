"""The closed loop wholly compiled: MuJoCo, scheduler and controller without Python in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controller import Controller, compute_torques
from quadruped_control.control.gait_scheduler import GaitScheduler, Tables, advance
from quadruped_control.kinematics.engine_layout import limit_torques
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.recording import COMMAND, Recording
from quadruped_control.rollout.sample import write_sample
from quadruped_control.simulation.mujoco_world import (
    Engine,
    MujocoWorld,
    engine_step,
    read_engine,
)
from quadruped_control.terrain.ground_table import GroundTable

Array = NDArray[np.float64]
TILTED = 0.4                # cosine of the tilt, and
LOW = 0.2                   # m of height, at which a leg frame has fallen and the run ends


@dataclass(frozen=True)
class Snapshot:
    """All that a run continues from: the engine's coordinates and the control's memory."""

    positions: Array
    speeds: Array
    warm_start: Array
    clock: NDArray[np.record]
    memory: NDArray[np.record]


def make_fast_loop() -> Any:
    """
    Compile the loop; not cached, because it calls the engine by an address of this process.

    What it calls is cached, so that this takes seconds.
    """
    mj_step = engine_step()

    @numba.njit(error_model='numpy')  # type: ignore[untyped-decorator]
    def loop(steps: int, engine: Engine, blocks: Any, tables: Tables, command: Array,
             numbers: Array, ground: GroundTable, torque_limit: float, dt: float, pushes: Array,
             samples: Array, poses: Array, velocities: Array) -> int:
        """Run until the end or a fall; return the number of steps done."""
        tree, anatomy, gains, target, clock, gait, state, motion, work, memory = blocks
        links = tree[0].parent.shape[0]
        torques, limited = np.zeros(links), np.zeros(links)
        chosen = np.zeros(engine.movable.shape[0])
        sampled = (tree, anatomy, state, motion, memory, target)
        for step in range(steps):
            state[0].time = step * dt
            read_engine(engine, state)
            advance(tables, anatomy, command, state, clock, gait, numbers, target, dt)
            compute_torques(tree[0], anatomy[0], gains[0], target[0], ground, state[0], motion[0],
                            work[0], memory[0], dt, torques)
            limit_torques(torques, torque_limit, engine.movable, limited, chosen)
            for n in range(chosen.shape[0]):
                engine.applied[engine.speed_index[n]] = chosen[n]
            write_sample(sampled, limited, torque_limit, False, engine.movable, step, samples,
                         poses, velocities)
            samples[step, COMMAND] = command[:3]
            for frame in range(2):
                point = memory[0].leg_frame_point[frame]
                upright = motion[0].rotation[anatomy[0].leg_frame[frame], 2, 2]
                if point[2] < LOW or upright < TILTED or not np.isfinite(point[2]):
                    return step
                body = engine.leg_frame_body[frame]
                for k in range(3):
                    force = pushes[frame, 2 + k] if pushes[frame, 0] <= step < pushes[
                        frame, 1] else 0.0
                    engine.pushed[body, k] = force
                arm = point - engine.body_centres[body]
                f = engine.pushed[body]
                f[3] = arm[1] * f[2] - arm[2] * f[1]
                f[4] = arm[2] * f[0] - arm[0] * f[2]
                f[5] = arm[0] * f[1] - arm[1] * f[0]
            mj_step(engine.model, engine.data)
        return steps

    return loop


class FastRollout:
    """Runs of one dog on flat ground in the compiled loop."""

    def __init__(self, robot: Robot, world: MujocoWorld, scheduler: GaitScheduler,
                 controller: Controller, *, time_step: float) -> None:
        self._robot, self._world = robot, world
        self._scheduler, self._controller = scheduler, controller
        self._time_step = time_step
        self._loop = make_fast_loop()
        tree, anatomy, gains, target, self._ground = controller._constants
        motion, work, memory = controller._variables
        self._blocks = (tree, anatomy, gains, target, scheduler._clock, scheduler._parameters,
                        as_block(world.state), motion, work, memory)

    def run(self, steps: int, *, start: Snapshot | None = None,
            pushes: Array | None = None) -> Recording:
        """
        Run with the scheduler's command; the recording ends early at a fall.

        :param pushes: for front and rear: first step, one past the last, force (world, N).
        """
        recording = Recording(steps, self._time_step, self._robot.joint_names)
        if start is not None:
            self.restore(start)
        scheduler = self._scheduler
        recording.count = self._loop(
            steps, self._world.engine, self._blocks, scheduler.tables(), scheduler.command,
            scheduler._numbers, self._ground, self._world.torque_limit, self._time_step,
            np.zeros((2, 5)) if pushes is None else pushes, recording.samples, recording.poses,
            recording.velocities)
        return recording

    def snapshot(self) -> Snapshot:
        """Return a copy of the present."""
        engine = self._world.engine
        return Snapshot(engine.positions.copy(), engine.speeds.copy(), engine.warm_start.copy(),
                        as_block(self._scheduler.clock).copy(),
                        as_block(self._controller.memory).copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        engine = self._world.engine
        engine.positions[:] = snapshot.positions
        engine.speeds[:] = snapshot.speeds
        engine.warm_start[:] = snapshot.warm_start
        as_block(self._scheduler.clock)[:] = snapshot.clock
        as_block(self._controller.memory)[:] = snapshot.memory
        self._world.refresh()
