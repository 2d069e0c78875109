"""The process that started this one: when it is gone, this one ends too."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

PARENT = 'QUADRUPED_PARENT'     # environment variable: process id of the supervisor
PERIOD = 0.3                    # s between looks
GRACE = 1.0                     # s to end by oneself
SET_DEATH_SIGNAL = 1            # of prctl


def watch_parent() -> None:
    """End with the supervisor, even when it is killed; do nothing where there is none."""
    parent = int(os.environ.get(PARENT, '0'))
    if not parent:
        return
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGTERM)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PERIOD)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)
