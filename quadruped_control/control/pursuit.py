"""
Target pursuit: from where a robot and its target are to the command that brings it there.

Kokkevis, Metaxas and Badler 1995, section 8: head for the target with a speed proportional to its
distance. It works on the command alone, so that every controller and every gait can do it.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, pi, sin, sqrt
from typing import NamedTuple

from quadruped_control.control.drive_limits import find_drive_limits
from quadruped_control.kinematics.records import GRAVITY, REAR
from quadruped_control.model.robot import Robot

# with the standing height h: speeds over sqrt(g h), rates over sqrt(g / h), lengths over h
SPEED, SLOWEST = 0.7, 0.06
APPROACH = 0.13             # speed over distance
TURN, TURNING = 0.2, 0.35   # fastest turn; turn over the angle that is left
ARRIVED = 0.43              # from the target at which it stops, and
LEFT = 2.0                  # times that from which it goes on again
ROLL = 1.25                 # speed at which a ball begins to roll, over that of pursuit
BALL = 0.22                 # radius of a ball
ALIGNED = 0.1               # rad off the goal's heading at which it is faced
SIDE = pi / 3               # off the heading from which on it only turns
SETTLE = 4.0                # of stepping on the spot before it stands, over sqrt(h / g)
MOST_LOOK = 1.0, 0.5        # rad that a head turns aside and down, at most
BEHIND = 2.4                # rad off the heading from which on a head gives up, until pi


class Place(NamedTuple):
    """Where a robot is: its middle (m), and where it faces (rad)."""

    x: float
    y: float
    yaw: float


class Goal(NamedTuple):
    """Where it shall go (m), and where it shall face then (rad), if that matters."""

    x: float
    y: float
    heading: float | None = None


class Drive(NamedTuple):
    """A command: m/s, m/s, rad/s, and 1 to step where it is zero."""

    vx: float = 0.0
    vy: float = 0.0
    wz: float = 0.0
    steps: float = 0.0


STOP = Drive()


class Pace(NamedTuple):
    """
    How a robot pursues, by its size.

    :param speed: m/s at most, where no other is asked for; ``fastest`` is what it can do.
    :param slowest: m/s at which it goes the last bit.
    :param approach: speed over distance, 1/s.
    :param turn: rad/s at most; ``turning`` is what it turns over the angle that is left, 1/s.
    :param arrived: m from the target at which it stops.
    :param settle: s that it steps on the spot before it stands.
    :param middle: how far its middle is ahead of its base, m.
    :param eyes: how far its head is ahead of the middle, and over the ground, m.
    :param look: rad that its head turns aside and down at most; 0 without a neck.
    :param ball: radius of a ball for it, m.
    """

    speed: float
    fastest: float
    slowest: float
    approach: float
    turn: float
    turning: float
    arrived: float
    settle: float
    middle: float
    eyes: tuple[float, float]
    look: tuple[float, float]
    ball: float

    def locate(self, x: float, y: float, yaw: float) -> Place:
        """Return the place of a robot whose base is there."""
        return Place(x + self.middle * cos(yaw), y + self.middle * sin(yaw), yaw)


def find_pace(robot: Robot) -> Pace:
    """Return that of a robot."""
    limits, height = find_drive_limits(robot), float(robot.standing_height().mean())
    speed, rate = sqrt(GRAVITY * height), sqrt(GRAVITY / height)
    return Pace(min(SPEED * speed, limits.forward), limits.forward, SLOWEST * speed,
                APPROACH * rate, min(TURN * rate, limits.turn), TURNING * rate, ARRIVED * height,
                SETTLE / rate, float(robot.anatomy['middle']), _find_eyes(robot),
                _find_look(robot), BALL * height)


def _find_eyes(robot: Robot) -> tuple[float, float]:
    """Return how far the head is ahead of the middle, and over the ground, in the zero pose."""
    ahead, _, height = robot.zero_pose()['position'][robot.anatomy['head']].tolist()
    ground = (float(robot.anatomy['leg_frame_point'][REAR, 2])
              - float(robot.standing_height()[REAR]))
    return ahead - float(robot.anatomy['middle']), height - ground


def _find_look(robot: Robot) -> tuple[float, float]:
    """Return how far a head can be turned, to the left and down, by joints that share evenly."""
    balls = len(robot.neck) // 3
    ranges = [robot.links[link].position_range or (-inf, inf) for link in robot.neck]
    room = [balls * min((upper for _, upper in ranges[axis::3]), default=0.0)
            for axis in (2, 0)]
    return min(room[0], MOST_LOOK[0]), min(room[1], MOST_LOOK[1])


def wrap(angle: float) -> float:
    """Return an angle from -pi to pi."""
    return angle - 2 * pi * round(angle / (2 * pi))


def head_for(distance: float, off: float, pace: Pace, fastest: float) -> Drive:
    """
    Return the command for a target so far away (m), so far to the left of the heading (rad).

    A target to the side is turned to first: with k the speed over distance and k' > k the turn
    over the angle, d/dt off = -k' off + k sin(off) share shrinks at every distance, so that
    the robot never circles round its target.
    """
    share = max((cos(off) - cos(SIDE)) / (1 - cos(SIDE)), 0.0)
    speed = min(max(pace.approach * distance, pace.slowest), fastest) * share
    return Drive(speed, 0.0, _turn(off, pace), 1.0)


def _turn(off: float, pace: Pace) -> float:
    return min(max(pace.turning * off, -pace.turn), pace.turn)


def look_at(place: Place, x: float, y: float, height: float, pace: Pace
            ) -> tuple[float, float]:
    """
    Return how far to turn the head to the left and down (rad) to look at a point.

    What is behind is not looked at, for the head would have to be thrown from side to side.
    """
    ahead, eyes = pace.eyes
    x -= place.x + ahead * cos(place.yaw)
    y -= place.y + ahead * sin(place.yaw)
    aside = wrap(atan2(y, x) - place.yaw)
    share = min(max((pi - abs(aside)) / (pi - BEHIND), 0.0), 1.0)
    down = atan2(eyes - height, hypot(x, y))
    return (share * min(max(aside, -pace.look[0]), pace.look[0]),
            share * min(max(down, -pace.look[1]), pace.look[1]))


class Pursuit:
    """
    A robot on its way to a goal: it goes there, stops, and turns as the goal faces.

    What it has come to depends on measured places alone, so that a recording tells it again.

    :param fastest: m/s it goes at most; 0: as its pace says.
    :param stay: m from the goal at which it stops; 0: as its pace says.
    :ivar reached_at: s at which it was there, and faced as the goal does; None: it is not.
    :ivar is_done: and it has stood its feet in order. It stays so until the goal is elsewhere.
    """

    def __init__(self, goal: Goal, pace: Pace, fastest: float = 0.0, stay: float = 0.0) -> None:
        self.goal = goal
        self.reached_at: float | None = None
        self.is_done = False
        self._pace = pace
        self._fastest = min(fastest or pace.speed, pace.fastest)
        self._stay = stay or pace.arrived
        self._arrived = self._went = False

    def aim(self, x: float, y: float) -> None:
        """Move the goal; one that is done begins again only where it is some way off."""
        self.goal = Goal(x, y, self.goal.heading)

    def update(self, time: float, place: Place, heading: float) -> Drive:
        """
        Return the command at a time (s) for a measured place.

        :param heading: that it aims for now, rad: it goes along this, and its body follows.
        """
        goal = self.goal
        x, y = goal.x - place.x, goal.y - place.y
        distance = hypot(x, y)
        self._arrived = distance < self._stay * (LEFT if self._arrived else 1.0)
        self._look_back(time, place)
        if self.is_done:
            return STOP
        self._went = True
        if self.reached_at is not None:
            return Drive(steps=1.0)
        if self._arrived and goal.heading is not None:
            return Drive(wz=_turn(wrap(goal.heading - heading), self._pace), steps=1.0)
        bearing = atan2(y, x)
        drive = head_for(distance, wrap(bearing - heading), self._pace, self._fastest)
        faced = head_for(distance, wrap(bearing - place.yaw), self._pace, self._fastest)
        return drive._replace(vx=min(drive.vx, faced.vx))

    def _look_back(self, time: float, place: Place) -> None:
        """Tell what it has come to; it steps on the spot before it stands, if it went at all."""
        heading = self.goal.heading
        left = 0.0 if heading is None else wrap(heading - place.yaw)
        if not self._arrived:
            self.reached_at = None
        elif self.reached_at is None and abs(left) < ALIGNED:
            self.reached_at = time
        settle = self._pace.settle if self._went else 0.0
        self.is_done = self.reached_at is not None and time - self.reached_at >= settle
