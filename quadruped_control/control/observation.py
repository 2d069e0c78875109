"""
What is measured of a robot at one moment, and what its controller makes of it: public.

Kinematics writes the measured part from the state; a controller reads it and writes the rest for
others to see: recordings, markers, metrics.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.forward_kinematics import (
    compute_motion,
    compute_point,
    compute_point_velocity,
)
from quadruped_control.kinematics.records import as_block, motion_type, new_record, state_type
from quadruped_control.model.robot import Robot

Block = NDArray[np.record]
# What a controller notices, where it does: feet that slipped and legs that were jammed so far,
# distributions of forces that were not found in time, and the friction that it believes in.
NOTICES = ('slips', 'jams', 'unsolved', 'friction')


@cache
def observation_type() -> np.dtype:
    """Feet, leg frames, contacts and forces; in the world, legs as in LEGS, front before rear."""
    return np.dtype([
        # measured
        ('foot_centre', 'f8', (4, 3)),                # m
        ('foot_velocity', 'f8', (4, 3)),              # m/s
        ('sole', 'f8', (4, 3)),                       # lowest point of each foot
        ('leg_frame_point', 'f8', (2, 3)),            # midway between the hips
        ('leg_frame_velocity', 'f8', (2, 3)),
        # by the controller
        ('bears', 'i8', (4,)),                        # 1: in stance and in contact
        ('foot_target', 'f8', (4, 3)),                # where the foot centres should be
        ('support', 'f8', (2, 3)),                    # middle of the bearing feet of each frame
        ('climb', 'f8', (2,)),                        # of the ground under each leg frame, m/s
        ('tilt', 'f8', (4, 2)),                       # of the ground under feet: ahead, left, rad
        ('slope', 'f8'),                              # of the ground from rear to front feet, rad
        ('virtual_force', 'f8', (4, 3)),              # on the feet, N
        ('leg_frame_torque', 'f8', (2, 3)),           # wanted, N m
        *((notice, 'f8') for notice in NOTICES),
    ], align=True)


class Observed(NamedTuple):
    """An observation as compiled code takes it: arrays of one record each."""

    tree: Block
    anatomy: Block
    state: Block
    motion: Block
    seen: Block


@compiled
def observe(observed: Observed) -> None:
    """Write where links, feet and leg frames are and how they move, from the state."""
    tree, anatomy, state, motion, seen = (observed.tree[0], observed.anatomy[0],
                                          observed.state[0], observed.motion[0], observed.seen[0])
    compute_motion(tree, state, motion)
    for leg in range(seen.sole.shape[0]):
        toe = anatomy.toe[leg]
        compute_point(motion, toe, anatomy.foot_centre[leg], seen.foot_centre[leg])
        compute_point_velocity(motion, toe, seen.foot_centre[leg], seen.foot_velocity[leg])
        seen.sole[leg] = seen.foot_centre[leg]
        seen.sole[leg, 2] -= anatomy.foot_radius[leg]
    for frame in range(seen.leg_frame_point.shape[0]):
        link = anatomy.leg_frame[frame]
        compute_point(motion, link, anatomy.leg_frame_point[frame], seen.leg_frame_point[frame])
        compute_point_velocity(motion, link, seen.leg_frame_point[frame],
                               seen.leg_frame_velocity[frame])


class Observation:
    """
    The observation of one robot.

    :ivar state: what is measured; whoever measures writes it and calls ``update``.
    :ivar motion: pose and velocity of every link.
    :ivar record: feet, leg frames, contacts and forces.
    """

    def __init__(self, robot: Robot, state: np.record | None = None) -> None:
        """Observe a state of one's own, or one that somebody else writes."""
        links = len(robot.links)
        self.state = new_record(state_type(links)) if state is None else state
        self.motion = new_record(motion_type(links))
        self.record = new_record(observation_type())
        self.blocks = Observed(as_block(robot.tree), as_block(robot.anatomy),
                               as_block(self.state), as_block(self.motion),
                               as_block(self.record))

    def reset(self) -> None:
        """Forget what outlives a tick."""
        self.blocks.seen[:] = np.zeros(1, self.record.dtype)

    def update(self) -> None:
        """Take in the state as it is."""
        observe(self.blocks)


def find_notices(observation: Observation) -> NDArray[np.float64]:
    """Return the NOTICES of an observation's controller, the same memory."""
    block = observation.blocks.seen
    last = block.dtype.itemsize // 8
    return block.view(np.float64)[last - len(NOTICES):]
