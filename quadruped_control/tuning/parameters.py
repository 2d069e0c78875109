"""Which numbers of a gait a search may change, and within which bounds (section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.records import gait_type
from quadruped_control.kinematics.records import new_record

Array = NDArray[np.float64]

# Least and most of each field; the gait graph and the period are not searched: left free, the
# timing collapses to the shortest period allowed.
BOUNDS: dict[str, tuple[float, float]] = {
    'height': (0.36, 0.50),
    'pitch': (-0.2, 0.2),
    'head_pitch': (-0.5, 0.5),
    'swing_height': (-0.03, 0.14),
    'swing_advance': (-0.2, 1.25),
    'tracking': (0.0, 2000.0),
    'step_ahead': (-0.10, 0.10),
    'step_aside': (-0.09, 0.04),
    'placement': (0.0, 0.45),
    'velocity_gain': (0.0, 900.0),
    'weight_share': (0.6, 1.6),
    'leg_force': (-120.0, 120.0),
}
# Of gaits in which each leg has its own part, flight included: others than above, and more.
ASYMMETRIC_BOUNDS: dict[str, tuple[float, float]] = {
    'height': (0.34, 0.50),
    'pitch': (-0.4, 0.4),
    'weight_share': (0.6, 4.5),
    'leg_force': (-300.0, 300.0),
    'heading_gain': (0.0, 3000.0),
    'spine_share': (0.0, 1.0),
    'leg_step': (-0.08, 0.08),
}
PAIRED_BOUNDS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    'height_gain': ((500.0, 8000.0), (50.0, 900.0)),
    'toe_off': ((-0.2, 0.9), (0.02, 0.15)),
    'foot_strike': ((-0.5, 0.5), (0.02, 0.10)),
}
# Of what brings a pushed dog back: feedback, and where feet are set.
BALANCE_BOUNDS: dict[str, tuple[float, float]] = {
    'turning': (0.0, 15.0),
    'yielding': (0.0, 12.0),
    'heading_gain': (0.0, 3000.0),
    'placement': (0.0, 0.45),
    'velocity_gain': (0.0, 900.0),
    'reach': (0.05, 0.40),
    'step_aside': (-0.09, 0.04),
    'swing_damping': (0.1, 4.0),
    'stance_shape': (0.1, 3.0),
    'weight_share': (0.6, 4.5),
    'hastening': (0.0, 3.0),
    'hip_moment': (25.0, 150.0),
}
ASYMMETRIC_BALANCE = ('leg_step',)          # with ASYMMETRIC_BOUNDS
LEFT_AND_RIGHT = ((0, 1), (2, 3))
DETAILS = COARSE, FINE, BALANCE = 'coarse', 'fine', 'balance'
WHOLE_ASYMMETRIC = ('heading_gain', 'spine_share', 'leg_step')
WHOLE = ('height', 'pitch', 'head_pitch', 'swing_height', 'tracking', 'step_ahead', 'step_aside',
         'placement', 'velocity_gain', 'weight_share', 'height_gain', 'toe_off')
SCALED = 'swing_height'     # a trajectory that is zero at its ends and stays so
TRAJECTORIES = ('height', 'pitch', 'swing_height', 'tracking')


@dataclass(frozen=True)
class Parameters:
    """
    The free numbers of a gait as a vector between 0 and 1.

    :param places: for each free parameter the indices of the numbers that it sets: several where
        left and right do the same, or where a trajectory is moved or scaled as a whole.
    :param scaled: whether a parameter is the largest of its numbers, which keep their
        proportions, or their mean, which keep their differences.
    """

    places: tuple[tuple[int, ...], ...]
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


def free_parameters(*, symmetric: bool = True, detail: str = FINE) -> Parameters:
    """
    Return the free parameters of a gait.

    :param symmetric: left and right legs share F_D, as in walk, trot and pace; else each leg has
        its own, and its own foothold.
    :param detail: FINE: all of them; COARSE: trajectories are moved as a whole, and F_D and foot
        timing are left alone: a quarter of the parameters, with which a search gets far in a few
        hundred evaluations; BALANCE: only what brings a pushed dog back, each leg's own foothold
        among it where it has one.
    """
    places: list[tuple[int, ...]] = []
    bounds: list[tuple[float, float]] = []
    fields = _field_numbers()
    single = BOUNDS if symmetric else {**BOUNDS, **ASYMMETRIC_BOUNDS}
    names = {FINE: (*single, *PAIRED_BOUNDS),
             BALANCE: (*BALANCE_BOUNDS, *(() if symmetric else ASYMMETRIC_BALANCE), 'height_gain'),
             COARSE: WHOLE if symmetric else (*WHOLE, *WHOLE_ASYMMETRIC)}[detail]
    coarse = detail == COARSE
    if detail == BALANCE:
        single = {**single, **BALANCE_BOUNDS}
    for name in names:
        field = fields[name]
        if name == 'leg_force' and symmetric:
            for left, right in LEFT_AND_RIGHT:
                pairs = zip(field[left].ravel(), field[right].ravel(), strict=True)
                places += [(int(a), int(b)) for a, b in pairs]
                bounds += [single[name]] * field[left].size
        elif name in PAIRED_BOUNDS:
            for k, bound in enumerate(PAIRED_BOUNDS[name]):
                places += [(int(n),) for n in field[:, k]]
                bounds += [bound] * len(field)
        else:
            groups = _groups(name, field) if coarse else field.reshape(-1, 1)
            places += [tuple(int(n) for n in group) for group in groups]
            bounds += [single[name]] * len(groups)
    least, most = np.array(bounds).T
    scaled = {int(n) for n in fields[SCALED].ravel()} if coarse else set()
    return Parameters(tuple(places), tuple(place[0] in scaled for place in places), least, most)


def period_of(numbers: Array) -> float:
    """Return the period in a gait's numbers, s."""
    return float(numbers[_field_numbers()['period']])


def _groups(name: str, field: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of a field that move together, one row each."""
    if name == 'head_pitch':
        return field.reshape(1, -1)
    return field if name in TRAJECTORIES else field.reshape(-1, 1)


def _field_numbers() -> dict[str, NDArray[np.int64]]:
    """Return, for each field of a gait, the indices of its numbers, in the field's shape."""
    record = new_record(gait_type())
    numbers = as_numbers(record)
    numbers[:] = np.arange(len(numbers))
    return {name: np.asarray(record[name]).astype(np.int64) for name in record.dtype.names or ()}
