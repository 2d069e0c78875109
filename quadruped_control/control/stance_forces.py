"""
Stance legs by optimisation: forces of the feet that give the leg frames what they want.

Each leg frame wants a force, F_h + F_v and the F_D of its feet, and a torque: the moment of those
forces, were they shared equally, and what algorithm 2 would ask of the hips. Feet give both as far
as friction and joints allow; a torque that feet cannot give is not forced on the hips.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.foot_limits import (
    add_wrench_rows,
    lay_plane,
    level_axes,
    limit_foot,
)
from quadruped_control.control.force_distribution import distribute_forces
from quadruped_control.control.gait_fields import ANY_SLANT
from quadruped_control.control.leg_frames import count_bearing
from quadruped_control.control.records import TargetRecord
from quadruped_control.control.wanted_forces import (
    add_leg_force,
    compute_frame_force,
    limit_slant,
)
from quadruped_control.kinematics.virtual_forces import add_virtual_force

Array = NDArray[np.float64]
ROWS = 12                   # force and torque of two leg frames


@compiled
def want_wrench(tree: np.record, anatomy: np.record, gains: np.record, target: TargetRecord,
                motion: np.record, seen: np.record, frame: int, lacking: Array,
                problem: np.record) -> None:
    """Add a leg frame and its bearing feet to the problem of this tick."""
    axes, force, moment = np.empty((3, 3)), np.empty(3), lacking.copy()
    level_axes(target.rpy[frame, 2], axes)
    compute_frame_force(gains, target, seen, frame, force)
    if target.slant < ANY_SLANT:
        limit_slant(target.slant, force)
    count, total, first = count_bearing(seen, frame), np.zeros(3), 6 * frame
    for leg in range(2 * frame, 2 * frame + 2):
        if seen.bears[leg] == 0:
            continue
        share = problem.reference[leg]
        for k in range(3):
            share[k] = force[k] / count
        add_leg_force(anatomy, target, seen, leg, share)
        for k in range(3):
            total[k] += share[k]
        _add_moment(seen.leg_frame_point[frame], seen.sole[leg], share, moment)
        problem.bears[leg] = 1
        lay_plane(seen.tilt[leg, 0], seen.tilt[leg, 1], target.heading,
                  problem.tangent[leg], problem.normal[leg])
        add_wrench_rows(axes, seen.leg_frame_point[frame], seen.sole[leg], leg, first, problem)
        limit_foot(gains, tree, anatomy, motion, seen, leg, target.grip * gains.friction, problem)
    for n in range(3):
        a = axes[n]
        problem.wanted[first + n] = a[0] * total[0] + a[1] * total[1] + a[2] * total[2]
        problem.wanted[first + 3 + n] = a[0] * moment[0] + a[1] * moment[1] + a[2] * moment[2]
        problem.weight[first + n] = gains.row_weight[n]
        problem.weight[first + 3 + n] = gains.row_weight[3 + n]


@compiled
def _add_moment(point: Array, sole: Array, force: Array, moment: Array) -> None:
    x, y, z = sole[0] - point[0], sole[1] - point[1], sole[2] - point[2]
    moment[0] += y * force[2] - z * force[1]
    moment[1] += z * force[0] - x * force[2]
    moment[2] += x * force[1] - y * force[0]


@compiled
def add_distributed_forces(tree: np.record, anatomy: np.record, gains: np.record,
                           motion: np.record, seen: np.record, problem: np.record,
                           work: np.record, torques: Array) -> None:
    """Solve the problem, and let its feet push so, their leg frames as base links."""
    problem.regularisation = gains.regularisation
    distribute_forces(problem, work)
    for leg in range(4):
        if problem.bears[leg]:
            for k in range(3):
                seen.virtual_force[leg, k] = -problem.force[leg, k]
            add_virtual_force(tree, motion, anatomy.leg_frame[leg // 2], anatomy.toe[leg],
                              seen.sole[leg], seen.virtual_force[leg], torques)
