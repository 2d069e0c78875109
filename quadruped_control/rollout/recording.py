"""What one rollout leaves behind: a row of numbers per simulation step."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from quadruped_control.control.skill_book import SkillBook
from quadruped_control.model.robot_files import DEFAULT_ROBOT

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LEG_FRAMES = ('front', 'rear')

# Columns of a sample, for a compiled function to fill: an index where there is one number, a
# slice where there are more. Leg frames are ordered front, rear; legs as in LEGS; then x, y, z.
TIME = 0
LEG_FRAME_POSITION = slice(1, 7)
LEG_FRAME_VELOCITY = slice(7, 13)
LEG_FRAME_RPY = slice(13, 19)
FOOT_POSITION = slice(19, 31)
FOOT_CONTACT = slice(31, 35)
BODY_CONTACT = 35
HEAD_VELOCITY = slice(36, 39)
CENTRE_OF_MASS = slice(39, 42)
PEAK_TORQUE = 42
SATURATED = 43
POWER = 44
COMMAND = slice(45, 48)
TARGET_HEADING = 48
GAIT = 49
MODE = 50
SOLE_VELOCITY = slice(51, 59)
TARGET_STANCE = slice(59, 63)
SKILL = 63
ASKED_AT = 64
SQUARED_TORQUE = 65
SLIPS = 66
JAMS = 67
UNSOLVED = 68
FRICTION = 69
TORQUE_CHANGE = 70
SAMPLE_SIZE = 71

BASE_POSE_SIZE = 7
BASE_VELOCITY_SIZE = 6


class Recording:
    """
    Preallocated rows of a rollout, one per step; every property is a view of the steps so far.

    ``samples`` is (steps, SAMPLE_SIZE); ``poses`` is (steps, 7 + joints): base position (m), base
    quaternion x y z w, joint positions (rad); ``velocities`` is (steps, 6 + joints): linear (m/s)
    and angular (rad/s) velocity of the base in the world frame, joint velocities (rad/s).

    :param steps: most steps that fit; one more raises IndexError.
    :param time_step: s.
    :param gait_names: what the numbers in ``gait`` mean.
    :param skills: what those in ``skill`` mean.
    :param robot: whose rows they are; joints are in the convention used here.
    """

    def __init__(
        self,
        steps: int,
        time_step: float,
        joint_names: Sequence[str],
        *,
        gait_names: Sequence[str] = (),
        skills: SkillBook | None = None,
        robot: str = DEFAULT_ROBOT,
    ) -> None:
        self.time_step = time_step
        self.joint_names = tuple(joint_names)
        self.gait_names = tuple(gait_names)
        self.skills = skills
        self.robot = robot
        self.count = 0
        joints = len(self.joint_names)
        # Filled, not np.zeros: its memory would be fetched page by page inside the 1 kHz loop.
        self.samples: FloatArray = np.full((steps, SAMPLE_SIZE), 0.0)
        self.poses: FloatArray = np.full((steps, BASE_POSE_SIZE + joints), 0.0)
        self.velocities: FloatArray = np.full((steps, BASE_VELOCITY_SIZE + joints), 0.0)

    def append(self, sample: FloatArray, pose: FloatArray, velocity: FloatArray) -> None:
        """Copy one step into the next rows."""
        row = self.count
        self.samples[row] = sample
        self.poses[row] = pose
        self.velocities[row] = velocity
        self.count = row + 1

    def tail(self, steps: int) -> Recording:
        """Return the last steps so far as a recording that shares their memory."""
        return self.between(self.count - steps, self.count)

    def between(self, first: int, last: int) -> Recording:
        """Return steps ``first`` up to, not including, ``last``; the memory is shared."""
        part = copy(self)
        kept = slice(first, last)
        part.samples, part.poses = self.samples[kept], self.poses[kept]
        part.velocities, part.count = self.velocities[kept], last - first
        return part

    def __len__(self) -> int:
        """Return the number of steps so far."""
        return self.count

    def _column(self, index: int) -> FloatArray:
        return self.samples[: self.count, index]

    def _block(self, columns: slice, *shape: int) -> FloatArray:
        return self.samples[: self.count, columns].reshape(self.count, *shape)

    @property
    def time(self) -> FloatArray:
        """Time (n,), s."""
        return self._column(TIME)

    @property
    def leg_frame_position(self) -> FloatArray:
        """Position of the front and rear leg frame in the world (n, 2, 3), m."""
        return self._block(LEG_FRAME_POSITION, 2, 3)

    @property
    def leg_frame_velocity(self) -> FloatArray:
        """Velocity of the leg frames in the world (n, 2, 3), m/s."""
        return self._block(LEG_FRAME_VELOCITY, 2, 3)

    @property
    def leg_frame_rpy(self) -> FloatArray:
        """Roll, pitch and yaw of the leg frames (n, 2, 3), rad."""
        return self._block(LEG_FRAME_RPY, 2, 3)

    @property
    def foot_position(self) -> FloatArray:
        """Sole points in the world, in the order of LEGS (n, 4, 3), m."""
        return self._block(FOOT_POSITION, 4, 3)

    @property
    def sole_velocity(self) -> FloatArray:
        """
        Horizontal velocity of the material point of each foot at its sole (n, 4, 2), m/s.

        It is zero while a foot stands or rolls, and the sliding speed while it slides.
        """
        return self._block(SOLE_VELOCITY, 4, 2)

    @property
    def foot_contact(self) -> FloatArray:
        """1 where a foot touches something, else 0 (n, 4)."""
        return self._block(FOOT_CONTACT, 4)

    @property
    def target_stance(self) -> FloatArray:
        """1 where a leg is to stand, 0 where it is to swing (n, 4)."""
        return self._block(TARGET_STANCE, 4)

    @property
    def body_contact(self) -> FloatArray:
        """1 where a link of back, neck or head touches the ground or an obstacle (n,)."""
        return self._column(BODY_CONTACT)

    @property
    def head_velocity(self) -> FloatArray:
        """Velocity of the head in the world (n, 3), m/s."""
        return self._block(HEAD_VELOCITY, 3)

    @property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass in the world (n, 3), m."""
        return self._block(CENTRE_OF_MASS, 3)

    @property
    def peak_torque(self) -> FloatArray:
        """Greatest absolute joint torque of the step (n,), N m."""
        return self._column(PEAK_TORQUE)

    @property
    def saturated(self) -> FloatArray:
        """Number of joints at the torque limit (n,)."""
        return self._column(SATURATED)

    @property
    def power(self) -> FloatArray:
        """Sum over the joints of |torque * speed| (n,), W."""
        return self._column(POWER)

    @property
    def squared_torque(self) -> FloatArray:
        """Sum over the joints of the torque squared (n,), (N m)^2."""
        return self._column(SQUARED_TORQUE)

    @property
    def command(self) -> FloatArray:
        """Commanded vx, vy (m/s) and wz (rad/s) in the heading frame (n, 3)."""
        return self._block(COMMAND, 3)

    @property
    def target_heading(self) -> FloatArray:
        """Heading the controller aims for (n,), rad; not finite where there is none."""
        return self._column(TARGET_HEADING)

    @property
    def gait(self) -> IntArray:
        """Index into ``gait_names`` (n,), negative for none; a copy."""
        return self._column(GAIT).astype(np.int64)

    @property
    def mode(self) -> IntArray:
        """Mode of each step (n,); a copy."""
        return self._column(MODE).astype(np.int64)

    @property
    def skill(self) -> IntArray:
        """What the dog was doing, as a number of its skill_book (n,); a copy."""
        return self._column(SKILL).astype(np.int64)

    @property
    def asked_at(self) -> FloatArray:
        """When what the dog was doing was asked for (n,), s."""
        return self._column(ASKED_AT)

    @property
    def torque_change(self) -> FloatArray:
        """By how much the torques of all joints changed since the last tick (n,), N m."""
        return self._column(TORQUE_CHANGE)

    @property
    def notices(self) -> FloatArray:
        """What the controller noticed so far (n, 4), as in NOTICES; zeros if it looks for none."""
        return self.samples[: self.count, SLIPS:FRICTION + 1]

    @property
    def pose(self) -> FloatArray:
        """Base position, base quaternion x y z w and joint positions (n, 7 + joints)."""
        return self.poses[: self.count]

    @property
    def joint_velocity(self) -> FloatArray:
        """Joint velocities (n, joints), rad/s."""
        return self.velocities[: self.count, BASE_VELOCITY_SIZE:]

    @property
    def state_hash(self) -> str:
        """128 bits of BLAKE2b over all poses, then all velocities, bit by bit, in hexadecimal."""
        digest = hashlib.blake2b(digest_size=16)
        for rows in (self.poses, self.velocities):
            digest.update(rows[: self.count].tobytes())
        return digest.hexdigest()


def find_spans(flags: BoolArray) -> tuple[IntArray, IntArray]:
    """Return first steps and one-past-last steps of the spans in which ``flags`` (n,) is true."""
    edges = np.diff(flags.astype(np.int8), prepend=0, append=0)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return starts.astype(np.int64), ends.astype(np.int64)
