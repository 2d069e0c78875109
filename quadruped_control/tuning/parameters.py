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
PAIRED_BOUNDS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    'height_gain': ((500.0, 8000.0), (50.0, 900.0)),
    'toe_off': ((-0.2, 0.9), (0.02, 0.15)),
    'foot_strike': ((-0.5, 0.5), (0.02, 0.10)),
}
LEFT_AND_RIGHT = ((0, 1), (2, 3))


@dataclass(frozen=True)
class Parameters:
    """
    The free numbers of a gait as a vector between 0 and 1.

    :param places: for each free parameter the indices of the numbers that it sets, several where
        left and right do the same.
    """

    places: tuple[tuple[int, ...], ...]
    least: Array
    most: Array

    @property
    def count(self) -> int:
        """Number of free parameters."""
        return len(self.places)

    def extract(self, numbers: Array) -> Array:
        """Return the vector of a gait's numbers, clipped to the bounds."""
        values = np.array([numbers[list(place)].mean() for place in self.places])
        return np.clip((values - self.least) / (self.most - self.least), 0.0, 1.0)

    def insert(self, vector: Array, numbers: Array) -> Array:
        """Return a copy of a gait's numbers with the vector's values in their places."""
        changed = numbers.copy()
        values = self.least + np.clip(vector, 0.0, 1.0) * (self.most - self.least)
        for place, value in zip(self.places, values, strict=True):
            changed[list(place)] = value
        return changed


def free_parameters(*, symmetric: bool = True) -> Parameters:
    """
    Return the free parameters of a gait.

    :param symmetric: left and right legs share F_D, as in walk, trot and pace.
    """
    places: list[tuple[int, ...]] = []
    bounds: list[tuple[float, float]] = []
    for name, field in _field_numbers().items():
        if name == 'leg_force' and symmetric:
            for left, right in LEFT_AND_RIGHT:
                pairs = zip(field[left].ravel(), field[right].ravel(), strict=True)
                places += [(int(a), int(b)) for a, b in pairs]
                bounds += [BOUNDS[name]] * field[left].size
        elif name in BOUNDS:
            places += [(int(n),) for n in field.ravel()]
            bounds += [BOUNDS[name]] * field.size
        elif name in PAIRED_BOUNDS:
            for k, bound in enumerate(PAIRED_BOUNDS[name]):
                places += [(int(n),) for n in field[:, k]]
                bounds += [bound] * len(field)
    least, most = np.array(bounds).T
    return Parameters(tuple(places), least, most)


def _field_numbers() -> dict[str, NDArray[np.int64]]:
    """Return, for each field of a gait, the indices of its numbers, in the field's shape."""
    record = new_record(gait_type())
    numbers = as_numbers(record)
    numbers[:] = np.arange(len(numbers))
    return {name: np.asarray(record[name]).astype(np.int64) for name in record.dtype.names or ()}
