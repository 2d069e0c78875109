"""All gaits that can be asked for, and the ladder that `auto` climbs."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import (
    STAND,
    GaitTable,
    available_gaits,
    flatten,
    load_gait,
)
from quadruped_control.control.graph_match import find_exchange, find_match
from quadruped_control.control.ladder import AUTO, Ladder, Step, limit_ladder, load_ladder
from quadruped_control.control.lead import HALF, LEFT, change_lead
from quadruped_control.control.transition import as_change, load_transition
from quadruped_control.model.robot_files import DEFAULT_ROBOT

APPROACH = 0.15             # m/s


class GaitLibrary:
    """
    The tables of a robot by name, and the parameters of standing.

    :param own: tables of the gaits themselves; None for those of the files.
    :param shift: the transition controller between the gears as what it adds to parameters; None
        for that of the file.
    :param gaits: that the controller can walk in; None: all.
    """

    def __init__(self, robot: str = DEFAULT_ROBOT, own: dict[str, GaitTable] | None = None,
                 shift: NDArray[np.float64] | None = None,
                 gaits: frozenset[str] | None = None) -> None:
        self.robot, self.gaits = robot, gaits
        self.ladder = limit_ladder(load_ladder(robot), gaits)
        own = own or read_tables(robot)
        own = {name: table for name, table in own.items() if gaits is None or name in gaits}
        shift = read_shift(robot) if shift is None else shift
        self.tables = {**own, **{name: make_ladder(own, self.ladder, name, shift)
                                 for name in (AUTO, *sorted(self.ladder.fast_gaits))}}
        for name in sorted(self.ladder.fast_gaits):
            self.tables[name + LEFT] = _change_lead(self.tables[name], own['trot'].rows[0])
        self.stand = read_stand(robot).copy()


def available_requests(robot: str = DEFAULT_ROBOT,
                       playable: frozenset[str] | None = None) -> frozenset[str]:
    """
    Return all gaits that can be asked for by name: those of the files, and other leads.

    :param playable: those that the controller can walk in; None: all.
    """
    gaits = available_gaits(robot)
    gaits = gaits if playable is None else gaits & playable
    return gaits | {name + LEFT for name in load_ladder(robot).fast_gaits & gaits}


@cache
def read_stand(robot: str = DEFAULT_ROBOT) -> NDArray[np.float64]:
    """Return the parameters of standing."""
    return flatten(load_gait(STAND, robot).speeds[0])


@cache
def read_shift(robot: str = DEFAULT_ROBOT) -> NDArray[np.float64]:
    """Return the transition controller between the gears, as what it adds to parameters."""
    shift = load_ladder(robot).shift
    if shift is None or shift.transition is None:
        return np.zeros_like(read_stand(robot))
    return as_change(load_transition(shift.transition, robot))


def read_tables(robot: str = DEFAULT_ROBOT) -> dict[str, GaitTable]:
    """Return the tables of all gait files of a robot."""
    return {name: GaitTable.of(load_gait(name, robot)) for name in sorted(available_gaits(robot))}


def make_ladder(tables: dict[str, GaitTable], ladder: Ladder, request: str,
                shift: NDArray[np.float64]) -> GaitTable:
    """Return the slow gear, and what a request makes of higher speeds as the fast one, if any."""
    slow = _join(tables, ladder.slow)
    if request not in ladder.fast or ladder.shift is None:
        slow.gears[1] = np.inf          # there is no faster gear, and no speed beyond
        return slow
    speeds = ladder.shift.auto if request == AUTO else ladder.shift.named
    fast = _join(tables, ladder.fast[request])
    both = slow.shift_to(fast, speeds.up, speeds.down, shift)
    both.gears[3:5] = find_match(slow.interpolate(speeds.down), fast.interpolate(speeds.down))
    both.gears[5] = find_exchange(both.rows, len(slow.rows))
    return both


def _change_lead(ladder: GaitTable, trot: NDArray[np.float64]) -> GaitTable:
    """Return a ladder whose fast gear is on the other lead; the slow one has none."""
    first = int(ladder.gears[0])
    other = change_lead(ladder, trot)
    other.rows[:first] = ladder.rows[:first]
    other.gears[3] = (ladder.gears[3] + HALF) % 1.0
    return other


def make_approach(library: GaitLibrary, request: str, speed: float,
                  numbers: NDArray[np.float64]) -> GaitTable:
    """
    Return a table whose last row is a gait at one speed, and which leads there from a stand.

    A fast gait is led to by what its ladder has up to APPROACH below.
    """
    alone = GaitTable.single(speed, numbers, request)
    if request not in library.ladder.fast:
        return alone
    ladder = library.tables[request]
    first = int(ladder.gears[0])
    below = ladder.speeds <= speed - APPROACH
    below[:first] = True
    led = GaitTable(ladder.speeds[below], ladder.rows[below],
                    tuple(np.array(ladder.names)[below]))
    table = GaitTable.join([led, alone])
    table.gears[:], table.shift = ladder.gears, ladder.shift.copy()
    table.gears[5] = find_exchange(table.rows, first)
    return table


def _join(tables: dict[str, GaitTable], steps: tuple[Step, ...]) -> GaitTable:
    """Join gaits, each cut to its range; the gaps are interpolated."""
    return GaitTable.join([tables[step.gait].cut(step.start, step.top) for step in steps])
