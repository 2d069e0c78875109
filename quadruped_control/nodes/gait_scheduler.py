"""Node: commands and the robot's state in, the state of the gait out."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist, TwistStamped
from rcl_interfaces.msg import SetParametersResult
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

from quadruped_control.control.gait_tuning import TunedGaits
from quadruped_control.control.schedulers import load_library, make_scheduler
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes.common_settings import SCENE, SceneFollower
from quadruped_control.nodes.gait_settings import list_gait_settings, turn_gaits
from quadruped_control.nodes.graph_node import OK, STAMPED, WARN, GraphNode, Setting, run_nodes
from quadruped_control.nodes.ground_link import GroundLink
from quadruped_control.nodes.layout import GaitLayout, StateLayout, as_numbers, read_numbers
from quadruped_control.nodes.leap_link import LeapLink
from quadruped_control.nodes.qos import IN_TURN, LATCHED, LOG, NEWEST, RELIABLE, STREAM
from quadruped_control.nodes.target_link import TargetLink
from quadruped_control.rollout.live_commands import LiveCommands
from quadruped_control.simulation.world import TIME_STEP
from quadruped_control.terrain.ground import Ground

NAME = 'gait_scheduler'
REPORT_EVERY = 10               # steps between two looks for another gait or activity
SETTINGS = {
    **SCENE,
    'cmd_vel_timeout': Setting(0.5, 'simulated s of silence on /cmd_vel after which the dog stops',
                               0.05, 10.0),
    'use_commands': Setting(True, 'give the commands of the scenario; else only those that come '
                                  'by topics', fixed=True),
    'gait': Setting('auto', 'gait at the start; auto: by speed', fixed=True),
    'leap_planner': Setting(False, 'leap over what the planner of leaps finds ahead, and stop '
                                   'before what is out of reach; a scenario may ask for it too'),
    'leap_timeout': Setting(0.4, 'wall s without an order of the planner until the dog goes on '
                                 'without', 0.05, 60.0),
    'scan_timeout': Setting(0.4, 'wall s without a scan of the ground ahead until the robot goes '
                                 'on without', 0.05, 60.0),
    'recover': Setting(True, 'get up by itself after a fall, unless the scenario says no'),
}


class GaitSchedulerNode(GraphNode):
    """Answers every state with the gait state of the same step."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        self._follower = SceneFollower(self)
        scene = self._follower.scene
        robot = load_robot(scene.robot, scene.spine)
        library = load_library(scene.robot, scene.controller)
        self._scheduler = make_scheduler(robot, library, scene.controller, time_step=TIME_STEP)
        self._requests = sorted(library.tables)
        if self.setting('gait') not in self._requests:
            raise InputError(NAME, 'gait', self.setting('gait'), ', '.join(self._requests))
        self._skills = self._scheduler.skills.offered
        given = scene.commands if self.setting('use_commands') else ()
        ball = scene.ball if self.setting('use_commands') else None
        self._commands = LiveCommands(self._scheduler, given, ball=ball, seed=scene.seed)
        self._state = new_record(state_type(len(robot.links)))
        self._numbers = as_numbers(self._state)
        self._state_layout, self._layout = StateLayout(len(robot.links)), GaitLayout()
        self._clock_numbers = as_numbers(self._scheduler.clock)
        self._target = as_numbers(self._scheduler.target)
        self._warm_up()
        self._take_up(TunedGaits(library))
        self._step, self._run = -1, 0.0
        self._reported = -REPORT_EVERY          # step
        self._gait = self._activity = ''
        self._message = self._layout.bind(Float64MultiArray())
        self._publisher = self.create_publisher(Float64MultiArray, '/gait_state', STREAM)
        self._applied = self.create_publisher(TwistStamped, '/cmd_vel_applied', LOG)
        self._gait_name = self.create_publisher(String, '/gait', LATCHED)
        self._skill_state = self.create_publisher(String, '/skill_state', LATCHED)
        lock_step = bool(self.setting('lock_step'))
        self._held: bytes | None = None         # a state that waits for the planner's order
        self._link = LeapLink(self, self._scheduler, self._resume, lock_step=lock_step)
        self._ground = GroundLink(self, self._scheduler, robot, self._resume,
                                  lock_step=lock_step)
        self._targets = TargetLink(self, self._commands, self._scheduler.pace.ball)
        heard = IN_TURN if lock_step else NEWEST
        self.create_subscription(Twist, '/cmd_vel', self._on_twist, RELIABLE)
        self.create_subscription(TwistStamped, '/cmd_vel_stamped', self._on_stamped, LOG)
        self.create_subscription(String, '/gait_request', self._on_gait, RELIABLE)
        self.create_subscription(String, '/skill_request', self._on_skill, RELIABLE)
        self.create_subscription(Float64MultiArray, '/robot_state', self._on_state, heard,
                                 raw=True)
        for skill in sorted(self._skills):
            self.create_service(Trigger, f'~/{skill}', partial(self._on_skill_service, skill))

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell the gait and what was refused."""
        values: dict[str, object] = {'gait': self._gait, 'skill': self._activity,
                                     'step': self._step,
                                     STAMPED: self._commands.stamped,
                                     'late stamped commands': self._commands.late,
                                     'leap orders missed': self._link.missed,
                                     'scans missed': self._ground.missed,
                                     'ground ahead': self._ground.words,
                                     'gaits': ', '.join(self._requests),
                                     'skills': ', '.join(sorted(self._skills))}
        if self._step < 0:
            return WARN, 'waits for the simulation', values
        return OK, 'works', values

    def _warm_up(self) -> None:
        """Let the code be compiled, or be loaded, before a step waits for it."""
        self._numbers[:] = 0.0
        self._state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
        self._scheduler.update(self._state)

    def _take_up(self, gaits: TunedGaits) -> None:
        """Let the gaits be tuned by parameters."""
        def turn(parameters: list[Any]) -> SetParametersResult:
            try:
                turn_gaits(gaits, {p.name: p.value for p in parameters})
            except InputError as error:
                return SetParametersResult(successful=False, reason=str(error))
            return SetParametersResult(successful=True)

        for key, setting in list_gait_settings(gaits).items():
            self.declare_setting(key, setting)
        turn_gaits(gaits, {key: self.setting(key) for key in list_gait_settings(gaits)})
        self.add_on_set_parameters_callback(turn)

    def _on_twist(self, message: Twist) -> None:
        try:
            self._commands.receive(*_read_twist(message))
        except InputError as error:
            self.refuse(f'/cmd_vel: {error}')

    def _on_stamped(self, message: TwistStamped) -> None:
        stamp, gait = message.header.stamp, message.header.frame_id
        is_applied = gait in self._requests             # as in /cmd_vel_applied
        try:
            self._commands.receive_at(
                stamp.sec + 1e-9 * stamp.nanosec, *_read_twist(message.twist),
                gait=gait if is_applied else None,
                on_spot=message.twist.linear.z > 0.0 if is_applied else None,
                look=(message.twist.angular.x, message.twist.angular.y))
        except InputError as error:
            self.refuse(f'/cmd_vel_stamped: {error}')

    def _on_gait(self, message: String) -> None:
        try:
            self._commands.request_gait(message.data)
        except InputError as error:
            self.refuse(f'/gait_request: {error}')

    def _on_skill(self, message: String) -> None:
        try:
            self.get_logger().info(self._commands.request_skill(message.data))
        except QuadrupedError as error:
            self.refuse(f'/skill_request: {error}')

    def _on_skill_service(self, skill: str, _: Trigger.Request,
                          response: Trigger.Response) -> Trigger.Response:
        """Ask for a skill; the answer says what will happen, or why not."""
        try:
            response.message = self._commands.request_skill(skill)
            response.success = True
        except QuadrupedError as error:
            response.message, response.success = str(error), False
        return response

    def _on_state(self, raw: bytes) -> None:
        begin = perf_counter()
        numbers = read_numbers(raw)
        if not self._state_layout.fits(numbers):
            self.refuse('/robot_state: not of this robot, or not finite')
            return
        step, run = int(numbers[0]), float(numbers[1])
        if run == self._run and step == self._step:
            self._publisher.publish(self._message)      # the simulation asks again
            return
        if run < self._run or (run == self._run and step < self._step):
            return
        is_led = self._follower.scene.leap_planner or self.setting('leap_planner')
        led_ready = not is_led or self._link.is_ready(step, run)
        if not (self._ground.is_ready(step, run) and led_ready):
            self._held = raw
            return
        StateLayout.unpack(numbers, self._numbers)
        if run != self._run:
            self._restart(run, step)
        self._step = step
        self._commands.silence = self.setting('cmd_vel_timeout')
        recover = self._follower.scene.recover and self.setting('recover')
        self._scheduler.skills.record['recover'] = float(recover)
        changed = self._commands.apply(self._state)
        if is_led:
            self._link.update(self._state, step, run)
        self._ground.update(step, run, self._link.driver if is_led else None)
        self._scheduler.update(self._state)
        self._answer(begin)
        if changed:
            self._report_command()
        if abs(step - self._reported) >= REPORT_EVERY:
            self._report_activity(step)
        self._targets.show(step)

    def _resume(self) -> None:
        """Go on with a state that waited, if it need not wait any more."""
        if self._held is not None:
            raw, self._held = self._held, None
            self._on_state(raw)

    def _restart(self, run: float, step: int) -> None:
        """Begin with a simulation that starts, or that is already under way."""
        self._follower.follow()
        scene = self._follower.scene
        start = scene.start
        self._targets.enter(Ground.from_features(scene.terrain, scene.seed))
        self._link.reset()
        self._ground.reset()
        if self._run > 0.0:
            self._commands.reset()
        self._scheduler.reset(heading=start.yaw, gait=self.setting('gait'),
                              posture=start.posture if step == 0 else 'stand')
        if step > 0:
            self._scheduler.join(self._state)
        self._run = run
        self.get_logger().info(f'follows the simulation from step {step}')

    def _answer(self, begin: float) -> None:
        scheduler = self._scheduler
        self._layout.pack(self._step, self._run, command=scheduler.command,
                          requested=self._requests.index(scheduler.requested),
                          gait=scheduler.gait_index, clock=self._clock_numbers,
                          target=self._target, seconds=perf_counter() - begin)
        self._publisher.publish(self._message)

    def _report_command(self) -> None:
        """
        Publish the command in force.

        All that is needed to repeat it is in the command: frame_id is the gait requested,
        linear.z is 1 where the dog steps on the spot, angular.x and y are where it looks.
        """
        applied = TwistStamped()
        nanoseconds = round(self._state['time'] * 1e9)
        applied.header.stamp.sec, applied.header.stamp.nanosec = divmod(nanoseconds, 10**9)
        applied.header.frame_id = self._scheduler.requested
        twist, command = applied.twist, self._scheduler.command.tolist()
        twist.linear.x, twist.linear.y, twist.angular.z, twist.linear.z = command
        twist.angular.x, twist.angular.y = self._scheduler.clock.look.tolist()
        self._applied.publish(applied)

    def _report_activity(self, step: int) -> None:
        """Publish gait and activity when they changed."""
        self._reported = step
        gait = self._scheduler.gait
        if gait != self._gait:
            self._gait = gait
            self._gait_name.publish(String(data=gait))
        activity = self._scheduler.skills.activity
        if activity != self._activity:
            self._activity = activity
            self._skill_state.publish(String(data=activity))


def _read_twist(message: Twist) -> tuple[float, float, float]:
    """Return vx, vy, wz, or raise InputError where any number is not finite."""
    linear, angular = message.linear, message.angular
    if not np.isfinite((linear.z, angular.x, angular.y)).all():
        raise InputError('twist', '', str(message), 'finite numbers')
    return linear.x, linear.y, angular.z


def main() -> int:
    """Run the node as a process."""
    return run_nodes([GaitSchedulerNode])


if __name__ == '__main__':
    raise SystemExit(main())
