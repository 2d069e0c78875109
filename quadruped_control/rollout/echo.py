"""What of scheduler and controller goes with torques: it is recorded, and pushes go by it."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.observation import NOTICES, Observed
from quadruped_control.control.skill_scheduler import Planning
from quadruped_control.kinematics.records import new_record


@cache
def echo_type() -> np.dtype:
    """Numbers only: it travels with the torques as an array."""
    return np.dtype([
        ('gait', 'f8'),                               # index of the gait that the robot is in
        ('phase', 'f8'),
        ('cycles', 'f8'),
        ('stands', 'f8'),
        ('heading', 'f8'),                            # asked for, rad
        ('target_heading', 'f8'),                     # aimed for now, rad
        ('command', 'f8', (3,)),                      # in force: m/s, m/s, rad/s
        ('stance', 'f8', (4,)),                       # 1: the leg should carry weight
        ('skill', 'f8'),                              # what it is doing, as in skill_book
        ('asked_at', 'f8'),                           # s at which that was asked for
        *((notice, 'f8') for notice in NOTICES),      # of the controller
    ], align=True)


def new_echo(heading: float = 0.0) -> np.record:
    """Return the echo of a robot that stands."""
    echo = new_record(echo_type())
    echo['stands'] = echo['stance'] = 1.0
    echo['heading'] = echo['target_heading'] = heading
    return echo


@compiled
def write_echo(planning: Planning, observed: Observed, echo: NDArray[np.record]) -> None:
    """Write what the scheduler does now, and what the controller noticed."""
    clock, target, here = planning.clock[0], planning.target[0], echo[0]
    here.gait = 0.0 if clock.stands == 1.0 else planning.gaits[int(clock.row)]
    here.phase, here.cycles, here.stands = clock.phase, clock.cycles, clock.stands
    here.heading, here.target_heading = clock.heading, target.heading
    here.command[:] = planning.command[:3]
    here.stance[:] = target.stance
    here.skill, here.asked_at = clock.skill, clock.asked_at
    seen = observed.seen[0]
    here.slips, here.jams = seen.slips, seen.jams
    here.unsolved, here.friction = seen.unsolved, seen.friction
