"""Files that a command is to write, refused before any time is spent if they cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from quadruped_control.errors import InputError


def check_output_file(option: str, path: Path | None) -> None:
    """Raise InputError for a file that could not be written; none is fine."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(option, '', str(path), 'a file in a folder that exists')
    if path.is_dir():
        raise InputError(option, '', str(path), 'a file, not a folder')
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(option, '', str(path), 'a file that may be written')


def make_output_folder(option: str, path: Path) -> None:
    """Make a folder unless it is there, or raise InputError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(option, '', str(path),
                         f'a folder that is there or can be made ({error.strerror})') from None
