"""What a driver may ask of a robot: gaits and their speeds, turns, postures, pushes by gait."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import atan, degrees, hypot

from quadruped_control.control.drive_limits import DriveLimits, find_drive_limits
from quadruped_control.control.ladder import AUTO, Ladder, load_ladder
from quadruped_control.control.offers import list_offers
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.evaluation import gaits, pushes, robot_gaits
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.similarity import Similarity
from quadruped_control.scenario import find_footprint

STAND = 'stand'
STANDING_PUSHES = ((100.0, 0.1),)       # N, s: of a robot that stands, in scenarios of the dog
STILL = 0.05                            # m/s below which it does
POSTURES = ('sit', 'lie_down')
LEFT = '_left'                          # the other lead of a gait

Push = tuple[float, float]              # N, s
Span = tuple[float, float]


@dataclass(frozen=True)
class WildBody:
    """
    A robot as its driver sees it.

    :param ranges: speeds (m/s) of each gait that can be asked for, `auto` among them.
    :param steepest_start: degrees of the slope that a scenario may start it on, facing anywhere.
    """

    robot: str
    ranges: dict[str, Span]
    limits: DriveLimits
    ladder: Ladder
    similarity: Similarity
    postures: tuple[str, ...]
    leaps: bool
    gets_up: bool
    steepest_start: float

    def likely_gait(self, asked: str, speed: float) -> str:
        """Return in which gait a robot goes at a speed (m/s) when a gait was asked for."""
        if abs(speed) < STILL * self.similarity.factor('m/s'):
            return STAND
        asked = asked.removesuffix(LEFT)
        if asked != AUTO and asked not in self.ladder.fast:
            return asked
        shift = self.ladder.shift
        up = 0.0 if shift is None else (shift.auto if asked == AUTO else shift.named).down
        steps = self.ladder.slow
        if shift is not None and speed >= up:
            steps = self.ladder.fast[asked]
        found = [step.gait for step in steps if step.start <= max(speed, 0.0)]
        return found[-1] if found else steps[0].gait

    def pushes_of(self, gait: str) -> tuple[Push, ...]:
        """Return the pushes (N, s) that a gait must take, by the robot's size."""
        if gait == STAND:
            weight, time = self.similarity.factor('N'), self.similarity.factor('s')
            return tuple((force * weight, lasts * time) for force, lasts in STANDING_PUSHES)
        like = pushes.LIKE.get(gait, gait)
        return pushes.pushes_of(like, 1.0, self.similarity)


@cache
def load_body(robot: str = DEFAULT_ROBOT) -> WildBody:
    """Return what may be asked of a robot."""
    offers = list_offers(robot)
    body = load_robot(robot)
    similarity = body.similarity_to(load_model())
    limits = find_drive_limits(body)
    ranges: dict[str, Span] = {AUTO: (0.0, limits.forward)}
    for gait in sorted(offers.gaits):
        ranges[gait] = _find_range(gait.removesuffix(LEFT), robot, similarity)
    return WildBody(robot, ranges, limits, load_ladder(robot), similarity,
                    tuple(name for name in POSTURES if name in offers.skills),
                    LEAP in offers.skills, 'get_up' in offers.skills, _find_steepest_start(robot))


def _find_steepest_start(robot: str) -> float:
    footprint = find_footprint(robot)
    across = hypot(footprint.length, footprint.width)
    return degrees(atan(footprint.most_difference / across))


def _find_range(gait: str, robot: str, similarity: Similarity) -> Span:
    if robot == DEFAULT_ROBOT and gait in gaits.RANGES:
        return gaits.RANGES[gait]
    speeds = [vx for vx, vy in robot_gaits.list_velocities(gait, robot, similarity.factor('m/s'))
              if vx >= 0.0 and vy == 0.0]
    return min(speeds), max(speeds)
