"""Which numbers of a gait a search may change, and within which bounds (section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_entries import Entry, list_entries
from quadruped_control.control.gait_field import Bounds, Each
from quadruped_control.control.gait_fields import list_places
from quadruped_control.kinematics.records import LEGS, OTHER_SIDE
from quadruped_control.model.similarity import SAME, Similarity

Array = NDArray[np.float64]
Group = tuple[int, ...]         # places of numbers that are changed together


class Detail(str, Enum):
    """
    What of a gait is searched.

    COARSE: trajectories are moved as a whole, and F_D and foot timing are left alone: a quarter of
    the parameters, with which a search gets far in a few hundred evaluations. FINE: all of them.
    BALANCE: only what brings a pushed dog back, each leg's own foothold among it where it has one.
    """

    COARSE = 'coarse'
    FINE = 'fine'
    BALANCE = 'balance'


@dataclass(frozen=True)
class Parameters:
    """
    The free numbers of a gait as a vector between 0 and 1.

    :param places: for each free parameter the indices of the numbers that it sets: several where
        left and right do the same, or where a trajectory is moved or scaled as a whole.
    :param scaled: whether a parameter is the largest of its numbers, which keep their
        proportions, or their mean, which keep their differences.
    """

    places: tuple[Group, ...]
    scaled: tuple[bool, ...]
    least: Array
    most: Array

    @property
    def count(self) -> int:
        """Number of free parameters."""
        return len(self.places)

    def extract(self, numbers: Array) -> Array:
        """Return the vector of a gait's numbers, clipped to the bounds."""
        return np.clip((self._values(numbers) - self.least) / (self.most - self.least), 0.0, 1.0)

    def insert(self, vector: Array, numbers: Array) -> Array:
        """
        Return a copy of a gait's numbers with the vector's values in their places.

        A number outside the bounds, such as one that means no limit, stays as it is.
        """
        changed = numbers.copy()
        values = self.least + np.clip(vector, 0.0, 1.0) * (self.most - self.least)
        before = self._values(numbers)
        for n, place in enumerate(self.places):
            if not self.least[n] <= before[n] <= self.most[n]:
                continue
            if self.scaled[n]:
                changed[list(place)] *= values[n] / before[n] if before[n] else 1.0
            else:
                changed[list(place)] += values[n] - before[n]
        return changed

    def _values(self, numbers: Array) -> Array:
        return np.array([numbers[list(place)].max() if scaled else numbers[list(place)].mean()
                         for place, scaled in zip(self.places, self.scaled, strict=True)])


def free_parameters(*, symmetric: bool = True, detail: Detail = Detail.FINE,
                    similarity: Similarity = SAME) -> Parameters:
    """
    Return the free parameters of a gait.

    :param symmetric: left and right legs share F_D, as in walk, trot and pace; else each leg has
        its own, and its own foothold.
    :param similarity: of the robot to the dog, whose bounds the table of fields has.
    """
    coarse = detail is Detail.COARSE
    places: list[Group] = []
    scaled: list[bool] = []
    limits: list[Bounds] = []
    for entry in list_entries():
        bounds = _choose_bounds(entry, symmetric=symmetric, detail=detail)
        groups = _group(entry, symmetric=symmetric, coarse=coarse) if bounds else []
        places += groups
        scaled += [coarse and entry.field.scaled for _ in groups]
        factor = similarity.factor(entry.number.unit)
        limits += [(factor * bounds[0], factor * bounds[1]) for _ in groups if bounds]
    least, most = np.array(limits).T
    return Parameters(tuple(places), tuple(scaled), least, most)


def _group(entry: Entry, *, symmetric: bool, coarse: bool) -> list[Group]:
    """Return the numbers that move together; those of a right leg may move with the left one's."""
    sides = [entry.places]
    if symmetric and entry.field.each is Each.LEG:
        leg = LEGS.index(entry.owner)
        if leg > OTHER_SIDE[leg]:
            return []
        name = LEGS[OTHER_SIDE[leg]] + entry.name.removeprefix(entry.owner)
        sides += [other.places for other in list_entries() if other.name == name]
    if coarse:
        return [tuple(place for side in sides for place in side)]
    return list(zip(*sides, strict=True))


def _choose_bounds(entry: Entry, *, symmetric: bool, detail: Detail) -> Bounds | None:
    """Return within what a number is searched; nothing if it is not."""
    search = entry.number.search
    if symmetric and entry.field.each is Each.LEG and search.usual is None:
        return None             # what would make left and right differ
    if detail is Detail.BALANCE:
        return search.balance
    if detail is Detail.COARSE and not search.coarse:
        return None
    return search.usual if symmetric else search.asymmetric or search.usual


def period_of(numbers: Array) -> float:
    """Return the period in a gait's numbers, s."""
    return float(numbers[list_places()['period']])
