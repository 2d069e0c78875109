"""What keys and joysticks ask of the dog: pure, time is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import inf

Twist = tuple[float, float, float]  # forward and left in m/s, turn to the left in rad/s
STILL: Twist = (0.0, 0.0, 0.0)


class Axis(IntEnum):
    """A direction in which the dog is driven, by its place in a twist."""

    FORWARD = 0
    LEFT = 1
    TURN = 2


DIRECTIONS: dict[str, tuple[Axis, int]] = {
    'w': (Axis.FORWARD, 1), 'up': (Axis.FORWARD, 1),
    's': (Axis.FORWARD, -1), 'down': (Axis.FORWARD, -1),
    'a': (Axis.TURN, 1), 'left': (Axis.TURN, 1),
    'd': (Axis.TURN, -1), 'right': (Axis.TURN, -1),
    'q': (Axis.LEFT, 1), 'e': (Axis.LEFT, -1),
}  # fmt: skip
STOP = ' '
FASTER, SLOWER = ('+', '='), ('-', '_')

SMALLEST_SCALE, SCALE_STEP = 0.2, 0.1
NO_LIMIT: Twist = (inf, inf, inf)


def name_gait_keys(gaits: Sequence[str], auto: str = 'auto') -> dict[str, str]:
    """Return the gait of each number key: 0 is the choice by speed."""
    return {'0': auto, **{str(i): name for i, name in enumerate(gaits[:9], start=1)}}


@dataclass
class KeyboardDrive:
    """
    The twist that keys ask for.

    A terminal tells when a key is pressed, and again and again while it is held, but not when it
    is released. So an axis is let go when its key has not come for ``release_time`` (s), unless it
    is latched. A terminal repeats only the last of two held keys: therefore turning keeps the
    speed that there is, so that W held and A held too is a curve.

    :param speeds: of the three axes at scale 1, m/s, m/s, rad/s.
    :param limits: that no scale exceeds, likewise.
    :param all_repeat: the keys come from where all that are held are repeated.
    """

    speeds: Twist
    release_time: float = 0.5
    latch: bool = False
    all_repeat: bool = False
    scale: float = 1.0
    limits: Twist = NO_LIMIT
    _signs: list[int] = field(default_factory=lambda: [0, 0, 0])
    _times: list[float] = field(default_factory=lambda: [-1e9] * 3)

    def press(self, key: str, time: float) -> bool:
        """Take a key at a time (s); return whether it is one that drives."""
        if key in DIRECTIONS:
            self._release(time)
            axis, sign = DIRECTIONS[key]
            self._signs[axis], self._times[axis] = sign, time
            if axis == Axis.TURN and not self.all_repeat:
                self._times = [time] * 3
        elif key == STOP:
            self._signs = [0, 0, 0]
        elif key in FASTER + SLOWER:
            step = SCALE_STEP if key in FASTER else -SCALE_STEP
            self.scale = min(self.largest_scale, max(SMALLEST_SCALE, round(self.scale + step, 3)))
        else:
            return False
        return True

    def compute_twist(self, time: float) -> Twist:
        """Return what is asked for at a time (s)."""
        self._release(time)
        forward, left, turn = (
            sign * min(speed * self.scale, limit)
            for sign, speed, limit in zip(self._signs, self.speeds, self.limits, strict=True)
        )
        return forward, left, turn

    @property
    def largest_scale(self) -> float:
        """The scale at which it goes forward as fast as it can."""
        fastest, speed = self.limits[Axis.FORWARD], self.speeds[Axis.FORWARD]
        return max(1.0, fastest / speed) if speed else 1.0

    def _release(self, time: float) -> None:
        if not self.latch:
            self._signs = [
                sign if time - last < self.release_time else 0
                for sign, last in zip(self._signs, self._times, strict=True)
            ]


@dataclass
class JoystickDrive:
    """
    The twist and the buttons of a joystick.

    :param speeds: at full deflection.
    :param axes: numbers of the joystick's axes for forward, left and turn.
    :param dead_zone: deflection below which a stick counts as released.
    """

    speeds: Twist
    axes: tuple[int, int, int] = (1, 0, 3)
    dead_zone: float = 0.1
    release_time: float = 0.5
    _twist: Twist = STILL
    _time: float = -1e9
    _buttons: tuple[int, ...] = ()

    def move(self, axes: Sequence[float], time: float) -> None:
        """Take the deflections, -1 to 1; a missing axis counts as released."""
        forward, left, turn = (
            speed * self._read(axes, axis)
            for axis, speed in zip(self.axes, self.speeds, strict=True)
        )
        self._twist, self._time = (forward, left, turn), time

    def press(self, buttons: Sequence[int]) -> list[int]:
        """Take the state of all buttons; return the numbers of those pressed since the last."""
        before = self._buttons + (0,) * len(buttons)
        self._buttons = tuple(buttons)
        return [i for i, button in enumerate(buttons) if button and not before[i]]

    def compute_twist(self, time: float) -> Twist:
        """Return what is asked for; a joystick that is silent (s) asks for nothing."""
        return self._twist if time - self._time < self.release_time else STILL

    def _read(self, axes: Sequence[float], number: int) -> float:
        if not 0 <= number < len(axes):
            return 0.0
        value = min(1.0, max(-1.0, float(axes[number])))
        return value if abs(value) >= self.dead_zone else 0.0
