"""Where the files of the package that are not Python lie."""

from __future__ import annotations

import sys
from pathlib import Path

from quadruped_control.errors import QuadrupedError

PACKAGE = 'quadruped_control'


def checkout_folder() -> Path | None:
    """Give the root of the repository if the package is run from a checkout, else None."""
    root = Path(__file__).resolve().parents[1]
    return root if (root / 'package.xml').is_file() else None


def share_folder() -> Path:
    """
    Give the folder that holds ``urdf/``, ``config/``, ``launch/`` and ``package.xml``.

    It is the repository for a checkout or an editable install; else the share folder of the
    Python environment; else the one that the ament index names.

    :raises QuadrupedError: if there is none, as the installation is not complete.
    """
    checkout = checkout_folder()
    if checkout is not None:
        return checkout
    installed = Path(sys.prefix) / 'share' / PACKAGE
    if (installed / 'package.xml').is_file():
        return installed
    indexed = _indexed_folder()
    if indexed is not None:
        return indexed
    raise QuadrupedError(
        f'the models and settings of {PACKAGE} are neither in {installed} nor in the ament index;'
        ' install the package again, or source the setup file of its workspace'
    )


def _indexed_folder() -> Path | None:
    try:
        from ament_index_python.packages import get_package_share_directory
    except ImportError:
        return None
    try:
        return Path(get_package_share_directory(PACKAGE))
    except (LookupError, OSError):
        return None
