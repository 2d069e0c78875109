"""All gaits that can be asked for, and the ladder that `auto` climbs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import (
    STAND,
    Gait,
    GaitTable,
    available_gaits,
    flatten,
    load_gait,
)

AUTO = 'auto'
LADDER = (('walk', 0.0, 0.5), ('trot', 1.0, 3.0))       # gait, from and to which speed in m/s


class GaitLibrary:
    """Tables by name, and the parameters of standing."""

    def __init__(self) -> None:
        gaits = {name: load_gait(name) for name in sorted(available_gaits())}
        self.tables = {name: GaitTable([gait]) for name, gait in gaits.items()}
        self.tables[AUTO] = GaitTable(_ladder(gaits))
        self.stand: NDArray[np.float64] = flatten(load_gait(STAND).speeds[0])


def _ladder(gaits: dict[str, Gait]) -> list[Gait]:
    """Cut each gait of the ladder to its range of speeds; the gaps are interpolated."""
    steps = []
    for name, least, most in LADDER:
        if name in gaits:
            kept = tuple(at for at in gaits[name].speeds if least <= at.speed <= most)
            steps.append(gaits[name].model_copy(update={'speeds': kept}))
    return steps or list(gaits.values())
