"""The gaits' numbers as parameters, which may be changed at run time."""

from __future__ import annotations

from collections.abc import Mapping

from quadruped_control.control.gait_tuning import TunedGaits, describe, list_knobs
from quadruped_control.nodes.graph_node import Setting

PREFIX = 'gait_parameters'


def name_parameter(gait: str, knob: str) -> str:
    """Return the parameter of a number, as in gait_parameters.trot.front.height."""
    return f'{PREFIX}.{gait}.{knob}'


def list_gait_settings(gaits: TunedGaits) -> dict[str, Setting]:
    """Return a parameter for each number of each gait: what is added to the file's."""
    return {name_parameter(gait, knob.name): Setting(
                0.0, f'{describe(knob)}; added to the {gait} at all its speeds',
                -knob.room, knob.room)
            for gait in gaits.names for knob in list_knobs().values()}


def turn_gaits(gaits: TunedGaits, changes: Mapping[str, float]) -> None:
    """Change gaits by parameters, others are passed over, or raise InputError."""
    by_gait: dict[str, dict[str, float]] = {}
    for name, value in changes.items():
        if name.startswith(f'{PREFIX}.'):
            gait, knob = name.removeprefix(f'{PREFIX}.').split('.', 1)
            by_gait.setdefault(gait, {})[knob] = value
    for gait, turned in by_gait.items():
        gaits.turn(gait, turned)
