"""
Between the dog and its planner of leaps: a scan, a question at each gait cycle, an order.

All three are a few numbers, the same in one process and over topics. An order takes effect
``LOOK`` ticks after the question, so that the planner has time for it in another process.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap import PARAMETERS
from quadruped_control.leaps.planner import Plan, Planner

Array = NDArray[np.float64]
Heights = Callable[[Array, Array], Array]
PLACES = 801                            # of a scan, and
PLANNED = 201                           # of it for which leaps are planned
SCAN_EVERY, LOOK = 50, 10               # ticks between two scans, between two looks at the clock
GO, APPROACH, REFUSE, SLOWER, TOO_NEAR = 0.0, 1.0, 2.0, 3.0, 4.0     # kinds of orders
PLAIN = 'nothing ahead'                 # where the ground asks for nothing
LEAD = 3                                # half strides before its begin at which a leap is given


class Scan(NamedTuple):
    """Heights of the ground at PLACES, so far apart (m) from a place on, in a direction (rad)."""

    x: float
    y: float
    heading: float
    spacing: float
    heights: Array


class Question(NamedTuple):
    """
    Where the dog is at the beginning of a gait cycle, and how it goes.

    :param speed: measured, m/s.
    :param stride_time: s.
    :param ready: s until it goes in the gait that leaps begin from.
    """

    x: float
    y: float
    heading: float
    speed: float
    stride_time: float
    ready: float


class Order(NamedTuple):
    """
    What to do until the next one.

    :param kind: GO as asked for, APPROACH what will be leapt over, REFUSE and stop before it;
        come SLOWER to it, as no leap begins from so fast a gait, or stop TOO_NEAR to it.
    :param speed: m/s to go with; of all but GO.
    :param half_strides: until the leap begins.
    :param begin: m from the hips to the obstacle; end, take_off and landing likewise.
    :param height: of the obstacle, m.
    :param parameters: of the leap, in the order of PARAMETERS.
    """

    kind: float = GO
    speed: float = 0.0
    half_strides: float = 0.0
    begin: float = 0.0
    end: float = 0.0
    height: float = 0.0
    take_off: float = 0.0
    landing: float = 0.0
    parameters: tuple[float, ...] = (0.0,) * len(PARAMETERS)

    def describe(self) -> str:
        """Say it in words."""
        what = f'{self.end - self.begin:.2f} m long and {self.height:+.2f} m high'
        if self.kind == GO:
            return 'nothing to leap over'
        if self.begin == self.end:
            return (f'leaps to what is {self.begin:.1f} m ahead, in {self.half_strides:.0f} half '
                    'strides')
        if self.kind == REFUSE:
            return f'refuses what is {self.begin:.1f} m ahead, {what}: out of reach'
        if self.kind == SLOWER:
            return f'comes slower to what is {self.begin:.1f} m ahead, {what}'
        if self.kind == TOO_NEAR:
            return (f'stops before what is {self.begin:.1f} m ahead, {what}: too near for a '
                    'run-up; go back, and come again')
        return (f'leaps over what is {self.begin:.1f} m ahead, {what}, in '
                f'{self.half_strides:.0f} half strides')


ORDER_SIZE = len(Order._fields) - 1 + len(PARAMETERS)


def flatten_order(order: Order) -> Array:
    """Return an order as numbers."""
    return np.array([*order[:-1], *order.parameters])


def read_order(numbers: Array) -> Order:
    """Return the order of its numbers."""
    values = numbers.tolist()
    count = len(Order._fields) - 1
    return Order._make([*values[:count], tuple(values[count:])])


def scan_ground(heights: Heights, x: float, y: float, heading: float, spacing: float) -> Scan:
    """
    Measure the ground ahead, as a range sensor would.

    :param spacing: m between two places.
    """
    places: Array = np.arange(PLACES, dtype=np.float64) * spacing
    ground = heights(x + cos(heading) * places, y + sin(heading) * places)
    return Scan(x, y, heading, spacing, ground)


def find_plan(planner: Planner, question: Question, scan: Scan,
              target: tuple[float, float] | None = None, kept: int = -1) -> Plan | None:
    """
    Return what to do about the first obstacle in a scan, or None where there is none.

    :param target: x, y in the world to leap to, if no obstacle comes first.
    :param kept: row of the leap that was planned before.
    """
    c, s = cos(question.heading), sin(question.heading)
    ahead = (scan.x - question.x) * c + (scan.y - question.y) * s
    pace = {'speed': question.speed, 'stride_time': question.stride_time, 'ready': question.ready}
    plan = planner.plan(scan.heights, spacing=scan.spacing, ahead=ahead, kept=kept,
                        planned=PLANNED, **pace)
    if target is None:
        return plan
    place = (target[0] - question.x) * c + (target[1] - question.y) * s
    if plan is not None and plan.obstacle.begin < place:
        return plan
    return planner.plan_at(place, **pace) or plan


def write_order(planner: Planner, plan: Plan | None) -> Order:
    """Return the order that a plan gives."""
    if plan is None:
        return Order()
    obstacle = plan.obstacle
    where = obstacle.begin, obstacle.end, obstacle.height
    if plan.is_refusal:
        near = TOO_NEAR if plan.speed == 0.0 else SLOWER
        return Order(near if plan.reachable else REFUSE, plan.speed, 0.0, *where)
    parameters = planner.find_parameters(plan).tolist()
    return Order(APPROACH, plan.speed, float(plan.half_strides), *where, plan.take_off,
                 plan.landing, tuple(parameters))
