"""
Dynamic similarity: what a number becomes for a body of another size and mass.

Under the same gravity, lengths grow with L, times with sqrt(L) and forces with the mass m; every
other quantity follows from its unit. Two similar bodies then move alike (Alexander 1984).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

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


SAME = Similarity(1.0, 1.0)


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
        scaled[name] = _scale(getattr(values, name), similarity, field.annotation,
                              _find_unit(field.metadata))
    return values.model_copy(update=scaled)


def _find_unit(marks: Iterable[object]) -> str | None:
    return next((mark.text for mark in marks if isinstance(mark, Unit)), None)


def _scale(value: Any, similarity: Similarity, kind: Any, unit: str | None) -> Any:
    """Scale a value of a type whose members may have units of their own."""
    kind, unit = _strip(kind, unit)
    members = get_args(kind)
    if isinstance(value, Schema):
        return scale_schema(value, similarity)
    if isinstance(value, tuple):
        each = members if members and Ellipsis not in members else members[:1] * len(value)
        return tuple(_scale(item, similarity, part, unit)
                     for item, part in zip(value, each, strict=True))
    if isinstance(value, dict):
        return {key: _scale(item, similarity, members[1], unit) for key, item in value.items()}
    if not isinstance(value, float) or unit is None or similarity.factor(unit) == 1.0:
        return value
    return round_to_digits(value * similarity.factor(unit))


def _strip(kind: Any, unit: str | None) -> tuple[Any, str | None]:
    """Return a type without its marks and without None, and the unit that they name."""
    while True:
        if hasattr(kind, '__metadata__'):
            unit, kind = unit or _find_unit(kind.__metadata__), kind.__origin__
        elif get_origin(kind) in (Union, UnionType):
            kind = next(part for part in get_args(kind) if part is not NoneType)
        else:
            return kind, unit


def round_to_digits(value: float, digits: int = 5) -> float:
    """Return a number with few digits, as files have them."""
    return float(f'{value:.{digits}g}')


