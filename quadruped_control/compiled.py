"""
Compilation of the 1 kHz path.

Numba looks only at a function's own file to tell whether its cached machine code is still
good, so a change in a called file would go unnoticed. The cache folder is therefore named by
a hash of all the sources that are compiled.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.extending

COMPILED_FOLDERS = ('kinematics', 'control', 'rollout', 'simulation', 'terrain', 'tuning')
Function = TypeVar('Function', bound=Callable[..., Any])


def _cache_folder() -> Path:
    package = Path(__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    digest.update(f'{numba.__version__} {package}'.encode())     # each clone has its own
    for folder in COMPILED_FOLDERS:
        for source in sorted((package / folder).glob('*.py')):
            digest.update(source.read_bytes())
    base = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    return base / 'quadruped_control' / f'compiled-{digest.hexdigest()}'


def is_compiled() -> bool:
    """Say whether this version's machine code is already there (else the first call waits)."""
    return any(_cache_folder().rglob('*.nbc'))


def is_compiled_for(robot: str) -> bool:
    """Say whether it is there for a robot and controller, as :func:`note_compiled` noted."""
    return (_cache_folder() / f'{robot}.done').is_file()


def note_compiled(robot: str) -> None:
    """Note that all that nodes run was compiled for a robot and controller."""
    _cache_folder().mkdir(parents=True, exist_ok=True)
    (_cache_folder() / f'{robot}.done').touch()


if 'NUMBA_CACHE_DIR' not in os.environ:
    numba.config.CACHE_DIR = str(_cache_folder())


def compiled(function: Function) -> Function:
    """Compile a function that works on numbers, arrays and records, and keep the code."""
    return numba.njit(cache=True, error_model='numpy')(function)  # type: ignore[no-any-return]


@numba.extending.lower_cast(numba.types.IntEnumMember, numba.types.Float)  # type: ignore[untyped-decorator]
def _cast_mode(context: Any, builder: Any, kind: Any, goal: Any, value: Any) -> Any:
    """Let a mode, which is an IntEnum, be compared with a number of a record, or be put there."""
    return context.cast(builder, value, kind.dtype, goal)


def choose_when_compiled(stub: Callable[..., Any]) -> Callable[[Function], Function]:
    """
    Let a function choose, by the types of the arguments, what stands for a stub in compiled code.

    It returns a function of the stub's arguments. Nothing is chosen any more at run time.
    """
    return numba.extending.overload(stub, strict=False)  # type: ignore[no-any-return]
