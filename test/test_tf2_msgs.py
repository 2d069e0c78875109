"""The messages of /tf, built on a machine whose ROS 2 comes from wheels."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from rosbags.typesys import Stores, get_typestore

FOLDER = Path(__file__).resolve().parents[1] / 'interfaces' / 'tf2_msgs'
WHEEL = """\
set_target_properties(a::a PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp311/include;${_IMPORT_PREFIX}/include;/opt/numpy"
  INTERFACE_LINK_LIBRARIES "b;c"
)
"""


@pytest.fixture(name='build')
def _build() -> Any:
    spec = spec_from_file_location('build_tf2_msgs', FOLDER / 'build.py')
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_include_paths_are_those_of_this_python(build: Any) -> None:
    repaired = build.replace_includes(WHEEL, '/my/python', '/my/numpy')
    assert '"${_IMPORT_PREFIX}/include;/my/python;/my/numpy"' in repaired
    assert '/opt' not in repaired
    assert '"b;c"' in repaired
    assert build.replace_includes(repaired, '/my/python', '/my/numpy') == repaired


def test_definition_is_the_one_of_ros() -> None:
    definition = (FOLDER / 'msg' / 'TFMessage.msg').read_text().strip()
    official, _ = get_typestore(Stores.ROS2_JAZZY).generate_msgdef(
        'tf2_msgs/msg/TFMessage', ros_version=2
    )
    assert official.splitlines()[0] == definition


def test_built_type_has_the_hash_of_ros() -> None:
    pytest.importorskip('tf2_msgs', reason='tf2_msgs is not built here: no compiler?')
    described = Path(sys.prefix, 'share', 'tf2_msgs', 'msg', 'TFMessage.json')
    if not described.is_file():
        pytest.skip('tf2_msgs is of a ROS 2 installation, not ours')
    official = get_typestore(Stores.ROS2_JAZZY).hash_rihs01('tf2_msgs/msg/TFMessage')
    assert official in described.read_text()


def test_without_compiler_one_line_says_that_tf_is_off(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, 'is_built', lambda: False)
    monkeypatch.setenv('PATH', str(tmp_path))
    assert build.main() == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith('tf is off, and the rest works')
    assert 'compiler' in line


def test_what_is_built_is_not_built_again(
    build: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, 'is_built', lambda: True)
    monkeypatch.setattr(build, 'build', None)
    assert build.main() == 0
    assert capsys.readouterr().out == 'tf2_msgs is there\n'
