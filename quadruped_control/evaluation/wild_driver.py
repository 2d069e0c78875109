"""A driver who is drawn by chance: commands that change every few seconds, and pushes."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.evaluation.terrain import SPEEDS
from quadruped_control.evaluation.wild_body import LEFT, STAND, WildBody

Rng = np.random.Generator
Span = tuple[float, float]
Command = dict[str, Any]

BEGIN = (0.3, 0.8)                      # s of the first command
HOLD = (1.5, 7.0)                       # s from one command to the next
TURN_FOR = (0.5, 4.0)                   # s
REST = 2.5                              # s that a posture takes, and before it a stop
QUIET = 1.0                             # s at the end without a command
FULL_TURN = 0.3                         # share of turns up to what the page's slider gives
PUSHES_APART = 7.0                      # s, in the mean
FIRST_PUSH, LAST_PUSH = 1.5, 3.0        # s after the start, before the end
SMALLEST_PUSH, SHORTEST_PUSH = 0.2, 0.5     # of what is asked
FASTER_ON_GROUND = (0.3, 2.2)           # m/s in `auto` where there is something on the ground,
AS_ON_FLAT = 0.2                        # but for this share
LEAPING_SPEEDS = (1.0, 1.6)             # m/s where leaps are planned
GAINING = 1.0                           # m/s^2 at which a driver takes it that a robot follows
UNSURE = 0.3                            # m/s of what speed it then has
ON_THE_WAY = 6                          # speeds from that to the one asked for
ACTIONS = {'speed': 0.30, 'turn': 0.27, 'stop': 0.08, 'sideways': 0.07, 'backwards': 0.04,
           'gait': 0.10, 'posture': 0.08, 'leap': 0.06}
CALM = {'speed': 0.5, 'turn': 0.4, 'stop': 0.1}     # of a driver who goes along a way


@dataclass(frozen=True)
class Deed:
    """What a driver does, and until when (s) it lasts."""

    what: str
    begin: float
    end: float


class Driver:
    """
    Draws commands for so many seconds.

    :param gaits: that may be asked for by name, `auto` among them or not; the first is used first.
    :param leash: rad that the robot may be turned from where it faces at first.
    :param level: the ground is flat.
    """

    def __init__(self, rng: Rng, body: WildBody, gaits: tuple[str, ...], duration: float, *,
                 level: bool, leash: float | None = None, leaps: bool = False) -> None:
        self._rng, self._body, self._gaits, self._duration = rng, body, gaits, duration
        self._level, self._leash, self._leaps = level, leash, leaps
        self._pace = body.similarity.factor('m/s')
        self._gait = gaits[0]
        self._turned = 0.0
        self._sits = False
        self.commands: list[Command] = []
        self.deeds: list[Deed] = []
        self._weights = ACTIONS if leash is None else CALM

    def drive(self, begin: float | None = None) -> None:
        """
        Draw all commands.

        :param begin: s of the first one.
        """
        t = self._draw(BEGIN) if begin is None else begin
        self._say(t, 'speed', vx=self._draw_speed(), gait=self._gait)
        while True:
            t = self._now + self._draw(HOLD)
            if t > self._duration - QUIET:
                break
            self._do(round(t, 3), str(self._rng.choice(
                list(self._weights), p=np.array(list(self._weights.values())))))
        self.deeds = [Deed(deed.what, deed.begin, after.begin) for deed, after in zip(
            self.deeds, [*self.deeds[1:], Deed('', self._duration, 0.0)], strict=True)]

    def _do(self, t: float, what: str) -> None:
        if self._sits:                      # it stands up for whatever it is asked for
            self._sits = False
            self._say(t, 'speed', vx=self._draw_speed(), gait=self._gait)
        elif what == 'turn':
            self._turn(t)
        elif what == 'stop':
            self._say(t, 'stop', vx=0.0, vy=0.0, wz=0.0)
        elif what == 'sideways':
            side = self._body.limits.side
            self._say(t, 'sideways', vy=self._draw((-side, side)))
        elif what == 'backwards' and self._level:
            self._say(t, 'backwards', vx=self._draw((-self._body.limits.back, 0.0)))
        elif what == 'gait' and len(self._gaits) > 1:
            self._gait = str(self._rng.choice(self._gaits))
            self._say(t, 'gait', gait=self._gait, vx=self._draw_speed())
        elif what == 'posture' and self._body.postures:
            self._rest(t, str(self._rng.choice(self._body.postures)))
        elif what == 'leap' and self._body.leaps and self._level:
            self._leap(t)
        else:
            self._say(t, 'speed', vx=self._draw_speed(),
                      **({'vy': 0.0} if self._rng.random() < 0.5 else {}))

    def _turn(self, t: float) -> None:
        """Turn for a while, in some of all cases faster than by the keys, and go straight on."""
        limits, lasts = self._body.limits, self._draw(TURN_FOR)
        full = self._rng.random() < FULL_TURN
        rate = self._draw((0.05, 1.0)) * (limits.turn if full else limits.key_turn)
        sign = float(self._rng.choice([-1.0, 1.0]))
        if self._leash is not None:
            sign = -float(np.sign(self._turned)) or sign
            room = self._leash + abs(self._turned)
            lasts = max(min(lasts, 0.9 * room / rate), 0.2)
        self._turned += sign * rate * lasts
        end = round(min(t + lasts, self._duration - QUIET), 3)
        self._say(t, 'turn', wz=round(sign * rate, 3))
        self._say(end, 'straight on', wz=0.0)

    def _rest(self, t: float, posture: str) -> None:
        """Stop, and sit or lie down; what is asked for next ends it."""
        self._say(t, 'stop', vx=0.0, vy=0.0, wz=0.0, gait=AUTO)
        t = round(t + REST * self._body.similarity.factor('s'), 3)
        if t < self._duration - QUIET:
            self._say(t, posture, skill=posture)
            self._sits = True

    def _leap(self, t: float) -> None:
        """Leap from the trot, at a speed of leaps."""
        self._say(t, 'speed', vx=round(self._draw(LEAPING_SPEEDS) * self._pace, 2), vy=0.0,
                  wz=0.0, gait='trot')
        t = round(t + REST + self._draw((0.0, 1.0)), 3)
        if t < self._duration - QUIET:
            self._say(t, LEAP, skill=LEAP)
            self._gait = 'trot'

    def _say(self, t: float, what: str, **asked: object) -> None:
        if t >= self._duration:
            return
        self._now = t
        self.commands.append({'t': t, **asked})
        self.deeds.append(Deed(what, t, self._duration))

    def _draw_speed(self) -> float:
        """Return a speed (m/s) from anywhere in the gait's range."""
        low, high = self._body.ranges[self._gait]
        if self._leaps:
            low, high = (round(end * self._pace, 3) for end in LEAPING_SPEEDS)
        elif not self._level and self._gait == AUTO and self._rng.random() >= AS_ON_FLAT:
            low, high = (end * self._pace for end in FASTER_ON_GROUND)
        elif not self._level and self._gait != AUTO:
            asked = SPEEDS.get(self._gait.removesuffix(LEFT), high) * self._pace
            high = min(high, max(asked, low + 0.1))
        return self._draw((low, min(high, self._body.ranges[self._gait][1])))

    def _draw(self, span: Span) -> float:
        return round(float(self._rng.uniform(*span)), 3)


def draw_pushes(rng: Rng, body: WildBody, commands: list[Command], duration: float, *,
                level: bool) -> list[dict[str, Any]]:
    """
    Return pushes at any time, from any side, up to the size that the likely gait must take.

    Where the speed changes it is the least that any gait on the way must take. None comes while
    the robot sits or lies.
    """
    found = []
    t = FIRST_PUSH + float(rng.exponential(PUSHES_APART))
    while t < duration - LAST_PUSH:
        gaits = find_likely_gaits(body, commands, t)
        if gaits and not level:
            gaits |= {'walk', 'trot'}
        if gaits:
            found.append(_draw_push(rng, body, gaits, round(t, 3)))
        t += float(rng.exponential(PUSHES_APART))
    return found


def _draw_push(rng: Rng, body: WildBody, gaits: set[str], t: float) -> dict[str, Any]:
    rows = [body.pushes_of(gait) for gait in sorted(gaits)]
    column = int(rng.integers(max(map(len, rows))))
    force = min(row[min(column, len(row) - 1)][0] for row in rows)
    lasts = min(row[min(column, len(row) - 1)][1] for row in rows)
    force *= float(rng.uniform(SMALLEST_PUSH, 1.0))
    angle = float(rng.uniform(-pi, pi))
    return {'t': t, 'at': str(rng.choice(['front', 'rear'])),
            'force': [round(force * cos(angle), 2), round(force * sin(angle), 2), 0.0],
            'duration': round(lasts * float(rng.uniform(SHORTEST_PUSH, 1.0)), 3)}


def find_likely_gaits(body: WildBody, commands: list[Command], t: float) -> set[str]:
    """Return the gaits that a robot may be in at a time (s); none while it sits or lies."""
    speed, wanted, turn, asked, at = 0.0, 0.0, 0.0, AUTO, 0.0
    rests = False
    for command in commands:
        if command['t'] > t:
            break
        speed, at = _approach(speed, wanted, GAINING * (command['t'] - at)), command['t']
        if 'skill' in command:
            rests = rests or command['skill'] != LEAP
        else:
            rests = False
        wanted, asked = command.get('vx', wanted), command.get('gait', asked)
        turn = abs(command.get('wz', turn)) + abs(command.get('vy', 0.0))
    if rests:
        return set()
    speed = _approach(speed, wanted, GAINING * (t - at))
    gaits = {body.likely_gait(asked, each) for each in (
        *np.linspace(speed, wanted, ON_THE_WAY), speed + UNSURE,
        max(speed - UNSURE, min(speed, UNSURE)))}
    return gaits | ({'walk'} if turn and STAND in gaits else set())


def _approach(speed: float, wanted: float, change: float) -> float:
    return speed + float(np.clip(wanted - speed, -change, change))
