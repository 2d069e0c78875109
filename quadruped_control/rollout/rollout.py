"""The closed loop, and a scenario run through it from start to metrics."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controller import Controller
from quadruped_control.control.gains import load_gains
from quadruped_control.control.gait import available_gaits
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot, load_robot
from quadruped_control.rollout.commands import Commands
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.pushes import Pushes
from quadruped_control.rollout.recording import COMMAND, GAIT, Recording
from quadruped_control.rollout.sample import write_sample
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.solids import solids

GAITS = available_gaits()
SKILLS = frozenset({'stand'})
POSTURES = frozenset({'stand'})
PROGRESS_EVERY = 100            # steps

Progress = Callable[[float], None]


class Loop:
    """
    The closed loop in the order the data flows.

    Read the state, choose the target, compute torques, write them, push, record, step.
    """

    def __init__(self, scenario: Scenario, library: GaitLibrary | None = None) -> None:
        self.scenario = scenario
        self.robot: Robot = load_robot(scenario.robot, scenario.spine)
        self.ground = Ground.from_features(scenario.terrain, scenario.seed)
        self.world = World(self.robot, solids(self.ground), ContactModel(),
                           torque_limit=scenario.torque_limit)
        library = library or GaitLibrary()
        self.scheduler = GaitScheduler(self.robot, library.stand, library.tables,
                                       time_step=TIME_STEP)
        self.controller = Controller(self.robot, load_gains(scenario.robot),
                                     self.scheduler.target, tabulate(self.ground),
                                     time_step=TIME_STEP)
        controller = self.controller
        self._blocks = (as_block(self.robot.tree), as_block(self.robot.anatomy),
                        as_block(self.world.state), as_block(controller.motion),
                        as_block(controller.memory), as_block(controller.target))
        self._trunk = frozenset((*self.robot.back, *self.robot.head_and_neck))
        self._movable = np.array(self.robot.movable)
        self.reset()

    def reset(self) -> None:
        """Go back to the start of the scenario."""
        scenario = self.scenario
        self.world.reset(compute_start_pose(self.robot, self.ground, scenario.start))
        self.controller.reset()
        heading = scenario.start.heading + (scenario.start.rpy or (0.0, 0.0, 0.0))[2]
        self.scheduler.reset(heading=heading)
        self.commands = Commands(scenario.commands)
        self.pushes = Pushes(scenario.pushes)
        steps = round(scenario.duration / TIME_STEP)
        self.recording = Recording(steps, TIME_STEP, self.robot.joint_names,
                                   gait_names=self.scheduler.gait_names)

    def step(self) -> None:
        """Advance everything by one time step."""
        world, controller = self.world, self.controller
        state = world.read()
        self.commands.apply(self.scheduler, state)
        self.scheduler.update(state)
        torques = world.write(controller.update(state))
        self.pushes.apply(world, controller.memory, self.scheduler.clock, state)
        self._record(torques)
        world.step()

    def _record(self, torques: NDArray[np.float64]) -> None:
        recording = self.recording
        row = recording.count
        trunk_touches = not self._trunk.isdisjoint(self.world.body_contacts)
        write_sample(self._blocks, torques, self.world.torque_limit, trunk_touches, self._movable,
                     row, recording.samples, recording.poses, recording.velocities)
        recording.samples[row, COMMAND] = self.scheduler.command[:3]
        recording.samples[row, GAIT] = self.scheduler.gait_index
        recording.count = row + 1


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Keep the collector out of the 1 kHz loop, which makes many tuples but no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True)
class Rollout:
    """What a scenario's run gave."""

    scenario: Scenario
    robot: Robot
    ground: Ground
    recording: Recording
    metrics: dict[str, object]


def run_scenario(scenario: Scenario, *, progress: Progress | None = None) -> Rollout:
    """
    Run a scenario headless, as fast as it goes.

    :param progress: called now and then with the simulated time in s.
    """
    loop = Loop(scenario)
    steps = round(scenario.duration / TIME_STEP)
    with collecting_no_garbage():
        loop.step()                     # where the code may have to be compiled first
        begin = time.perf_counter()
        for step in range(1, steps):
            loop.step()
            if progress is not None and step % PROGRESS_EVERY == 0:
                progress(step * TIME_STEP)
        wall = time.perf_counter() - begin
    metrics = compute_metrics(loop.recording, scenario, loop.ground,
                              mass=float(loop.robot.tree['total_mass']),
                              real_time_factor=(steps - 1) * TIME_STEP / wall)
    loop.world.close()
    return Rollout(scenario, loop.robot, loop.ground, loop.recording, metrics)
