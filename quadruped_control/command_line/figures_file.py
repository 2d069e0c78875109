"""The figures of an evaluation as a file that is written anew as they come."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVERY = 3.0                 # s between two writings

Figures = dict[str, Any]


class FiguresFile:
    """
    A JSON file with ``complete: false`` until all figures are there; a kill leaves what was found.

    :param path: None to write nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._written = -EVERY

    def update(self, find: Callable[[], Figures]) -> None:
        """Write the figures so far, unless that was done just now."""
        if self._path is not None and time.monotonic() - self._written >= EVERY:
            self._write({**find(), 'complete': False})
            self._written = time.monotonic()

    def finish(self, figures: Figures) -> None:
        """Write all figures."""
        self._write({**figures, 'complete': True})

    def _write(self, figures: Figures) -> None:
        """Put a whole file in the place of the last one, so that a reader finds either."""
        if self._path is None:
            return
        new = self._path.with_name(f'{self._path.name}.part')
        new.write_text(json.dumps(figures, indent=1) + '\n', encoding='utf-8')
        os.replace(new, self._path)
