"""What the demonstration shows: commands and pushes, and when."""

from __future__ import annotations

from quadruped_control.loading import validate
from quadruped_control.scenario import Scenario

COMMANDS = (
    {'t': 4.5, 'vx': 0.6},
    {'t': 8.0, 'vx': 1.5},
    {'t': 11.5, 'wz': 0.6},
    {'t': 14.0, 'wz': 0.0},
    {'t': 15.0, 'vx': 0.0},
)
PUSHES = (
    {'t': 1.0, 'at': 'front', 'force': [0, 100, 0], 'duration': 0.1},
    {'t': 2.5, 'at': 'rear', 'force': [0, -100, 0], 'duration': 0.1},
    {'t': 10.5, 'at': 'front', 'force': [0, 120, 0], 'duration': 0.1},
)


def make_demonstration(seconds: float) -> Scenario:
    """Return as much of the demonstration as the time allows."""
    data = {'name': 'demonstration', 'duration': seconds,
            'commands': [command for command in COMMANDS if command['t'] < seconds],
            'pushes': [push for push in PUSHES if float(str(push['t'])) < seconds]}
    return validate(data, Scenario, 'demo')
