"""What the package imports, setup.py requires; what that requires, the package uses."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import setuptools
from test_layering import PACKAGE, ROS, find_imports, list_modules

ROOT = Path(__file__).resolve().parents[1]
NAMES = {'pillow': 'PIL', 'PyYAML': 'yaml', 'imageio-ffmpeg': 'imageio_ffmpeg'}
# parts of packages that are required, and whose versions they follow
WITHIN = {'pydantic_core': 'pydantic', 'llvmlite': 'numba', 'msgspec': 'viser',
          'websockets': 'viser'}
UNSEEN = {'pybullet', 'imageio_ffmpeg'}         # loaded by its place; by imageio
ROSDEP = {'pillow': 'pil', 'PyYAML': 'yaml'}


@pytest.fixture(name='required')
def _required(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Give the names of what setup.py requires, always and for tuning."""
    seen: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, 'setup', lambda **keywords: seen.update(keywords))
    monkeypatch.chdir(ROOT)
    runpy.run_path('setup.py')

    def names(texts: list[str]) -> list[str]:
        return [re.split(r'[\[<>=~]', text)[0] for text in texts]

    return {'always': names(seen['install_requires']),
            'tune': names(seen['extras_require']['tune'])}


def imported() -> set[str]:
    found = {name.split('.')[0] for module in list_modules() for _, name in find_imports(module)}
    return found - set(sys.stdlib_module_names) - ROS - {PACKAGE, 'ament_index_python'}


def test_what_is_imported_is_required(required: dict[str, list[str]]) -> None:
    known = {NAMES.get(name, name) for names in required.values() for name in names}
    assert {WITHIN.get(name, name) for name in imported()} <= known


def test_what_is_required_is_used(required: dict[str, list[str]]) -> None:
    known = {NAMES.get(name, name) for names in required.values() for name in names}
    assert known - UNSEEN <= imported()


def test_package_xml_requires_the_same(required: dict[str, list[str]]) -> None:
    keys = re.findall('<exec_depend>(python3-.*)</exec_depend>',
                      (ROOT / 'package.xml').read_text())
    named = {key.removeprefix('python3-').removesuffix('-pip') for key in keys}
    assert named == {ROSDEP.get(name, name.replace('_', '-')) for name in required['always']}
