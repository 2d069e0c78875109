"""Small things about viser's handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def set_changed(handle: Any, name: str, value: object) -> None:
    """Set what has changed: setting is sending."""
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def by_hand(act: Callable[[Any], None]) -> Callable[[Any], None]:
    """Act on what somebody did on a page, not on what the program set itself."""
    def answer(event: Any) -> None:
        if event.client is not None:
            act(event)

    return answer
