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


def find_stances(row: Array, phases: Array) -> NDArray[np.bool_]:
    """Return (n, 4) which legs stand at each phase."""
    gait = make_record(GaitRecord)
    as_numbers(gait)[:] = row
    swing = gait.touchdown - gait.lift_off
    since = np.mod(phases[:, None] - gait.lift_off, 1.0)
    return since >= swing
