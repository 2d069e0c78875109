"""Node: joint torques and pushes in, the robot's state at 1 kHz out."""

from __future__ import annotations

import json
from enum import Enum
from math import inf
from pathlib import Path
from time import monotonic, perf_counter, time_ns

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from numpy.typing import NDArray
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.nodes.common_settings import SCENE, SceneFollower
from quadruped_control.nodes.graph_node import (
    ERROR,
    OK,
    WARN,
    WRONG_USE,
    GraphNode,
    Setting,
    run_nodes,
)
from quadruped_control.nodes.hop_times import HopTimes
from quadruped_control.nodes.layout import StateLayout, TorqueLayout, as_numbers, read_numbers
from quadruped_control.nodes.pace import Pace
from quadruped_control.nodes.qos import CLOCK, IN_TURN, NEWEST, RELIABLE, STREAM
from quadruped_control.nodes.simulation_topics import SimulationTopics
from quadruped_control.rollout.echo import new_echo
from quadruped_control.rollout.recording_file import save_recording
from quadruped_control.rollout.sanity import describe_insanity
from quadruped_control.rollout.world_half import WorldHalf
from quadruped_control.scenario import Push
from quadruped_control.simulation.world import TIME_STEP

Array = NDArray[np.float64]
NAME = 'simulation'
LISTEN = 0.6                    # s in which another simulation would be heard
LOOK = 0.05                     # s between looks at who is silent
ASK_AGAIN = 0.2                 # s after which a state is sent once more
PACER = 1e-3                    # s
MOST_AT_ONCE = 20               # steps that are made up for at once
OLDEST = 10                     # steps: torques for a state before these are not used any more
SANE_EVERY = 5                  # steps
REPORT = 'graph'                # key in the metrics' file: how the graph ran
SETTINGS = {
    **SCENE,
    'real_time_factor': Setting(1.0, 'in lock-step, simulated s per wall s; 0: as fast as it goes',
                                0.0, 100.0),
    'rate': Setting(1000.0, 'free-running: steps (1 ms each) per wall s', 1.0, 10000.0),
    'torque_timeout': Setting(5.0, 'wall s without torques after which the joints are only damped',
                              0.05, 60.0),
    'push_duration': Setting(0.1, 's that a push on /push lasts', 0.001, 5.0),
    'start_paused': Setting(False, 'wait for /simulation/pause with false', fixed=True),
    'metrics_file': Setting('', 'JSON to write at the end; empty: none', fixed=True),
    'recording_file': Setting('', 'NumPy archive of all steps to write at the end; empty: none',
                              fixed=True),
}


class Mode(Enum):
    """What makes the simulation step."""

    LISTENING = 'listens whether another simulation is there'
    LOCK_STEP = 'works in lock-step'
    FREE = 'works free-running'
    DAMPED = 'has no torques: joints are damped'
    STOPPED = 'was stopped'
    ENDED = 'is at its end'


class SimulationNode(GraphNode):
    """The world: publishes a state, gets torques for it, steps."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        self._mode = Mode.LISTENING
        self._birth = time_ns() // 1000
        self._rival = self.create_subscription(Clock, '/clock', self._on_rival, CLOCK)
        self._follower = SceneFollower(self)
        endless = not self.setting('scenario') and not self.setting('duration')
        duration = self._follower.scene.duration
        self._end: float = inf if endless else round(duration / TIME_STEP)
        files = self.setting('metrics_file'), self.setting('recording_file')
        if endless and any(files):
            raise InputError(NAME, 'duration', 0.0, 'a duration, for the files at its end')
        self._kept = int(self._end) if any(files) or self.setting('scenario') else 0
        self._make_world()
        self._links = np.array(self._half.robot.movable)
        self._layout = StateLayout(len(self._half.robot.links))
        self._torque_layout = TorqueLayout(len(self._links))
        self._message = self._layout.bind(Float64MultiArray())
        self._lock_step = bool(self.setting('lock_step'))
        self._paused = bool(self.setting('start_paused'))
        self._pace = Pace(0.0)
        self._hops = HopTimes()
        self._late = self._stale = self._losses = self._limp = 0
        self._insane = ''               # why it was stopped
        self._forget()
        self._publisher = self.create_publisher(Float64MultiArray, '/robot_state', STREAM)
        self._topics = SimulationTopics(self, self._half)
        self._topics.follow(self._half, self._run)
        if not self._topics.has_transforms:
            self.get_logger().warning('tf is off: tf2_msgs is not installed')
        heard = IN_TURN if self._lock_step else NEWEST
        self.create_subscription(Float64MultiArray, '/joint_torques', self._on_torques, heard,
                                 raw=True)
        self.create_subscription(WrenchStamped, '/push', self._on_push, RELIABLE)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, RELIABLE)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(SetBool, '~/pause', self._on_pause)
        self._pacer = self.every(PACER, self._on_pacer)
        self._pacer.cancel()
        self._listener = self.every(LISTEN, self._begin)
        self.every(LOOK, self._look)

    # ---- beginning and ending ----

    def _make_world(self) -> None:
        self._half = WorldHalf(self._follower.scene, steps=self._kept)
        self._half.damp()
        self._half.act()                                # where the code may have to be compiled
        self._half.reset()
        self._numbers = as_numbers(self._half.state)
        self._echo = as_numbers(self._half.echo)

    def _on_rival(self, _: Clock) -> None:
        if self._mode is Mode.LISTENING:
            self._mode = Mode.ENDED
            self.end(WRONG_USE, 'another simulation (or another /clock) runs in this ROS domain; '
                                'end it, or choose another ROS_DOMAIN_ID')

    def _begin(self) -> None:
        self._listener.cancel()
        if self._mode is not Mode.LISTENING:
            return
        self.destroy_subscription(self._rival)
        self._topics.publish_terrain()
        self.get_logger().info(f'{self._half.scenario.name}: waits for torques')
        self._choose_mode()

    def _forget(self) -> None:
        """Begin a run: nobody has controlled it yet."""
        self._run = float(time_ns() // 1000)
        self._echo[:] = as_numbers(new_echo())
        self._newest = -1                               # step of the newest torques, free-running
        self._controlled = False
        self._heard = self._published = monotonic()

    def _choose_mode(self) -> None:
        """Go on from the state as it is, in the mode that the parameters ask for."""
        self._mode = Mode.LOCK_STEP if self._lock_step else Mode.FREE
        if self._lock_step:
            self._pacer.cancel()
            self._pace = Pace(self.setting('real_time_factor') / TIME_STEP)
            self._hops.reset()
        else:
            self._start_pacer(self.setting('rate'))
        self._publish_state()

    def _start_pacer(self, rate: float) -> None:
        self._pace = Pace(rate)
        self._pacer.reset()

    def _follow_factor(self) -> None:
        """Go faster or slower when the real-time factor or the rate was changed."""
        rate = self.setting('real_time_factor') / TIME_STEP
        if self._mode is Mode.LOCK_STEP and rate != self._pace.rate:
            self._pace = Pace(rate)
            self._hops.reset()
        elif self._mode is Mode.FREE and self.setting('rate') != self._pace.rate:
            self._start_pacer(self.setting('rate'))

    def _finish(self) -> None:
        """Write what was asked for and end."""
        self._mode = Mode.ENDED
        self._pacer.cancel()
        report = self._hops.summarise(TIME_STEP)
        if len(self._half.recording):
            self._write(report)
        self.get_logger().info(f'ended after {self._half.time:g} s of simulated time, '
                               f'{report["real_time_factor"]:.2f} times real time')
        self.end()

    def _write(self, report: dict[str, object]) -> None:
        factor = report['real_time_factor']
        assert isinstance(factor, float)
        metrics = self._half.compute_metrics(factor)
        self.get_logger().info(f'fell: {metrics["fell"]}, hash {metrics["state_hash"]}')
        counts = {'late_torques': self._late, 'damped_steps': self._limp,
                  'losses_of_control': self._losses, 'refused': self.refused,
                  'terrain': self._half.scenario.name}
        path = self.setting('metrics_file')
        if path:
            data = {'scenario': self.setting('scenario'), **metrics, REPORT: {**report, **counts}}
            Path(path).write_text(json.dumps(data, indent=1) + '\n', encoding='utf-8')
        path = self.setting('recording_file')
        if path:
            save_recording(Path(path), self._half.recording)

    def close(self) -> None:
        """Free the engine."""
        self._half.world.close()

    # ---- stepping ----

    def _publish_state(self) -> None:
        self._layout.pack(self._half.step, self._run, self._numbers)
        self._publisher.publish(self._message)
        self._published = monotonic()

    def _on_torques(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._torque_layout.fits(numbers):
            length, wanted = len(numbers), self._torque_layout.size
            self.refuse(f'/joint_torques: {length} numbers, of which {wanted} finite ones are '
                        'needed')
            return
        step = int(numbers[0])
        if numbers[1] != self._run:
            self._on_foreign_torques(float(numbers[1]))
        elif self._paused:
            return
        elif self._mode is Mode.LOCK_STEP:
            if step == self._half.step:
                self._step_with(numbers)
        elif self._mode is Mode.FREE:
            self._take_newest(step, numbers)
        elif self._mode is Mode.DAMPED and self._half.step - step < 1.0 / TIME_STEP:
            self.get_logger().info('torques come again: under control')
            self._heard = monotonic()
            self._choose_mode()

    def _on_foreign_torques(self, run: float) -> None:
        """
        End if they are for a simulation that was there before; lead on if for a later one.

        A second one, started by mistake, may begin before it hears of the first. It ends then,
        but nodes that follow a newer run do not come back to an older one by themselves.
        """
        self._stale += 1
        if run < self._birth:
            self._end_as_second()
        elif run > self._run and self._mode not in (Mode.LISTENING, Mode.ENDED):
            self.get_logger().warning('another simulation led the nodes away: calling them back')
            self._run = max(float(time_ns() // 1000), run + 1.0)
            self._topics.follow(self._half, self._run)
            self._topics.publish_map()
            self._publish_state()

    def _end_as_second(self) -> None:
        if self._mode is Mode.ENDED:
            return
        self._mode = Mode.ENDED
        self.end(WRONG_USE, 'another simulation began before this one in this ROS domain; '
                            'end it, or choose another ROS_DOMAIN_ID')

    def _step_with(self, numbers: Array) -> None:
        """Step with the torques of this very state."""
        layout, hops = self._torque_layout, self._hops
        hops.note_arrived(float(numbers[layout.SCHEDULER_SECONDS]),
                          float(numbers[layout.CONTROLLER_SECONDS]))
        self._take(numbers)
        if self._advance():
            waiting = perf_counter()
            self._pace.wait()
            waiting = perf_counter() - waiting
            self._publish_state()
            hops.note_published(waiting)
            self._topics.publish()

    def _take_newest(self, step: int, numbers: Array) -> None:
        self._late += step < self._half.step
        if step >= self._newest:
            if not self._controlled:
                self._pace.restart()
            self._newest = step
            self._take(numbers)

    def _take(self, numbers: Array) -> None:
        self._half.torques[self._links] = numbers[TorqueLayout.TORQUES]
        self._echo[:] = numbers[TorqueLayout.ECHO]   # a message's own numbers are read-only
        self._controlled, self._heard = True, monotonic()

    def _advance(self) -> bool:
        """Step once; say whether there is more to do."""
        self._half.act()
        self._hops.count()
        if self._half.step >= self._end:
            self._finish()
            return False
        return True

    def _on_pacer(self) -> None:
        """Make the steps that are due by the wall clock."""
        if self._paused or not self._controlled or self._mode not in (Mode.FREE, Mode.DAMPED):
            return
        for _ in range(self._pace.count_due(MOST_AT_ONCE)):
            if self._mode is Mode.DAMPED or self._half.step - self._newest > OLDEST:
                self._half.damp()
                self._limp += self._mode is Mode.FREE
            if not self._advance() or not self._is_sane():
                return
            self._publish_state()
            self._topics.publish()

    def _is_sane(self) -> bool:
        """Stop where the state is beyond all reason; say whether to go on."""
        if self._half.step % SANE_EVERY:
            return True
        self._insane = describe_insanity(
            self._half.state,
            lambda x, y: float(self._half.ground.height(np.array([x]), np.array([y]))[0]))
        if self._insane:
            self._mode = Mode.STOPPED
            self._pacer.cancel()
            words = (f'stopped, as {self._insane}: torques came too late; call ~/reset, and work '
                     'in lock-step (rate:=0) or with a lower rate on this machine')
            if self._end < inf:
                self._write(self._hops.summarise(TIME_STEP))
                self.end(1, words)
            else:
                self.get_logger().error(words)
        return not self._insane

    def _look(self) -> None:
        """See who is silent: ask again, and go on without torques when none come."""
        if self._mode in (Mode.LISTENING, Mode.ENDED, Mode.STOPPED):
            return
        self._follow_factor()
        now = monotonic()
        if now - self._published > ASK_AGAIN:
            self._publish_state()
            if self._paused:
                self._topics.publish(again=True)        # for those who begin to look now
            else:
                self._topics.publish_clock()
        silent = now - self._heard > self.setting('torque_timeout')
        if self._paused or not self._controlled or not silent or self._mode is Mode.DAMPED:
            return
        self._mode = Mode.DAMPED
        self._losses += 1
        self._echo[:] = as_numbers(new_echo(float(self._half.echo['heading'])))
        self.get_logger().error('no torques come: going on with damped joints')
        self._start_pacer(1.0 / TIME_STEP)

    # ---- requests ----

    def _on_push(self, message: WrenchStamped) -> None:
        """Push the front or the rear leg frame; x forward and y left of where the dog heads."""
        frame, force = message.header.frame_id, message.wrench.force
        robot = self._half.robot
        names = {robot.links[link].name: at for link, at in zip(
            robot.anatomy['leg_frame'], ('front', 'rear'), strict=True)}
        try:
            self._half.push(validate({
                't': min(self._half.time, 3600.0), 'at': names.get(frame, frame),
                'force': [force.x, force.y, force.z], 'duration': self.setting('push_duration'),
            }, Push, '/push'))
        except InputError as error:
            self.refuse(str(error))

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._mode in (Mode.LISTENING, Mode.ENDED):
            response.success, response.message = False, f'the simulation {self._mode.value}'
            return response
        if self._follower.follow():
            self._half.world.close()
            self._make_world()
        else:
            self._half.reset()
        self._forget()
        self._topics.follow(self._half, self._run)
        self._topics.publish_terrain()
        self._choose_mode()
        response.success, response.message = True, 'back at the start'
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._paused = request.data
        self._heard = monotonic()
        self._pace.restart()
        if self._mode not in (Mode.LISTENING, Mode.ENDED):
            self._publish_state()
        response.success = True
        response.message = 'paused' if request.data else 'goes on'
        return response

    # ---- diagnostics ----

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell the mode, the speed and what went wrong."""
        summary = self._hops.summarise(TIME_STEP)
        values: dict[str, object] = {
            'born': self._birth, 'robot': self._half.robot.name,
            'terrain': self._half.scenario.name,
            'step': self._half.step, 'mode': self._mode.name.lower(),
            'real time factor': f'{summary["real_time_factor"]:.3f}',
            'late torques': self._late, 'torques of another run': self._stale,
            'losses of control': self._losses, 'steps given up': self._pace.given_up,
            'damped steps': self._limp}
        if self._mode is Mode.STOPPED:
            return ERROR, f'stopped: {self._insane}', values
        if self._mode is Mode.DAMPED:
            return ERROR, self._mode.value, values
        if self._paused:
            return WARN, 'is paused', values
        if not self._controlled:
            return WARN, 'waits for the first torques', values
        return OK, self._mode.value, values

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        """End if another simulation began before this one; both may have started at once."""
        for status in message.status:
            if not status.name.startswith(f'{NAME}:'):
                continue
            born = next((value.value for value in status.values if value.key == 'born'), '')
            if born.isdigit() and int(born) < self._birth:
                self._end_as_second()


def main() -> int:
    """Run the node as a process."""
    return run_nodes([SimulationNode])


if __name__ == '__main__':
    raise SystemExit(main())
