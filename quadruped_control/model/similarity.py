"""
Dynamic similarity: what a number becomes for a body of another size and mass.

Under the same gravity, lengths grow with L, times with sqrt(L) and forces with the mass m; every
other quantity follows from its unit. Two similar bodies then move alike (Alexander 1984).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from quadruped_control.loading import Schema

S = TypeVar('S', bound=Schema)
# exponents of L and of m, with time as sqrt(L)
BASE = {'m': (1.0, 0.0), 's': (0.5, 0.0), 'kg': (0.0, 1.0), 'N': (0.0, 1.0), 'rad': (0.0, 0.0),
        '1': (0.0, 0.0)}


@dataclass(frozen=True)
class Unit:
    """The unit of a field of a schema, such as ``N s/m``."""

    text: str


@dataclass(frozen=True)
class Similarity:
    """
    From one body to another.

    :param length: of the other, as a multiple of the first one's.
    :param mass: likewise.
    """

    length: float
    mass: float

    def factor(self, unit: str) -> float:
        """Return by what a number of a unit is multiplied."""
        lengths, masses = find_exponents(unit)
        return float(self.length**lengths * self.mass**masses)


@cache
def find_exponents(unit: str) -> tuple[float, float]:
    """Return with which powers of length and mass a quantity of a unit grows."""
    above, _, below = unit.partition('/')
    lengths, masses = 0.0, 0.0
    for sign, part in ((1.0, above), (-1.0, below)):
        for word in part.split():
            name, _, power = word.partition('^')
            if name not in BASE:
                raise ValueError(f'{unit!r} has {name!r}, known are {", ".join(BASE)}')
            lengths += sign * float(power or 1) * BASE[name][0]
            masses += sign * float(power or 1) * BASE[name][1]
    return lengths, masses


def scale_schema(values: S, similarity: Similarity) -> S:
    """Return a schema's values for a similar body, each number by the Unit of its field."""
    scaled: dict[str, Any] = {}
    for name, field in type(values).model_fields.items():
        units = [mark.text for mark in field.metadata if isinstance(mark, Unit)]
        factor = similarity.factor(units[0]) if units else 1.0
        scaled[name] = _scale(getattr(values, name), similarity, factor)
    return values.model_copy(update=scaled)


def _scale(value: Any, similarity: Similarity, factor: float) -> Any:
    if isinstance(value, Schema):
        return scale_schema(value, similarity)
    if isinstance(value, float) and factor != 1.0:
        return round_to_digits(value * factor)
    return value


def round_to_digits(value: float, digits: int = 5) -> float:
    """Return a number with few digits, as files have them."""
    return float(f'{value:.{digits}g}')


