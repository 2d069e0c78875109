"""
The numbers of what every robot knows, for compiled code.

What a robot's posture files add is numbered behind these, by skill_book.
"""

from __future__ import annotations

from enum import IntEnum

NONE = -1                   # no motion, no request
CODED = -2                  # in place of a motion: what is played is in code alone


class Activity(IntEnum):
    """What a robot is doing: at rest in a state, or on the way from one to another."""

    STAND = 0               # on its feet, in whatever gait
    FALLEN = 1
    FALLING = 2
    GETTING_UP = 3
    LEAPING = 4


class Request(IntEnum):
    """What a robot can be asked for."""

    STAND = 0
    GET_UP = 1
    LEAP = 2


class Part(IntEnum):
    """Motions that falling, and getting up from however a robot lies, consist of."""

    FALL = 0
    ROLL_OFF_BACK = 1
    ROLL_OVER = 2
    GATHER = 3
    PUSH_UP = 4


class Player(IntEnum):
    """Who writes the target while a robot is doing something."""

    REST = 0                # nobody: it stays as the last motion left it
    GAIT = 1
    MOTION = 2
    GET_UP = 3
    LEAP = 4


class Mode(IntEnum):
    """What an activity counts as in metrics; standing is locomotion at no speed."""

    LOCOMOTION = 0
    POSTURE = 1
    GET_UP = 2
    LEAP = 3


class Condition(IntEnum):
    """What ends a phase of a motion sooner than its time: at rest, upright, up on its legs."""

    TIME = 0
    REST = 1
    UPRIGHT = 2
    UP = 3
