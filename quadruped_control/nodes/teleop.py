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
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Joy
from std_msgs.msg import String

from quadruped_control.control.drive_limits import find_drive_limits
from quadruped_control.control.gait import available_gaits
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.errors import QuadrupedError
from quadruped_control.leaps.scouting import PLAIN
from quadruped_control.model.robot_files import DEFAULT_ROBOT, refuse_unknown_robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes import driving
from quadruped_control.nodes.graph_node import WRONG_USE, GraphNode, Setting, run_nodes
from quadruped_control.nodes.qos import LATCHED, RELIABLE
from quadruped_control.nodes.terminal import END_OF_INPUT, Terminal

NAME = 'teleop'
PERIOD = 0.05  # s
ENDS_WITHIN = 1.0  # s
SETTINGS = {
    'robot': Setting('', 'robot of config/robots whose keys are offered; empty: the one that runs',
                     fixed=True),
    'speed': Setting(0.0, "m/s forward at scale 1; 0: by the robot's size", 0.0, 20.0, fixed=True),
    'side_speed': Setting(0.0, 'm/s sideways at scale 1, likewise', 0.0, 5.0, fixed=True),
    'turn_speed': Setting(0.0, 'rad/s at scale 1, likewise', 0.0, 5.0, fixed=True),
    'release_time': Setting(0.5, 's without a key, or word of the joystick, after which it is '
                                 'taken as released', 0.1, 5.0, fixed=True),
    'latch': Setting(False, 'go on until space is pressed', fixed=True),
}
JOY_GAIT_DOWN, JOY_GAIT_UP = 4, 5


class TeleopNode(GraphNode):
    """The node; keys are given to it by ``keys``, and it works in the thread that spins it."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        release = self.setting('release_time')
        self.keys: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.keyboard = driving.KeyboardDrive(
            driving.STILL, release_time=release, latch=self.setting('latch')
        )
        self.joystick = driving.JoystickDrive(driving.STILL, release_time=release)
        if self.setting('robot'):
            refuse_unknown_robot(NAME, 'robot', self.setting('robot'))
        self._adopt(self.setting('robot') or DEFAULT_ROBOT)
        self._was_moving = False
        self._refusals: dict[str, str] = {}
        self.twist, self.gait, self.note = driving.STILL, 'no dog yet', ''
        self.skill, self.ahead = 'stand', ''
        self.speed: float | None = None
        self._twists = self.create_publisher(Twist, '/cmd_vel', RELIABLE)
        self._gait_requests = self.create_publisher(String, '/gait_request', RELIABLE)
        self._skills = self.create_publisher(String, '/skill_request', RELIABLE)
        self._leaps = self.create_publisher(String, '/leap_request', RELIABLE)
        self.create_subscription(String, '/robot', self._take_robot, LATCHED)
        self.create_subscription(String, '/gait', self._take_gait, LATCHED)
        self.create_subscription(String, '/skill_state', self._take_skill, LATCHED)
        self.create_subscription(Odometry, '/odom', self._take_odometry, RELIABLE)
        self.create_subscription(Joy, '/joy', self._take_joy, RELIABLE)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._take_refusals, RELIABLE)
        self.create_subscription(String, '/leap_status', self._take_leap_status, RELIABLE)
        self.create_subscription(String, '/ground_ahead', self._take_ground_ahead, LATCHED)
        self.every(PERIOD, self._update)

    def _adopt(self, robot: str) -> None:
        """Offer the gaits, skills and speeds of a robot."""
        self.robot, limits = robot, find_drive_limits(load_robot(robot))
        self.gaits = driving.name_gait_keys(sorted(available_gaits(robot)))
        offered = load_book(robot).skills
        self.skills = {skill.key: skill for skill in offered if skill.key is not None}
        self.buttons = {skill.button: skill.name for skill in offered
                        if skill.button is not None}
        forward, left, turn = (
            self.setting(name) or easy for name, easy in
            zip(('speed', 'side_speed', 'turn_speed'), limits.easy, strict=True))
        self.keyboard.speeds = self.joystick.speeds = forward, left, turn
        self.keyboard.limits = (max(limits.forward, forward), max(limits.side, left),
                                max(limits.turn, turn))
        self._asked_gait = 0

    def _take_robot(self, message: String) -> None:
        if self.setting('robot') or message.data == self.robot:
            return
        try:
            self._adopt(message.data)
        except QuadrupedError as error:
            self.note = f'keys of {self.robot}: {error}'

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

    def stop(self) -> None:
        """Stop the dog, and see that all who listen know it."""
        self.drive(driving.STILL)
        self._twists.wait_for_all_acked(Duration(seconds=ENDS_WITHIN))

    def _press(self, key: str, now: float) -> None:
        if self.keyboard.press(key, now):
            return
        if key in self.gaits:
            self._ask_gait(list(self.gaits).index(key))
        elif key in self.skills:
            self._ask_skill(self.skills[key].name)

    def _ask_gait(self, number: int) -> None:
        self._asked_gait = number % len(self.gaits)
        self._gait_requests.publish(String(data=list(self.gaits.values())[self._asked_gait]))

    def _ask_skill(self, name: str) -> None:
        self.note = f'asked for: {name}'
        asked = self._leaps if name == LEAP else self._skills       # the planner chooses a leap
        asked.publish(String(data=name))

    def _take_joy(self, message: Joy) -> None:
        self.joystick.move(message.axes, time.monotonic())
        for button in self.joystick.press(message.buttons):
            if button in self.buttons:
                self._ask_skill(self.buttons[button])
            elif button in (JOY_GAIT_DOWN, JOY_GAIT_UP):
                self._ask_gait(self._asked_gait + (1 if button == JOY_GAIT_UP else -1))

    def _take_skill(self, message: String) -> None:
        self.skill = message.data

    def _take_gait(self, message: String) -> None:
        self.gait = message.data

    def _take_odometry(self, message: Odometry) -> None:
        self.speed = message.twist.twist.linear.x

    def _take_leap_status(self, message: String) -> None:
        if self.note.startswith('asked for: leap'):
            self.note = message.data

    def _take_ground_ahead(self, message: String) -> None:
        self.ahead = '' if message.data == PLAIN else f'{message.data}  '

    def _take_refusals(self, message: DiagnosticArray) -> None:
        """Show what a node refused since its last word."""
        for status in message.status:
            values = {pair.key: pair.value for pair in status.values}
            count = values.get('refused', '0')
            if count != self._refusals.get(status.name, count):
                self.note = values.get('last refusal', '')
            self._refusals[status.name] = count

    def describe_keys(self) -> str:
        """Say which key does what."""
        gaits = '  '.join(f'{key} {name}' for key, name in self.gaits.items())
        skills = '  '.join(f'{key} {skill.label}' for key, skill in self.skills.items())
        release = 'until space' if self.keyboard.latch else 'while held'
        return (
            f'robot   {self.robot}\n'
            f'drive   W S or arrows  forward, back   A D or arrows  turn   Q E  sideways   '
            f'({release})\n'
            '        space  stop   + -  faster, slower   Ctrl-C  end\n'
            f'gait    {gaits}\n'
            f'skill   {skills}\n'
        )

    def describe_state(self) -> str:
        """Say in a line what is asked for and what the dog does."""
        forward, left, turn = self.twist
        speed = '  -  ' if self.speed is None else f'{self.speed:5.2f}'
        doing = self.gait if self.skill == 'stand' else self.skill
        return (
            f'gait {doing:<9} asked {forward:5.2f} m/s {left:5.2f} {turn:5.2f} rad/s  '
            f'moves {speed} m/s  scale {self.keyboard.scale:.1f}  {self.ahead}{self.note}'
        )


def main() -> int:
    """Drive by the keyboard where there is a terminal, else by a joystick alone."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return run_nodes([TeleopNode])
    # the dog is stopped at the end, so the context must outlive the signal
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    try:
        node = TeleopNode()
    except QuadrupedError as error:
        print(f'quadruped: {error}', file=sys.stderr)
        rclpy.shutdown()
        return WRONG_USE
    thread = threading.Thread(target=_spin, args=(node, ended), daemon=True)
    thread.start()
    try:
        _read_keys(node, ended)
    finally:
        ended.set()
        thread.join()                       # or a twist of the timer could follow the last word
        node.stop()
        rclpy.shutdown()
    return 0


def _spin(node: Node, ended: threading.Event) -> None:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    with suppress(ExternalShutdownException):
        while not ended.is_set():
            executor.spin_once(timeout_sec=PERIOD)


def _read_keys(node: TeleopNode, ended: threading.Event) -> None:
    """Hand keys to the node and show its state in place, until Ctrl-C or Ctrl-D."""
    with Terminal(sys.stdin.fileno()) as terminal:
        shown = ''
        while not ended.is_set() and rclpy.ok():
            if node.robot != shown:
                shown = node.robot
                print('\r\033[K' + node.describe_keys(), flush=True)
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
