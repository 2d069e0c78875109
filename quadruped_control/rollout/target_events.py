"""Targets and the ball in a recording: when each was reached, and how near the robot stayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Protocol

import numpy as np

from quadruped_control.control.gait_scheduler import compute_yaw
from quadruped_control.control.pursuit import Goal, Pace, Place, find_pace
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.chase import Chase, make_ball
from quadruped_control.rollout.events import BallEvent, TargetEvent
from quadruped_control.rollout.recording import FloatArray, Recording
from quadruped_control.rollout.travel import Command, sets_velocity
from quadruped_control.scenario import BallOffer


class Scenario(Protocol):
    """What of a scenario says what is pursued."""

    @property
    def commands(self) -> Sequence[Command]: ...
    @property
    def ball(self) -> BallOffer | None: ...
    @property
    def seed(self) -> int: ...


def find_targets(recording: Recording, commands: Sequence[Command]) -> list[TargetEvent]:
    """Return an event for each command of a target."""
    events = []
    for index, command in enumerate(commands):
        if command.target is None or command.t > recording.time[-1]:
            continue
        pace = find_pace(load_robot(recording.robot))
        goal = Goal(*command.target, command.target_heading)
        begin = _find_row(recording, command.t)
        end = _find_end(recording, commands[index + 1:])
        reached = next((time for time, chase in _repeat(recording, Chase(goal, pace), pace,
                                                        begin, end)
                        if chase.pursuit.reached_at is not None), None)
        place = _find_place(recording, max(end - 1, begin), pace)
        events.append(TargetEvent(command.t, None if reached is None else reached - command.t,
                                  hypot(goal.x - place.x, goal.y - place.y)))
    return events


def find_ball(recording: Recording, scenario: Scenario) -> BallEvent | None:
    """Return what became of the ball, if there was one."""
    if scenario.ball is None:
        return None
    pace = find_pace(load_robot(recording.robot))
    ball = make_ball(scenario.ball, scenario.seed, pace)
    end = _find_end(recording, scenario.commands)
    caught = next((time for time, _ in _repeat(recording, Chase(ball, pace), pace, 0, end)
                   if ball.is_caught), None)
    return BallEvent(caught, ball.rolls)


def follow_ball(recording: Recording, scenario: Scenario) -> tuple[FloatArray, float] | None:
    """Return where the ball was in each step (n, 2) and its radius, m, if there was one."""
    if scenario.ball is None:
        return None
    pace = find_pace(load_robot(recording.robot))
    ball = make_ball(scenario.ball, scenario.seed, pace)
    end, places = _find_end(recording, scenario.commands), np.empty((len(recording), 2))
    places[:] = ball.place
    for time, chase in _repeat(recording, Chase(ball, pace), pace, 0, end):
        places[_find_row(recording, time):] = chase.place
    return places, pace.ball


def _repeat(recording: Recording, chase: Chase, pace: Pace, begin: int, end: int
            ) -> Iterator[tuple[float, Chase]]:
    """Let the chase see what it saw; give it and the time (s) each time it did something."""
    for row in range(begin, end):
        time = float(recording.time[row])
        if chase.is_due(time):
            place = _find_place(recording, row, pace)
            chase.advance(time, place, place.yaw)
            yield time, chase


def _find_place(recording: Recording, row: int, pace: Pace) -> Place:
    pose = recording.pose[row]
    return pace.locate(float(pose[0]), float(pose[1]), float(compute_yaw(pose[3:7])))


def _find_row(recording: Recording, time: float) -> int:
    """Return the first step at or after a time (s)."""
    return int(np.searchsorted(recording.time, time - recording.time_step / 2))


def _find_end(recording: Recording, later: Sequence[Command]) -> int:
    """Return the step at which another command ends a pursuit, or the end."""
    ends = (command.t for command in later if sets_velocity(command)
            or command.target is not None or command.skill not in (None, LEAP))
    return min(_find_row(recording, next(ends, float('inf'))), len(recording))
