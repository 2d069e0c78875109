"""Single keys from a terminal, which is given back as it was."""

from __future__ import annotations

import os
import re
import select
import termios
import tty
from types import TracebackType

ARROWS = {'A': 'up', 'B': 'down', 'C': 'right', 'D': 'left'}
END_OF_INPUT = '\x04'

_SEQUENCE = re.compile(r'\x1b[\[O][0-9;]*([A-Za-z~])')
_BEGUN = re.compile(r'\x1b([\[O][0-9;]*)?$')


class Terminal:
    """A terminal in which keys come at once and unseen, within a ``with``."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._rest = ''

    def __enter__(self) -> Terminal:
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        # Ctrl-Z would leave the shell with a terminal that does not echo
        settings = termios.tcgetattr(self._file)
        settings[6][termios.VSUSP] = b'\0'
        termios.tcsetattr(self._file, termios.TCSANOW, settings)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def read_keys(self, timeout: float) -> list[str]:
        """Return the keys that come within a time (s); a closed terminal gives END_OF_INPUT."""
        if not select.select([self._file], [], [], timeout)[0]:
            return []
        try:
            piece = os.read(self._file, 256)
        except OSError:  # the other side of the terminal is gone
            piece = b''
        if not piece:
            return [END_OF_INPUT]
        keys, self._rest = decode(self._rest + piece.decode('utf-8', 'replace'))
        return keys


def decode(text: str) -> tuple[list[str], str]:
    """Return the keys that a terminal wrote, arrows by their names, and an unfinished rest."""
    keys = []
    while text:
        match = _SEQUENCE.match(text)
        if match:
            text = text[match.end():]
            if match[1] in ARROWS:
                keys.append(ARROWS[match[1]])
        elif _BEGUN.match(text):
            break
        else:
            keys.append(text[0].lower())
            text = text[1:]
    return keys, text
