"""The pushes of a scenario, applied at the right steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.kinematics.rotations import rotation_from_rpy
from quadruped_control.scenario import Push
from quadruped_control.simulation.world import TIME_STEP, World

Array = NDArray[np.float64]


@dataclass
class _Running:
    frame: int
    force: Array
    steps_left: int


class Pushes:
    """Forces on the leg frames, in the direction the dog faces when each begins."""

    def __init__(self, pushes: Sequence[Push]) -> None:
        self._waiting = sorted(pushes, key=lambda push: push.t)
        self._due: list[tuple[Push, float]] = []       # with the cycle in which each came due
        self._running: list[_Running] = []

    def apply(self, world: World, memory: np.record, clock: np.record, state: np.record) -> None:
        """
        Apply what is due in this step; called once before every step of the world.

        :param clock: of the gait scheduler, for the heading and for pushes at a phase.
        """
        if self._waiting or self._due:
            self._begin(clock, float(state['time']))
        if not self._running:
            return
        for running in self._running:
            link = int(world.robot.anatomy['leg_frame'][running.frame])
            world.push(link, memory['leg_frame_point'][running.frame], running.force)
            running.steps_left -= 1
        self._running = [running for running in self._running if running.steps_left > 0]

    def _begin(self, clock: np.record, time: float) -> None:
        while self._waiting and self._waiting[0].t <= time + TIME_STEP / 2:
            self._due.append((self._waiting.pop(0), float(clock['cycles'])))
        heading = float(clock['heading'])
        for push, cycle in list(self._due):
            if push.phase is not None and not (
                    clock['cycles'] > cycle and clock['phase'] >= push.phase):
                continue
            self._due.remove((push, cycle))
            force = rotation_from_rpy(0.0, 0.0, heading) @ push.force
            frame = FRONT if push.at == 'front' else REAR
            self._running.append(_Running(frame, force, max(1, round(push.duration / TIME_STEP))))
