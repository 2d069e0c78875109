"""A recorder that the page starts and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from quadruped_control.nodes.graph import PACKAGE
from quadruped_control.nodes.parent import PARENT
from quadruped_control.nodes.recorder import default_output

NODE = 'page_recorder'


class PageRecorder:
    """
    The recorder in a process of its own, so that nothing is lost while the page draws.

    :param folder: where recordings go; it is made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.path: Path | None = None

    @property
    def is_running(self) -> bool:
        """Say whether a recording is being written."""
        return self._process is not None

    def start(self) -> Path:
        """Begin a recording and return its file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.path = (self._folder / default_output()).resolve()
        words = ['-r', f'__node:={NODE}', '-p', f'output:={self.path}']
        self._process = subprocess.Popen(
            [sys.executable, '-m', f'{PACKAGE}.nodes.recorder', '--ros-args', *words],
            env={**os.environ, PARENT: str(os.getpid())}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, start_new_session=True)
        return self.path

    def stop(self) -> None:
        """Let the recording be completed."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def take_finished(self) -> Path | None:
        """Return the file of a recording that has come to its end, once."""
        if self._process is None or self._process.poll() is None:
            return None
        self._process = None
        return self.path
