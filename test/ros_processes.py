"""Real ROS 2 processes for tests: started, watched and ended, on a domain of their own."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOMAINS = range(41, 71)         # above 101 their ports are those that Linux gives to anybody
PATIENCE = 300.0                # s for anything, which only a failure takes
LOCAL = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
_LOCKS: list[IO[str]] = []
NODE = 'import sys; from quadruped_control.nodes.{name} import main; sys.exit(main())'


@cache
def choose_domain() -> int:
    """Return the ROS domain of this test process, which no other test process has."""
    domain, stream = _lock_domain()
    _LOCKS.append(stream)  # held until the process ends
    return domain


@contextmanager
def lease_domain() -> Iterator[int]:
    """Give a ROS domain that nobody else has until the end of the block."""
    domain, stream = _lock_domain()
    with stream:
        yield domain


def _lock_domain() -> tuple[int, IO[str]]:
    for domain in DOMAINS:
        path = Path(tempfile.gettempdir(), f'quadruped_ros_domain_{domain}.lock')
        try:
            stream = path.open('w')
        except PermissionError:             # another user's
            continue
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
        else:
            return domain, stream
    pytest.fail('all ROS domains for tests are taken')


def make_environment(domain: int) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    return {
        **os.environ,
        **name_domain(domain),
        'PYTHONPATH': path,
    }


def name_domain(domain: int) -> dict[str, str]:
    """Return the variables of a process that is to be in a domain, on this machine only."""
    return {'ROS_DOMAIN_ID': str(domain), **LOCAL}


@contextmanager
def running(
    program: list[str], domain: int, **options: Any
) -> Iterator[subprocess.Popen[Any]]:
    """Run a program; at the end it is interrupted, and killed if that does not end it."""
    process = subprocess.Popen(program, env=make_environment(domain), **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def node_program(name: str, **parameters: object) -> list[str]:
    """Return the command line of a node of this package."""
    words = [word for key, value in parameters.items() for word in ('-p', f'{key}:={value}')]
    program = [sys.executable, '-c', NODE.format(name=name)]
    return [*program, *(['--ros-args', *words] if words else [])]


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait for a condition, or fail."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f'{what}: not within {seconds} s')
        time.sleep(0.02)
