"""Gaits written back as files that people can read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from quadruped_control.control.gait import PAIR_FIELDS, Gait, GaitAtSpeed, as_numbers
from quadruped_control.control.records import gait_type
from quadruped_control.kinematics.records import LEGS, new_record
from quadruped_control.loading import Schema, validate

Array = NDArray[np.float64]
DIGITS = 5


def unflatten(numbers: Array, speed: float) -> GaitAtSpeed:
    """Return the gait of a vector of numbers; the inverse of :func:`flatten`."""
    record = new_record(gait_type())
    as_numbers(record)[:] = numbers
    pairs: dict[str, Any] = {}
    for frame, name in enumerate(('front', 'rear')):
        pairs[name] = {key: _plain(record[key][frame]) for key in PAIR_FIELDS}
        for key in ('toe_off', 'foot_strike'):
            angle, time = record[key][frame]
            pairs[name][key] = {'angle': _plain(angle), 'time': _plain(time)}
    data = {
        'speed': speed, 'period': _plain(record['period']),
        'gait_graph': {leg: {'lift_off': _plain(record['lift_off'][n]),
                             'touchdown': _plain(record['touchdown'][n])}
                       for n, leg in enumerate(LEGS)},
        **pairs, 'head_pitch': _plain(record['head_pitch']),
        'leg_force': {leg: {'forward': _plain(record['leg_force'][n, :, 0]),
                            'up': _plain(record['leg_force'][n, :, 1])}
                      for n, leg in enumerate(LEGS)},
        'leg_step': {leg: {'ahead': _plain(record['leg_step'][n, 0]),
                           'left': _plain(record['leg_step'][n, 1])}
                     for n, leg in enumerate(LEGS)},
        'yielding': _plain(record['yielding']),
        'turning': _plain(record['turning']),
        'facing': _plain(record['facing']),
        'hastening': _plain(record['hastening']),
    }
    return validate(data, GaitAtSpeed, 'tuning')


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
    text = yaml.safe_dump(gait.model_dump(mode='json'), sort_keys=False, width=110,
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
