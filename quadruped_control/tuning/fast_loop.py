"""The closed loop wholly compiled: MuJoCo, scheduler and controller without Python in between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import Controller
from quadruped_control.control.fall import is_falling
from quadruped_control.control.gait_scheduler import Tables
from quadruped_control.control.skill_records import SkillTables
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.kinematics.engine_layout import limit_torques
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.sample import Blocks, Rows, write_sample
from quadruped_control.rollout.tick import decide, gather_blocks
from quadruped_control.simulation.mujoco_world import Engine, MujocoWorld, read_engine
from quadruped_control.simulation.native_call import call_native
from quadruped_control.terrain.ground_table import GroundTable

Array = NDArray[np.float64]
NO_GAIT = -1


@dataclass(frozen=True)
class Snapshot:
    """All that a run continues from: the engine's coordinates and the control's memory."""

    positions: Array
    speeds: Array
    warm_start: Array
    clock: NDArray[np.record]
    memory: NDArray[np.record]
    skill: NDArray[np.record]
    leap: NDArray[np.record]
    target: NDArray[np.record]


@compiled
def run_until_fall(steps: int, engine: Engine, blocks: Blocks, tables: Tables,
                   skills: SkillTables, command: Array, numbers: Array, ground: GroundTable,
                   torque_limit: float, dt: float, pushes: Array, rows: Rows) -> int:
    """Run to the end or a fall; return the number of steps done."""
    anatomy, state, motion, memory = blocks[1][0], blocks[6], blocks[7][0], blocks[9][0]
    links = state[0].joint_position.shape[0]
    torques, limited = np.zeros(links), np.zeros(links)
    chosen = np.zeros(engine.movable.shape[0])
    for step in range(steps):
        state[0].time = step * dt
        read_engine(engine, state)
        decide(blocks, tables, skills, command, numbers, ground, dt, torques)
        limit_torques(torques, torque_limit, engine.movable, limited, chosen)
        for n in range(chosen.shape[0]):
            engine.applied[engine.speed_index[n]] = chosen[n]
        write_sample(blocks, limited, torque_limit, engine.movable, False, command, NO_GAIT, step,
                     rows)
        for frame in range(2):
            point = memory.leg_frame_point[frame]
            upright = motion.rotation[anatomy.leg_frame[frame], 2, 2]
            if is_falling(point[2], upright, anatomy.fallen_height):
                return step
            pushed = pushes[frame, 0] <= step < pushes[frame, 1]
            _push(engine, engine.leg_frame_body[frame], point, pushes[frame, 2:], pushed)
        call_native(engine.step, (engine.model, engine.data))
    return steps


@compiled
def _push(engine: Engine, body: int, point: Array, force: Array, pushed: bool) -> None:
    """Set the force at a point of a body for the next step, or none."""
    f = engine.pushed[body]
    for k in range(3):
        f[k] = force[k] if pushed else 0.0
    arm = point - engine.body_centres[body]
    f[3] = arm[1] * f[2] - arm[2] * f[1]
    f[4] = arm[2] * f[0] - arm[0] * f[2]
    f[5] = arm[0] * f[1] - arm[1] * f[0]


class FastRollout:
    """Runs of one dog on flat ground in the compiled loop."""

    def __init__(self, robot: Robot, world: MujocoWorld, scheduler: SkillScheduler,
                 controller: Controller, *, time_step: float) -> None:
        self._robot, self._world = robot, world
        self._scheduler, self._controller = scheduler, controller
        self._time_step = time_step
        self._ground = controller._constants[-1]
        self._blocks = gather_blocks(world.state, scheduler, controller)

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
        recording.count = run_until_fall(
            steps, self._world.engine, self._blocks, scheduler.tables(),
            scheduler.skills.tables, scheduler.command, scheduler._numbers, self._ground,
            self._world.torque_limit, self._time_step,
            np.zeros((2, 5)) if pushes is None else pushes,
            (recording.samples, recording.poses, recording.velocities))
        return recording

    def snapshot(self) -> Snapshot:
        """Return a copy of the present."""
        engine = self._world.engine
        return Snapshot(engine.positions.copy(), engine.speeds.copy(), engine.warm_start.copy(),
                        as_block(self._scheduler.clock).copy(),
                        as_block(self._controller.memory).copy(),
                        self._scheduler.skills.tables.skill.copy(),
                        self._scheduler.skills.tables.leap.copy(),
                        as_block(self._scheduler.target).copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        engine = self._world.engine
        engine.positions[:] = snapshot.positions
        engine.speeds[:] = snapshot.speeds
        engine.warm_start[:] = snapshot.warm_start
        as_block(self._scheduler.clock)[:] = snapshot.clock
        as_block(self._controller.memory)[:] = snapshot.memory
        self._scheduler.skills.tables.skill[:] = snapshot.skill
        self._scheduler.skills.tables.leap[:] = snapshot.leap
        as_block(self._scheduler.target)[:] = snapshot.target
        self._world.refresh()
