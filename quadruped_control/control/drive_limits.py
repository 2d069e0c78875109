"""How fast a robot can be driven by hand, and how hard it may be pushed: by its size."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.ladder import AUTO
from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.model.robot import Robot
from quadruped_control.model.similarity import round_to_digits

STEP = 0.05                     # m/s and rad/s, of all speeds here
# speeds over sqrt(g h) with the standing height h, turns over sqrt(g / h): alike for all sizes
BACK, SIDE, TURN = 0.47, 0.19, 0.325
EASY, EASY_SIDE, EASY_TURN = 0.283, 0.094, 0.13
KEY_TURN = 0.173
PUSH_STEP = 0.03                # force over the weight
PUSH, STRONGEST = 10, 60        # steps


class DriveLimits(NamedTuple):
    """
    What controls by hand offer.

    :param forward: the fastest speed of the ladder, m/s; back, side and turn (rad/s) likewise.
    :param easy: speeds forward, sideways (m/s) and of a turn (rad/s) to begin with.
    :param key_turn: rad/s at which the page's keys turn.
    :param strongest: push, N; ``push`` is one to begin with, in steps of ``push_step``.
    """

    forward: float
    back: float
    side: float
    turn: float
    easy: tuple[float, float, float]
    key_turn: float
    strongest: float
    push: float
    push_step: float


def find_drive_limits(robot: Robot, gaits: frozenset[str] | None = None) -> DriveLimits:
    """
    Return those of a robot.

    :param gaits: that its controller can walk in; None: all.
    """
    height = float(robot.standing_height().mean())
    weight = float(robot.tree['total_mass']) * GRAVITY
    push = round_to_digits(PUSH_STEP * weight, 1)
    speed, turn = sqrt(GRAVITY * height), sqrt(GRAVITY / height)
    fastest = GaitLibrary(robot.name, gaits=gaits).tables[AUTO].speeds[-1]
    return DriveLimits(
        float(fastest), _step(BACK * speed),
        _step(SIDE * speed), _step(TURN * turn),
        (_step(EASY * speed), _step(EASY_SIDE * speed), _step(EASY_TURN * turn)),
        _step(KEY_TURN * turn), STRONGEST * push, PUSH * push, push)


def _step(value: float) -> float:
    return round(max(STEP, STEP * round(value / STEP)), 2)
