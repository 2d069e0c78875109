"""
Stance legs by algorithm 2: equal virtual forces, and hips that turn the leg frames.

Not printed: what is wanted along the ground is limited, and two feet of a leg frame share its
weight so that they roll it. Feet of a leap that press are limited by the torque of its push.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.leg_frames import count_bearing
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.wanted_forces import (
    add_leg_force,
    compute_frame_force,
    limit_slant,
)
from quadruped_control.kinematics.virtual_forces import add_virtual_force, add_virtual_torque

Array = NDArray[np.float64]


@compiled
def add_equal_forces(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                     motion: np.record, seen: np.record, frame: int, torques: Array) -> None:
    """Add F_i = -F_D - (F_h + F_v) / n on every bearing foot, its leg frame as base link."""
    force = np.zeros(3)
    _share_force(gains, target, seen, frame, force)
    if count_bearing(seen, frame) == 2:
        _shift_load(anatomy, gains, target.rpy[frame, 2], force, seen, frame)
    if target.presses[2 * frame] > 0.5:
        _limit_push(tree, anatomy, gains, target, motion, seen, frame)
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            _subtract_leg_force(anatomy, target, seen, leg)
            add_virtual_force(tree, motion, anatomy.leg_frame[frame], anatomy.toe[leg],
                              seen.sole[leg], seen.virtual_force[leg], torques)


@compiled
def turn_by_hips(tree: np.record, anatomy: np.record, motion: np.record, seen: np.record,
                 frame: int, lacking: Array, torques: Array) -> None:
    """
    Let the bearing hips give what the leg frame's torque still lacks.

    tau_stance = (tau_LF - tau_swing - tau_spine) / N. The torque of the virtual forces in the
    stance hips is kept and this added to it; the algorithm as printed would replace it.
    """
    count, link = count_bearing(seen, frame), anatomy.leg_frame[frame]
    share = np.empty(3)
    for k in range(3):
        share[k] = -lacking[k] / count
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            add_virtual_torque(tree, motion, link, anatomy.thigh[leg], share, torques)


@compiled
def _limit_push(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                motion: np.record, seen: np.record, frame: int) -> None:
    """
    Lessen the forces of pressing feet to the torque that their joints may give.

    A torque cut off at one joint turns the force, and with it the body.
    """
    _aim_push(anatomy, gains, target.heading, seen, frame)
    limit = target.presses[2 * frame]
    most = limit
    for leg in range(2 * frame, 2 * frame + 2):
        torques = np.zeros(tree.parent.shape[0])
        add_virtual_force(tree, motion, anatomy.leg_frame[frame], anatomy.toe[leg],
                          seen.sole[leg], seen.virtual_force[leg], torques)
        most = max(most, np.abs(torques).max())
    for leg in range(2 * frame, 2 * frame + 2):
        for k in range(3):
            seen.virtual_force[leg, k] *= limit / most


@compiled
def _aim_push(anatomy: np.record, gains: np.record, heading: float, seen: np.record,
              frame: int) -> None:
    """
    Let the force of two pressing feet pass so near the leg frame that the spine can hold it.

    With the feet x ahead of the leg frame and h below it, the ground's force gives the leg frame
    the pitch torque -h f_x - x f_z, which no hip can take off it.
    """
    c, s = cos(heading), sin(heading)
    point, support = seen.leg_frame_point[frame], seen.support[frame]
    ahead = c * (support[0] - point[0]) + s * (support[1] - point[1])
    height = max(point[2] - support[2], anatomy.narrowest_base)
    force = seen.virtual_force[2 * frame] + seen.virtual_force[2 * frame + 1]
    along, up = -(c * force[0] + s * force[1]), -force[2]
    least = (-ahead * up - anatomy.push_moment) / height
    most = (-ahead * up + anatomy.push_moment) / height
    wanted = min(max(along, least), most)
    wanted = min(max(wanted, -gains.grip * up), gains.grip * up)
    for leg in range(2 * frame, 2 * frame + 2):
        seen.virtual_force[leg, 0] -= c * (wanted - along) / 2
        seen.virtual_force[leg, 1] -= s * (wanted - along) / 2


@compiled
def _share_force(gains: np.record, target: TargetRecord, seen: np.record, frame: int,
                 force: Array) -> None:
    """Share the force wanted on a leg frame equally among its bearing feet; it cannot pull."""
    count = count_bearing(seen, frame)
    compute_frame_force(gains, target, seen, frame, force)
    limit_slant(gains.grip, force)
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg]:
            for k in range(3):
                seen.virtual_force[leg, k] = -force[k] / count


@compiled
def _subtract_leg_force(anatomy: np.record, target: TargetRecord, seen: np.record,
                        leg: int) -> None:
    force = np.zeros(3)
    add_leg_force(anatomy, target, seen, leg, force)
    for k in range(3):
        seen.virtual_force[leg, k] -= force[k]


@compiled
def _shift_load(anatomy: np.record, gains: np.record, facing: float, force: Array,
                seen: np.record, frame: int) -> None:
    """
    Give the roll torque of a leg frame that stands on both feet by loading one of them more.

    Hip torques would have to push the feet sideways for it. With y_i the feet left of the leg
    frame and h its height over them, the ground's forces f_i and F_y give the roll torque
    y_L f_L + y_R f_R + h F_y. No foot can pull: where that limits, F_y is what yields.
    The roll torque is then taken off the torque that is left to the hips.
    """
    c, s = cos(facing), sin(facing)
    left, right = 2 * frame, 2 * frame + 1
    point, wanted = seen.leg_frame_point[frame], seen.leg_frame_torque[frame]
    y_left = c * (seen.sole[left, 1] - point[1]) - s * (seen.sole[left, 0] - point[0])
    y_right = c * (seen.sole[right, 1] - point[1]) - s * (seen.sole[right, 0] - point[0])
    height = point[2] - seen.support[frame, 2]
    least = anatomy.narrowest_base
    if y_left - y_right < least or height < least or force[2] <= 0.0:
        return
    roll = c * wanted[0] + s * wanted[1]
    sideways = c * force[1] - s * force[0]
    load = (roll - height * sideways - y_right * force[2]) / (y_left - y_right)
    least = gains.least_load * force[2]
    load = min(max(load, least), force[2] - least)
    possible = (roll - y_left * load - y_right * (force[2] - load)) / height
    for leg in range(left, right + 1):
        seen.virtual_force[leg, 0] += s * (possible - sideways) / 2
        seen.virtual_force[leg, 1] -= c * (possible - sideways) / 2
    seen.virtual_force[left, 2] = -load
    seen.virtual_force[right, 2] = load - force[2]
    wanted[0] -= c * roll
    wanted[1] -= s * roll
