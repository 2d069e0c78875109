"""The matrices that can be evaluated: what each is, where it is, and which options it has."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from quadruped_control.command_line import evaluate_leaps, evaluate_spine, evaluate_wild
from quadruped_control.evaluation import (
    controllers,
    gaits,
    getup,
    leaps,
    postures,
    pursuit,
    pushes,
    spine,
    terrain,
    transitions,
    turning,
    wild,
)


@dataclass(frozen=True)
class Matrix:
    """
    A matrix of scenarios that can be asked for.

    :param title: what it is, in the help.
    :param options: that it has beyond those of all.
    :param seeds: how many it takes from ``first_seed`` on, none of which is used in tuning; None
        where chance plays no part.
    :param run: does it all, where it is no table of trials.
    """

    title: str
    module: ModuleType
    options: tuple[str, ...] = ()
    seeds: int | None = None
    first_seed: int = 1000
    run: Callable[[argparse.Namespace], int] | None = None


MATRICES: dict[str, Matrix] = {
    'controllers': Matrix('all controllers of the dog and the a1, or of --robot, side by side',
                          controllers, ('robot',), seeds=10),
    'gaits': Matrix('every gait at every speed of its range; --robot: of any robot, with turns '
                    'and pushes', gaits, ('robot', 'speed'), seeds=5),
    'getup': Matrix('100 falls: dropped in any orientation, or pushed over at a trot', getup,
                    seeds=100, first_seed=4000),
    'leaps': Matrix('the leap dictionary, courses of --seeds seeds, in the trot, and with stairs '
                    'and ramps in auto, and a gap of 2 m', leaps, run=evaluate_leaps.run),
    'postures': Matrix('sit, lie down, stand up, trot off, from slightly different starts',
                       postures, seeds=20),
    'pursuit': Matrix('ten random targets in a row; --robot: of any robot', pursuit,
                      ('robot', 'controller'), seeds=5),
    'pushes': Matrix('table 1 of the paper at ten phases, --robot: by the weight of any robot; '
                     '--wild: at random phases, angles and speeds; --largest finds the largest '
                     'forces', pushes, ('robot', 'speed', 'largest', 'wild', 'seed', 'out')),
    'spine': Matrix('the canter of this dog and of one with a rigid spine', spine, ('picture',),
                    run=evaluate_spine.run),
    'terrain': Matrix('stairs, slopes, steps, rough and slippery ground, and the highest steps',
                      terrain, seeds=10),
    'transitions': Matrix('from gait to gait by speed, held back by a rope, start and stop',
                          transitions, seeds=10),
    'turning': Matrix('how fast the dog turns, on the spot and on the way', turning),
    'wild': Matrix('random worlds and drivers: falls a minute, and a scenario file of each '
                   'failure', wild, ('robot', 'seed', 'minutes', 'terrain', 'out'),
                   run=evaluate_wild.run),
}


def list_with(option: str) -> list[str]:
    """Return the matrices that have an option."""
    return [name for name, matrix in MATRICES.items() if option in matrix.options]
