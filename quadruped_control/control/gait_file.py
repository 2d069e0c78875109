"""Gaits written back as files that people can read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from quadruped_control.control.gait import Gait
from quadruped_control.control.gait_base import gather_base
from quadruped_control.control.gait_entries import list_entries
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.loading import Schema, validate

Array = NDArray[np.float64]
DIGITS = 5


def unflatten(numbers: Array, speed: float) -> GaitAtSpeed:
    """Return the gait of a vector of numbers; the inverse of :func:`flatten`."""
    data: dict[str, Any] = {'speed': speed}
    for entry in list_entries():
        *outer, last = entry.path
        if isinstance(last, int):
            list_at = _descend(data, outer[:-1]).setdefault(outer[-1], [])
            list_at.append(_plain(numbers[list(entry.places)]))
        else:
            _descend(data, outer)[last] = _plain(numbers[list(entry.places)])
    return validate(data, GaitAtSpeed, 'tuning')


def _descend(data: dict[Any, Any], keys: Sequence[str | int]) -> dict[Any, Any]:
    """Return the mapping under some keys, made where there is none yet."""
    for key in keys:
        data = data.setdefault(key, {})
    return data


def _plain(value: Any) -> Any:
    """Return numbers with few digits; a trajectory that does not change as one number."""
    array = np.atleast_1d(np.asarray(value, float))
    rounded = [float(f'{number:.{DIGITS}g}') for number in array]
    if len(rounded) == 1 or (len(rounded) > 2 and len(set(rounded)) == 1):
        return rounded[0]
    return rounded


def replace_speed(gait: Gait, at: GaitAtSpeed) -> Gait:
    """Return a gait with its entry for a speed replaced, or added in its place."""
    others = [entry for entry in gait.speeds if abs(entry.speed - at.speed) > 1e-9]
    speeds = sorted([*others, at], key=lambda entry: entry.speed)
    return gait.model_copy(update={'speeds': tuple(speeds)})


def write_gait(path: Path, gait: Schema, header: list[str]) -> None:
    """Write a gait or a transition, with what is to be known about it as comments at its head."""
    data = gait.model_dump(mode='json', by_alias=True, exclude_none=True)
    if isinstance(gait, Gait):
        data = gather_base(data)
    text = yaml.safe_dump(data, sort_keys=False, width=110,
                          default_flow_style=None)
    comments = ''.join(f'# {line}\n' for line in header)
    temporary = path.with_suffix('.tmp')
    temporary.write_text(comments + text, encoding='utf-8')
    temporary.replace(path)


def read_header(path: Path) -> list[str]:
    """Return the comments at the head of a file."""
    lines = []
    for line in path.read_text(encoding='utf-8').splitlines():
        if not line.startswith('#'):
            break
        lines.append(line.lstrip('# '))
    return lines
