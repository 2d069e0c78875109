"""What the file of a gait says once for all speeds, and what it says of each."""

from __future__ import annotations

from typing import Any

BASE, SPEEDS = 'base', 'speeds'
Mapping = dict[str, Any]


def spread_base(data: object) -> object:
    """
    Return a gait's plain data with its base given to each speed, where that says nothing itself.

    What is not a base and a list of speeds stays, for the schema to refuse.
    """
    if not isinstance(data, dict) or not isinstance(data.get(BASE), dict):
        return data
    if not isinstance(data.get(SPEEDS), list):
        return data
    rest = {key: value for key, value in data.items() if key != BASE}
    return {**rest, SPEEDS: [_merge(data[BASE], at) if isinstance(at, dict) else at
                             for at in data[SPEEDS]]}


def gather_base(data: Mapping) -> Mapping:
    """Return a gait's plain data with its first speed as the base, and what others differ by."""
    speeds = [dict(at) for at in data[SPEEDS]]
    base = {key: value for key, value in speeds[0].items() if key != 'speed'}
    rest = {key: value for key, value in data.items() if key not in (BASE, SPEEDS)}
    return {**rest, BASE: base, SPEEDS: [_find_difference(base, at) for at in speeds]}


def _merge(base: Mapping, own: Mapping) -> Mapping:
    """Return a mapping with what it lacks taken from a base, at any depth."""
    merged = {**base, **own}
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = _merge(base[key], value)
    return merged


def _find_difference(base: Mapping, own: Mapping) -> Mapping:
    """Return what of a mapping its base does not say."""
    found = {}
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            value = _find_difference(base[key], value)
            if value:
                found[key] = value
        elif key not in base or base[key] != value:
            found[key] = value
    return found
