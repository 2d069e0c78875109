"""A failure of an evaluation as a scenario file that repeats it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

AFTER = 6.0                 # s after the last fall that a file goes on


class _Dumper(yaml.SafeDumper):
    """Writes no aliases, which scenario files do not have."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_failure(folder: Path, name: str, scenario: dict[str, Any], *,
                  until: float, remarks: Sequence[str] = (), expects: bool = True) -> Path:
    """
    Write a scenario that ends a while after a time (s), and return its file.

    :param remarks: lines at its head, which say what happened.
    :param expects: the file expects that the robot does not fall, so that `run` says if it does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'{name}.yaml'
    cut = cut_scenario(scenario, until + AFTER)
    if expects:
        cut['expect'] = {'fell': False}
    head = ''.join(f'# {line}\n' for line in remarks)
    text = yaml.dump(cut, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=99)
    path.write_text(head + text, encoding='utf-8')
    return path


def cut_scenario(scenario: dict[str, Any], end: float) -> dict[str, Any]:
    """Return a scenario that ends by a time (s); up to then it is the same."""
    end = min(round(end, 3), scenario['duration'])
    return {**scenario, 'duration': end,
            'commands': [command for command in scenario.get('commands', ())
                         if command['t'] <= end],
            'pushes': [push for push in scenario.get('pushes', ()) if push['t'] < end]}
