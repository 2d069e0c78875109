"""Where a dog went in a rollout, against where it was asked to go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from quadruped_control.rollout.footfalls import compute_path_length
from quadruped_control.rollout.recording import FloatArray, Recording

# Meanings that the contract leaves to this file; not settings.
DISTANCE_SAMPLING = 0.1
SETTLING_TIME = 2.0
SPEED_AVERAGING = 0.5


class Command(Protocol):
    """A command of a scenario; a key that it does not set is None."""

    @property
    def t(self) -> float: ...
    @property
    def vx(self) -> float | None: ...
    @property
    def vy(self) -> float | None: ...
    @property
    def wz(self) -> float | None: ...
    @property
    def skill(self) -> str | None: ...
    @property
    def target(self) -> tuple[float, float] | None: ...
    @property
    def target_heading(self) -> float | None: ...


def compute_middle(recording: Recording) -> FloatArray:
    """Mid-point of the two leg frames, projected on the horizontal plane (n, 2), m."""
    middle: FloatArray = recording.leg_frame_position[:, :, :2].mean(axis=1)
    return middle


def compute_heading(recording: Recording) -> FloatArray:
    """Circular mean of the yaw of the two leg frames (n,), rad."""
    heading: FloatArray = np.angle(np.exp(1j * recording.leg_frame_rpy[:, :, 2]).sum(axis=1))
    return heading


def compute_distance(recording: Recording) -> float:
    """Path length of the mid-point of the leg frames, sampled at 10 Hz (little sway), m."""
    stride = max(1, round(DISTANCE_SAMPLING / recording.time_step))
    return compute_path_length(compute_middle(recording), stride)


def find_speed_windows(
    commands: Sequence[Command], end: float
) -> list[tuple[float, float, float, float]]:
    """
    Windows (start s, end s, vx m/s, vy m/s) in which a commanded velocity should be kept.

    Each begins 2 s after a velocity command and lasts until the next command that moves the dog
    otherwise (a velocity, a skill or a target) or the end of the run. A command of a gait alone
    does not end it: velocity holds on. What a velocity command does not set keeps its value.
    """
    windows = []
    vx = vy = 0.0
    moving = [command for command in commands if _sets_motion(command)]
    times = sorted({command.t for command in moving})
    for t, until in pairwise([*times, end]):
        given = [c for c in moving if c.t == t and sets_velocity(c)]
        for command in given:
            vx = vx if command.vx is None else command.vx
            vy = vy if command.vy is None else command.vy
        pursues = any(command.target is not None for command in moving if command.t == t)
        if given and not pursues and t + SETTLING_TIME < min(until, end):
            windows.append((t + SETTLING_TIME, min(until, end), vx, vy))
    return windows


def sets_velocity(command: Command) -> bool:
    """Say whether a command gives a velocity."""
    return any(value is not None for value in (command.vx, command.vy, command.wz))


def _sets_motion(command: Command) -> bool:
    return sets_velocity(command) or command.skill is not None or command.target is not None


def compute_speed(
    recording: Recording, commands: Sequence[Command]
) -> tuple[float | None, float | None]:
    """
    Mean speed, and rms of the error against the commanded velocity, m/s.

    Both are of the velocity of the mid-point of the leg frames in the heading frame (x forward,
    y left), averaged over a moving 0.5 s so that the swing within a stride is no error, inside
    the windows of ``find_speed_windows``. The error is the length of the (x, y) difference.
    Without any window the speed is that of the whole run, and the error None.
    """
    velocity = _compute_heading_velocity(recording)
    samples = max(1, round(SPEED_AVERAGING / recording.time_step))
    time, slack = recording.time, 0.5 * recording.time_step
    means, errors = [], []
    windows = find_speed_windows(commands, float(time[-1]) + recording.time_step)
    for start, end, vx, vy in windows:
        inside = velocity[(time > start - slack) & (time < end - slack)]
        if len(inside) > 0:
            means.append(_average_moving(inside, samples))
            errors.append(means[-1] - (vx, vy))
    if not means:
        means = [_average_moving(velocity, samples)]
    speed = float(np.linalg.norm(np.concatenate(means), axis=1).mean())
    return speed, compute_rms(np.concatenate(errors)) if errors else None


def _compute_heading_velocity(recording: Recording) -> FloatArray:
    """Velocity of the mid-point of the leg frames, forward and left (n, 2), m/s."""
    heading = compute_heading(recording)
    vx, vy = recording.leg_frame_velocity[:, :, :2].mean(axis=1).T
    cos, sin = np.cos(heading), np.sin(heading)
    return np.column_stack((cos * vx + sin * vy, cos * vy - sin * vx))


def _average_moving(values: FloatArray, samples: int) -> FloatArray:
    """Means of all ``samples`` consecutive rows; of all rows if there are fewer."""
    samples = min(samples, len(values))
    total = np.cumsum(np.vstack((np.zeros_like(values[:1]), values)), axis=0)
    means: FloatArray = (total[samples:] - total[:-samples]) / samples
    return means


def compute_heading_error(recording: Recording) -> float | None:
    """Rms of heading minus target heading, wrapped, where there is a target, rad."""
    error = compute_heading(recording) - recording.target_heading
    error = error[np.isfinite(recording.target_heading)]
    return compute_rms(np.angle(np.exp(1j * error))[:, np.newaxis]) if error.size else None


def compute_sideways_travel(recording: Recording) -> float:
    """
    Net travel of the mid-point of the leg frames across the intended direction, unsigned, m.

    The intended direction of a step is that of the commanded (vx, vy) turned by the target
    heading: forward where no velocity is commanded, by the measured heading where there is no
    target. On a straight path this is the final distance from the intended line.
    """
    target = recording.target_heading
    heading = np.where(np.isfinite(target), target, compute_heading(recording))
    direction = heading + np.arctan2(recording.command[:, 1], recording.command[:, 0])
    dx, dy = np.diff(compute_middle(recording), axis=0).T
    sideways = np.cos(direction[:-1]) * dy - np.sin(direction[:-1]) * dx
    return abs(float(sideways.sum()))


def compute_rms(vectors: FloatArray) -> float:
    """Root of the mean squared length of vectors (n, k)."""
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))
