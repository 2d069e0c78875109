"""The workers of a dask cluster as an executor, for whatever may also run in processes here."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.share import share_folder

Answer = TypeVar('Answer')
_BUSY = threading.Lock()    # of a worker's threads only one works: they share robots and caches


class ClusterPool(Executor):
    """Gives tasks to a cluster; each worker process does one at a time."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool

    def submit(self, task: Callable[..., Answer], /, *given: Any, **named: Any) -> Future[Answer]:
        """Let some worker call a function."""
        return self._pool.submit(run_alone, task, *given, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks."""
        self._pool.shutdown(wait=wait)


def run_alone(task: Callable[..., Answer], /, *given: Any, **named: Any) -> Answer:
    """Call a function while no other thread of this process does."""
    with _BUSY:
        return task(*given, **named)


@contextmanager
def open_cluster(address: str, *, with_gaits: bool = False) -> Iterator[Executor]:
    """
    Give the workers of a running dask scheduler; they must be able to import this package.

    :param with_gaits: their robots must have the same files in all, as what runs them needs.
    """
    from distributed import Client
    try:
        client = Client(address, timeout='10s')
    except (OSError, ValueError) as error:
        raise InputError('--cluster', '', address,
                         'the address of a running dask scheduler') from error
    with client:
        _refuse_unfit_workers(client, with_gaits=with_gaits)
        pool = ClusterPool(client.get_executor(pure=False))
        try:
            yield pool
        finally:
            pool.shutdown(wait=False)


def _refuse_unfit_workers(client: Any, *, with_gaits: bool) -> None:
    """Say in a sentence what would else fail in the middle, or give other figures."""
    found = client.run(partial(hash_sources, with_gaits=with_gaits), on_error='return')
    if not found:
        raise QuadrupedError('the dask scheduler has no workers; start some by `dask worker`')
    for worker, answer in found.items():
        if answer != hash_sources(with_gaits=with_gaits):
            fault = answer if isinstance(answer, Exception) else 'it has another one'
            raise QuadrupedError(
                f'the dask worker {worker} cannot evaluate by this version ({fault}); start it in '
                'an environment in which the same is installed with pip install -e .[tune]')


@cache
def hash_sources(*, with_gaits: bool = False) -> str:
    """
    Return what two machines have in common if they find the same.

    :param with_gaits: in a run by the files of a robot, and not by numbers that are sent.
    """
    package, robots = Path(__file__).parent, share_folder() / 'config' / 'robots'
    names = ('**/*.yaml', '**/*.csv') if with_gaits else ('*/robot.yaml', '*/gains.yaml')
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted([*package.rglob('*.py'),
                          *(file for name in names for file in robots.glob(name))]):
        digest.update(source.read_bytes())
    return digest.hexdigest()
