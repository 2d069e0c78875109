"""What several test modules need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadruped_control.simulation.engine_urdf import write_engine_urdf


@pytest.fixture(scope='session')
def without_meshes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], str]:
    """Copy a URDF without its visual shapes: PyBullet cannot resolve package:// by itself."""
    def copy(urdf: Path) -> str:
        path = tmp_path_factory.mktemp('urdf') / urdf.name
        write_engine_urdf(urdf, path, with_meshes=False)
        return str(path)

    return copy
