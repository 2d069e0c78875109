"""The controllers that there are, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from quadruped_control.control.controller import Controller
from quadruped_control.control.force_problem import Formulation
from quadruped_control.control.kokkevis_controller import make_kokkevis_controller
from quadruped_control.control.leg_frame_controller import Rule, make_leg_frame_controller
from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder


class Kind(NamedTuple):
    """
    A controller that a robot may have.

    :param file: of a robot's folder, with its parameters.
    :param make: returns it.
    :param gaits: that it can walk in; None: all that there are.
    :param leaps: whether it can play them.
    :param rigid: whether it takes the body between the legs as rigid.
    """

    file: str
    make: Callable[[Robot], Controller]
    gaits: frozenset[str] | None = None
    leaps: bool = True
    rigid: bool = False


# by name; the first that a robot has the file of is its default
CONTROLLERS = {
    'leg_frames': Kind('gains.yaml', make_leg_frame_controller),
    'algorithm_2': Kind('gains.yaml', partial(make_leg_frame_controller, rule=Rule.HIPS)),
    'kokkevis': Kind('kokkevis.yaml', make_kokkevis_controller,
                     gaits=frozenset({'walk', 'trot'}), leaps=False, rigid=True),
    'kokkevis_lp': Kind('kokkevis.yaml',
                        partial(make_kokkevis_controller, formulation=Formulation.ABSOLUTE),
                        gaits=frozenset({'walk', 'trot'}), leaps=False, rigid=True),
}


def list_controllers(robot: str = DEFAULT_ROBOT) -> list[str]:
    """Return the controllers that a robot has parameters for, its default first."""
    folder = robot_folder(robot)
    return [name for name, kind in CONTROLLERS.items() if (folder / kind.file).is_file()]


def choose_controller(robot: str, name: str | None, source: str = 'controller') -> str:
    """Return a controller's name, the robot's first one by default, or raise InputError."""
    offered = list_controllers(robot)
    if not offered:
        files = [kind.file for kind in CONTROLLERS.values()]
        raise InputError(robot_folder(robot) / files[0], '', Remark('missing'),
                         f'parameters of a controller: a file {" or ".join(files)}')
    if name is None:
        return offered[0]
    if name not in offered:
        raise InputError(source, '', name, ', '.join(offered))
    return str(name)


def make_controller(robot: Robot, name: str | None = None) -> Controller:
    """Return a controller of a robot."""
    return CONTROLLERS[choose_controller(robot.name, name)].make(robot)


def find_kind(robot: str, name: str | None = None) -> Kind:
    """Return what is known of a robot's controller, its default one where none is named."""
    return CONTROLLERS[choose_controller(robot, name)]


def is_rigid(name: object) -> bool:
    """Say whether a controller of this name takes the body as rigid."""
    return isinstance(name, str) and name in CONTROLLERS and CONTROLLERS[name].rigid
