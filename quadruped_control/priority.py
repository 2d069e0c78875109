"""Which process goes first, and on which core, where there are few."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICE = 10
AUTOGROUP = Path('/proc/self/autogroup')
THREADS = Path('/proc/self/task')
FEW = 2                 # cores; where there are more, Linux places the processes well by itself


def give_way() -> None:
    """
    Let all others go first: drawing must not hold the dog up.

    Linux shares the processors among sessions before it looks at the processes in them, so the
    whole session gives way too, where this process is the only one that began it.
    """
    os.nice(NICE)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):             # a kernel without it, or that does not let us
            AUTOGROUP.write_text(str(NICE))


def stay_together() -> None:
    """
    Stay on the core of the graph, with all threads of this process.

    Of nodes in lock-step one works at a time. On a machine of two cores the turn passes a quarter
    faster among processes that share one, and what draws finds the other free.
    """
    cores = list_cores()
    if len(cores) != FEW:
        return
    for thread in THREADS.iterdir():
        with suppress(OSError):             # it has ended
            os.sched_setaffinity(int(thread.name), {find_home(cores)})


def list_cores() -> list[int]:
    """Return the cores that this process may use; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else []


def find_home(cores: list[int]) -> int:
    """Return the core of this graph; graphs of other ROS domains may have another."""
    domain = os.environ.get('ROS_DOMAIN_ID', '')
    return cores[int(domain) % len(cores) if domain.isdigit() else 0]
