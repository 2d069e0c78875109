"""The process that started this one: when it is gone, this one ends too."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

PARENT = 'QUADRUPED_PARENT'     # environment variable: process id of who started it as a program
PERIOD = 0.3                    # s between looks
GRACE = 1.0                     # s to end by oneself


def watch_parent() -> None:
    """End with the supervisor, even when it is killed; do nothing where there is none."""
    parent: Any = multiprocessing.parent_process()
    number = int(os.environ.get(PARENT, '0'))
    if parent is not None or number:
        wait = parent.join if parent is not None else lambda: _wait_for(number)
        threading.Thread(target=_watch, args=(wait,), daemon=True).start()


def _wait_for(parent: int) -> None:
    """Wait until a process is gone, which may have put another one between, as a debugger."""
    is_own = os.getppid() == parent
    while os.getppid() == parent if is_own else _exists(parent):
        time.sleep(PERIOD)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:                             # another user's
        return True
    return True


def _watch(wait: Callable[[], object]) -> None:
    wait()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)
