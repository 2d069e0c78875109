"""The controller's gains as parameters, which may be changed at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from quadruped_control.loading import Schema, validate
from quadruped_control.nodes.graph_node import Setting

S = TypeVar('S', bound=Schema)
PREFIX = 'gains'
ROOM = 10.0                     # a gain may be raised to so many times the file's
UPPER_LIMITS = {'spine_share': 1.0, 'stance_shape': 1.0, 'least_load': 0.5, 'least_upright': 1.0,
                'torque_share': 1.0}


def list_gain_settings(gains: Schema) -> dict[str, Setting]:
    """Return a parameter for each number of the gains, as in gains.joints.hip.kp; no others."""
    return {key: Setting(value, f'{key.removeprefix(PREFIX + ".")} of gains.yaml',
                         -1.0 if key.endswith('least_upright') else 0.0,
                         UPPER_LIMITS.get(key.rsplit('.')[-1], ROOM * max(value, 1.0)))
            for key, value in _leaves(PREFIX, gains)}


def change_gains(gains: S, changes: dict[str, float]) -> S:
    """Return gains with some numbers changed, or raise InputError."""
    data = gains.model_dump()
    for key, value in changes.items():
        *path, last = key.split('.')[1:]
        place = data
        for name in path:
            place = place[name]
        place[last] = value
    return validate(data, type(gains), PREFIX)


def _leaves(prefix: str, schema: Schema) -> Iterator[tuple[str, float]]:
    for name in type(schema).model_fields:
        value = getattr(schema, name)
        if isinstance(value, Schema):
            yield from _leaves(f'{prefix}.{name}', value)
        elif isinstance(value, float):
            yield f'{prefix}.{name}', value
