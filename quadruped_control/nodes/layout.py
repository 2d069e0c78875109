"""
The numbers of the 1 kHz messages, in order: one place, for nodes and for users.

Each is a std_msgs/Float64MultiArray of doubles. First comes the step of the simulation that the
message belongs to, then the run (a number that grows with each start and reset of a simulation):
by these two, states, gait states and torques find each other.

| message | numbers |
|---|---|
| /robot_state | step, run, then the record ``state_type``: time, base position (3), quaternion x y z w (4), velocity (3), angular velocity (3), position and velocity of each link's joint (the root first, which has none), foot forces (4) |
| /gait_state | step, run, seconds that the scheduler took, index of the gait requested, command vx vy wz and 1 to step on the spot, index of the gait, then the records ``clock_type`` and ``target_type`` |
| /joint_torques | step, run, seconds that scheduler and controller took, then the record ``echo_type``, then one torque (N m) for each moving joint in the order of /joint_states, by the axes used here |
| /leg_state, at 50 Hz, best effort | step, run, then for each leg 1 where it should carry weight (4), foot forces (4, N), for both leg frames the height over their feet asked for (2, m) and measured (2, m), then the lowest point of each foot (4 x 3, m) |
| /height_map, at 20 Hz | step, run, x, y (m) of the first point of a grid along the axes of odom, spacing (m), number of points along x and along y, then heights of the ground (m), those of one x after the other; of level ground four points |
| /terrain_scan, at 20 Hz | step, run, x, y (m) of the hips, heading (rad), spacing (m), then heights of the ground at 801 places so far apart ahead of them (m) |
| /leap_question, at each gait cycle | step, run, then the numbers of ``Question`` in leaps/scouting.py |
| /leap_order, one for each question | step and run of the question, then the numbers of ``Order`` |
"""  # noqa: E501

from __future__ import annotations

from array import array
from math import isfinite
from struct import Struct
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from std_msgs.msg import Float64MultiArray

from quadruped_control.control.observation import NOTICES
from quadruped_control.control.records import clock_type, target_type
from quadruped_control.kinematics.records import as_block, new_record, state_type
from quadruped_control.leaps.scouting import (
    ORDER_SIZE,
    PLACES,
    Order,
    Question,
    Scan,
    flatten_order,
    read_order,
)
from quadruped_control.rollout import leg_numbers
from quadruped_control.rollout.echo import echo_type

Array = NDArray[np.float64]


class Message(Protocol):
    """A std_msgs/Float64MultiArray."""

    data: array[float]


# of the serialised message: encoding, number of dimensions, offset, number of doubles
HEADER = Struct('<IIII')
LITTLE_ENDIAN = 0x0100
FIRST = 20                      # where the doubles begin, aligned
M = TypeVar('M', bound=Message)
HEAD = 2                        # step and run


def as_numbers(record: np.record) -> Array:
    """Return the doubles of a record, the same memory."""
    return as_block(record).view(np.float64)


def read_numbers(raw: bytes) -> Array:
    """
    Return the numbers of a serialised message, the same memory.

    Making a Python message of it would take longer than what the nodes compute with it.
    """
    head, dimensions, _, count = HEADER.unpack_from(raw) if len(raw) >= FIRST else (0, 1, 0, 0)
    if head == LITTLE_ENDIAN and dimensions == 0 and len(raw) >= FIRST + 8 * count:
        return np.frombuffer(raw, '<f8', count, FIRST)
    return np.array(deserialize_message(raw, Float64MultiArray).data, np.float64)


class Layout:
    """An array of numbers that a message carries, and a view to write them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.data = array('d', bytes(8 * size))
        self.numbers: Array = np.frombuffer(self.data, np.float64)

    def bind(self, message: M) -> M:
        """Write into this message from now on; it copies what it is given, so its own is used."""
        message.data = self.data
        self.data = message.data
        self.numbers = np.frombuffer(self.data, np.float64)
        return message

    def fits(self, numbers: Array) -> bool:
        """Say whether numbers have the length of this layout and are all finite."""
        return len(numbers) == self.size and isfinite(numbers.sum())


class StateLayout(Layout):
    """Numbers of /robot_state."""

    def __init__(self, links: int) -> None:
        super().__init__(HEAD + as_numbers(new_record(state_type(links))).size)

    def pack(self, step: int, run: float, state: Array) -> array[float]:
        """Write a state given as numbers."""
        self.numbers[0], self.numbers[1] = step, run
        self.numbers[HEAD:] = state
        return self.data

    @staticmethod
    def unpack(numbers: Array, state: Array) -> None:
        """Write a message's state into a record given as numbers."""
        state[:] = numbers[HEAD:]


class GaitLayout(Layout):
    """Numbers of /gait_state."""

    SECONDS, REQUESTED, COMMAND, GAIT = 2, 3, slice(4, 8), 8
    CLOCK = 9

    def __init__(self) -> None:
        clock = as_numbers(new_record(clock_type())).size
        self.clock = slice(self.CLOCK, self.CLOCK + clock)
        self.target = slice(self.CLOCK + clock, None)
        super().__init__(self.CLOCK + clock + as_numbers(new_record(target_type())).size)

    def pack(self, step: int, run: float, *, requested: int, command: Array, gait: int,
             clock: Array, target: Array, seconds: float = 0.0) -> array[float]:
        """Write a gait state; clock and target as numbers."""
        numbers = self.numbers
        numbers[0], numbers[1], numbers[2], numbers[3] = step, run, seconds, requested
        numbers[self.COMMAND] = command
        numbers[self.GAIT] = gait
        numbers[self.clock], numbers[self.target] = clock, target
        return self.data

    def find_echo(self) -> NDArray[np.int64]:
        """Return where in a gait state the numbers of an echo are; the controller's come after."""
        target = {name: self.target.start + place
                  for name, place in _find_fields(target_type()).items()}
        first = {name: self.clock.start + place
                 for name, place in _find_fields(clock_type()).items()}
        first |= {'gait': self.GAIT, 'command': self.COMMAND.start, 'stance': target['stance'],
                  'target_heading': target['heading']}
        echo = echo_type()
        return np.array([first[name] + n for name in echo.names or () if name not in NOTICES
                         for n in range(echo[name].itemsize // 8)])


def _find_fields(kind: np.dtype) -> dict[str, int]:
    """Return where each field of a record of doubles begins."""
    return {name: int(place[1]) // 8 for name, place in (kind.fields or {}).items()}


class TorqueLayout(Layout):
    """Numbers of /joint_torques."""

    SCHEDULER_SECONDS, CONTROLLER_SECONDS = 2, 3
    ECHO = slice(4, 4 + echo_type().itemsize // 8)
    TORQUES = slice(ECHO.stop, None)

    def __init__(self, joints: int) -> None:
        super().__init__(self.ECHO.stop + joints)

    def pack(self, step: int, run: float, torques: Array, echo: Array, *,
             scheduler_seconds: float = 0.0, controller_seconds: float = 0.0) -> array[float]:
        """Write torques of the joints, and the numbers of the echo that belongs to them."""
        numbers = self.numbers
        numbers[0], numbers[1] = step, run
        numbers[2], numbers[3] = scheduler_seconds, controller_seconds
        numbers[self.ECHO] = echo
        numbers[self.TORQUES] = torques
        return self.data


class ScanLayout(Layout):
    """Numbers of /terrain_scan."""

    def __init__(self) -> None:
        super().__init__(HEAD + 4 + PLACES)

    def pack(self, step: int, run: float, scan: Scan) -> array[float]:
        """Write a scan."""
        self.numbers[:HEAD + 4] = step, run, scan.x, scan.y, scan.heading, scan.spacing
        self.numbers[HEAD + 4:] = scan.heights
        return self.data

    @staticmethod
    def unpack(numbers: Array) -> Scan:
        """Return a message's scan."""
        x, y, heading, spacing = numbers[HEAD:HEAD + 4].tolist()
        return Scan(x, y, heading, spacing, numbers[HEAD + 4:])


class QuestionLayout(Layout):
    """Numbers of /leap_question."""

    def __init__(self) -> None:
        super().__init__(HEAD + len(Question._fields))

    def pack(self, step: int, run: float, question: Question) -> array[float]:
        """Write a question."""
        self.numbers[:] = step, run, *question
        return self.data

    @staticmethod
    def unpack(numbers: Array) -> Question:
        """Return a message's question."""
        return Question(*numbers[HEAD:].tolist())


class OrderLayout(Layout):
    """Numbers of /leap_order."""

    def __init__(self) -> None:
        super().__init__(HEAD + ORDER_SIZE)

    def pack(self, step: int, run: float, order: Order) -> array[float]:
        """Write an order; the step is that of its question."""
        self.numbers[:HEAD] = step, run
        self.numbers[HEAD:] = flatten_order(order)
        return self.data

    @staticmethod
    def unpack(numbers: Array) -> Order:
        """Return a message's order."""
        return read_order(numbers[HEAD:])


class LegLayout(Layout):
    """Numbers of /leg_state."""

    def __init__(self) -> None:
        super().__init__(leg_numbers.COUNT)

    def pack(self, step: int, run: float, target: np.record, seen: np.record,
             force: Array) -> array[float]:
        """Write what the legs do, from the target and the observation."""
        numbers = self.numbers
        numbers[0], numbers[1] = step, run
        numbers[leg_numbers.STANCE], numbers[leg_numbers.FORCE] = target['stance'], force
        numbers[leg_numbers.TARGET_HEIGHT] = target['height']
        height = seen['leg_frame_point'][:, 2] - seen['support'][:, 2]
        numbers[leg_numbers.HEIGHT] = height
        numbers[leg_numbers.SOLES] = seen['sole'].ravel()
        return self.data
