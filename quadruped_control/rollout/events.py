"""What happened in a rollout at moments rather than in steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class GaitChange:
    """A gait that began at ``t`` (s)."""

    t: float
    gait: str


@dataclass(frozen=True)
class PostureEvent:
    """A skill asked for at ``t`` (s), done after so many seconds or never, and held or not."""

    skill: str
    t: float
    done_after: float | None = None
    held: bool | None = None


@dataclass(frozen=True)
class LeapPlan:
    """Height (m), distance (m) and take-off speed (m/s) that a leap was planned with."""

    h: float
    d: float
    v: float


@dataclass(frozen=True)
class LeapEvent:
    """
    A leap asked for at ``t`` (s), and what came of it; None where it did not come to that.

    :param takeoff: time at which the last foot left the ground (s).
    :param landing: time at which the first foot touched again (s).
    :param height: how high the centre of mass rose above where it took off (m).
    :param distance: between the feet at take-off and at landing, horizontally (m).
    :param feet_on: number of feet that landed on ground, not in a gap or on an edge.
    """

    t: float
    planned: LeapPlan | None = None
    takeoff: float | None = None
    landing: float | None = None
    height: float | None = None
    distance: float | None = None
    feet_on: int | None = None
    recovered: bool | None = None


@dataclass(frozen=True)
class TargetEvent:
    """
    A target given at ``t`` (s).

    :param reached_after: s until the robot was there, and faced as it was to; None: never.
    :param error: of its middle from the target in the end, or when another command came, m.
    """

    t: float
    reached_after: float | None
    error: float


@dataclass(frozen=True)
class BallEvent:
    """A ball that was caught after so many seconds, or never, and rolled so many times."""

    caught_after: float | None
    rolls: int


@dataclass(frozen=True)
class Events:
    """What happened at moments rather than in steps."""

    gaits: Sequence[GaitChange] = ()
    postures: Sequence[PostureEvent] = ()
    leaps: Sequence[LeapEvent] = ()
