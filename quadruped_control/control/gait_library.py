"""All gaits that can be asked for, and the ladder that `auto` climbs."""

from __future__ import annotations

from functools import cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import (
    STAND,
    GaitTable,
    available_gaits,
    flatten,
    load_gait,
)
from quadruped_control.control.graph_match import find_match
from quadruped_control.control.lead import HALF, LEFT, change_lead
from quadruped_control.control.transition import TROT_TO_CANTER, as_change, load_transition

AUTO = 'auto'
Steps = tuple[tuple[str, float, float], ...]        # gait, from and to which speed in m/s
TOP = inf                   # as fast as the file goes
SLOW: Steps = (('walk', 0.0, 1.0), ('trot', 1.5, 2.2))
FAST: dict[str, Steps] = {
    AUTO: (('canter', 2.0, 3.3), ('transverse_gallop', 3.5, TOP)),
    'canter': (('canter', 2.0, 3.5),),
    'transverse_gallop': (('canter', 2.0, 3.3), ('transverse_gallop', 3.5, TOP)),
    'rotary_gallop': (('canter', 2.0, 3.25), ('rotary_gallop', 3.45, TOP)),
}
SHIFT_SPEEDS = (2.3, 2.1)       # m/s at which `auto` leaves the trot for the canter, and returns
EARLY_SHIFT_SPEEDS = (1.9, 1.7)     # the same where a fast gait is asked for by name
APPROACH = 0.15             # m/s


class GaitLibrary:
    """
    Tables by name, and the parameters of standing.

    :param own: tables of the gaits themselves; None for those of the files.
    :param shift: the transition controller from trot to canter as what it adds to parameters; None
        for that of the file.
    """

    def __init__(self, own: dict[str, GaitTable] | None = None,
                 shift: NDArray[np.float64] | None = None) -> None:
        own = own or read_tables()
        shift = read_shift() if shift is None else shift
        self.tables = {**own, **{name: make_ladder(own, name, shift) for name in FAST}}
        for name in sorted(set(FAST) - {AUTO}):
            self.tables[name + LEFT] = _change_lead(self.tables[name], own['trot'].rows[0])
        self.stand = read_stand().copy()


def available_requests() -> frozenset[str]:
    """Return all gaits that can be asked for by name: those of the files, and other leads."""
    gaits = available_gaits()
    return gaits | {name + LEFT for name in set(FAST) & gaits}


@cache
def read_stand() -> NDArray[np.float64]:
    """Return the parameters of standing."""
    return flatten(load_gait(STAND).speeds[0])


@cache
def read_shift() -> NDArray[np.float64]:
    """Return the transition controller from trot to canter, as what it adds to parameters."""
    return as_change(load_transition(TROT_TO_CANTER))


def read_tables() -> dict[str, GaitTable]:
    """Return the tables of all gait files."""
    return {name: GaitTable.of(load_gait(name)) for name in sorted(available_gaits())}


def make_ladder(tables: dict[str, GaitTable], request: str,
                shift: NDArray[np.float64]) -> GaitTable:
    """Return walk and trot as the slow gear, what a request makes of higher speeds as the fast."""
    up, down = SHIFT_SPEEDS if request == AUTO else EARLY_SHIFT_SPEEDS
    slow, fast = _join(tables, SLOW), _join(tables, FAST[request])
    ladder = slow.shift_to(fast, up, down, shift)
    ladder.gears[3:] = find_match(slow.interpolate(down), fast.interpolate(down))
    return ladder


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
    if request not in FAST:
        return alone
    ladder = library.tables[request]
    first = int(ladder.gears[0])
    below = ladder.speeds <= speed - APPROACH
    below[:first] = True
    led = GaitTable(ladder.speeds[below], ladder.rows[below],
                    tuple(np.array(ladder.names)[below]))
    table = GaitTable.join([led, alone])
    table.gears[:], table.shift = ladder.gears, ladder.shift.copy()
    return table


def _join(tables: dict[str, GaitTable], steps: Steps) -> GaitTable:
    """Join gaits, each cut to its range; the gaps are interpolated."""
    return GaitTable.join([tables[name].cut(least, most) for name, least, most in steps])
