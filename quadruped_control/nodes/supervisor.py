"""Starts the processes of a graph, watches over them, and ends them all."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic, sleep

from quadruped_control.nodes.graph import PACKAGE, NodeSpec
from quadruped_control.nodes.node_process import NodeProcess

LOOK = 0.05                     # s between looks
GRACE = 1.2                     # s in which a process may end by itself
LAST_WORDS = 12                 # lines
FASTEST_RESTART = 2.0           # s between two starts of a node
LOG_FORMAT = '{severity}: {message}'

Say = Callable[[str], None]


@dataclass
class Child:
    """A process with what it said last."""

    name: str
    needed: bool
    process: NodeProcess
    reader: threading.Thread
    started: float
    words: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_WORDS))


def say_to_stdout(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


class Supervisor:
    """
    The processes of a graph.

    :param composed: all nodes in one process.
    :param restart: start a node that died once more.
    :param environment: variables to set for the nodes.
    """

    def __init__(self, nodes: Sequence[NodeSpec], *, composed: bool = False,
                 restart: bool = False, say: Say = say_to_stdout,
                 environment: dict[str, str] | None = None) -> None:
        self._restart = restart
        self._say = say
        self._environment = {**os.environ, 'RCUTILS_CONSOLE_OUTPUT_FORMAT': LOG_FORMAT,
                             **(environment or {})}
        self._commands = _list_commands(nodes, composed)
        self._children: dict[str, Child] = {}
        self._dead: set[str] = set()
        self._due: dict[str, float] = {}        # when a node is started once more

    def start(self) -> None:
        """Start all processes."""
        for name, command in self._commands.items():
            self._start(name, *command)

    def pids(self) -> dict[str, int]:
        """Return the process of each node that runs."""
        return {name: child.process.pid for name, child in self._children.items()
                if child.process.poll() is None}

    def look(self) -> int | None:
        """Name those who died, restart them if asked; return an exit code when all is over."""
        for name, child in list(self._children.items()):
            code = child.process.poll()
            if code is None or name in self._dead:
                continue
            self._dead.add(name)
            if child.needed and (code == 0 or not self._restart):
                if code != 0:
                    self._report(child, code)
                return min(abs(code), 255)
            self._report(child, code)
            if code == 2:                       # wrong use: it would fail again
                return 2
            if self._restart:
                self._due[name] = max(monotonic(), child.started + FASTEST_RESTART)
        for name, due in list(self._due.items()):
            if monotonic() >= due:
                del self._due[name]
                self._dead.discard(name)
                self._say(f'[up] starting {name} once more')
                self._start(name, *self._commands[name])
        return 1 if len(self._dead) == len(self._children) and not self._due else None

    def wait(self, until: Callable[[], bool] = lambda: False) -> int:
        """Watch until all is over, and return an exit code."""
        while not until():
            code = self.look()
            if code is not None:
                return code
            sleep(LOOK)
        return 0

    def stop(self) -> None:
        """End all processes within two seconds; called again it does nothing."""
        running = [child for child in self._children.values() if child.process.poll() is None]
        for child in running:
            _signal(child, signal.SIGTERM)
        deadline = monotonic() + GRACE
        for child in running:
            try:
                child.process.wait(max(0.01, deadline - monotonic()))
            except subprocess.TimeoutExpired:
                self._say(f'[up] {child.name} does not end by itself and is killed')
                _signal(child, signal.SIGKILL)
                child.process.wait()
        for child in self._children.values():
            child.reader.join(0.2)

    def _start(self, name: str, module: str, words: list[str], needed: bool) -> None:
        process = NodeProcess(module, words, self._environment)
        child = Child(name, needed, process, threading.Thread(daemon=True), monotonic())
        child.reader = threading.Thread(target=self._read, args=(child,), daemon=True)
        child.reader.start()
        self._children[name] = child

    def _read(self, child: Child) -> None:
        for line in child.process.read_lines():
            child.words.append(line.rstrip())
            self._say(f'[{child.name}] {line.rstrip()}')

    def _report(self, child: Child, code: int) -> None:
        child.reader.join(0.5)
        cause = f'by signal {signal.Signals(-code).name}' if code < 0 else f'with exit code {code}'
        last = '\n'.join(f'    {line}' for line in child.words) or '    (none)'
        self._say(f'[up] {child.name} died {cause}; its last words:\n{last}')


def _signal(child: Child, number: int) -> None:
    with suppress(ProcessLookupError):          # it may have just ended
        child.process.send_signal(number)


def _list_commands(nodes: Sequence[NodeSpec], composed: bool
                   ) -> dict[str, tuple[str, list[str], bool]]:
    """Return module, words and whether it is needed, by the name of the process."""
    together = [node for node in nodes if composed and not node.apart]
    words = [word for node in together for word in node.arguments()]
    names = [node.name for node in together]
    shared = {'composed': (f'{PACKAGE}.nodes.composed', [*names, '--ros-args', *words], True)
              } if together else {}
    return shared | {node.name: (node.module, ['--ros-args', *node.arguments()], node.needed)
                     for node in nodes if node not in together}
