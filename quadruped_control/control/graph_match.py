"""Where in the cycle two gait graphs match: where both gaits stand on the same legs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.kinematics.record_class import make_record

Array = NDArray[np.float64]
PLACES = 1000               # of a cycle that are looked at
HALF = 0.5                  # of a cycle


class Match(NamedTuple):
    """From which phase on two graphs match, and for how much of a cycle."""

    begin: float
    length: float


def find_match(slow: Array, fast: Array) -> Match:
    """
    Return the longest part of the cycle in which two gaits share their stance legs, if any stands.

    :param slow: parameters of a gait, in the order of :class:`GaitRecord`.
    """
    phases = np.arange(PLACES) / PLACES
    stances = [find_stances(row, phases) for row in (slow, fast)]
    same = (stances[0] == stances[1]).all(axis=1) & stances[0].any(axis=1)
    if same.all() or not same.any():
        return Match(0.0, float(same.all()))
    first = int(np.flatnonzero(~same)[0])               # so that no part goes over the end
    edges = np.diff(np.concatenate(([0], np.roll(same, -first), [0])).astype(int))
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    longest = int(np.argmax(ends - begins))
    return Match(float((begins[longest] + first) % PLACES) / PLACES,
                 float(ends[longest] - begins[longest]) / PLACES)


def find_exchange(rows: Array, first: int) -> int:
    """
    Return the first row from which on the feet of a pair land in another order, or 0.

    :param rows: parameters over speed.
    :param first: row to begin with.
    """
    orders = [_find_order(row) for row in rows[first:]]
    return next((first + n for n, order in enumerate(orders) if order != orders[0]), 0)


def _find_order(row: Array) -> tuple[bool, bool]:
    """Say of both pairs whether the left foot lands less than half a cycle after the right."""
    gait = make_record(GaitRecord)
    as_numbers(gait)[:] = row
    after = np.mod(gait.touchdown[::2] - gait.touchdown[1::2], 1.0)
    return bool(after[0] < HALF), bool(after[1] < HALF)


def find_stances(row: Array, phases: Array) -> NDArray[np.bool_]:
    """Return (n, 4) which legs stand at each phase."""
    gait = make_record(GaitRecord)
    as_numbers(gait)[:] = row
    swing = gait.touchdown - gait.lift_off
    since = np.mod(phases[:, None] - gait.lift_off, 1.0)
    return since >= swing
