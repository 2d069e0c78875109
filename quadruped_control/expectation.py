"""What a scenario expects of the metrics of its run."""

from __future__ import annotations

import math

import numpy as np

from quadruped_control.explanation import suggest
from quadruped_control.loading import refusal

METRIC_NAMES = (
    *('fell', 'fall_time', 'falls', 'distance', 'displacement', 'mean_speed', 'speed_error'),
    *('heading_error', 'lateral_drift', 'gaits', 'footfalls', 'duty_factor', 'phase', 'slip'),
    *('clearance', 'height', 'pitch', 'head_acceleration', 'peak_torque', 'torque_saturation'),
    *('cost_of_transport', 'torque_jump', 'slips', 'jams', 'unsolved', 'target', 'ball'),
    *('postures', 'leaps', 'real_time_factor', 'state_hash'),
)
EQUALITY = 1e-9  # most difference of numbers that count as equal

Expected = bool | float | str | None | tuple[float, float]


def refuse_unmeasured(expect: dict[str, Expected]) -> None:
    """Raise the error of a schema for what no metric can meet."""
    for metric, value in expect.items():
        name, *inner = metric.split('.')
        if name not in METRIC_NAMES or '' in inner:
            raise refusal(f'the metrics {suggest(name, METRIC_NAMES)}', metric)
        if isinstance(value, tuple) and value[0] > value[1]:
            raise refusal('[least, most] with least <= most', metric)


def apply_expectations(expect: dict[str, Expected], metrics: dict[str, object]) -> list[str]:
    """Return a sentence for each expectation that the metrics of a run do not meet."""
    failures = []
    for path, expected in expect.items():
        try:
            value = _reach(metrics, path)
        except LookupError:
            failures.append(f'{path} was not measured, expected {_wording(expected)}')
            continue
        if not _meets(value, expected):
            failures.append(f'{path} is {value!r}, expected {_wording(expected)}')
    return failures


def _reach(metrics: object, path: str) -> object:
    value = metrics
    for name in path.split('.'):
        if isinstance(value, dict):
            value = value[name]
        elif isinstance(value, list | tuple) and name.isdecimal():
            value = value[int(name)]
        else:
            raise LookupError(path)
    return value.item() if isinstance(value, np.generic) else value


def _meets(value: object, expected: Expected) -> bool:
    if not isinstance(expected, tuple | float):
        return type(value) is type(expected) and value == expected
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(expected, tuple):
        return expected[0] <= value <= expected[1]
    return math.isclose(value, expected, rel_tol=0.0, abs_tol=EQUALITY)


def _wording(expected: Expected) -> str:
    if isinstance(expected, tuple):
        return f'from {expected[0]:g} to {expected[1]:g}'
    return repr(expected)
