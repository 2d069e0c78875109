"""The same gait on the other lead: left and right exchanged, half a cycle later."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import GaitTable, as_numbers
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.trajectory import KNOTS
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import OTHER_SIDE

Array = NDArray[np.float64]
LEFT = '_left'                      # ends the name of a gait on its left lead
HALF = 0.5                          # of a cycle


def change_lead(table: GaitTable, trot: Array) -> GaitTable:
    """
    Return a table for the other lead.

    A trot is its own mirror image half a cycle later. So what leads from the trot into a gait also
    leads into the mirror image of that gait, if that too comes half a cycle later.

    :param trot: parameters of a trot; they tell in which cycle the footfalls of each leg count.
    """
    rows = np.array([_mirror(row, trot) for row in table.rows])
    return GaitTable(table.speeds.copy(), rows, table.names, table.gears.copy(),
                     table.shift.copy())


def _mirror(row: Array, trot: Array) -> Array:
    old, new, own = (make_record(GaitRecord) for _ in range(3))
    as_numbers(old)[:] = as_numbers(new)[:] = row
    as_numbers(own)[:] = trot
    cycle = np.round(own.lift_off - own.lift_off[OTHER_SIDE] - HALF)
    for key in ('lift_off', 'touchdown'):
        new[key] = old[key][OTHER_SIDE] + HALF + cycle
    for key in ('height', 'pitch', 'head_pitch'):
        new[key] = np.roll(old[key], KNOTS // 2, axis=-1)
    new.leg_force = old.leg_force[OTHER_SIDE]
    new.leg_step = old.leg_step[OTHER_SIDE] * (1.0, -1.0)
    return as_numbers(new).copy()
