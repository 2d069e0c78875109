"""Gravity compensation of swing legs, neck, tail and spine by virtual forces (section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.records import FRONT, GRAVITY, REAR
from quadruped_control.kinematics.virtual_forces import add_virtual_force, add_virtual_force_below

Array = NDArray[np.float64]


@compiled
def add_gravity_compensation(tree: np.record, anatomy: np.record, motion: np.record,
                             seen: np.record, torques: Array) -> None:
    """Add the torques of F = -m g at the centre of mass of all links that nothing else carries."""
    front, rear = anatomy.leg_frame[FRONT], anatomy.leg_frame[REAR]
    for n in range(anatomy.neck_joints):
        _carry(tree, motion, front, anatomy.neck[n], 1.0, torques)
    for n in range(anatomy.tail_joints):
        _carry(tree, motion, rear, anatomy.tail[n], 1.0, torques)
    for leg in range(4):
        if not seen.bears[leg]:
            _carry_leg(tree, anatomy, motion, leg, torques)
    _carry_spine(tree, anatomy, motion, torques)


@compiled
def _carry(tree: np.record, motion: np.record, base: int, link: int, share: float,
           torques: Array) -> None:
    force = (0.0, 0.0, share * tree.mass[link] * GRAVITY)
    add_virtual_force(tree, motion, base, link, motion.centre[link], force, torques)


@compiled
def _carry_leg(tree: np.record, anatomy: np.record, motion: np.record, leg: int,
               torques: Array) -> None:
    base = anatomy.leg_frame[leg // 2]
    link = anatomy.toe[leg]
    while link != base:
        _carry(tree, motion, base, link, 1.0, torques)
        link = tree.parent[link]


@compiled
def _carry_spine(tree: np.record, anatomy: np.record, motion: np.record, torques: Array) -> None:
    """Share each link's weight by its fractional distance w along the spine: w to the front."""
    front, rear = anatomy.leg_frame[FRONT], anatomy.leg_frame[REAR]
    joints = anatomy.spine_joints
    for n in range(joints - 1):
        link = anatomy.spine[n]
        w = (n + 1) / joints
        _carry(tree, motion, rear, link, 1 - w, torques)
        force = (0.0, 0.0, w * tree.mass[link] * GRAVITY)
        add_virtual_force_below(tree, motion, front, link, motion.centre[link], force, torques)
