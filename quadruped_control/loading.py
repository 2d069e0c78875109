"""Reading of input files: strict YAML, checked against a schema, with errors that help."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from quadruped_control.errors import InputError

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: the same, slower
    from yaml import SafeLoader  # type: ignore[assignment]

MOST_BYTES = 10_000_000
MOST_NESTING = 50

S = TypeVar('S', bound='Schema')
Key = tuple[str | int, ...]


class Schema(BaseModel):
    """What a file may say: no other keys, no conversions, finite numbers; frozen once read."""

    model_config = ConfigDict(extra='forbid', strict=True, allow_inf_nan=False, frozen=True)


class Remark(str):
    """A description that takes the place of a value in an error message, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def refusal(accepted: str, *key: str | int) -> PydanticCustomError:
    """
    Make the error that a validator of a schema raises.

    :param key: path of the refused key, from the object or value that is validated.
    """
    return PydanticCustomError('refusal', '{accepted}', {'accepted': accepted, 'key': key})


def load(path: str | Path, schema: type[S]) -> S:
    """Read a YAML file as an instance of a schema, or raise InputError."""
    return validate(read_yaml(path), schema, path)


def validate(data: object, schema: type[S], source: str | Path) -> S:
    """Check plain data (mappings, lists, numbers, text) against a schema, or raise InputError."""
    try:
        # JSON is the mode in which a strict schema takes a list for a tuple
        return schema.model_validate_json(json.dumps(data))
    except ValidationError as error:
        raise _explain(error, data, schema, source) from None


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


def suggest(word: str, known: Iterable[str]) -> str:
    """Say which known words are accepted, and the one that was probably meant."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1)
    return ', '.join(names) + (f" (did you mean '{near[0]}'?)" if near else '')


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


def _explain(
    error: ValidationError, data: object, schema: type[Schema], source: str | Path
) -> InputError:
    """Turn the first thing to correct into an InputError that also names the other keys."""
    root = schema.model_json_schema()
    details = sorted(error.errors(), key=lambda detail: detail['type'] != 'extra_forbidden')
    found: dict[str, InputError] = {}
    for detail in details:
        key, value, accepted = _Problem(detail, data, root).explain()
        name = ''.join(f'[{part}]' if isinstance(part, int) else f'.{part}' for part in key)
        name = name.removeprefix('.')
        found.setdefault(name, InputError(source, name, value, accepted))
    first, *others = found.values()
    if not others:
        return first
    names = [f"'{other.key}'" for other in others]
    more = ', '.join(names[:5] + ['...'] * bool(names[5:]))
    accepted = f'{first.accepted} (to correct as well: {more})'
    return InputError(source, first.key, first.value, accepted)


class _Problem:
    """One finding of pydantic, beside the data and the JSON schema at the place it names."""

    def __init__(self, detail: ErrorDetails, data: object, root: dict[str, Any]) -> None:
        self.kind = detail['type']
        self.context = detail.get('ctx', {})
        self.message = detail['msg']
        self.root = root
        self.key: Key = ()
        self.value = data
        self.node: dict[str, Any] = root
        location = detail['loc']
        if self.kind in ('missing', 'extra_forbidden') and isinstance(location[-1], str):
            self._descend((*location[:-1],))
            self.last = str(location[-1])
        else:
            self._descend(location)

    def explain(self) -> tuple[Key, object, str]:
        """Return the key, its value and what is accepted."""
        if self.kind == 'refusal':
            accepted = str(self.context['accepted'])
            self._descend(self.context['key'])
            return self.key, self.value, accepted
        if self.kind == 'extra_forbidden':
            node = self._resolve(self.node, self.value)
            accepted = 'the keys ' + suggest(self.last, list(node.get('properties', {})))
            return (*self.key, self.last), _item(self.value, self.last), accepted
        if self.kind == 'missing' and hasattr(self, 'last'):
            node = self._child(self.node, self.last, self.value)
            return (*self.key, self.last), Remark('missing'), self._describe(node)
        if self.kind in ('union_tag_invalid', 'union_tag_not_found'):
            union = self.node['discriminator']
            name = union['propertyName']
            accepted = 'one of ' + suggest(str(_item(self.value, name)), list(union['mapping']))
            return (*self.key, name), _item(self.value, name), accepted
        return self.key, self.value, self._describe(self.node) or self.message

    def _descend(self, location: tuple[str | int, ...]) -> None:
        for part in location:
            inner = _item(self.value, part)
            if isinstance(inner, Remark):  # the name of a member of a union, not a key
                continue
            self.node = self._child(self.node, part, self.value)
            self.key, self.value = (*self.key, part), inner

    def _resolve(self, node: dict[str, Any], data: object = None) -> dict[str, Any]:
        """Follow references, and the kind that data says it is."""
        while '$ref' in node or 'discriminator' in node:
            if '$ref' in node:
                node = self.root['$defs'][node['$ref'].rsplit('/', 1)[-1]]
                continue
            kind = _item(data, node['discriminator']['propertyName'])
            if kind not in node['discriminator']['mapping']:
                break
            node = {'$ref': node['discriminator']['mapping'][kind]}
        return node

    def _child(self, node: dict[str, Any], part: str | int, data: object) -> dict[str, Any]:
        node = self._resolve(node, data)
        for branch in node.get('anyOf', ()):
            if child := self._child(branch, part, data):
                return child
        if isinstance(part, int):
            items = node.get('prefixItems', [])
            child = items[part] if part < len(items) else node.get('items', {})
        else:
            child = node.get('properties', {}).get(part) or node.get('additionalProperties', {})
        return child if isinstance(child, dict) else {}

    def _describe(self, node: dict[str, Any]) -> str:
        """Say in words what a node of the JSON schema accepts; empty if it does not say."""
        node = self._resolve(node)
        if 'discriminator' in node:
            union = node['discriminator']
            return f"a mapping with '{union['propertyName']}' {', '.join(union['mapping'])}"
        if 'anyOf' in node:
            members = [member for member in node['anyOf'] if member.get('type') != 'null']
            return ' or '.join(self._describe(member) for member in members)
        if 'enum' in node or 'const' in node:
            words = node['enum'] if 'enum' in node else [node['const']]
            return 'one of ' + ', '.join(map(str, words))
        kind = node.get('type', '')
        if kind == 'array':
            return self._describe_list(node)
        if kind == 'object':
            names = ', '.join(node.get('properties', {}))
            return f'a mapping with keys out of {names}' if names else 'a mapping'
        nouns = {'number': 'a number', 'integer': 'a whole number', 'string': 'text'}
        nouns |= {'boolean': 'true or false', 'null': 'null'}
        words = [nouns.get(kind, ''), *_limits(node), node.get('description', '')]
        return ' '.join(word for word in words if word)

    def _describe_list(self, node: dict[str, Any]) -> str:
        items = [self._describe(item) for item in node.get('prefixItems', ())]
        if not items:
            most = f' of at most {node["maxItems"]} items' if 'maxItems' in node else ''
            return f'a list{most}, each {self._describe(node.get("items", {})) or "anything"}'
        if len(set(items)) == 1:
            return f'a list of {len(items)}, each {items[0]}'
        return f'[{", ".join(items)}]'


def _limits(node: dict[str, Any]) -> Iterator[str]:
    signs = {'exclusiveMinimum': '>', 'minimum': '>=', 'exclusiveMaximum': '<', 'maximum': '<='}
    limits = [f'{sign} {node[name]:.12g}' for name, sign in signs.items() if name in node]
    yield ' and '.join(limits)
    if 'minLength' in node or 'maxLength' in node:
        yield f'of {node.get("minLength", 0)} to {node.get("maxLength", "any")} characters'


def _item(data: object, part: object) -> object:
    """Return what stands under a key or index, or a remark that nothing does."""
    if isinstance(data, dict) and part in data:
        return data[part]
    if isinstance(data, list | tuple) and isinstance(part, int) and part < len(data):
        return data[part]
    return Remark('missing')
