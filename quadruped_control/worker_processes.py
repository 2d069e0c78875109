"""Worker processes that do not outlive the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor


def open_pool(workers: int | None = None) -> ProcessPoolExecutor:
    """Return a pool of processes, by default one for each core."""
    return ProcessPoolExecutor(workers or os.cpu_count(), multiprocessing.get_context('spawn'),
                               initializer=end_with_parent)


def end_with_parent() -> None:
    """End this process when its parent does, even by a kill, which closes no pool."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
