"""Where a URDF or a mesh is, by what a file says of it: a path, package:// or python://."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from quadruped_control.errors import InputError

PACKAGE, PYTHON, FILE = 'package://', 'python://', 'file://'
FORMS = 'a file, package://PACKAGE/FILE or python://PACKAGE/FILE'


def find_file(place: str, folder: Path, source: str | Path, key: str) -> Path:
    """
    Return the file at a place, or raise InputError.

    :param folder: what a relative path begins at, and near which a package may lie.
    :param source: where the place is written, for errors; ``key`` likewise.
    """
    tried = [path.resolve() for path in _candidates(place, folder)]
    for path in tried:
        if path.is_file():
            return path
    looked = f' (looked for {", ".join(map(str, tried[:3]))})' if tried else ''
    raise InputError(source, key, place, f'{FORMS} that exists{looked}')


def _candidates(place: str, folder: Path) -> list[Path]:
    if place.startswith(FILE):
        return [Path(place.removeprefix(FILE))]
    for scheme in (PACKAGE, PYTHON):
        if place.startswith(scheme):
            package, _, rest = place.removeprefix(scheme).partition('/')
            found = [*_python_folders(package)]
            if scheme == PACKAGE:
                found = [*_indexed_folders(package), *found, *_folders_above(package, folder)]
            return [base / rest for base in found]
    return [folder / place]


def _python_folders(package: str) -> list[Path]:
    spec = find_spec(package) if package.isidentifier() else None
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def _indexed_folders(package: str) -> list[Path]:
    try:
        from ament_index_python.packages import get_package_share_directory
    except ImportError:
        return []
    try:
        return [Path(get_package_share_directory(package))]
    except (LookupError, OSError, ValueError):
        return []


def _folders_above(package: str, folder: Path) -> list[Path]:
    """Folders of the package's name among those above, or beside them: a checkout's."""
    above = [folder.resolve(), *folder.resolve().parents]
    return [place for base in above for place in (
        (base, base / package) if base.name == package else (base / package,))]


def package_place(path: Path) -> str:
    """Return python://PACKAGE/FILE for a file of an installed Python package, else the path."""
    parts = path.resolve().parts
    for number, part in enumerate(parts[:-1]):
        if part in ('site-packages', 'dist-packages') and number + 2 < len(parts):
            return PYTHON + '/'.join(parts[number + 1:])
    return str(path.resolve())

