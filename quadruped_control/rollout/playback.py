"""A recording read back for the eye: poses, legs, markers and words by their times; no ROS."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.typesys import get_typestore

from quadruped_control.errors import InputError
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.rollout import leg_numbers
from quadruped_control.rollout.bag import DISTRIBUTION

Floats = NDArray[np.float64]
ACCEPTED = 'a recording (rosbag2) with /odom and /joint_states'
STEP_NANOSECONDS = 1_000_000


@dataclass
class Timed:
    """Things that came at times (s); each holds until the next."""

    times: list[float] = field(default_factory=list)
    things: list[Any] = field(default_factory=list)

    def add(self, time: float, thing: Any) -> None:
        """Take a thing that came at a time."""
        self.times.append(time)
        self.things.append(thing)

    def index_at(self, time: float) -> int:
        """Return the number of the thing that holds at a time, -1 before the first."""
        return int(np.searchsorted(self.times, time + 1e-9, side='right')) - 1

    def at(self, time: float) -> Any:
        """Return what holds at a time; None before the first."""
        index = self.index_at(time)
        return self.things[index] if index >= 0 else None


@dataclass
class Playback:
    """
    What a recording shows.

    Times are simulated ones (s) that go on growing where the simulation was set back.

    :ivar clock: the simulated time as it was, at each of ``times``.
    :ivar poses: (n, 7) place and quaternion x y z w of the base.
    :ivar legs: numbers of /leg_state.
    :ivar robot: its name; recordings of before say none and mean the dog.
    """

    joint_names: list[str]
    times: Floats
    clock: Floats
    poses: Floats
    speed: Floats
    joints: Floats
    torques: Floats
    leg_times: Floats
    legs: Floats
    gaits: Timed
    asked: Timed
    markers: Timed
    terrains: Timed
    urdf: str
    robot: str = DEFAULT_ROBOT

    @property
    def duration(self) -> float:
        """Time from the first to the last pose, s."""
        return float(self.times[-1] - self.times[0])

    def index_at(self, time: float) -> int:
        """Return the number of the pose at a time, or just before."""
        index = int(np.searchsorted(self.times, time + 1e-9, side='right')) - 1
        return min(max(index, 0), len(self.times) - 1)


def load_playback(path: Path) -> Playback:
    """Read a recording, or raise InputError."""
    collector = _Collector()
    try:
        with AnyReader([path], default_typestore=get_typestore(DISTRIBUTION)) as reader:
            wanted = [connection for connection in reader.connections
                      if connection.topic in collector.takers]
            for connection, _, data in reader.messages(wanted) if wanted else ():
                message = reader.deserialize(data, connection.msgtype)
                collector.takers[connection.topic](message)
    except (AnyReaderError, OSError) as error:
        raise InputError(path, '', str(error), ACCEPTED) from None
    if not collector.rows:
        raise InputError(path, '', 'without poses', ACCEPTED)
    return collector.finish()


class _Collector:
    """Gathers messages in the order in which they came."""

    def __init__(self) -> None:
        self.takers = {
            '/odom': self._take_odometry, '/joint_states': self._take_joints,
            '/leg_state': self._take_legs, '/markers': self._take_markers,
            '/terrain': self._take_terrain, '/gait': self._take_gait,
            '/cmd_vel_applied': self._take_applied, '/cmd_vel': self._take_command,
            '/robot_description': self._take_description, '/robot': self._take_robot,
        }
        self.rows: list[tuple[float, int, Any, Any]] = []
        self._odometry: dict[int, Any] = {}
        self._joints: dict[int, Any] = {}
        self._offset, self._last = 0, -1            # ns; of the run, of the newest pose
        self._legs: list[tuple[float, Floats]] = []
        self._gaits, self._asked, self._markers, self._terrains = (Timed(), Timed(), Timed(),
                                                                   Timed())
        self._urdf, self._robot = '', DEFAULT_ROBOT

    def finish(self) -> Playback:
        joints = [row[3] for row in self.rows]
        count = len(joints[0].name)
        poses = [row[2].pose.pose for row in self.rows]
        return Playback(
            list(joints[0].name), np.array([row[0] for row in self.rows]),
            np.array([1e-9 * row[1] for row in self.rows]),
            np.array([(p.position.x, p.position.y, p.position.z, p.orientation.x,
                       p.orientation.y, p.orientation.z, p.orientation.w) for p in poses]),
            np.array([row[2].twist.twist.linear.x for row in self.rows]),
            np.array([message.position for message in joints]),
            np.array([message.effort if len(message.effort) == count else np.full(count, np.nan)
                      for message in joints]),
            np.array([time for time, _ in self._legs]),
            np.array([row for _, row in self._legs]).reshape(-1, leg_numbers.COUNT),
            self._gaits, self._asked, self._markers, self._terrains, self._urdf, self._robot)

    @property
    def _now(self) -> float:
        """The time of the newest pose."""
        return 1e-9 * (self._offset + max(self._last, 0))

    def _take_odometry(self, message: Any) -> None:
        self._take_pose(_nanoseconds(message.header.stamp), message, self._odometry, self._joints)

    def _take_joints(self, message: Any) -> None:
        self._take_pose(_nanoseconds(message.header.stamp), message, self._joints, self._odometry)

    def _take_pose(self, stamp: int, message: Any, mine: dict[int, Any],
                   other: dict[int, Any]) -> None:
        """Make a pose of what belongs together; a time that goes back is another run."""
        if stamp < self._last:
            self._offset += self._last + STEP_NANOSECONDS
            self._last = -1
            self._odometry.clear()
            self._joints.clear()
        mine[stamp] = message
        if stamp in other and stamp != self._last:
            pair = self._odometry[stamp], self._joints[stamp]
            self.rows.append((1e-9 * (self._offset + stamp), stamp, *pair))
            self._last = stamp
            self._odometry.clear()
            self._joints.clear()

    def _take_legs(self, message: Any) -> None:
        numbers = np.asarray(message.data, float)
        if len(numbers) == leg_numbers.COUNT:
            time = 1e-9 * (self._offset + STEP_NANOSECONDS * int(numbers[leg_numbers.STEP]))
            if not self._legs or time > self._legs[-1][0]:
                self._legs.append((time, numbers))

    def _take_markers(self, message: Any) -> None:
        self._markers.add(self._now, message)

    def _take_terrain(self, message: Any) -> None:
        self._terrains.add(self._now, message)

    def _take_gait(self, message: Any) -> None:
        self._gaits.add(self._now, message.data)

    def _take_applied(self, message: Any) -> None:
        self._asked.add(self._now, message.twist.linear.x)

    def _take_command(self, message: Any) -> None:
        self._asked.add(self._now, message.linear.x)

    def _take_description(self, message: Any) -> None:
        self._urdf = message.data

    def _take_robot(self, message: Any) -> None:
        self._robot = message.data


def _nanoseconds(stamp: Any) -> int:
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)
