"""
The flat records on which the 1 kHz path works.

A record is one block of memory with named arrays inside: it costs one pointer to hand to a
compiled function, and one copy to keep. All arrays that belong to links or joints have one
entry per link of the tree, in the tree's order; entry 0 is the root, which has no joint.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from quadruped_control.kinematics.record_class import Block

R = TypeVar('R', bound=np.record)
OTHER_SIDE = [1, 0, 3, 2]           # of each of the LEGS
LEGS = ('front_left', 'front_right', 'rear_left', 'rear_right')
FRONT, REAR = 0, 1
GRAVITY = 9.81                 # m/s^2


@cache
def tree_type(links: int) -> np.dtype:
    """Masses, axes and offsets of a robot's links, in their frames; constant."""
    return np.dtype([
        ('parent', 'i8', (links,)),
        ('axis', 'i8', (links,)),                     # 0, 1, 2: revolute about x, y, z; -1: fixed
        ('offset', 'f8', (links, 3)),                 # of the joint in the parent's frame, m
        ('mass', 'f8', (links,)),                     # kg
        ('centre_of_mass', 'f8', (links, 3)),         # in the link's frame, m
        ('inertia', 'f8', (links, 3, 3)),             # about the centre of mass, kg m^2
        ('lower', 'f8', (links,)),                    # rad; -inf where there is no limit
        ('upper', 'f8', (links,)),
        ('total_mass', 'f8'),
    ], align=True)


@cache
def state_type(links: int) -> np.dtype:
    """What is measured at one moment."""
    return np.dtype([
        ('time', 'f8'),                               # s
        ('base_position', 'f8', (3,)),                # of the root's frame in the world, m
        ('base_quaternion', 'f8', (4,)),              # x, y, z, w
        ('base_velocity', 'f8', (3,)),                # of the root frame's origin, m/s
        ('base_angular_velocity', 'f8', (3,)),        # in the world, rad/s
        ('joint_position', 'f8', (links,)),           # rad
        ('joint_velocity', 'f8', (links,)),           # rad/s
        ('foot_force', 'f8', (4,)),                   # normal contact force of each foot, N
    ], align=True)


@cache
def motion_type(links: int) -> np.dtype:
    """Where every link is and how it moves, in the world."""
    return np.dtype([
        ('rotation', 'f8', (links, 3, 3)),
        ('position', 'f8', (links, 3)),               # of the link frame's origin, m
        ('angular_velocity', 'f8', (links, 3)),       # rad/s
        ('velocity', 'f8', (links, 3)),               # of the link frame's origin, m/s
        ('axis', 'f8', (links, 3)),                   # of the joint
        ('centre', 'f8', (links, 3)),                 # of mass of the link, m
    ], align=True)


@cache
def dynamics_type(links: int) -> np.dtype:
    """Work space of the articulated-body pass: spatial vectors (angular, linear)."""
    return np.dtype([
        ('inertia', 'f8', (links, 6, 6)),
        ('bias', 'f8', (links, 6)),
        ('subspace', 'f8', (links, 6)),
        ('product', 'f8', (links, 6)),                # inertia times subspace
        ('pivot', 'f8', (links,)),                    # subspace . product + armature
        ('rest', 'f8', (links,)),                     # torque - subspace . bias
        ('drift', 'f8', (links, 6)),                  # velocity product acceleration
        ('acceleration', 'f8', (links, 6)),
        ('joint_acceleration', 'f8', (links,)),       # rad/s^2
    ], align=True)


def new_record(dtype: np.dtype) -> np.record:
    """Return one record of zeros whose fields can be written in place."""
    record: np.record = np.zeros(1, _record_type(dtype))[0]
    return record


@cache
def _record_type(dtype: np.dtype) -> np.dtype:
    """
    Return the type whose elements are records with attributes.

    Kept, as all types here: compiled functions know an argument's type again by its identity, and
    take five times as long where they have to compare.
    """
    return np.dtype((np.record, dtype))


def as_block(record: R) -> Block[R]:
    """Return the array of one that holds a record: compiled functions take it ten times faster."""
    block: object = record.base     # NumPy's types call a record's owner a scalar's, which is None
    assert isinstance(block, np.ndarray) and block.shape == (1,)
    return cast('Block[R]', block)


ABSENT = -1                         # number of a joint that a body does not have


@cache
def anatomy_type(spine: int, neck: int, tail: int, measures: tuple[str, ...]) -> np.dtype:
    """
    Which links make up the parts of the body, and their lengths; constant. Legs as in LEGS.

    :param spine: number of joints of the spine, from the pelvis to the shoulders.
    :param measures: names of the numbers that say what is high or fast for this body.
    """
    return np.dtype([
        ('leg_frame', 'i8', (2,)),                    # links: front, rear; may be the same
        ('leg_frame_point', 'f8', (2, 3)),            # midway between the hips, in that link
        ('leg_kind', 'i8'),                           # a LegKind
        ('hip', 'i8', (4, 3)),                        # joints: pitch, roll, yaw; ABSENT ones too
        ('thigh', 'i8', (4,)),                        # link that the hip's joints turn
        ('knee', 'i8', (4,)),
        ('ankle', 'i8', (4, 2)),                      # joints: pitch, roll
        ('toe_joint', 'i8', (4,)),
        ('toe', 'i8', (4,)),                          # links that are, or have, the feet
        ('hip_place', 'f8', (4, 3)),                  # first joint in the leg frame's link, m
        ('abduction', 'f8', (4, 3)),                  # first to last hip joint in the zero pose
        ('upper', 'f8', (4, 3)),                      # hip to knee in the zero pose, m
        ('lower', 'f8', (4, 3)),                      # knee to ankle
        ('pastern', 'f8', (4, 3)),                    # ankle to toe joint
        ('foot_centre', 'f8', (4, 3)),                # of the sphere, in the toe's frame, m
        ('foot_radius', 'f8', (4,)),
        ('foot_place', 'f8', (4, 2)),                 # standing, from the leg frame: forward, left
        ('lever', 'f8', (2,)),                        # of the leg frames ahead of the middle
        ('middle', 'f8'),                             # between the leg frames, ahead of the root
        ('spine_joints', 'i8'),                       # how many there are
        ('neck_joints', 'i8'),
        ('tail_joints', 'i8'),
        ('spine', 'i8', (max(spine, 1),)),            # joints, pelvis to shoulders
        ('neck', 'i8', (max(neck, 1),)),              # joints, shoulders to head
        ('tail', 'i8', (max(tail, 1),)),
        ('head', 'i8'),
        *((name, 'f8') for name in measures),
    ], align=True)
