"""The world's half of the closed loop, for where scheduler and controller are elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.controllers import make_controller
from quadruped_control.control.damped_joints import DampedJoints
from quadruped_control.control.gait_scheduler import name_gaits
from quadruped_control.control.observation import Observation
from quadruped_control.control.schedulers import load_library, make_scheduler
from quadruped_control.control.skill_book import load_book
from quadruped_control.kinematics.records import as_block
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.echo import new_echo
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.tick import Body, act, sense
from quadruped_control.scenario import Push, Scenario
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import solids

Array = NDArray[np.float64]


class WorldHalf:
    """
    A scenario's robot and world, with its pushes and its recording.

    The shape of a tick is: hand out ``state``, get torques for it, ``act``.

    :param steps: how many are recorded; none records nothing.
    """

    def __init__(self, scenario: Scenario, *, steps: int = 0) -> None:
        self.scenario = scenario
        self.robot: Robot = load_robot(
            scenario.robot, scenario.spine).limit(scenario.torque_limit)
        self.ground = Ground.from_features(scenario.terrain, scenario.seed)
        self.world = World(self.robot, solids(self.ground), ContactModel())
        self.state = self.world.state
        self.torques: Array = np.zeros(len(self.robot.links))
        self._steps = steps
        self._damped = DampedJoints(self.robot)
        self.observation = Observation(self.robot, self.state)
        self.echo = new_echo()
        self._body = Body(self.world.engine, self.observation.blocks, as_block(self.echo),
                          self.robot.trunk, self.torques)
        self._gait_names = name_gaits(load_library(scenario.robot, scenario.controller).tables)
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.state['time'])

    def reset(self) -> None:
        """Go back to the start of the scenario."""
        self.step = 0
        self.world.reset(compute_start_pose(self.robot, self.ground, self.scenario.start,
                                            self.scenario.seed))
        self.pushes = list_pushes(self.scenario.pushes)
        self.recording = Recording(self._steps, TIME_STEP, self.robot.joint_names,
                                   gait_names=self._gait_names,
                                   skills=load_book(self.robot.name),
                                   robot=self.robot.name)
        self.observation.reset()
        sense(self._body)

    def push(self, push: Push) -> None:
        """Add a push; those that are over are forgotten."""
        left = self.pushes[self.pushes['steps'] > 0]
        self.pushes = np.concatenate((left, list_pushes([push])))

    def act(self) -> None:
        """Apply ``torques``, push, record with ``echo``, step, and observe the next state."""
        recording = self.recording
        row = recording.count if recording.count < self._steps else -1
        act(self._body, self.pushes, TIME_STEP, row,
            (recording.samples, recording.poses, recording.velocities))
        recording.count += row >= 0
        self.step += 1
        sense(self._body)

    def damp(self) -> None:
        """Set ``torques`` to those of joints that nobody controls."""
        self._damped.update(self.observation, TIME_STEP, self.torques)

    def compute_metrics(self, real_time_factor: float | None) -> dict[str, object]:
        """Return the metrics of what was recorded."""
        return compute_metrics(self.recording, self.scenario, self.ground,
                               mass=float(self.robot.tree['total_mass']),
                               measures=self.robot.measures,
                               real_time_factor=real_time_factor)


def exercise(scenario: Scenario) -> None:
    """Run one tick in the parts that nodes run, so that all of it is compiled."""
    half = WorldHalf(scenario)
    library = load_library(scenario.robot, scenario.controller)
    scheduler = make_scheduler(half.robot, library, scenario.controller, time_step=TIME_STEP)
    controller = make_controller(half.robot, scenario.controller)
    scheduler.update(half.state)
    half.observation.update()
    half.torques[:] = controller.update(half.observation, scheduler.target, TIME_STEP)
    half.act()
    half.damp()
    half.world.close()
