"""The workers of a dask cluster as an executor that evaluates gaits."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.tuning.evaluation import hash_sources


@contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """Give the workers of a running dask scheduler; they must be able to import this package."""
    from distributed import Client
    try:
        client = Client(address, timeout='10s')
    except (OSError, ValueError) as error:
        raise InputError('--cluster', '', address,
                         'the address of a running dask scheduler') from error
    with client:
        _refuse_unfit_workers(client)
        pool = client.get_executor()
        try:
            yield pool
        finally:
            pool.shutdown(wait=False)


def _refuse_unfit_workers(client: Any) -> None:
    """Say in a sentence what a search would else fail with in the middle."""
    found = client.run(hash_sources, on_error='return')
    if not found:
        raise QuadrupedError('the dask scheduler has no workers; start some by `dask worker`')
    for worker, answer in found.items():
        if answer != hash_sources():
            fault = answer if isinstance(answer, Exception) else 'it has another one'
            raise QuadrupedError(
                f'the dask worker {worker} cannot evaluate by this version ({fault}); start it in '
                'an environment in which the same is installed with pip install -e .[tune]')
