"""The controllers that there are, and the one place that makes them."""

from __future__ import annotations

from collections.abc import Callable

from quadruped_control.control.controller import Controller
from quadruped_control.control.kokkevis_controller import make_kokkevis_controller
from quadruped_control.control.leg_frame_controller import make_leg_frame_controller
from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.terrain.ground_table import GroundTable

Maker = Callable[[Robot, GroundTable], Controller]
# by name: the file of a robot's folder that it needs, and what makes it; the first is the default
CONTROLLERS: dict[str, tuple[str, Maker]] = {
    'leg_frames': ('gains.yaml', make_leg_frame_controller),
    'kokkevis': ('kokkevis.yaml', make_kokkevis_controller),
}


def list_controllers(robot: str = DEFAULT_ROBOT) -> list[str]:
    """Return the controllers that a robot has parameters for, its default first."""
    folder = robot_folder(robot)
    return [name for name, (file, _) in CONTROLLERS.items() if (folder / file).is_file()]


def choose_controller(robot: str, name: str | None, source: str = 'controller') -> str:
    """Return a controller's name, the robot's first one by default, or raise InputError."""
    offered = list_controllers(robot)
    if not offered:
        files = [file for file, _ in CONTROLLERS.values()]
        raise InputError(robot_folder(robot) / files[0], '', Remark('missing'),
                         f'parameters of a controller: a file {" or ".join(files)}')
    if name is None:
        return offered[0]
    if name not in offered:
        raise InputError(source, '', name, ', '.join(offered))
    return str(name)


def make_controller(robot: Robot, ground: GroundTable, name: str | None = None) -> Controller:
    """Return a controller of a robot on a ground."""
    return CONTROLLERS[choose_controller(robot.name, name)][1](robot, ground)
