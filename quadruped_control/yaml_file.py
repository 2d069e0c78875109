"""Strict reading of YAML files, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any, ClassVar

import yaml

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: the same, slower
    from yaml import SafeLoader  # type: ignore[assignment]

MOST_BYTES = 10_000_000
MOST_NESTING = 50


def read_yaml(path: str | Path) -> object:
    """
    Read one YAML document, or raise InputError.

    Scalars follow the core schema of YAML 1.2: ``1e-3`` is a number, ``yes`` and ``1:30`` are
    text. Keys are text and stand once; anchors, aliases and tags are not accepted.
    """
    text = _read_text(Path(path))
    try:
        _refuse_structure(text)
        data = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _explain_syntax(error, text, path) from None
    if data is None:
        raise InputError(path, '', Remark('empty'), 'a YAML file with content')
    return data


def _read_text(path: Path) -> str:
    if not path.exists():
        raise InputError(path, '', Remark('missing'), 'a YAML file that exists')
    if not path.is_file():
        raise InputError(path, '', Remark('not a file'), 'a YAML file')
    try:
        with path.open('rb') as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(path, '', Remark(error.strerror), 'a readable YAML file') from None
    if len(content) > MOST_BYTES:
        size = f'larger than {MOST_BYTES} bytes'
        raise InputError(path, '', Remark(size), f'a YAML file of at most {MOST_BYTES} bytes')
    try:
        return content.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        near = content[error.start : error.start + 16]
        raise InputError(path, '', near, 'a YAML file in UTF-8') from None


def _tag(name: str) -> str:
    return f'tag:yaml.org,2002:{name}'


def _scalar_resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Return the tags of plain scalars by their first character: the core schema of YAML 1.2."""
    number = r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?'
    resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for name, pattern, first in (
        ('null', r'~|null|Null|NULL|', ['~', 'n', 'N', '']),
        ('bool', r'true|True|TRUE|false|False|FALSE', list('tTfF')),
        ('int', r'[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+', list('-+0123456789')),
        ('float', number + r'|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)', list('-+0123456789.')),
    ):
        for character in first:
            whole = re.compile(f'^(?:{pattern})$')
            resolvers.setdefault(character, []).append((_tag(name), whole))
    return resolvers


def _construct_int(loader: Any, node: Any) -> int:
    try:
        return int(node.value, 0 if node.value[:2] in ('0x', '0o') else 10)
    except ValueError:
        raise _mistake('a whole number of fewer digits', node) from None


def _construct_float(loader: Any, node: Any) -> float:
    return float(re.sub(r'\.(?=[in])', '', node.value.lower()))


class _Loader(SafeLoader):
    """Safe loader of the YAML 1.2 core schema that refuses repeated keys."""

    yaml_implicit_resolvers = _scalar_resolvers()
    yaml_constructors: ClassVar = {
        _tag('null'): SafeLoader.construct_yaml_null,
        _tag('bool'): SafeLoader.construct_yaml_bool,
        _tag('int'): _construct_int,
        _tag('float'): _construct_float,
        _tag('str'): SafeLoader.construct_yaml_str,
        _tag('seq'): SafeLoader.construct_yaml_seq,
        _tag('map'): SafeLoader.construct_yaml_map,
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag != _tag('str'):
                raise _mistake('text as a key', key)
            if key.value in seen:
                raise _mistake(f"each key once ('{key.value}' stands before)", key)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _mistake(accepted: str, at: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=accepted, problem_mark=at.start_mark)


def _refuse_structure(text: str) -> None:
    """Refuse tags, deep nesting and aliases (which let a short file unfold to a huge one)."""
    depth = 0
    for event in yaml.parse(text, Loader=SafeLoader):
        if getattr(event, 'anchor', None) is not None:
            raise _mistake('YAML without anchors (&) and aliases (*)', event)
        if getattr(event, 'tag', None) is not None:
            raise _mistake('YAML without tags (!)', event)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_NESTING:
            raise _mistake(f'at most {MOST_NESTING} levels of nesting', event)


def _explain_syntax(error: yaml.YAMLError, text: str, source: str | Path) -> InputError:
    mark = getattr(error, 'problem_mark', None) or getattr(error, 'context_mark', None)
    if mark is None:
        reason = ' '.join(str(error).split())
        return InputError(source, '', Remark('not YAML text'), f'valid YAML ({reason})')
    lines = text.splitlines() or ['']
    number = min(mark.line, len(lines) - 1)
    problem = getattr(error, 'problem', None) or 'a syntax error'
    own = type(error) is yaml.MarkedYAMLError
    accepted = problem if own else f'valid YAML ({problem})'
    return InputError(source, f'line {number + 1}', lines[number].strip(), accepted)
