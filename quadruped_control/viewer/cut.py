"""Which part of a run a video or a contact sheet shows."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Cut:
    """From one simulated time (s) to another, so many times slower than it was."""

    begin: float = 0.0
    end: float = inf
    slower: float = 1.0


WHOLE = Cut()
