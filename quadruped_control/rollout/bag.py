"""A recording as a rosbag2, for ros2 bag, Foxglove and other mcap tools; needs no ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from quadruped_control.errors import InputError
from quadruped_control.rollout.recording import BASE_POSE_SIZE, FloatArray, Recording

# Metadata version 9 and the message definitions of the same distribution, Jazzy.
METADATA_VERSION: Literal[9] = 9
DISTRIBUTION = Stores.ROS2_JAZZY

JOINT_STATES = ('/joint_states', 'sensor_msgs/msg/JointState')
ODOMETRY = ('/odom', 'nav_msgs/msg/Odometry')
CLOCK = ('/clock', 'rosgraph_msgs/msg/Clock')
COMMAND = ('/cmd_vel', 'geometry_msgs/msg/Twist')

Message = Any
Topic = tuple[str, str]


def check_bag_path(path: str | Path) -> None:
    """Raise InputError unless a bag can be written to a path: never over what is there."""
    path = Path(path)
    if path.exists() or path.is_symlink():
        raise InputError(path, '', 'an existing path', 'a path that does not exist yet')
    if not path.absolute().parent.is_dir():
        raise InputError(path, '', 'in no folder', 'a path in a folder that exists')


def write_bag(
    recording: Recording,
    path: str | Path,
    *,
    joint_names: Sequence[str] | None = None,
    every: int = 1,
    odom_frame: str = 'odom',
    base_frame: str = 'base_link',
) -> None:
    """
    Write a recording as a rosbag2 in mcap storage, its time 0 at the bag's time 0.

    A path that ends in .mcap becomes one self-contained file, which mcap tools and ``ros2 bag``
    open as it is; any other path becomes a bag folder with a metadata.yaml.

    /joint_states, /odom (velocities in the base frame) and /clock come every ``every`` steps,
    /cmd_vel at the start and whenever the command changes.

    :param joint_names: names to write instead of the recording's own, in the same order.
    """
    path = Path(path)
    check_bag_path(path)
    if every < 1:
        raise ValueError(f'every is {every}; it must be at least 1')
    messages = _Messages(recording, joint_names or recording.joint_names, odom_frame, base_frame)
    with TemporaryDirectory(prefix='.bag_', dir=path.absolute().parent) as folder:
        bag = Path(folder) / path.name.removesuffix('.mcap')
        _write_folder(recording, bag, messages, every)
        (bag / f'{bag.name}.mcap' if path.suffix == '.mcap' else bag).rename(path)


def _write_folder(recording: Recording, bag: Path, messages: _Messages, every: int) -> None:
    typestore = messages.typestore
    writer = Writer(bag, version=METADATA_VERSION, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections = {
            topic: writer.add_connection(*topic, typestore=typestore)
            for topic in (CLOCK, COMMAND, ODOMETRY, JOINT_STATES)
        }
        for step, topic, build in _schedule(recording, messages, every):
            data = typestore.serialize_cdr(build(step), topic[1])
            writer.write(connections[topic], _to_nanoseconds(recording.time[step]), data)


def _schedule(
    recording: Recording, messages: _Messages, every: int
) -> Iterator[tuple[int, Topic, Callable[[int], Message]]]:
    """Yield what is written, in the order of time: step, topic, and what builds the message."""
    changed = np.ones(len(recording), dtype=np.bool_)
    changed[1:] = (np.diff(recording.command, axis=0) != 0.0).any(axis=1)
    for step in range(len(recording)):
        if step % every == 0:
            yield step, CLOCK, messages.build_clock
        if changed[step]:
            yield step, COMMAND, messages.build_command
        if step % every == 0:
            yield step, ODOMETRY, messages.build_odometry
            yield step, JOINT_STATES, messages.build_joint_states


class _Messages:
    """Builds the messages of single steps."""

    def __init__(
        self, recording: Recording, names: Sequence[str], odom_frame: str, base_frame: str
    ) -> None:
        if len(names) != len(recording.joint_names):
            joints = len(recording.joint_names)
            raise ValueError(f'{len(names)} joint names for {joints} recorded joints')
        self.typestore: Typestore = get_typestore(DISTRIBUTION)
        self._recording = recording
        self._names = list(names)
        self._odom_frame = odom_frame
        self._base_frame = base_frame
        velocities = recording.velocities[: len(recording)]
        self._linear = _turn_into_base(recording.pose[:, 3:7], velocities[:, :3])
        self._angular = _turn_into_base(recording.pose[:, 3:7], velocities[:, 3:6])

    def _make(self, message: str, *fields: Any) -> Message:
        return self.typestore.types[message](*fields)

    def _stamp(self, step: int) -> Message:
        seconds, nanoseconds = divmod(_to_nanoseconds(self._recording.time[step]), 10**9)
        return self._make('builtin_interfaces/msg/Time', seconds, nanoseconds)

    def _header(self, step: int, frame: str) -> Message:
        return self._make('std_msgs/msg/Header', self._stamp(step), frame)

    def _twist(self, linear: FloatArray, angular: FloatArray) -> Message:
        vector = 'geometry_msgs/msg/Vector3'
        parts = (self._make(vector, *map(float, part)) for part in (linear, angular))
        return self._make('geometry_msgs/msg/Twist', *parts)

    def build_clock(self, step: int) -> Message:
        return self._make(CLOCK[1], self._stamp(step))

    def build_command(self, step: int) -> Message:
        vx, vy, wz = self._recording.command[step]
        return self._twist(np.array((vx, vy, 0.0)), np.array((0.0, 0.0, wz)))

    def build_joint_states(self, step: int) -> Message:
        position = self._recording.poses[step, BASE_POSE_SIZE:]
        velocity = self._recording.joint_velocity[step]
        header = self._header(step, '')
        return self._make(JOINT_STATES[1], header, self._names, position, velocity, np.zeros(0))

    def build_odometry(self, step: int) -> Message:
        position = self._make('geometry_msgs/msg/Point', *self._recording.poses[step, :3].tolist())
        quaternion = self._recording.poses[step, 3:7].tolist()
        orientation = self._make('geometry_msgs/msg/Quaternion', *quaternion)
        pose = self._make('geometry_msgs/msg/Pose', position, orientation)
        twist = self._twist(self._linear[step], self._angular[step])
        return self._make(
            ODOMETRY[1],
            self._header(step, self._odom_frame),
            self._base_frame,
            self._make('geometry_msgs/msg/PoseWithCovariance', pose, np.zeros(36)),
            self._make('geometry_msgs/msg/TwistWithCovariance', twist, np.zeros(36)),
        )


def _turn_into_base(quaternions: FloatArray, vectors: FloatArray) -> FloatArray:
    """Turn world vectors (n, 3) into the base frame by its quaternions x y z w (n, 4)."""
    from scipy.spatial.transform import Rotation  # half a second that only a recording waits for
    turned: FloatArray = Rotation.from_quat(quaternions).inv().apply(vectors)
    return turned


def _to_nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
