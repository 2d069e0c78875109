"""A process of a graph, forked from one that has loaded what all need."""

from __future__ import annotations

import ctypes
import importlib.util
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from multiprocessing.forkserver import ensure_running, set_forkserver_preload
from multiprocessing.reduction import DupFd
from typing import Any

from quadruped_control.nodes.graph import PACKAGE

SET_NAME = 15                   # of prctl
PRELOADED = f'{PACKAGE}.nodes.preloaded'
ROBOT = 'QUADRUPED_PRELOADED_ROBOT'     # environment variable: that is loaded before any node


def has_ros() -> bool:
    """Say whether rclpy is there."""
    return importlib.util.find_spec('rclpy') is not None


def preload(robot: str = '') -> None:
    """
    Let the process that nodes are forked from load already; else the first node starts it.

    :param robot: that they will need.
    """
    if robot:
        os.environ[ROBOT] = robot
    set_forkserver_preload([PRELOADED])
    ensure_running()


class _Program:
    """What the new process does; the pipe is handed over when it is made."""

    def __init__(self, module: str, words: list[str], environment: dict[str, str],
                 output: int) -> None:
        self._module, self._words, self._environment = module, words, environment
        self._output: Any = output

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, '_output': DupFd(self._output)}

    def __call__(self) -> None:
        os.setsid()
        _set_name(self._module.rpartition('.')[2])
        output = self._output.detach()
        os.dup2(output, sys.stdout.fileno())
        os.dup2(output, sys.stderr.fileno())
        os.close(output)
        sys.stdout.reconfigure(line_buffering=True)     # type: ignore[union-attr]
        os.environ.clear()
        os.environ.update(self._environment)
        sys.argv = [self._module, *self._words]
        sys.exit(import_module(self._module).main())


def _set_name(name: str) -> None:
    """Let ps and top show the node's name (its first 15 letters) where that is possible."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(SET_NAME, name.encode(), 0, 0, 0)


class NodeProcess:
    """
    A module that runs as a program in a process and a session of its own.

    As subprocess.Popen, as far as a supervisor needs it.

    :param words: its arguments.
    """

    def __init__(self, module: str, words: Sequence[str], environment: dict[str, str]) -> None:
        preload()
        context: Any = multiprocessing.get_context('forkserver')
        reader, writer = os.pipe()
        with os.fdopen(writer, 'wb'):
            self._process = context.Process(
                target=_Program(module, list(words), environment, writer), daemon=True)
            self._process.start()
        self._reader = reader

    @property
    def pid(self) -> int:
        """The number of the process."""
        return int(self._process.pid)

    def poll(self) -> int | None:
        """Return the exit code, minus the signal that ended it, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end (s), or raise subprocess.TimeoutExpired."""
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def read_lines(self) -> Iterator[str]:
        """Return what it says, line by line, until its end."""
        with os.fdopen(self._reader, encoding='utf-8', errors='replace') as stream:
            yield from stream
