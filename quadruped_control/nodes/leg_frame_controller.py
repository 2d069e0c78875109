"""Node: the robot's state and the gait's state in, joint torques out."""

from __future__ import annotations

from time import monotonic, perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import SetParametersResult
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

from quadruped_control.control.controllers import make_controller
from quadruped_control.control.observation import NOTICES, Observation, find_notices
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.schedulers import load_library, make_scheduler
from quadruped_control.control.skill_numbers import Activity
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.errors import InputError
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.common_settings import LOCK_STEP, WHO, read_who
from quadruped_control.nodes.gain_settings import PREFIX, change_gains, list_gain_settings
from quadruped_control.nodes.graph_node import ERROR, OK, WARN, GraphNode, Setting, run_nodes
from quadruped_control.nodes.layout import (
    GaitLayout,
    LegLayout,
    StateLayout,
    TorqueLayout,
    as_numbers,
    read_numbers,
)
from quadruped_control.nodes.map_link import MAP_SETTINGS, MapLink
from quadruped_control.nodes.markers import ControlMarkers
from quadruped_control.nodes.qos import CLOCK, IN_TURN, NEWEST, SENSOR, STREAM
from quadruped_control.simulation.world import TIME_STEP

Array = NDArray[np.float64]
NAME = 'leg_frame_controller'
LOOK = 0.05                     # s between looks for a scheduler that is silent
MARKERS_EVERY, LEGS_EVERY = 50, 20      # steps
NO_STEP = -10**9
SETTINGS = {
    **WHO,
    'lock_step': LOCK_STEP,
    **MAP_SETTINGS,
    'gait_timeout': Setting(2.0, 'wall s of waiting for a gait state after which the dog is '
                                 'stopped without the scheduler', 0.05, 60.0),
}


class StandIn:
    """A scheduler that goes on from the last gait state with no speed commanded: the dog stops."""

    def __init__(self, scheduler: SkillScheduler, requests: list[str], layout: GaitLayout) -> None:
        self._scheduler = scheduler
        self._requests = requests
        self._layout = layout
        self._clock = as_numbers(scheduler.clock)
        self._target = as_numbers(scheduler.target)

    def take_over(self, gait: Array) -> None:
        """Begin where the numbers of a gait state are."""
        self._scheduler.reset(gait=self._requests[int(gait[GaitLayout.REQUESTED])])
        self._clock[:] = gait[self._layout.clock]

    def update(self, state: np.record, gait: Array) -> None:
        """Write the next gait state over the numbers of the last; a posture is just kept."""
        scheduler = self._scheduler
        if scheduler.clock['skill'] != Activity.STAND:
            return
        scheduler.update(state)
        gait[GaitLayout.SECONDS] = 0.0
        gait[GaitLayout.COMMAND] = 0.0
        gait[GaitLayout.GAIT] = scheduler.gait_index
        gait[self._layout.clock], gait[self._layout.target] = self._clock, self._target


class LegFrameControllerNode(GraphNode):
    """Answers every state, together with its gait state, with torques."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        scene = read_who(self)
        self._robot = load_robot(scene.robot, scene.spine).limit(scene.torque_limit)
        self._wanted = make_record(TargetRecord)
        self._controller = make_controller(self._robot, scene.controller)
        links = len(self._robot.links)
        self._observation = Observation(self._robot)
        self._state = self._observation.state
        self._notices = find_notices(self._observation)
        self._state_numbers, self._target = as_numbers(self._state), as_numbers(self._wanted)
        self._state_layout, self._gait_layout = StateLayout(links), GaitLayout()
        self._movable = np.array(self._robot.movable)
        self._layout = TorqueLayout(len(self._movable))
        library = load_library(scene.robot, scene.controller)
        scheduler = make_scheduler(self._robot, library, scene.controller, time_step=TIME_STEP)
        self._stand_in = StandIn(scheduler, sorted(library.tables), self._gait_layout)
        self._echo = self._gait_layout.find_echo()
        self._gait_names = scheduler.gait_names
        self._warm_up(scheduler)
        self._losses = 0
        self._forget(0.0)
        gains = list_gain_settings(self._controller.parameters)
        for key, setting in gains.items():
            self.declare_setting(key, setting)
        self._controller.tune(change_gains(self._controller.parameters,
                                           {key: self.setting(key) for key in gains}))
        self.add_on_set_parameters_callback(self._on_parameters)
        self._message = self._layout.bind(Float64MultiArray())
        self._publisher = self.create_publisher(Float64MultiArray, '/joint_torques', STREAM)
        self._markers = ControlMarkers(self._robot)
        self._marker_publisher = self.create_publisher(MarkerArray, '/markers', CLOCK)
        self._legs = LegLayout()
        self._leg_message = self._legs.bind(Float64MultiArray())
        self._leg_publisher = self.create_publisher(Float64MultiArray, '/leg_state', SENSOR)
        self._in_lock_step = bool(self.setting('lock_step'))
        heard = IN_TURN if self._in_lock_step else NEWEST
        self.create_subscription(Float64MultiArray, '/robot_state', self._on_state, heard,
                                 raw=True)
        self.create_subscription(Float64MultiArray, '/gait_state', self._on_gait, heard,
                                 raw=True)
        self._map = MapLink(self, self._answer, lock_step=self._in_lock_step)
        self.every(LOOK, self._look_for_scheduler)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell who is missing."""
        values: dict[str, object] = {'step': self._done, 'stops without scheduler': self._losses,
                                     'controller': self._controller.name,
                                     'maps missed': self._map.missed,
                                     **dict(zip(NOTICES, self._notices.tolist(), strict=True))}
        if self._step >= 0 and not self._map.has(self._run):
            return WARN, 'waits for the ground of this run on /height_map', values
        if self._alone:
            return ERROR, 'the gait scheduler is silent; the dog is being stopped', values
        if self._done < 0:
            return WARN, 'waits for the simulation and the gait scheduler', values
        return OK, 'works', values

    def _forget(self, run: float) -> None:
        """Begin a run."""
        self._run = run
        self._step = self._done = -1            # of the newest state; of the last torques
        self._arrived = self._gait_arrived = 0.0      # when that state and a gait state came
        self._gait: Array | None = None
        self._alone = False
        self._controller.reset()
        self._observation.reset()

    def _warm_up(self, scheduler: SkillScheduler) -> None:
        self._state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
        scheduler.update(self._state)
        self._observation.update()
        self._controller.update(self._observation, self._wanted, TIME_STEP)

    def _on_state(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._state_layout.fits(numbers):
            self.refuse('/robot_state: not of this robot, or not finite')
            return
        step, run = int(numbers[0]), float(numbers[1])
        if run == self._run and step == self._done:
            self._publisher.publish(self._message)      # the simulation asks again
            self._show(again=True)
            return
        if run < self._run and not self._map.has(self._run):
            self._tell_run()
        if run < self._run or (run == self._run and step < self._step):
            return
        if run != self._run:
            gait, arrived = self._gait, self._gait_arrived      # may be before the state
            self._forget(run)
            if gait is not None and gait[1] == run:
                self._gait, self._gait_arrived = gait, arrived
            self.get_logger().info(f'follows the simulation from step {step}')
        if step != self._step:
            self._step, self._arrived = step, monotonic()
            StateLayout.unpack(numbers, self._state_numbers)
        self._answer()

    def _tell_run(self) -> None:
        """
        Let a simulation know that a later one is followed, before that one's ground is there.

        A second simulation that ends at once may never tell of its ground; the first then calls
        the nodes back. The torques are of a step that nobody takes.
        """
        none = np.zeros(len(self._movable))
        self._layout.pack(NO_STEP, self._run, none, np.zeros(len(self._echo) + len(NOTICES)))
        self._publisher.publish(self._message)

    def _on_gait(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._gait_layout.fits(numbers):
            self.refuse('/gait_state: of a wrong length, or not finite')
            return
        if numbers[1] < self._run or (self._gait is not None and self._gait[1] == numbers[1]
                                      and numbers[0] < self._gait[0] and not self._alone):
            return
        self._gait, self._gait_arrived = numbers, monotonic()
        if self._alone:
            self._alone = False
            self.get_logger().info('the gait scheduler is back')
        self._answer()

    def _answer(self) -> None:
        """Compute torques once state and gait state are there."""
        begin, gait = perf_counter(), self._gait
        if gait is None or self._step == self._done or gait[1] != self._run:
            return
        if not self._map.is_ready(self._step, self._run):
            return
        if self._alone:
            self._stand_in.update(self._state, gait)
        elif self._in_lock_step and int(gait[0]) != self._step:
            return
        ground = self._map.find_new(self._step, self._run)
        if ground is not None:
            self._controller.enter(ground)
        self._target[:] = gait[self._gait_layout.target]
        self._observation.update()
        torques = self._controller.update(self._observation, self._wanted, TIME_STEP)
        self._done = self._step
        echo = np.concatenate((gait[self._echo], self._notices))
        self._layout.pack(self._step, self._run, torques[self._movable], echo,
                          scheduler_seconds=float(gait[GaitLayout.SECONDS]),
                          controller_seconds=perf_counter() - begin)
        self._publisher.publish(self._message)
        self._show()

    def _show(self, *, again: bool = False) -> None:
        """Publish what people look at when it is due, or again; nothing where nobody does."""
        step, gait = self._step, self._gait
        if (again or step % LEGS_EVERY == 0) and self._leg_publisher.get_subscription_count():
            self._legs.pack(step, self._run, self._wanted, self._observation.record,
                            self._state['foot_force'])
            self._leg_publisher.publish(self._leg_message)
        if (again or step % MARKERS_EVERY == 0) and gait is not None and (
                self._marker_publisher.get_subscription_count()):
            name = self._gait_names[int(gait[GaitLayout.GAIT])]
            self._marker_publisher.publish(self._markers.draw(
                self._observation, name, self._wanted['stance']))

    def _look_for_scheduler(self) -> None:
        """Stop the dog when the gait scheduler falls silent."""
        gait, timeout = self._gait, self.setting('gait_timeout')
        if self._alone or gait is None or gait[1] != self._run:
            return
        if not self._map.is_ready(self._step, self._run):
            return
        self._answer()                  # a state may have waited for a map
        waits = self._step != self._done and monotonic() - self._arrived > timeout
        if not waits and self._arrived - self._gait_arrived < timeout:
            return
        self._alone = True
        self._losses += 1
        self._gait = gait.copy()
        self._stand_in.take_over(gait)
        self.get_logger().error('the gait scheduler is silent: holding its gait and stopping')
        self._answer()

    def _on_parameters(self, parameters: list[Any]) -> SetParametersResult:
        changes = {p.name: p.value for p in parameters if p.name.startswith(f'{PREFIX}.')}
        if changes:
            try:
                self._controller.tune(change_gains(self._controller.parameters, changes))
            except InputError as error:
                return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)


def main() -> int:
    """Run the node as a process."""
    return run_nodes([LegFrameControllerNode])


if __name__ == '__main__':
    raise SystemExit(main())
