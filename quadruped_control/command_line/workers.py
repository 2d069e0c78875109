"""Who does the work of a command: processes of this machine, or the workers of a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from quadruped_control.worker_cluster import open_cluster
from quadruped_control.worker_processes import open_pool


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say who works."""
    parser.add_argument('--workers', type=int, help='local processes; by default one for each '
                                                    'core')
    parser.add_argument('--cluster', metavar='ADDRESS', help='of a dask scheduler, whose workers '
                                                             'do it in place of local processes')


@contextmanager
def open_workers(arguments: argparse.Namespace, *, with_gaits: bool = False
                 ) -> Iterator[Executor]:
    """
    Give processes of this machine, or those of a cluster.

    :param with_gaits: robots must have the same files in all there.
    """
    if arguments.cluster is not None:
        with open_cluster(arguments.cluster, with_gaits=with_gaits) as cluster:
            yield cluster
    else:
        with open_pool(arguments.workers) as pool:
            yield pool
