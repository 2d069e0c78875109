"""Worker processes that do not outlive the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor

from quadruped_control.errors import InputError

MOST_WORKERS = 1024


class WorkerPool(ProcessPoolExecutor):
    """A pool of processes that Ctrl-C ends at once, whatever they are at."""

    def __exit__(self, kind: type[BaseException] | None, *others: object) -> None:
        if kind is KeyboardInterrupt:
            for process in multiprocessing.active_children():
                process.terminate()
        self.shutdown(cancel_futures=True)


def open_pool(workers: int | None = None) -> WorkerPool:
    """Return a pool of processes, by default one for each core."""
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise InputError('--workers', '', workers, f'a number from 1 to {MOST_WORKERS}')
    return WorkerPool(workers or os.cpu_count(), multiprocessing.get_context('spawn'),
                      initializer=begin_worker)


def begin_worker() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that was started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """End this process when its parent does, even by a kill, which closes no pool."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
