"""The controller's flat records: what it is asked to do, and what it keeps between ticks."""

from __future__ import annotations

from functools import cache

import numpy as np

from quadruped_control.control.trajectory import KNOTS


@cache
def gait_type() -> np.dtype:
    """
    All parameters of a gait at one speed; numbers only, so that gaits can be interpolated.

    Legs as in LEGS, leg frames front and rear. Trajectories have KNOTS values.
    """
    return np.dtype([
        ('period', 'f8'),                             # s of a stride
        ('lift_off', 'f8', (4,)),                     # cycle phase; not wrapped
        ('touchdown', 'f8', (4,)),                    # cycle phase, greater than lift_off
        ('height', 'f8', (2, KNOTS)),                 # of the leg frame, by cycle phase, m
        ('pitch', 'f8', (2, KNOTS)),                  # of the leg frame, by cycle phase, rad
        ('head_pitch', 'f8', (KNOTS,)),               # by cycle phase, rad
        ('swing_height', 'f8', (2, KNOTS)),           # of the foot, by swing phase, m
        ('swing_advance', 'f8', (2, KNOTS)),          # t_sw by swing phase
        ('tracking', 'f8', (2, KNOTS)),               # k_ft by swing phase, N/m
        ('step_ahead', 'f8', (2,)),                   # of the default foothold, m
        ('step_aside', 'f8', (2,)),                   # further out than the hip, m
        ('leg_step', 'f8', (4, 2)),                   # of one leg's foothold: forward, left, m
        ('placement', 'f8', (2, 2)),                  # s_fp forward and sideways, s
        ('velocity_gain', 'f8', (2, 2)),              # F_v forward and sideways, N s/m
        ('height_gain', 'f8', (2, 2)),                # F_h: N/m and N s/m
        ('leg_force', 'f8', (4, KNOTS, 2)),           # F_D by D: forward and up, N
        ('toe_off', 'f8', (2, 2)),                    # theta_a in rad, Delta t_a in s
        ('foot_strike', 'f8', (2, 2)),                # theta_b in rad, Delta t_b in s
        ('weight_share', 'f8', (2,)),                 # of the weight that F_h starts from
        ('heading_gain', 'f8', (2,)),                 # N sideways per rad off the heading
        ('spine_share', 'f8', (2,)),                  # of the gains' one that is used
        ('swing_damping', 'f8', (2,)),                # of F_sw, as a share of the gains' one
        ('stance_shape', 'f8', (2,)),                 # as a share of the gains' one
        ('smoothing', 'f8', (2,)),                    # of the velocity that places feet, s
        ('reach', 'f8', (2,)),                        # of placement sideways, m
        ('hip_moment', 'f8', (2,)),                   # of a stance foot's force, most, N m
        ('lowering', 'f8', (2,)),                     # of late feet, as a share of the gains' one
        ('yielding', 'f8', (2,)),                     # of the heading to the course, and back, 1/s
        ('turning', 'f8'),                            # back to the heading, by steps, 1/s
        ('facing', 'f8'),                             # 0: axes of the heading, 1: of the body
        ('hastening', 'f8'),                          # of the strides of a dog that is too fast
    ], align=True)


@cache
def target_type() -> np.dtype:
    """
    What each leg frame should do and which legs stand, now; the same for every skill.

    Gaits, postures and leaps all reach the controller as this record. Numbers only: it travels
    as one array.
    """
    return np.dtype([
        ('heading', 'f8'),                            # rad
        ('yaw_rate', 'f8'),                           # rad/s
        ('height', 'f8', (2,)),                       # of the leg frames over their feet, m
        ('rpy', 'f8', (2, 3)),                        # of the leg frames against the slope, rad
        ('velocity', 'f8', (2, 3)),                   # of the leg frames in the world, m/s
        ('standing', 'f8'),                           # 1: hold the leg frames over their feet
        ('head_pitch', 'f8'),                         # in the world, rad
        ('stance', 'f8', (4,)),                       # 1: the leg should carry weight
        ('swing_phase', 'f8', (4,)),                  # 0 at lift-off to 1 at touchdown
        ('time_to_touchdown', 'f8', (4,)),            # s, of a swing leg
        ('stance_duration', 'f8', (4,)),              # s
        ('swing_height', 'f8', (4,)),                 # over the line of the foothold's ground, m
        ('swing_advance', 'f8', (4,)),                # 0 at the last foothold, 1 at the next
        ('tracking', 'f8', (4,)),                     # k_ft, N/m
        ('foot_place', 'f8', (4, 2)),                 # of feet from their leg frame: forward, left
        ('pastern_pitch', 'f8', (4,)),                # in the world against the zero pose, rad
        ('placement', 'f8', (2, 2)),
        ('velocity_gain', 'f8', (2, 2)),
        ('height_gain', 'f8', (2, 2)),
        ('leg_force', 'f8', (4, KNOTS, 2)),
        ('weight_share', 'f8', (2,)),
        ('heading_gain', 'f8', (2,)),
        ('spine_share', 'f8', (2,)),
        ('swing_damping', 'f8', (2,)),
        ('stance_shape', 'f8', (2,)),
        ('smoothing', 'f8', (2,)),
        ('reach', 'f8', (2,)),
        ('hip_moment', 'f8', (2,)),
        ('lowering', 'f8', (2,)),
        ('hangs', 'f8', (4,)),                        # 1: the foot is placed from its leg frame
        ('presses', 'f8', (4,)),                      # N m to push the foot down by, touch or not
        ('leg_length', 'f8', (4,)),                   # of a hanging foot below it, at most, m
        ('stiffening', 'f8', (3,)),                   # more gain of neck, spine and legs
        ('posed', 'f8'),                              # 1: joints take the pose, no stance rules
        ('stiffness', 'f8'),                          # factor on the joint gains while posed
        ('damping', 'f8'),                            # factor on the damping gains while posed
        ('leg_pose', 'f8', (4, 5)),                   # hip pitch, roll, yaw, knee, ankle, rad
        ('spine_pose', 'f8', (3,)),                   # pitch, roll, yaw over all joints, rad
        ('neck_pose', 'f8', (3,)),
        ('tail_pose', 'f8', (3,)),
    ], align=True)


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
        ('smooth_velocity', 'f8', (2, 2)),            # of the leg frames, for foot placement
        ('goal', 'f8', (2, 3, 3)),                    # rotation wanted of each leg frame
        ('joint_target', 'f8', (links,)),             # rad
        ('kp', 'f8', (links,)),                       # gains in force at this tick
        ('kd', 'f8', (links,)),
        ('armature', 'f8', (links,)),
    ], align=True)
