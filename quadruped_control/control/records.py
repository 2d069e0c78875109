"""The controller's flat records: what it is asked to do, and what it keeps between ticks."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.kinematics.record_class import Record, dtype_of, numbers

Array = NDArray[np.float64]


class TargetRecord(Record):  # type: ignore[misc]
    """
    What each leg frame should do and which legs stand, now; the same for every skill.

    Gaits, postures and leaps all reach the controller as this record. Numbers only: it travels
    as one array.
    """

    heading: float = numbers()                    # rad
    yaw_rate: float = numbers()                   # rad/s
    height: Array = numbers(2)                    # of the leg frames over their feet, m
    rpy: Array = numbers(2, 3)                    # of the leg frames against the slope, rad
    velocity: Array = numbers(2, 3)               # of the leg frames in the world, m/s
    standing: float = numbers()                   # 1: hold the leg frames over their feet
    head_pitch: float = numbers()                 # in the world, rad
    look: Array = numbers(2)                      # of the head to the left and down, rad
    stance: Array = numbers(4)                    # 1: the leg should carry weight
    swing_phase: Array = numbers(4)               # 0 at lift-off to 1 at touchdown
    time_to_touchdown: Array = numbers(4)         # s, of a swing leg
    stance_duration: Array = numbers(4)           # s
    swing_height: Array = numbers(4)              # over the line of the foothold's ground, m
    swing_advance: Array = numbers(4)             # 0 at the last foothold, 1 at the next
    tracking: Array = numbers(4)                  # k_ft, N/m
    foot_place: Array = numbers(4, 2)             # of feet from their leg frame: forward, left
    pastern_pitch: Array = numbers(4)             # in the world against the zero pose, rad
    placement: Array = GaitRecord.placement
    velocity_gain: Array = GaitRecord.velocity_gain
    height_gain: Array = GaitRecord.height_gain
    leg_force: Array = GaitRecord.leg_force
    weight_share: Array = GaitRecord.weight_share
    heading_gain: Array = GaitRecord.heading_gain
    spine_share: Array = GaitRecord.spine_share
    swing_damping: Array = GaitRecord.swing_damping
    stance_shape: Array = GaitRecord.stance_shape
    smoothing: Array = GaitRecord.smoothing
    reach: Array = GaitRecord.reach
    grip: float = GaitRecord.grip
    slant: float = GaitRecord.slant
    by_hips: float = numbers()                    # 1: hips turn the leg frames (algorithm 2)
    hangs: Array = numbers(4)                     # 1: the foot is placed from its leg frame
    presses: Array = numbers(4)                   # N m to push the foot down by, touch or not
    leg_length: Array = numbers(4)                # of a hanging foot below it, at most, m
    stiffening: Array = numbers(3)                # more gain of neck, spine and legs
    posed: float = numbers()                      # 1: joints take the pose, no stance rules
    stiffness: float = numbers()                  # factor on the joint gains while posed
    damping: float = numbers()                    # factor on the damping gains while posed
    leg_pose: Array = numbers(4, 5)               # hip pitch, roll, yaw, knee, ankle, rad
    spine_pose: Array = numbers(3)                # pitch, roll, yaw over all joints, rad
    neck_pose: Array = numbers(3)
    tail_pose: Array = numbers(3)


class ClockRecord(Record):  # type: ignore[misc]
    """What the gait scheduler keeps between ticks."""

    phase: float = numbers()                      # of the cycle, 0 to 1
    cycles: float = numbers()                     # completed
    speed: Array = numbers(2)                     # measured forward and left, filtered, m/s
    asked: float = numbers()                      # on the way to the command, forward, m/s
    aim: Array = numbers(2)                       # v_d, m/s
    heading: float = numbers()                    # asked for, rad
    yields: float = numbers()                     # by which it gives way to the course, rad
    waits: Array = numbers(4)                     # 1: the leg sits out the swing it began in
    stands: float = numbers()                     # 1: no gait
    fade: float = numbers()                       # from the gait before to the one requested
    fade_time: float = numbers()                  # s that this takes between two fast gaits
    fast: float = numbers()                       # 1: the fast gear is chosen
    gear: float = numbers()                       # 0 slow to 1 fast, how far the shift is
    exchanged: float = numbers()                  # 1: the feet are to land in another order, and
    exchange: float = numbers()                   # 0 to 1, how far they have come to that
    trim: float = numbers()                       # m/s asked for beyond the aim
    row: float = numbers()                        # of the table that the gait is nearest to
    skill: float = numbers()                      # what the dog is doing, as in skill_table
    asked_at: float = numbers()                   # s at which that was asked for
    top: float = numbers()                        # m/s that the ground ahead allows
    look: Array = numbers(2)                      # of the head asked for: to the left, down, rad
    glance: Array = numbers(2)                    # on the way to it, filtered once, and
    gaze: Array = numbers(2)                      # twice


def gait_type() -> np.dtype:
    """Return NumPy's type of a gait's parameters."""
    return dtype_of(GaitRecord)


def target_type() -> np.dtype:
    """Return NumPy's type of a target."""
    return dtype_of(TargetRecord)


def clock_type() -> np.dtype:
    """Return NumPy's type of the gait scheduler's clock."""
    return dtype_of(ClockRecord)


@cache
def memory_type(links: int) -> np.dtype:
    """The leg-frame controller's own: what later parts of a tick use, and what outlives it."""
    return np.dtype([
        ('airborne', 'f8', (4,)),                     # s since each foot last had contact
        ('late', 'f8', (4,)),                         # s that a stance foot has had no contact
        ('tilted', 'f8'),                             # s that the stance rules still rest
        ('was_swinging', 'f8', (4,)),
        ('landed', 'f8', (4,)),                       # 1: touched the ground early in this swing
        ('lift_off_place', 'f8', (4, 3)),             # P1 of the swing, foot centre
        ('foothold_height', 'f8', (4,)),              # ground at P2, asked at lift-off, m
        ('last_foot_target', 'f8', (4, 3)),
        ('foothold', 'f8', (4, 2)),                   # to which a foot was moved, in the world, m
        ('moved', 'f8', (4,)),                        # 1: that counts, not the place wanted
        ('rolled', 'f8', (4, 2)),                     # how far uphill a foot touches there, m
        ('strayed', 'f8'),                            # to the left, off level ground, m
        ('hurdle', 'f8', (4,)),                       # ground on a foot's path over its line, m
        ('smooth_velocity', 'f8', (2, 2)),            # of the leg frames, for foot placement
        ('goal', 'f8', (2, 3, 3)),                    # rotation wanted of each leg frame
        ('joint_target', 'f8', (links,)),             # rad
        ('kp', 'f8', (links,)),                       # gains in force at this tick
        ('kd', 'f8', (links,)),
        ('armature', 'f8', (links,)),
    ], align=True)
