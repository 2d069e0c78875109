"""What is wrong with data that a schema refuses, in words that help."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from quadruped_control.errors import InputError

Key = tuple[str | int, ...]


class Remark(str):
    """A description that takes the place of a value in an error message, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def suggest(word: str, known: Iterable[str]) -> str:
    """Say which known words are accepted, and the one that was probably meant."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1)
    return ', '.join(names) + (f" (did you mean '{near[0]}'?)" if near else '')


def explain(
    error: ValidationError, data: object, schema: type[BaseModel], source: str | Path
) -> InputError:
    """Turn the first thing to correct into an InputError that also names the other keys."""
    root = schema.model_json_schema()
    details = _keep_likely_members(error.errors(), data)
    details.sort(key=lambda detail: detail['type'] != 'extra_forbidden')
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


def _keep_likely_members(details: list[ErrorDetails], data: object) -> list[ErrorDetails]:
    """Drop the findings about all members of a union but the one with the fewest."""
    members = [_find_member(detail, data) for detail in details]
    counts = Counter(filter(None, members))
    likely: dict[Key, Key] = {}
    for member in counts:
        best = likely.setdefault(member[:-1], member)
        if counts[member] < counts[best]:
            likely[member[:-1]] = member
    return [detail for detail, member in zip(details, members, strict=True)
            if not member or member == likely[member[:-1]]]


def _find_member(detail: ErrorDetails, data: object) -> Key:
    """Return the path up to the name of a union's member, which is no key; else nothing."""
    location = detail['loc']
    for place, part in enumerate(location):
        data = _item(data, part)
        if isinstance(data, Remark):
            is_missing_key = detail['type'] == 'missing' and place == len(location) - 1
            return () if is_missing_key else location[: place + 1]
    return ()


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
            accepted = 'the keys ' + suggest(self.last, self._list_keys(self.node))
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

    def _list_keys(self, node: dict[str, Any]) -> list[str]:
        """Return the keys that a mapping may have here, of all members of a union."""
        node = self._resolve(node, self.value)
        inner = [key for member in node.get('anyOf', ()) for key in self._list_keys(member)]
        return list(dict.fromkeys([*node.get('properties', {}), *inner]))

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
