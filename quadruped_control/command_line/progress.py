"""Progress on the terminal: a live bar for a person, silence for a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from quadruped_control.compiled import is_compiled, is_compiled_for


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Show bars with the time gone and left on the standard error."""
    console = Console(stderr=True)
    columns = (TextColumn('{task.description}'), BarColumn(), TaskProgressColumn(),
               TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True,
                  disable=not console.is_terminal) as progress:
        yield progress


def announce_compilation(robot: str = '') -> None:
    """
    Say why the first start of a version takes longer.

    :param robot: and controller of a graph, which is compiled for each.
    """
    if not (is_compiled_for(robot) if robot else is_compiled()):
        print('compiling the controller, once (about half a minute) ...', file=sys.stderr,
              flush=True)
