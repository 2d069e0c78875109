"""
Gives the commands of a recording to a simulation that is set back to its start.

What the gait scheduler applied (/cmd_vel_applied) is published on /cmd_vel_stamped: each command
holds from its simulated time on, so that in lock-step the same graph repeats the run bit for bit.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rosbags.highlevel import AnyReader, AnyReaderError
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.nodes.graph_node import STAMPED
from quadruped_control.nodes.qos import CLOCK, LOG, RELIABLE

NAME = 'replay'
APPLIED = '/cmd_vel_applied'
AHEAD = 500  # commands that the gait scheduler is given before their time, half of its queue
CALL_AGAIN = 3.0  # s
PATIENCE = 180.0  # s for a simulation to come up (it may have to compile), or to answer


class TimedCommand(NamedTuple):
    """A command as it was recorded: simulated time in s, and the bytes of a TwistStamped."""

    time: float
    data: bytes


def read_commands(path: Path) -> list[TimedCommand]:
    """Return the commands of a recording in the order of their times, or raise InputError."""
    accepted = f'a recording (rosbag2) with {APPLIED}, as `./quadruped up --record` writes it'
    try:
        with AnyReader([path]) as reader:
            wanted = [connection for connection in reader.connections
                      if connection.topic == APPLIED]  # fmt: skip
            commands = []
            for connection, _, data in reader.messages(wanted) if wanted else ():
                message: Any = reader.deserialize(data, connection.msgtype)
                stamp = message.header.stamp
                commands.append(TimedCommand(stamp.sec + 1e-9 * stamp.nanosec, bytes(data)))
    except (AnyReaderError, OSError) as error:
        raise InputError(path, '', str(error), accepted) from None
    if not commands:
        raise InputError(path, '', 'without any command', accepted)
    return sorted(commands, key=lambda command: command.time)


class ReplayNode(Node):
    """The commands, and how far the simulation has come."""

    def __init__(self, commands: list[TimedCommand]) -> None:
        from geometry_msgs.msg import TwistStamped

        super().__init__(NAME)
        self._all, self.waiting = commands, list(commands)
        self._arrived = 0
        self.now = 0.0
        self.gait_step: float | None = None
        self._publisher = self.create_publisher(TwistStamped, '/cmd_vel_stamped', LOG)
        self._pause: Any = self.create_client(SetBool, '/simulation/pause')
        self._reset: Any = self.create_client(Trigger, '/simulation/reset')
        self._gaits = self.create_subscription(
            Float64MultiArray, '/gait_state', self._take_gait, RELIABLE
        )
        self.create_subscription(DiagnosticArray, '/diagnostics', self._take_status, RELIABLE)
        self._spinner = SingleThreadedExecutor()
        self._spinner.add_node(self)

    def run(self) -> None:
        """Set the simulation back, let it go, and keep ahead of it until all is given."""
        self._wait(self._pause.service_is_ready, 'no simulation runs: ./quadruped up')
        self._wait(self._publisher.get_subscription_count, 'no gait scheduler runs')
        self._wait(lambda: self.gait_step is not None, 'the gait scheduler says nothing')
        self._call(self._pause, SetBool.Request(data=True))
        self._call(self._reset, Trigger.Request())
        self.gait_step = None
        self._wait(lambda: self.gait_step == 0.0, 'the gait scheduler does not follow a reset')
        self.destroy_subscription(self._gaits)
        self._arrived = 0
        self._give()
        given = len(self._all) - len(self.waiting)
        self._wait(lambda: self._arrived == given, 'the gait scheduler does not take commands')
        self.create_subscription(Clock, '/clock', self._take_clock, CLOCK)
        self._call(self._pause, SetBool.Request(data=False))
        while self._arrived < len(self._all):
            if not self._publisher.get_subscription_count():
                raise QuadrupedError(f'the gait scheduler ended after {self._arrived} of '
                                     f'{len(self._all)} commands')
            self._spinner.spin_once(timeout_sec=0.1)

    def _give(self) -> None:
        given = self._all[:len(self._all) - len(self.waiting)]
        ahead = len(given) - bisect_right(given, self.now, key=lambda command: command.time)
        count = max(AHEAD - ahead, 0)
        due, self.waiting = self.waiting[:count], self.waiting[count:]
        for command in due:
            self._publisher.publish(command.data)
        self._publisher.wait_for_all_acked()

    def _take_clock(self, message: Clock) -> None:
        self.now = message.clock.sec + 1e-9 * message.clock.nanosec
        self._give()

    def _take_gait(self, message: Float64MultiArray) -> None:
        self.gait_step = message.data[0]

    def _take_status(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.startswith('gait_scheduler'):
                counts = [value.value for value in status.values if value.key == STAMPED]
                self._arrived = int(counts[0]) if counts else 0

    def _call(self, client: Any, request: Any) -> None:
        """Call a service, and again where no answer comes: it can be lost on a new graph."""
        end, answer = monotonic() + PATIENCE, client.call_async(request)
        while not answer.done():
            self._spinner.spin_until_future_complete(answer, timeout_sec=CALL_AGAIN)
            if answer.done():
                break
            if monotonic() > end:
                raise QuadrupedError(f'{client.srv_name} does not answer')
            answer = client.call_async(request)
        if not answer.result().success:
            raise QuadrupedError(f'{client.srv_name}: {answer.result().message}')

    def _wait(self, condition: Callable[[], object], complaint: str) -> None:
        end = monotonic() + PATIENCE
        while not condition():
            if monotonic() > end:
                raise QuadrupedError(complaint)
            self._spinner.spin_once(timeout_sec=0.05)


def replay(path: Path) -> int:
    """Give the commands of a recording to the simulation; return how many there were."""
    commands = read_commands(path)
    rclpy.init(args=sys.argv[:1])
    try:
        ReplayNode(commands).run()
    except ExternalShutdownException:
        raise KeyboardInterrupt from None
    finally:
        rclpy.try_shutdown()
    return len(commands)
