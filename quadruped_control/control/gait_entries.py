"""The numbers of a gait one by one: where each stands in a file and in the flat vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_field import Each, GaitField, Number
from quadruped_control.control.gait_fields import gait_fields, list_places

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Entry:
    """
    What a file gives as one number, or as one trajectory.

    :param name: as in front.placement.left or front_left.lift_off.
    :param owner: what has it: front, front_left ...; the stride's is empty.
    :param path: keys to it in a file's entry for a speed; a number is the place in a list.
    :param places: of its numbers in the flat vector.
    """

    name: str
    owner: str
    field: GaitField
    number: Number
    path: Path
    places: tuple[int, ...]


@cache
def list_entries() -> tuple[Entry, ...]:
    """Return all: those of the stride, of both leg frames, of the legs."""
    return tuple(entry for each in Each for owner in each.names
                 for name, field in gait_fields().items() if field.each is each
                 for entry in _split(name, field, owner))


def _split(name: str, field: GaitField, owner: str) -> Iterator[Entry]:
    """Yield the parts of a field that one owner has."""
    places = list_places()[name]
    own = places[field.each.names.index(owner)] if owner else places
    for k, (part, number) in enumerate(field.parts):
        label = '.'.join(word for word in (owner, name, part) if word)
        chosen = np.atleast_1d(own[..., k] if part else own)
        yield Entry(label, owner, field, number, _find_path(name, field, owner, k),
                    tuple(int(place) for place in chosen))


def _find_path(name: str, field: GaitField, owner: str, k: int) -> Path:
    """Return the keys to a part of a field in a file."""
    part = field.parts[k][0]
    if field.each is Each.LEG:
        return field.group or name, owner, part or name
    inner: Path = () if not part else (part,) if field.named else (k,)
    return (owner, name, *inner) if owner else (name, *inner)


@cache
def list_units() -> NDArray[np.str_]:
    """Return the unit of each number of the flat vector, as in N s/m; empty for a ratio."""
    entries = list_entries()
    units = np.zeros(sum(len(entry.places) for entry in entries), 'U16')
    for entry in entries:
        units[list(entry.places)] = entry.number.unit
    return units
