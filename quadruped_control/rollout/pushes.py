"""The pushes of a scenario, applied at the right steps."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.observation import Observed
from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.scenario import Push
from quadruped_control.simulation.engine import push as push_engine
from quadruped_control.simulation.world import TIME_STEP

Block = NDArray[np.record]


class PushStage(IntEnum):
    """How far a push is; it waits for its time, then for its phase."""

    WAITING = 0
    DUE = 1
    RUNNING = 2


@cache
def push_type() -> np.dtype:
    """A force on a leg frame, in the direction the dog faces when it begins."""
    return np.dtype((np.record, [
        ('stage', 'i8'),
        ('time', 'f8'),                               # s
        ('phase', 'f8'),                              # to wait for; negative: none
        ('cycle', 'f8'),                              # in which the push came due
        ('frame', 'i8'),
        ('steps', 'i8'),                              # left
        ('force', 'f8', (3,)),                        # in the heading frame, then the world's, N
    ]))


def list_pushes(pushes: Sequence[Push]) -> Block:
    """Return the pushes as records, in the order of time."""
    records: Block = np.zeros(len(pushes), push_type())
    for record, push in zip(records, sorted(pushes, key=lambda push: push.t), strict=True):
        record['time'] = push.t
        record['phase'] = -1.0 if push.phase is None else push.phase
        record['frame'] = FRONT if push.at == 'front' else REAR
        record['steps'] = max(1, round(push.duration / TIME_STEP))
        record['force'] = push.force
    return records


@compiled
def apply_pushes(pushes: Block, engine: Any, observed: Observed, echo: np.record) -> None:
    """
    Apply what is due in this step; called once before every step of the world.

    :param echo: of the gait scheduler, for the heading and for pushes at a phase.
    """
    anatomy, seen, time = observed.anatomy[0], observed.seen[0], observed.state[0].time
    for n in range(pushes.shape[0]):
        push = pushes[n]
        if push.stage == PushStage.WAITING and push.time <= time + TIME_STEP / 2:
            push.stage, push.cycle = PushStage.DUE, echo.cycles
        if push.stage == PushStage.DUE and (push.phase < 0.0 or (
                echo.cycles > push.cycle and echo.phase >= push.phase)):
            push.stage = PushStage.RUNNING
            c, s = cos(echo.heading), sin(echo.heading)
            x, y = push.force[0], push.force[1]
            push.force[0], push.force[1] = c * x - s * y, s * x + c * y
        if push.stage == PushStage.RUNNING and push.steps > 0:
            push.steps -= 1
            push_engine(engine, anatomy.leg_frame[push.frame],
                        seen.leg_frame_point[push.frame], push.force)
