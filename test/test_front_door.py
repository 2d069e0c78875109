"""The ways in: ./quadruped, which makes the environment, the commands, and the packaging."""

from __future__ import annotations

import argparse
import ast
import errno
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest
import setuptools
from ros_processes import PATIENCE

import quadruped_control
from quadruped_control.command_line import environment_info, main, test_suite
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.nodes.graph import GraphOptions, NodeSpec, list_nodes
from quadruped_control.share import share_folder

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / 'quadruped'
PROBED = {'version': [3, 11, 4], 'path': '/usr/bin/python3.11', 'venv': True}

DEBIAN_WITHOUT_VENV = """\
The virtual environment was not created successfully because ensurepip is not
available.  On Debian/Ubuntu systems, you need to install the python3-venv
package using the following command.

    apt install python3.11-venv
"""
NO_NETWORK = """\
Obtaining file:///somewhere
  Installing build dependencies: finished with status 'error'
  WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object \
at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')'
  ERROR: Could not find a version that satisfies the requirement setuptools>=64 (from versions: \
none)
  ERROR: No matching distribution found for setuptools>=64
"""
NO_COMPILER = """\
  Building wheel for pybullet (setup.py): finished with status 'error'
  error: command 'x86_64-linux-gnu-g++' failed: No such file or directory
  ERROR: Failed building wheel for pybullet
ERROR: Could not build wheels for pybullet, which is required to install
"""
DISK_FULL = (
    'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'
)
NO_SUCH_WHEEL = 'ERROR: No matching distribution found for ros-rclpy~=9.1\n'


def load_script() -> Any:
    loader = SourceFileLoader('quadruped_script', str(SCRIPT))
    spec = spec_from_loader('quadruped_script', loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(name='script')
def _script(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name in ('QUADRUPED_PYTHON', 'ROS_DISTRO', 'AMENT_PREFIX_PATH', 'PYTHONPATH'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, 'dont_write_bytecode', True)
    return load_script()


class Clone:
    """
    A folder with the script alone, and stand-ins for the interpreter and for pip.

    ``calls.txt`` lists what was asked of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / 'clone'
        self.calls = folder / 'calls.txt'
        self.python = folder / 'python'
        self.venv_python = folder / 'venv_python'
        self.folder.mkdir()
        for name in ('quadruped', 'setup.py', 'setup.cfg', 'pyproject.toml'):
            shutil.copy(ROOT / name, self.folder / name)
        self.set_python()
        self.set_pip()

    def set_python(self, venv: str = 'true', **answer: object) -> None:
        """Let the interpreter answer so; ``venv`` is run after it made an environment."""
        probed = json.dumps({**PROBED, 'path': str(self.python), **answer})
        write_program(
            self.python,
            f"""
            case "$*" in
              '-m venv '*) echo venv >> '{self.calls}'; mkdir -p "$3/bin"
                cp '{self.venv_python}' "$3/bin/python"; {venv};;
              *rclpy*) [ -n "$ROS_WORKS" ] && echo '{{"numpy": "1.26.4"}}';;
              *) echo '{probed}';;
            esac
            """,
        )

    def set_pip(
        self, output: str = '', code: int = 0, seconds: float = 0, tf: str = 'true'
    ) -> None:
        """Let pip write an output and end with a code; ``tf`` is run to build tf2_msgs."""
        write_program(
            self.venv_python,
            f"""
            case "$*" in
              *'pip install'*) echo "pip $* PYTHONPATH=$PYTHONPATH" >> '{self.calls}'
                sleep {seconds}
                cat <<'END'
            {output}
            END
                exit {code};;
              -c*) exit 0;;
              *tf2_msgs/build.py) echo 'tf build' >> '{self.calls}.tf'; {tf};;
              *) echo "ran $*";;
            esac
            """.replace('\n            ', '\n'),
        )

    def begin(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        dropped = ('ROS_DISTRO', 'AMENT_PREFIX_PATH', 'PYTHONPATH')
        environment = {name: value for name, value in os.environ.items() if name not in dropped}
        return subprocess.Popen(
            [sys.executable, str(self.folder / 'quadruped'), *words],
            env={**environment, 'QUADRUPED_PYTHON': str(self.python), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start(self, *words: str, **variables: str) -> tuple[int, str, str]:
        process = self.begin(*words, **variables)
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors

    def list_calls(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


def write_program(path: Path, text: str) -> None:
    path.write_text('#!/bin/sh\n' + text)
    path.chmod(0o755)


@pytest.fixture(name='clone')
def _clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def assert_sentence(errors: str, *parts: str) -> None:
    """Check that the last line is the complaint, and that there is no traceback."""
    assert 'Traceback' not in errors
    last = errors.strip().splitlines()[-1]
    assert last.startswith('quadruped: ')
    for part in parts:
        assert part in last


# The script on any Python


def test_script_has_no_young_syntax() -> None:
    source = SCRIPT.read_text(encoding='ascii')
    tree = ast.parse(source, feature_version=(3, 5))
    young = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Starred, ast.YieldFrom, ast.Nonlocal)
    for node in ast.walk(tree):
        assert not isinstance(node, young), f'line {getattr(node, "lineno", 0)}'
        if isinstance(node, ast.Raise):
            assert node.cause is None
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None
            assert not node.args.kwonlyargs
            assert all(argument.annotation is None for argument in node.args.args)


def test_script_is_executable() -> None:
    assert os.access(SCRIPT, os.X_OK)
    assert os.access(ROOT / '.ci' / 'run', os.X_OK)


@pytest.mark.parametrize(
    ('version', 'fault'),
    [([2, 7, 18], 'too old'), ([3, 9, 18], 'too old'), ([3, 14, 0], 'too new')],
)
def test_unfit_python_is_refused(script: Any, version: list[int], fault: str) -> None:
    with pytest.raises(script.SetupError) as caught:
        script.choose_python([{**PROBED, 'version': version}])
    text = str(caught.value)
    assert fault in text
    assert '.'.join(map(str, version)) in text
    assert 'Python 3.10 to 3.12' in text


def test_first_fit_python_is_chosen(script: Any) -> None:
    old, young = {**PROBED, 'version': [3, 8, 1]}, {**PROBED, 'version': [3, 13, 0]}
    bare = {**PROBED, 'venv': False}
    assert script.choose_python([old, bare, young, PROBED]) == PROBED
    with pytest.raises(script.SetupError, match='python3-venv'):
        script.choose_python([old, bare])
    with pytest.raises(script.SetupError, match=r'no Python 3\.10 to 3\.12'):
        script.choose_python([])


def test_running_python_is_probed(script: Any) -> None:
    (answer,) = script.probe_all([sys.executable, '/nonexistent/python'])
    assert answer['version'] == list(sys.version_info[:3])
    assert os.access(answer['path'], os.X_OK)


def test_programs_that_fail_are_no_candidates(script: Any, tmp_path: Path) -> None:
    write_program(tmp_path / 'python3.11', 'echo "command not found" >&2; exit 127')
    assert script.probe_all([str(tmp_path / 'python3.11')]) == []


def test_python_hidden_by_another_is_a_candidate(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / folder / 'python3.11' for folder in ('shims', 'system')]
    for path in paths:
        path.parent.mkdir()
        write_program(path, 'exit 0')
    monkeypatch.setenv('PATH', os.pathsep.join(str(path.parent) for path in paths))
    assert script.list_candidates({}) == [sys.executable, *map(str, paths)]
    assert script.list_candidates({'python': '/kept'})[0] == '/kept'


@pytest.mark.parametrize(
    ('output', 'parts'),
    [
        (NO_NETWORK, ('no network', 'install.log')),
        (NO_COMPILER, ('pybullet', 'C++ compiler', 'Python 3.12', 'Python 3.11')),
        (NO_NETWORK + NO_COMPILER, ('C++ compiler',)),
        (DISK_FULL, ('is full',)),
        (NO_SUCH_WHEEL, ('ros-rclpy~=9.1', 'could not be fetched')),
        ('line\nERROR: something else\n', ('ERROR: something else',)),
        ('', ('no reason',)),
    ],
)
def test_failure_of_pip_is_explained(script: Any, output: str, parts: tuple[str, ...]) -> None:
    sentence = script.explain_pip_failure(output, [3, 12, 1])
    assert '\n' not in sentence
    for part in parts:
        assert part in sentence


@pytest.mark.parametrize(
    ('code', 'part'),
    [
        (errno.EACCES, '/some/file cannot be written'),
        (errno.EROFS, '/some/file cannot be written'),
        (errno.ENOSPC, 'is full'),
        (errno.ENOTDIR, '/some/file: Not a directory'),
    ],
)
def test_refusal_of_the_system_is_explained(script: Any, code: int, part: str) -> None:
    error = OSError(code, os.strerror(code), '/some/file')
    assert part in script.explain_os_error(error)


def test_progress_names_the_package(script: Any) -> None:
    def read(line: str) -> str:
        return script.read_progress(line, script.Progress.SIGNS)

    assert read('Collecting numpy<3,>=1.26 (from quadruped_control==0.1.0)') == 'fetching numpy'
    assert read('Building wheel for pybullet (setup.py): started') == 'compiling pybullet'
    assert read('  Using cached x.whl') is None


# The script from start to end, with stand-ins for the interpreter and for pip


def test_first_start_installs_and_second_is_silent(clone: Clone) -> None:
    code, output, errors = clone.start('run', '--gait', 'trot')
    assert (code, output) == (0, 'ran -m quadruped_control.command_line run --gait trot\n')
    steps = re.findall(r'^\[\d/\d\]', errors, re.MULTILINE)
    assert steps == ['[1/4]', '[2/4]', '[3/4]', '[4/4]']
    assert len(clone.list_calls()) == 2
    assert '.[ros]' in clone.list_calls()[-1]
    assert clone.start('--help') == (0, 'ran -m quadruped_control.command_line --help\n', '')
    assert len(clone.list_calls()) == 2


def test_failed_build_of_tf_is_said_and_stops_nothing(clone: Clone) -> None:
    clone.set_pip(tf="echo 'ERROR: odd'; echo 'tf is off, for there is no compiler'; exit 1")
    code, output, errors = clone.start('--help')
    assert (code, output) == (0, 'ran -m quadruped_control.command_line --help\n')
    assert 'quadruped: tf is off, for there is no compiler\n' in errors
    assert 'interfaces/tf2_msgs/build.py' in errors
    assert clone.start('--help')[2] == ''


def test_packages_of_tests_are_added_once_and_remembered(clone: Clone) -> None:
    clone.start('--help')
    clone.start('test')
    assert '.[ros,test]' in clone.list_calls()[-1]
    assert clone.list_calls().count('venv') == 1
    before = len(clone.list_calls())
    assert clone.start('test')[2] == ''
    assert clone.start('run')[2] == ''
    assert len(clone.list_calls()) == before


def test_changed_requirements_are_installed(clone: Clone) -> None:
    clone.start('test')
    with (clone.folder / 'setup.py').open('a') as stream:
        stream.write('# changed\n')
    assert clone.start('--help')[0] == 0
    assert clone.list_calls().count('venv') == 1
    assert '.[ros,test]' in clone.list_calls()[-1]
    assert clone.start('--help')[2] == ''


def test_failed_installation_is_repaired(clone: Clone) -> None:
    clone.set_pip(NO_NETWORK, 1)
    code, output, errors = clone.start('--help')
    assert (code, output) == (2, '')
    assert_sentence(errors, 'no network')
    assert 'Failed to establish' in (clone.folder / '.venv' / 'install.log').read_text()
    clone.set_pip()
    assert clone.start('--help')[0] == 0
    assert clone.list_calls().count('venv') == 2


def test_two_starts_at_once_install_once(clone: Clone) -> None:
    clone.set_pip(seconds=0.5)
    starts = [clone.begin('--help') for _ in range(3)]
    results = [(*start.communicate(timeout=PATIENCE), start.returncode) for start in starts]
    assert [(output, code) for output, _, code in results] == [
        ('ran -m quadruped_control.command_line --help\n', 0)
    ] * 3
    assert clone.list_calls().count('venv') == 1
    assert len(clone.list_calls()) == 2


def test_moved_clone_is_installed_anew(clone: Clone) -> None:
    clone.start('--help')
    clone.folder = clone.folder.rename(clone.folder.with_name('moved'))
    assert clone.start('--help')[0] == 0
    assert clone.list_calls().count('venv') == 2


def test_foreign_environment_is_left_alone(clone: Clone) -> None:
    treasure = clone.folder / '.venv' / 'treasure'
    treasure.parent.mkdir()
    treasure.write_text('mine')
    code, _, errors = clone.start('--help')
    assert code == 2
    assert_sentence(errors, '.venv', 'not made by')
    assert treasure.read_text() == 'mine'


def test_python_without_venv_is_explained(clone: Clone) -> None:
    clone.set_python(venv=f"cat <<'END'\n{DEBIAN_WITHOUT_VENV}\nEND\nexit 1")
    code, output, errors = clone.start('--help')
    assert (code, output) == (2, '')
    assert_sentence(errors, 'python3-venv', 'python3.11-venv', str(clone.python))


def test_chosen_python_too_old_is_explained(clone: Clone) -> None:
    clone.set_python(version=[3, 8, 10])
    code, _, errors = clone.start('--help')
    assert code == 2
    assert_sentence(errors, 'Python 3.8.10 is too old')


def test_chosen_python_that_does_not_run_is_explained(clone: Clone) -> None:
    code, _, errors = clone.start('--help', QUADRUPED_PYTHON='/nonexistent/python')
    assert code == 2
    assert_sentence(errors, 'QUADRUPED_PYTHON', '/nonexistent/python')


def test_sourced_ros_is_used_and_not_covered(clone: Clone) -> None:
    sourced = {'ROS_DISTRO': 'jazzy', 'PYTHONPATH': '/opt/ros/jazzy/lib', 'ROS_WORKS': 'yes'}
    code, _, errors = clone.start('--help', **sourced)
    assert code == 0
    assert 'the sourced ROS 2' in errors
    assert 'tf2_msgs' not in errors
    call = clone.list_calls()[-1]
    assert '--editable . numpy<2' in call
    assert call.endswith('PYTHONPATH=')
    assert clone.start('--help', **sourced)[2] == ''


def test_environment_follows_the_shell(clone: Clone) -> None:
    clone.start('--help')
    clone.start('--help', ROS_DISTRO='jazzy', ROS_WORKS='yes')
    assert clone.list_calls().count('venv') == 2
    before = len(clone.list_calls())
    # another workspace on top is the same ROS 2
    code, _, errors = clone.start(
        '--help', ROS_DISTRO='jazzy', ROS_WORKS='yes', AMENT_PREFIX_PATH='/workspace'
    )
    assert (code, errors) == (0, '')
    assert len(clone.list_calls()) == before


def test_sourced_ros_of_another_python_is_explained(clone: Clone, tmp_path: Path) -> None:
    (tmp_path / 'ros' / 'rclpy').mkdir(parents=True)
    code, _, errors = clone.start('--help', ROS_DISTRO='later', PYTHONPATH=str(tmp_path / 'ros'))
    assert code == 2
    assert_sentence(errors, 'ROS 2 later', str(clone.python))


def test_shell_with_ros_variables_but_no_rclpy_gets_wheels(clone: Clone) -> None:
    assert clone.start('--help', AMENT_PREFIX_PATH='/workspace')[0] == 0
    assert '.[ros]' in clone.list_calls()[-1]


# The commands


def run_front_end(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-m', 'quadruped_control.command_line', *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(['--help']) == 0
    text = capsys.readouterr().out
    for name, entry in main.COMMANDS.items():
        assert re.search(rf'^  {name} +{re.escape(entry.summary)}$', text, re.MULTILINE)
    assert main.main([]) == 0
    assert capsys.readouterr().out == text


def test_help_imports_no_command() -> None:
    program = (
        'import sys; from quadruped_control.command_line.main import main; main(["--help"]);'
        ' sys.exit(bool({"numpy", "numba", "pybullet", "rclpy"} & set(sys.modules)))'
    )
    assert subprocess.run([sys.executable, '-c', program], capture_output=True).returncode == 0


@pytest.mark.parametrize('name', main.COMMANDS)
def test_help_of_command_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([name, '--help']) == 0
    text = capsys.readouterr().out
    assert f'usage: ./quadruped {name}' in text
    assert re.search(rf'^example:\n  \./quadruped {name}\b', text, re.MULTILINE)


def test_unknown_command_is_explained() -> None:
    result = run_front_end('dmeo')
    assert result.returncode == 2
    assert result.stdout == ''
    assert result.stderr.startswith("quadruped: there is no command 'dmeo'")
    assert 'did you mean demo' in result.stderr


def test_unknown_option_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(['info', '--colour']) == 2
    assert '--colour' in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(['--version']) == 0
    assert capsys.readouterr().out == f'quadruped_control {quadruped_control.__version__}\n'


def test_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, 'w') as stream:
        result = subprocess.run(
            [sys.executable, '-m', 'quadruped_control.command_line', '--help'],
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (result.returncode, result.stderr) == (main.NO_READER, '')


@pytest.fixture(name='fake')
def _fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], int]], None]]:
    def install(action: Callable[[], int]) -> None:
        module = types.ModuleType('fake_command', 'Do nothing.')
        contents = {
            'EXAMPLE': './quadruped fake',
            'add_arguments': lambda parser: None,
            'run': lambda arguments: action(),
        }
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, 'fake_command', module)
        monkeypatch.setitem(main.COMMANDS, 'fake', main.Entry('fake_command', 'do nothing'))

    return install


def fail_with(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


@pytest.mark.parametrize(
    ('action', 'code', 'message'),
    [
        (lambda: 0, 0, ''),
        (lambda: 7, 7, ''),
        (
            fail_with(InputError('a.yaml', 'gait', 'hop', 'walk or trot')),
            2,
            "quadruped: a.yaml: 'gait' is 'hop'; accepted: walk or trot\n",
        ),
        (fail_with(QuadrupedError('the dog is asleep')), 1, 'quadruped: the dog is asleep\n'),
        (fail_with(KeyboardInterrupt()), 130, ''),
    ],
)
def test_exit_code_and_message(
    action: Callable[[], int],
    code: int,
    message: str,
    fake: Callable[[Callable[[], int]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    fake(action)
    assert main.main(['fake']) == code
    assert capsys.readouterr().err == message


def test_info_names_versions_and_places() -> None:
    facts = environment_info.collect()
    assert facts['python'].startswith('.'.join(map(str, sys.version_info[:3])))
    assert facts['share folder'] == str(ROOT)
    for name in ('numpy', 'numba', 'pybullet', 'mujoco', 'rclpy'):
        assert facts[name]


def test_suite_has_three_steps_and_passes_options_on() -> None:
    steps = test_suite.list_steps(False, False, ['-k', 'gait'])
    assert list(steps) == ['style', 'types', 'tests']
    assert steps['tests'][-2:] == ['-k', 'gait']
    assert list(test_suite.list_steps(True, False, [])) == ['tests', 'browser']
    assert list(test_suite.list_steps(False, True, [])) == ['style', 'types']


def test_options_of_pytest_reach_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[argparse.Namespace] = []
    monkeypatch.setattr(test_suite, 'run', lambda arguments: seen.append(arguments) or 0)
    assert main.main(['test', '--tests-only', '-k', 'gait', '-x', 'test/test_bag.py']) == 0
    assert seen[0].tests_only
    assert seen[0].rest == ['-k', 'gait', '-x', 'test/test_bag.py']


def test_tests_that_ask_for_time_come_last() -> None:
    class Item:
        def __init__(self, *seconds: float) -> None:
            self.seconds = seconds

        def get_closest_marker(self, name: str) -> Any:
            return types.SimpleNamespace(args=self.seconds, kwargs={}) if self.seconds else None

    items = [Item(300), Item(), Item(20), Item()]
    expected = [items[1], items[3], items[2], items[0]]
    test_suite.pytest_collection_modifyitems(items)
    assert items == expected


# The packaging


@pytest.fixture(name='packaging')
def _packaging(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Give what setup.py hands to setuptools."""
    seen: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, 'setup', lambda **keywords: seen.update(keywords))
    monkeypatch.chdir(ROOT)
    runpy.run_path('setup.py')
    return seen


def test_versions_agree(packaging: dict[str, Any]) -> None:
    found = re.search('<version>(.*)</version>', (ROOT / 'package.xml').read_text())
    assert found is not None
    assert found[1] == packaging['version'] == quadruped_control.__version__


def test_data_files_are_installed_in_their_folders(packaging: dict[str, Any]) -> None:
    placed = {f'{folder}/{Path(file).name}': file for folder, files in packaging['data_files']
              for file in files}  # fmt: skip
    assert 'share/ament_index/resource_index/packages/quadruped_control' in placed
    share = 'share/quadruped_control'
    assert placed[f'{share}/package.xml'] == 'package.xml'
    for kind, suffix in (('urdf', '.urdf'), ('config', '.yaml'), ('launch', '.py'),
                         ('rviz', '.rviz')):  # fmt: skip
        expected = {str(path.relative_to(ROOT)) for path in (ROOT / kind).rglob(f'*{suffix}')}
        assert expected
        assert {placed.get(f'{share}/{name}') for name in expected} == expected


def test_every_node_of_the_graph_is_an_executable(packaging: dict[str, Any]) -> None:
    scripts = dict(line.split(' = ') for line in packaging['entry_points']['console_scripts'])
    for node in (*list_nodes(GraphOptions(record='-')), NodeSpec('teleop', 'TeleopNode')):
        assert scripts[node.executable] == f'{node.module}:main'


def test_packages_are_only_those_of_the_library(packaging: dict[str, Any]) -> None:
    assert 'quadruped_control.command_line' in packaging['packages']
    assert {name.split('.')[0] for name in packaging['packages']} == {'quadruped_control'}


def test_share_folder_of_a_checkout_is_its_root() -> None:
    assert share_folder() == ROOT
