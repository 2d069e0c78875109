"""The commands of a scenario, given to the scheduler when their time comes."""

from __future__ import annotations

from collections.abc import Sequence

from quadruped_control.control.gait_library import AUTO
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.scenario import Command
from quadruped_control.simulation.world import TIME_STEP


class Commands:
    """Each command holds until the next that sets the same key."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self._waiting = list(commands)

    def apply(self, scheduler: GaitScheduler, time: float) -> None:
        """Give what is due to the scheduler; called once every tick."""
        while self._waiting and self._waiting[0].t <= time + TIME_STEP / 2:
            self._give(scheduler, self._waiting.pop(0))

    def _give(self, scheduler: GaitScheduler, command: Command) -> None:
        for n, value in enumerate((command.vx, command.vy, command.wz)):
            if value is not None:
                scheduler.command[n] = value
        if command.gait is not None:
            scheduler.request(command.gait)
            scheduler.command[3] = 0.0 if command.gait == AUTO else 1.0
        if command.skill == 'stand':
            scheduler.request(AUTO)
            scheduler.command[:] = 0.0
