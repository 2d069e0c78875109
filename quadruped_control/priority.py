"""Processes that can wait: drawing must not hold the dog up on a machine of few cores."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICE = 10
AUTOGROUP = Path('/proc/self/autogroup')


def give_way() -> None:
    """
    Let all others go first.

    Linux shares the processors among sessions before it looks at the processes in them, so the
    whole session gives way too, where this process is the only one that began it.
    """
    os.nice(NICE)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):             # a kernel without it, or that does not let us
            AUTOGROUP.write_text(str(NICE))
