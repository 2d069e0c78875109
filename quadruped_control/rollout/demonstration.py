"""What the demonstration shows: commands and pushes, and when."""

from __future__ import annotations

from typing import Any

from quadruped_control.control.controllers import find_kind
from quadruped_control.control.drive_limits import find_drive_limits
from quadruped_control.loading import validate
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.scenario import Scenario, choose_parts

WALK, TROT, TURN = 'walk', 'trot', 'turn'       # speeds that depend on the robot
TROT_SPEED = 2.5                                # times the easy speed at which it walks
COMMANDS: tuple[dict[str, Any], ...] = (
    {'t': 4.5, 'vx': WALK},
    {'t': 8.0, 'vx': TROT},
    {'t': 11.5, 'wz': TURN},
    {'t': 14.0, 'wz': 0.0},
    {'t': 15.0, 'vx': 0.0},
)
# when, at which leg frame, and how hard: a push to begin with, as on the page
PUSHES = ((1.0, 'front', 1.0), (2.5, 'rear', -1.0), (10.5, 'front', 1.2))


def make_demonstration(seconds: float, robot: str = DEFAULT_ROBOT, controller: str = ''
                       ) -> Scenario:
    """Return as much of the demonstration as the time allows, scaled to the size of a robot."""
    limits = find_drive_limits(load_robot(robot), find_kind(robot, controller or None).gaits)
    forward, _, turn = limits.easy
    speeds = {WALK: forward, TROT: min(TROT_SPEED * forward, limits.forward), TURN: turn}
    data = {'name': 'demonstration', 'duration': seconds, 'robot': robot,
            'commands': [{key: speeds.get(value, value) for key, value in command.items()}
                         for command in COMMANDS if command['t'] < seconds],
            'pushes': [{'t': t, 'at': at, 'duration': 0.1,
                        'force': [0.0, share * limits.push, 0.0]}
                       for t, at, share in PUSHES if t < seconds]}
    return choose_parts(validate(data, Scenario, 'demo'), 'demo', controller=controller)
