"""
Check style (ruff) and types (mypy), then run all tests (pytest, on all cores).

Options that are not listed here go to pytest, as in the example.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from quadruped_control.errors import QuadrupedError
from quadruped_control.share import checkout_folder

EXAMPLE = './quadruped test --tests-only -k layering -x'
PASSES_UNKNOWN_OPTIONS = True

MOST_WORKERS = 4
BROWSER = 'test/test_page_browser.py'       # draws by the processor: it gets all of it
TOOLS = ('ruff', 'mypy', 'pytest', 'xdist', 'pytest_timeout')
# a worker fills one core; libraries must not start threads of their own besides
ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', 'NUMBA_NUM_THREADS': '1'}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which part is run."""
    part = parser.add_mutually_exclusive_group()
    part.add_argument('--tests-only', action='store_true', help='no check of style and types')
    part.add_argument('--style-only', action='store_true', help='no tests')


def run(arguments: argparse.Namespace) -> int:
    """Run the checks one after the other, all of them even if one fails."""
    root = _find_root()
    _require_tools()
    steps = list_steps(arguments.tests_only, arguments.style_only, arguments.rest)
    codes = {name: _run_step(name, command, root) for name, command in steps.items()}
    failed = [name for name, code in codes.items() if code != 0]
    print(f'failed: {", ".join(failed)}' if failed else f'all passed: {", ".join(codes)}')
    return codes[failed[-1]] if failed else 0


def list_steps(tests_only: bool, style_only: bool, rest: list[str]) -> dict[str, list[str]]:
    """
    Give the command of each step by its name.

    :param rest: options for pytest.
    """
    python = [sys.executable, '-m']
    style = {'style': [*python, 'ruff', 'check', '.', 'quadruped'], 'types': [*python, 'mypy']}
    pytest = [*python, 'pytest', '-p', __name__]
    tests = {'tests': [*pytest, *_distribute(), *rest]}
    if not rest:
        tests = {'tests': [*pytest, *_distribute(), f'--ignore={BROWSER}'],
                 'browser': [*pytest, BROWSER]}
    return ({} if tests_only else style) | ({} if style_only else tests)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Put the tests that are quick first: pytest calls this, as the module is its plugin too."""
    items.sort(key=_allowed_seconds)


def _allowed_seconds(item: Any) -> float:
    """Give the time that a test asks for by its mark ``timeout``; 0 without one."""
    mark = item.get_closest_marker('timeout')
    if mark is None:
        return 0.0
    return float(mark.args[0] if mark.args else mark.kwargs.get('timeout', 0))


def _distribute() -> list[str]:
    workers = min(MOST_WORKERS, len(os.sched_getaffinity(0)))
    return ['-n', str(workers), '--dist', 'worksteal'] if workers > 1 else []


def _find_root() -> Path:
    root = checkout_folder()
    if root is None or not (root / 'test').is_dir():
        raise QuadrupedError('the tests are in the repository only; run this from a clone of it')
    return root


def _require_tools() -> None:
    missing = [tool for tool in TOOLS if importlib.util.find_spec(tool) is None]
    if missing:
        raise QuadrupedError(
            f'{", ".join(missing)} not installed; start by ./quadruped test, which installs all'
            ' of it, or by pip install -e .[test]'
        )


def _run_step(name: str, command: list[str], root: Path) -> int:
    print(f'== {name}: {shlex.join(command[2:])}', flush=True)
    start = time.monotonic()
    code = subprocess.run(command, cwd=root, env={**os.environ, **ONE_THREAD}).returncode
    print(f'== {name}: exit code {code} after {time.monotonic() - start:.0f} s', flush=True)
    return code
