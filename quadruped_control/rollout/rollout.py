"""The closed loop, and a scenario run through it from start to metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quadruped_control.control.controllers import make_controller
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.observation import Observation
from quadruped_control.control.schedulers import load_library, make_scheduler
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.commands import Commands
from quadruped_control.rollout.echo import new_echo
from quadruped_control.rollout.guide import Guide
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.tick import Body, run_ticks
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import solids

PROGRESS_EVERY = 100            # steps

Progress = Callable[[float], None]


class Loop:
    """A scenario's robot, world, scheduler and controller, and the loop through them."""

    def __init__(self, scenario: Scenario, library: GaitLibrary | None = None) -> None:
        self.scenario = scenario
        self.robot: Robot = load_robot(
            scenario.robot, scenario.spine).limit(scenario.torque_limit)
        self.ground = Ground.from_features(scenario.terrain, scenario.seed)
        self.world = World(self.robot, solids(self.ground), ContactModel())
        self.scheduler = make_scheduler(
            self.robot, library or load_library(scenario.robot, scenario.controller),
            scenario.controller, time_step=TIME_STEP)
        self.controller = make_controller(self.robot, scenario.controller)
        self.observation = Observation(self.robot, self.world.state)
        self.body = Body(self.world.engine, self.observation.blocks, as_block(new_echo()),
                         self.robot.trunk, np.zeros(len(self.robot.links)))
        self.reset()

    def reset(self) -> None:
        """Go back to the start of the scenario."""
        scenario = self.scenario
        self.world.reset(compute_start_pose(self.robot, self.ground, scenario.start,
                                            scenario.seed))
        self.controller.reset()
        self.observation.reset()
        self.scheduler.reset(heading=scenario.start.yaw, posture=scenario.start.posture)
        self.scheduler.skills.record['recover'] = float(scenario.recover)
        self.commands = Commands(scenario.commands, scenario.ball, scenario.seed)
        self.guide: Guide | None = None         # of level ground there is nothing to see
        if scenario.terrain or scenario.leap_planner:
            self.guide = Guide(self.scheduler, self.controller, self.robot, self.ground,
                               leaps=scenario.leap_planner)
        self.pushes = list_pushes(scenario.pushes)
        steps = round(scenario.duration / TIME_STEP)
        self.recording = Recording(steps, TIME_STEP, self.robot.joint_names,
                                   gait_names=self.scheduler.gait_names,
                                   skills=self.scheduler.skills.book, robot=self.robot.name)

    def run(self, ticks: int) -> None:
        """Advance everything, tick by tick; compiled code runs from one command to the next."""
        end = self.recording.count + ticks
        while self.recording.count < end:
            state = self.world.read()
            self.commands.apply(self.scheduler, state)
            idle = self.commands.idle_ticks(float(state['time']))
            if self.guide is not None:
                self.guide.update(state, self.recording.count)
                idle = min(idle, self.guide.idle_ticks(self.recording.count))
            self._run_idle(int(min(idle, end - self.recording.count)))

    def _run_idle(self, ticks: int) -> None:
        """Run ticks in which no command comes."""
        scheduler, recording = self.scheduler, self.recording
        rows = recording.samples, recording.poses, recording.velocities
        if recording.count + ticks > len(recording.samples):
            raise IndexError('the recording is full')
        run_ticks(ticks, self.body, scheduler.planning, self.controller.parts, self.pushes,
                  TIME_STEP, recording.count, rows, False)
        recording.count += ticks


@dataclass(frozen=True)
class Rollout:
    """What a scenario's run gave; ``refusals`` say which skills were not possible, and why."""

    scenario: Scenario
    robot: Robot
    ground: Ground
    recording: Recording
    metrics: dict[str, object]
    refusals: tuple[str, ...] = ()


def run_scenario(scenario: Scenario, *, progress: Progress | None = None,
                 library: GaitLibrary | None = None) -> Rollout:
    """
    Run a scenario headless, as fast as it goes.

    :param progress: called now and then with the simulated time in s.
    :param library: gaits, if not those of the files.
    """
    loop = Loop(scenario, library)
    steps = round(scenario.duration / TIME_STEP)
    loop.run(1)                         # where the code may have to be compiled first
    begin = time.perf_counter()
    for first in range(1, steps, PROGRESS_EVERY):
        loop.run(min(PROGRESS_EVERY, steps - first))
        if progress is not None:
            progress(len(loop.recording) * TIME_STEP)
    wall = time.perf_counter() - begin
    metrics = compute_metrics(loop.recording, scenario, loop.ground,
                              mass=float(loop.robot.tree['total_mass']),
                              measures=loop.robot.measures,
                              real_time_factor=(steps - 1) * TIME_STEP / wall)
    loop.world.close()
    refusals = tuple(f't = {when:.2f} s: {why}' for when, _, why in loop.commands.refusals)
    return Rollout(scenario, loop.robot, loop.ground, loop.recording, metrics, refusals)
