"""What several test modules need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest


@pytest.fixture(scope='session')
def without_meshes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], str]:
    """Copy a URDF without its visual shapes: PyBullet cannot resolve package:// by itself."""
    def copy(urdf: Path) -> str:
        tree = ElementTree.parse(urdf)
        for link in tree.iter('link'):
            for visual in link.findall('visual'):
                link.remove(visual)
        path = tmp_path_factory.mktemp('urdf') / urdf.name
        tree.write(path)
        return str(path)

    return copy
