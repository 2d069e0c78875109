"""Driving by keys in a real (pseudo) terminal and by a joystick."""

from __future__ import annotations

import fcntl
import itertools
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ros_client import Client
from ros_processes import choose_domain, make_environment, node_program, running

pytest.importorskip('rclpy', reason='rclpy is not installed')

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import String

from quadruped_control.control.gait import STAND, available_gaits
from quadruped_control.nodes.driving import STILL, JoystickDrive, KeyboardDrive, name_gait_keys
from quadruped_control.nodes.terminal import decode

SPEEDS = (1.0, 0.5, 0.8)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


# What keys mean


def test_key_drives_until_it_is_released() -> None:
    drive = KeyboardDrive(SPEEDS, release_time=0.5)
    drive.press('w', 10.0)
    assert drive.compute_twist(10.49) == (1.0, 0.0, 0.0)
    drive.press('w', 10.49)
    assert drive.compute_twist(10.9) == (1.0, 0.0, 0.0)
    assert drive.compute_twist(11.0) == STILL


@pytest.mark.parametrize(
    ('keys', 'twist'),
    [
        (('up', 'w'), (1.0, 0.0, 0.0)), (('down', 's'), (-1.0, 0.0, 0.0)),
        (('left', 'a'), (0.0, 0.0, 0.8)), (('right', 'd'), (0.0, 0.0, -0.8)),
        (('q',), (0.0, 0.5, 0.0)), (('e',), (0.0, -0.5, 0.0)),
    ],
)  # fmt: skip
def test_directions_are_those_of_rep_103(keys: tuple[str, ...], twist: object) -> None:
    for key in keys:
        drive = KeyboardDrive(SPEEDS)
        assert drive.press(key, 0.0)
        assert drive.compute_twist(0.1) == twist


def test_turning_keeps_the_speed_but_speed_does_not_keep_the_turn() -> None:
    drive = KeyboardDrive(SPEEDS, release_time=0.5)
    drive.press('w', 0.0)
    for tenth in range(2, 10):
        drive.press('a', 0.1 * tenth)
    assert drive.compute_twist(1.0) == (1.0, 0.0, 0.8)
    for tenth in range(10, 16):
        drive.press('w', 0.1 * tenth)
    assert drive.compute_twist(1.6) == (1.0, 0.0, 0.0)


def test_a_speed_let_go_does_not_come_back_by_turning() -> None:
    drive = KeyboardDrive(SPEEDS, release_time=0.5)
    drive.press('w', 0.0)
    drive.press('a', 3.0)
    assert drive.compute_twist(3.1) == (0.0, 0.0, 0.8)


def test_latched_key_drives_until_space() -> None:
    drive = KeyboardDrive(SPEEDS, latch=True)
    drive.press('w', 0.0)
    assert drive.compute_twist(100.0) == (1.0, 0.0, 0.0)
    drive.press('+', 101.0)
    assert drive.compute_twist(102.0) == pytest.approx((1.1, 0.0, 0.0))
    drive.press(' ', 103.0)
    assert drive.compute_twist(103.0) == STILL


def test_scale_has_limits() -> None:
    drive = KeyboardDrive(SPEEDS)
    for _ in range(100):
        drive.press('-', 0.0)
    assert drive.scale == 0.2
    for _ in range(100):
        drive.press('+', 0.0)
    assert drive.scale == 3.0


def test_numbers_are_gaits() -> None:
    assert name_gait_keys(['pace', 'trot']) == {'0': 'auto', '1': 'pace', '2': 'trot'}


def test_keys_of_a_terminal_are_decoded() -> None:
    assert decode('W\x1b[A\x1bOD1') == (['w', 'up', 'left', '1'], '')
    assert decode('\x1b[1;5Cx') == (['right', 'x'], '')
    assert decode('a\x1b[') == (['a'], '\x1b[')
    assert decode('\x1b[15~b') == (['b'], '')


def test_joystick_has_a_dead_zone_and_is_released_by_silence() -> None:
    drive = JoystickDrive(SPEEDS)
    drive.move((0.05, 1.0, 0.0, -0.5), 0.0)
    assert drive.compute_twist(0.1) == (1.0, 0.0, -0.4)
    assert drive.compute_twist(0.6) == STILL
    drive.move((7.0,), 1.0)
    assert drive.compute_twist(1.0) == (0.0, 0.5, 0.0)
    assert drive.press((0, 1)) == [1]
    assert drive.press((0, 1)) == []
    assert drive.press((1, 0)) == [0]


# The node


class Keyboard:
    """./quadruped teleop in a pseudo-terminal."""

    def __init__(self, domain: int, *options: str) -> None:
        self.file, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 160, 0, 0))
        self.before = termios.tcgetattr(terminal)
        command = [sys.executable, '-m', 'quadruped_control.command_line', 'teleop', *options]
        self.process = subprocess.Popen(
            command, env=make_environment(domain), start_new_session=True,
            stdin=terminal, stdout=terminal, stderr=terminal,
        )  # fmt: skip
        self.terminal = terminal
        self.text = ''
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                self.text += os.read(self.file, 4096).decode('utf-8', 'replace')
            except OSError:
                return

    def press(self, keys: str) -> None:
        os.write(self.file, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)
        os.close(self.file)


@pytest.fixture(name='client')
def _client() -> Iterator[Client]:
    client = Client(choose_domain())
    yield client
    client.close()


@pytest.fixture(name='keyboard')
def _keyboard(request: pytest.FixtureRequest, client: Client) -> Iterator[Keyboard]:
    keyboard = Keyboard(choose_domain(), *getattr(request, 'param', ()))
    yield keyboard
    keyboard.close()


def wait_for_node(client: Client, keyboard: Keyboard) -> None:
    client.wait(lambda: client.node.count_publishers('/cmd_vel'), 'the node')
    client.wait(lambda: 'gait no dog yet' in keyboard.text, 'its line')


def press_until(client: Client, keyboard: Keyboard, key: str, messages: list[Any],
                wanted: Callable[[Any], bool]) -> None:
    """Press a key, again and again, until a message comes that is wanted."""
    seen = len(messages)
    client.insist(lambda: keyboard.press(key), lambda: any(map(wanted, messages[seen:])),
                  f'what key {key!r} asks for', every=0.2)


def test_keys_drive_and_release_stops(client: Client, keyboard: Keyboard) -> None:
    twists = client.listen(Twist, '/cmd_vel')
    gaits = client.listen(String, '/gait_request')
    skills = client.listen(String, '/skill_request')
    leaps = client.listen(String, '/leap_request')
    wait_for_node(client, keyboard)
    assert twists == []
    press_until(client, keyboard, 'w', twists, lambda _: True)
    assert (twists[0].linear.x, twists[0].angular.z) == (0.6, 0.0)
    client.wait(lambda: twists[-1].linear.x == 0.0, 'a stop')
    press_until(client, keyboard, '\x1b[D', twists, lambda twist: twist.angular.z == 0.6)
    press_until(client, keyboard, ' ', twists, lambda twist: twist.angular.z == 0.0)
    press_until(client, keyboard, 'e', twists, lambda twist: twist.linear.y == -0.2)
    for key, gait in (('0', 'auto'), ('6', 'walk')):
        press_until(client, keyboard, key, gaits, lambda message, gait=gait: message.data == gait)
    for key, skill in zip('txlg', ('stand', 'sit', 'lie_down', 'get_up'), strict=True):
        press_until(client, keyboard, key, skills,
                    lambda message, skill=skill: message.data == skill)
    press_until(client, keyboard, 'j', leaps, lambda _: True)
    client.wait(lambda: twists[-1].linear.y == 0.0, 'a stop')
    client.wait_for_silence(twists, 'a still keyboard that leaves cmd_vel to others')
    assert twists[-1].linear.y == 0.0


def test_gait_and_speed_are_shown_in_place(client: Client, keyboard: Keyboard) -> None:
    wait_for_node(client, keyboard)
    client.node.create_publisher(String, '/gait', LATCHED).publish(String(data='canter'))
    odometry = Odometry()
    odometry.twist.twist.linear.x = 1.23
    client.publish_until('/odom', odometry, lambda: 'gait canter' in keyboard.text
                         and '1.23 m/s' in keyboard.text, 'gait and speed in the terminal')
    begin = keyboard.text.index('gait no dog yet')
    assert '\n' not in keyboard.text[begin:]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize('keyboard', [('--latch', '--speed', '1.5')], indirect=True)
def test_end_stops_the_dog_and_restores_the_terminal(
    client: Client, keyboard: Keyboard, number: signal.Signals
) -> None:
    twists = client.listen(Twist, '/cmd_vel')
    wait_for_node(client, keyboard)
    assert termios.tcgetattr(keyboard.terminal) != keyboard.before
    keyboard.press('w')                                 # once: it drives until it is stopped
    client.wait(lambda: len(twists) > 20, 'a dog that is driven')
    assert twists[-1].linear.x == 1.5
    keyboard.process.send_signal(number)
    client.wait(lambda: keyboard.process.poll() is not None, 'its end')
    assert keyboard.process.returncode == 0
    assert 'Traceback' not in keyboard.text
    client.wait(lambda: twists[-1].linear.x == 0.0, 'a stop')
    assert termios.tcgetattr(keyboard.terminal) == keyboard.before


def test_joystick_drives_without_a_terminal(client: Client) -> None:
    twists = client.listen(Twist, '/cmd_vel')
    gaits = client.listen(String, '/gait_request')
    skills = client.listen(String, '/skill_request')
    buttons = itertools.cycle(([0, 1, 0, 0, 0, 1], [0] * 6))

    def press_or_let_go() -> Joy:
        return Joy(axes=[0.0, 0.5, 0.0, 1.0], buttons=next(buttons))

    with running(node_program('teleop'), choose_domain(), stdin=subprocess.DEVNULL):
        client.publish_until('/joy', press_or_let_go,
                             lambda: twists and len(gaits) > 2 and skills, 'what is asked for')
        assert (twists[0].linear.x, twists[0].angular.z) == (0.3, 0.6)
        assert {skill.data for skill in skills} == {'sit'}
        assert_in_turn([gait.data for gait in gaits])
        client.wait(lambda: twists[-1].linear.x == 0.0, 'a stop')


def assert_in_turn(gaits: list[str]) -> None:
    """See that each gait is the one that follows; before the first, some may have been lost."""
    order = list(name_gait_keys(sorted({*available_gaits()} - {STAND})).values())
    first = order.index(gaits[0])
    assert gaits == [order[(first + n) % len(order)] for n in range(len(gaits))]
