"""Tables of figures on the terminal, wide enough for a file where there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

WIDE = 140                  # columns of a table that goes to a file


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of texts under the names of their columns."""
    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)
