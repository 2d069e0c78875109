"""Postures in a recording: when each was asked for, when it was reached, and whether it held."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from quadruped_control.rollout.events import PostureEvent
from quadruped_control.rollout.recording import FloatArray, Recording

# Meanings that the contract leaves to this file; not settings.
HOLD_TIME = 5.0             # s that a posture is looked at, at most
SHORTEST_HOLD = 0.5         # s below which it is not judged
MOST_JOINT_SPEED = 0.05     # rad/s, root of the mean square over joints and time
MOST_SLIDING = 0.03         # m that a leg frame may drift


def find_postures(recording: Recording) -> list[PostureEvent]:
    """Return all postures, and all times the dog got up, in the order they were asked for."""
    skill, time = recording.skill, recording.time
    ways = {} if recording.skills is None else recording.skills.ways
    changes = [*np.flatnonzero(np.diff(skill, prepend=-1)).tolist(), len(skill)]
    events = []
    for begin, end in pairwise(changes):
        if int(skill[begin]) not in ways:
            continue
        name, goal = ways[int(skill[begin])]
        asked = float(recording.asked_at[begin])
        if end == len(skill) or skill[end] != goal:
            events.append(PostureEvent(name, asked))
            continue
        after = changes[changes.index(end) + 1]
        events.append(PostureEvent(name, asked, float(time[end]) - asked,
                                   _is_held(recording, end, after)))
    return events


def _is_held(recording: Recording, begin: int, end: int) -> bool | None:
    """Say whether the dog kept still; None where it went on too soon to tell."""
    moves = np.flatnonzero((recording.command[begin:end] != 0.0).any(axis=1))
    end = min(end, begin + round(HOLD_TIME / recording.time_step),
              begin + int(moves[0]) if moves.size else end)
    if end - begin < SHORTEST_HOLD / recording.time_step:
        return None
    part = recording.between(begin, end)
    return bool(compute_joint_speed(part) < MOST_JOINT_SPEED
                and compute_sliding(part.leg_frame_position) < MOST_SLIDING)


def compute_joint_speed(recording: Recording) -> float:
    """Root of the mean square of all joint speeds over all time, rad/s."""
    return float(np.sqrt(np.mean(recording.joint_velocity**2)))


def compute_sliding(position: FloatArray) -> float:
    """Greatest distance of a leg frame (n, 2, 3) from where it was at first, m."""
    return float(np.linalg.norm(position - position[0], axis=2).max())
