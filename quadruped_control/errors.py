"""The errors that a user can cause; everything else is a defect of the program."""

from __future__ import annotations

from pathlib import Path


class QuadrupedError(Exception):
    """Base of all errors whose message is meant for the user."""


class InputError(QuadrupedError):
    """
    Something the user wrote cannot be used.

    The message names where it stands, which key, its value and what would have been accepted.

    :param source: file (or command-line option) in which the value stands.
    :param key: path of the key inside it, as in ``pushes[0].force``; empty for the whole file.
    """

    def __init__(self, source: str | Path, key: str, value: object, accepted: str) -> None:
        self.source = str(source)
        self.key = key
        self.value = value
        self.accepted = accepted
        where = f"{source}: '{key}'" if key else f'{source}'
        super().__init__(f'{where} is {_shorten(value)}; accepted: {accepted}')

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, object, str]]:
        """Let it come back whole from a process that runs a scenario."""
        return type(self), (self.source, self.key, self.value, self.accepted)


def _shorten(value: object, most: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + '...'
