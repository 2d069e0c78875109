"""
Drives the dog by the keys of a terminal, or by a joystick (topic joy).

Nothing is published while nothing is asked for, so that others can drive too.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from contextlib import suppress

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Joy
from std_msgs.msg import String

from quadruped_control.control.gait import STAND, available_gaits
from quadruped_control.nodes import driving
from quadruped_control.nodes.process import run_node
from quadruped_control.nodes.terminal import END_OF_INPUT, Terminal

PERIOD = 0.05  # s
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
JOY_SKILLS = ('stand', 'sit', 'lie_down', 'get_up')  # of buttons 0 to 3
JOY_GAIT_DOWN, JOY_GAIT_UP, JOY_LEAP = 4, 5, 7


class TeleopNode(Node):
    """The node; keys are given to it by ``keys``, and it works in the thread that spins it."""

    def __init__(self) -> None:
        super().__init__('teleop')
        speeds = (
            float(self.declare_parameter('speed', 0.6).value),
            float(self.declare_parameter('side_speed', 0.2).value),
            float(self.declare_parameter('turn_speed', 0.6).value),
        )
        release = float(self.declare_parameter('release_time', 0.5).value)
        latch = bool(self.declare_parameter('latch', False).value)
        self.declare_parameter('keyboard', True)
        self.keys: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.gaits = driving.name_gait_keys(sorted({*available_gaits()} - {STAND}))
        self.keyboard = driving.KeyboardDrive(speeds, release_time=release, latch=latch)
        self.joystick = driving.JoystickDrive(speeds, release_time=release)
        self._asked_gait = 0
        self._was_moving = False
        self.twist, self.gait, self.note = driving.STILL, 'no dog yet', ''
        self.speed: float | None = None
        self._twists = self.create_publisher(Twist, 'cmd_vel', 10)
        self._gait_requests = self.create_publisher(String, 'gait_request', 10)
        self._skills = self.create_publisher(String, 'skill_request', 10)
        self._leaps = self.create_publisher(String, 'leap_request', 10)
        self.create_subscription(String, 'gait', self._take_gait, LATCHED)
        self.create_subscription(Odometry, 'odom', self._take_odometry, 10)
        self.create_subscription(Joy, 'joy', self._take_joy, 10)
        self.create_subscription(DiagnosticArray, 'diagnostics', self._take_diagnostics, 10)
        self.create_subscription(String, 'leap_status', self._take_leap_status, 10)
        self.create_timer(PERIOD, self._update)

    def _update(self) -> None:
        now = time.monotonic()
        while not self.keys.empty():
            self._press(self.keys.get(), now)
        twist = self.keyboard.compute_twist(now)
        self.drive(twist if twist != driving.STILL else self.joystick.compute_twist(now))

    def drive(self, twist: driving.Twist) -> None:
        """Publish a twist; standing still is published once."""
        is_moving = twist != driving.STILL
        if is_moving or self._was_moving:
            message = Twist()
            message.linear.x, message.linear.y, message.angular.z = twist
            self._twists.publish(message)
        self.twist, self._was_moving = twist, is_moving

    def _press(self, key: str, now: float) -> None:
        if self.keyboard.press(key, now):
            return
        if key in self.gaits:
            self._ask_gait(list(self.gaits).index(key))
        elif key in driving.SKILLS:
            self._ask_skill(driving.SKILLS[key])
        elif key == driving.LEAP:
            self._ask_leap()

    def _ask_gait(self, number: int) -> None:
        self._asked_gait = number % len(self.gaits)
        self._gait_requests.publish(String(data=list(self.gaits.values())[self._asked_gait]))

    def _ask_skill(self, name: str) -> None:
        self.note = f'asked for: {name}'
        self._skills.publish(String(data=name))

    def _ask_leap(self) -> None:
        self.note = 'asked for: leap'
        self._leaps.publish(String(data='leap'))

    def _take_joy(self, message: Joy) -> None:
        self.joystick.move(message.axes, time.monotonic())
        for button in self.joystick.press(message.buttons):
            if button < len(JOY_SKILLS):
                self._ask_skill(JOY_SKILLS[button])
            elif button in (JOY_GAIT_DOWN, JOY_GAIT_UP):
                self._ask_gait(self._asked_gait + (1 if button == JOY_GAIT_UP else -1))
            elif button == JOY_LEAP:
                self._ask_leap()

    def _take_gait(self, message: String) -> None:
        self.gait = message.data

    def _take_odometry(self, message: Odometry) -> None:
        self.speed = message.twist.twist.linear.x

    def _take_leap_status(self, message: String) -> None:
        self.note = message.data

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if int.from_bytes(status.level, 'little') > 0:
                self.note = f'{status.name}: {status.message}'

    def describe_keys(self) -> str:
        """Say which key does what."""
        gaits = '  '.join(f'{key} {name}' for key, name in self.gaits.items())
        skills = '  '.join(f'{key} {name}' for key, name in driving.SKILLS.items())
        release = 'until space' if self.keyboard.latch else 'while held'
        return (
            f'drive   W S or arrows  forward, back   A D or arrows  turn   Q E  sideways   '
            f'({release})\n'
            '        space  stop   + -  faster, slower   Ctrl-C  end\n'
            f'gait    {gaits}\n'
            f'skill   {skills}  {driving.LEAP} leap\n'
        )

    def describe_state(self) -> str:
        """Say in a line what is asked for and what the dog does."""
        forward, left, turn = self.twist
        speed = '  -  ' if self.speed is None else f'{self.speed:5.2f}'
        return (
            f'gait {self.gait:<9} asked {forward:5.2f} m/s {left:5.2f} {turn:5.2f} rad/s  '
            f'moves {speed} m/s  scale {self.keyboard.scale:.1f}  {self.note}'
        )


def main() -> int:
    """Drive by the keyboard where there is a terminal, else by a joystick alone."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return run_node(TeleopNode)
    # the dog is stopped at the end, so the context must outlive the signal
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = TeleopNode()
    if not node.get_parameter('keyboard').value:
        node.destroy_node()
        rclpy.shutdown()
        return run_node(TeleopNode)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    thread = threading.Thread(target=_spin, args=(node,), daemon=True)
    thread.start()
    try:
        _read_keys(node, ended)
    finally:
        node.drive(driving.STILL)
        rclpy.shutdown()
        thread.join(2.0)
        node.destroy_node()
    return 0


def _spin(node: Node) -> None:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    with suppress(ExternalShutdownException):
        executor.spin()


def _read_keys(node: TeleopNode, ended: threading.Event) -> None:
    """Hand keys to the node and show its state in place, until Ctrl-C or Ctrl-D."""
    with Terminal(sys.stdin.fileno()) as terminal:
        print(node.describe_keys(), flush=True)
        while not ended.is_set() and rclpy.ok():
            for key in terminal.read_keys(PERIOD):
                if key == END_OF_INPUT:
                    ended.set()
                node.keys.put(key)
            _show(node.describe_state())
        print(flush=True)


def _show(line: str) -> None:
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
        sys.stdout.write('\r\033[K' + line[: width - 1])
        sys.stdout.flush()
    except OSError:  # the terminal is gone; reading from it tells, too
        pass


if __name__ == '__main__':
    raise SystemExit(main())
