"""How much the fast engine simulates in a second."""

from __future__ import annotations

import time
from concurrent.futures import Executor, wait
from functools import cache

from quadruped_control.control.gait import flatten, load_gait
from quadruped_control.tuning.evaluation import Evaluator
from quadruped_control.tuning.task import Task

TASK = Task(1.0, ((100.0, 0.1),))
RUNS = 3                    # in a measurement, of each process


@cache
def _evaluator() -> Evaluator:
    return Evaluator(TASK)


def simulate() -> float:
    """Trot from a stand for a while; return the simulated s. The first call compiles or loads."""
    _, steps = _evaluator().settle(flatten(load_gait('trot').speeds[0]))
    return steps / 1000


def measure_alone() -> float:
    """Return the simulated s per s of one process."""
    simulate()
    begin = time.perf_counter()
    simulated = sum(simulate() for _ in range(RUNS))
    return simulated / (time.perf_counter() - begin)


def measure_pool(pool: Executor, processes: int) -> float:
    """Return the simulated s per s of all processes of a pool together."""
    wait([pool.submit(simulate) for _ in range(processes)])
    begin = time.perf_counter()
    runs = [pool.submit(simulate) for _ in range(RUNS * processes)]
    return sum(run.result() for run in runs) / (time.perf_counter() - begin)
