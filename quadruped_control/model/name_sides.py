"""Which side of a robot a name speaks of: front or rear, left or right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

WORDS = {
    'front': (1, 0), 'fore': (1, 0), 'forward': (1, 0), 'rear': (-1, 0), 'hind': (-1, 0),
    'back': (-1, 0), 'left': (0, 1), 'right': (0, -1),
}
ENDS = {'f': 1, 'r': -1, 'h': -1, 'b': -1}          # front; rear, hind or back
CORNERS = {name: (end, side) for letter, end in ENDS.items()
           for letter2, side in (('l', 1), ('r', -1))
           for name in (letter + letter2, letter2 + letter)}
PART = re.compile(r'[A-Z]{2}(?=[a-z]{2})|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+')


class Side(NamedTuple):
    """1 for front or left, -1 for rear or right, 0 if not said or said both ways."""

    end: int
    side: int


def read_side(names: Iterable[str]) -> Side:
    """Return what the names of a leg's joints and links agree on."""
    found = [sides for name in names for part in PART.findall(name)
             for sides in _meanings(part)]
    return Side(_agreed(end for end, _ in found), _agreed(side for _, side in found))


def _meanings(part: str) -> list[tuple[int, int]]:
    word = part.lower()
    if word in CORNERS:
        return [CORNERS[word]]
    return [meaning for key, meaning in WORDS.items() if key in word]


def _agreed(votes: Iterable[int]) -> int:
    said = {vote for vote in votes if vote}
    return said.pop() if len(said) == 1 else 0
