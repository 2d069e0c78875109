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

AUTO = 'auto'
LADDER = (('walk', 0.0, 1.0), ('trot', 1.5, 3.0))       # gait, from and to which speed in m/s


class GaitLibrary:
    """
    Tables by name, and the parameters of standing.

    :param own: tables of the gaits themselves; None for those of the files.
    """

    def __init__(self, own: dict[str, GaitTable] | None = None) -> None:
        self.tables = dict(own or read_tables())
        self.tables[AUTO] = make_ladder(self.tables)
        self.stand = read_stand().copy()


@cache
def read_stand() -> NDArray[np.float64]:
    """Return the parameters of standing."""
    return flatten(load_gait(STAND).speeds[0])


def read_tables() -> dict[str, GaitTable]:
    """Return the tables of all gait files."""
    return {name: GaitTable.of(load_gait(name)) for name in sorted(available_gaits())}


def make_ladder(tables: dict[str, GaitTable]) -> GaitTable:
    """Join the gaits of the ladder, each cut to its range; the gaps are interpolated."""
    return GaitTable.join([tables[name].cut(least, most) for name, least, most in LADDER])
