"""The world's half of the closed loop, for where scheduler and controller are elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.controller import Controller
from quadruped_control.control.damped_joints import DampedJoints
from quadruped_control.control.feet import observe_feet
from quadruped_control.control.gains import load_gains
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.leg_frames import observe_leg_frames
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.model.robot import Robot, load_robot
from quadruped_control.rollout.metrics import compute_metrics
from quadruped_control.rollout.pushes import list_pushes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.sample import Blocks
from quadruped_control.rollout.tick import act, gather_blocks
from quadruped_control.scenario import Push, Scenario
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.solids import solids

Array = NDArray[np.float64]


class GaitEcho(NamedTuple):
    """What of the gait's state belongs to torques: it is recorded, and pushes go by it."""

    gait: float = 0.0               # index of the gait that the dog is in
    phase: float = 0.0
    cycles: float = 0.0
    stands: float = 1.0
    heading: float = 0.0            # rad
    vx: float = 0.0                 # command in force: m/s, m/s, rad/s
    vy: float = 0.0
    wz: float = 0.0
    front_left: float = 1.0         # 1: the leg should carry weight
    front_right: float = 1.0
    rear_left: float = 1.0
    rear_right: float = 1.0
    skill: float = 0.0              # what the dog is doing, as in skill_table.ACTIVITIES
    asked_at: float = 0.0           # s at which that was asked for


@compiled
def observe(blocks: Blocks, echo: Array, command: Array, dt: float) -> None:
    """
    Write where links, feet and leg frames are, as the controller does on its side.

    :param echo: the numbers of :class:`GaitEcho`, which go to clock, target and command.
    """
    tree, anatomy, gains, target, clock, _, state, motion, _, memory = blocks
    clock[0].phase, clock[0].cycles, clock[0].stands = echo[1], echo[2], echo[3]
    clock[0].heading = target[0].heading = echo[4]
    command[0], command[1], command[2] = echo[5], echo[6], echo[7]
    target[0].stance[:] = echo[8:12]
    clock[0].skill, clock[0].asked_at = echo[12], echo[13]
    compute_motion(tree[0], state[0], motion[0])
    observe_feet(anatomy[0], gains[0], target[0], state[0], motion[0], memory[0], dt)
    observe_leg_frames(anatomy[0], target[0], motion[0], memory[0])


class WorldHalf:
    """
    A scenario's robot and world, with its pushes and its recording.

    The shape of a tick is: hand out ``state``, get torques for it, ``act``.

    :param steps: how many are recorded; none records nothing.
    """

    def __init__(self, scenario: Scenario, *, steps: int = 0) -> None:
        self.scenario = scenario
        self.robot: Robot = load_robot(scenario.robot, scenario.spine)
        self.ground = Ground.from_features(scenario.terrain, scenario.seed)
        self.world = World(self.robot, solids(self.ground), ContactModel(),
                           torque_limit=scenario.torque_limit)
        self.state = self.world.state
        self.torques: Array = np.zeros(len(self.robot.links))
        self._steps = steps
        table, gains, library = tabulate(self.ground), load_gains(scenario.robot), GaitLibrary(
            scenario.robot)
        self._damped = DampedJoints(self.robot, gains, table, time_step=TIME_STEP)
        scheduler = SkillScheduler(self.robot, library.stand, library.tables,
                                   time_step=TIME_STEP)
        observer = Controller(self.robot, gains, scheduler.target, table, time_step=TIME_STEP)
        self.gait_names = scheduler.gait_names
        self.motion, self.memory = observer.motion, observer.memory
        self._blocks = gather_blocks(self.state, scheduler, observer)
        self._trunk = np.array([*self.robot.back, *self.robot.head_and_neck])
        self._command = np.zeros(4)
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
                                   gait_names=self.gait_names)
        self.world.read()

    def push(self, push: Push) -> None:
        """Add a push; those that are over are forgotten."""
        left = self.pushes[self.pushes['steps'] > 0]
        self.pushes = np.concatenate((left, list_pushes([push])))

    def act(self, echo: Array) -> None:
        """
        Apply ``torques``, push, record, step, and read the next state.

        :param echo: the numbers of a GaitEcho.
        """
        recording = self.recording
        row = recording.count if recording.count < self._steps else -1
        observe(self._blocks, echo, self._command, TIME_STEP)
        act(self.world.engine, self._blocks, self._command, int(echo[0]), self.pushes,
            self._trunk, self.torques, row,
            (recording.samples, recording.poses, recording.velocities))
        recording.count += row >= 0
        self.step += 1
        self.world.read()

    def damp(self) -> None:
        """Set ``torques`` to those of joints that nobody controls."""
        self.torques[:] = self._damped.update(self.state)

    def compute_metrics(self, real_time_factor: float | None) -> dict[str, object]:
        """Return the metrics of what was recorded."""
        return compute_metrics(self.recording, self.scenario, self.ground,
                               mass=float(self.robot.tree['total_mass']),
                               real_time_factor=real_time_factor)


def exercise(scenario: Scenario) -> None:
    """Run one tick in the parts that nodes run, so that all of it is compiled."""
    half = WorldHalf(scenario)
    library, table = GaitLibrary(scenario.robot), tabulate(half.ground)
    scheduler = SkillScheduler(half.robot, library.stand, library.tables, time_step=TIME_STEP)
    controller = Controller(half.robot, load_gains(scenario.robot), scheduler.target, table,
                            time_step=TIME_STEP)
    scheduler.update(half.state)
    half.torques[:] = controller.update(half.state)
    half.act(np.array(GaitEcho()))
    half.damp()
    half.world.close()
