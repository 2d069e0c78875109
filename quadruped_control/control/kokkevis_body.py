"""
The body of Kokkevis et al. 1995 (section 4): six decoupled controllers, their force and torque.

Three angles and the height are positions: s'' = w^2 (s_d - s) + 2 u w (s_d' - s'). The two
horizontal velocities are v' = w^2 int(v_d - v) - 2 u w v, which gives both kinds the response
1 / (s^2 / w^2 + 2 u s / w + 1). The rates s_d' of turning and climbing are ours; the paper has 0.
"""

from __future__ import annotations

from math import cos, sin, tan

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.kinematics.rotations import rotation_error, write_rotation_from_rpy

Array = NDArray[np.float64]
YAW, HEIGHT, FORWARD = 2, 3, 4      # of the six controllers; sideways after forward


@compiled
def observe_body(tree: np.record, motion: np.record, numbers: np.record, memory: np.record,
                 dt: float) -> None:
    """Write centre of mass, its velocity and the inertia of all links as one rigid body."""
    centre, velocity, inertia = memory.mass_centre, memory.mass_velocity, memory.inertia
    centre[:] = 0.0
    velocity[:] = 0.0
    inertia[:] = 0.0
    for i in range(tree.mass.shape[0]):
        share = tree.mass[i] / tree.total_mass
        v, w = motion.velocity[i], motion.angular_velocity[i]
        x = motion.centre[i, 0] - motion.position[i, 0]
        y = motion.centre[i, 1] - motion.position[i, 1]
        z = motion.centre[i, 2] - motion.position[i, 2]
        velocity[0] += share * (v[0] + w[1] * z - w[2] * y)
        velocity[1] += share * (v[1] + w[2] * x - w[0] * z)
        velocity[2] += share * (v[2] + w[0] * y - w[1] * x)
        for k in range(3):
            centre[k] += share * motion.centre[i, k]
    for i in range(tree.mass.shape[0]):
        _add_inertia(tree, motion, i, centre, inertia)
    part = 1.0 if memory.begun == 0.0 else dt / (numbers.smoothing + dt)
    for k in range(2):
        memory.smooth_velocity[k] += part * (velocity[k] - memory.smooth_velocity[k])


@compiled
def _add_inertia(tree: np.record, motion: np.record, link: int, centre: Array,
                 total: Array) -> None:
    """Add a link's inertia about a point, in the world."""
    turn, own, mass = motion.rotation[link], tree.inertia[link], tree.mass[link]
    x = motion.centre[link, 0] - centre[0]
    y = motion.centre[link, 1] - centre[1]
    z = motion.centre[link, 2] - centre[2]
    square = x * x + y * y + z * z
    arm = (x, y, z)
    for r in range(3):
        for c in range(3):
            value = mass * ((square if r == c else 0.0) - arm[r] * arm[c])
            for k in range(3):
                for n in range(3):
                    value += turn[r, k] * own[k, n] * turn[c, n]
            total[r, c] += value


@compiled
def set_body_goal(target: TargetRecord, memory: np.record) -> None:
    """Write the attitude wanted: along the ground's slope ahead, level to the sides."""
    for frame in range(2):
        write_rotation_from_rpy(0.0, -memory.slope[0], target.heading, memory.goal[frame])


@compiled
def compute_wrench(anatomy: np.record, numbers: np.record, target: TargetRecord,
                   motion: np.record, seen: np.record, memory: np.record, mass: float, dt: float,
                   care: float, wanted: Array) -> None:
    """
    Write the force and torque wanted at the centre of mass: forward, left, up; roll, pitch, yaw.

    :param care: share of the wanted speed that is dared.
    """
    c, s = cos(target.heading), sin(target.heading)
    _wanted_force(numbers, target, seen, memory, mass, dt, care, c, s, wanted)
    _wanted_torque(anatomy, numbers, target, motion, memory, c, s, wanted)


@compiled
def _wanted_force(numbers: np.record, target: TargetRecord, seen: np.record, memory: np.record,
                  mass: float, dt: float, care: float, c: float, s: float,
                  wanted: Array) -> None:
    x = care * (target.velocity[0, 0] + target.velocity[1, 0]) / 2
    y = care * (target.velocity[0, 1] + target.velocity[1, 1]) / 2
    if target.standing > 0.5:
        back_x, back_y = _find_way_back(target, seen, c, s)
        x += numbers.return_to_feet * back_x
        y += numbers.return_to_feet * back_y
    v = memory.mass_velocity
    asked = (c * x + s * y, c * y - s * x)
    here = (c * v[0] + s * v[1], c * v[1] - s * v[0])
    most = min(numbers.most_acceleration, memory.friction * GRAVITY)
    for k in range(2):
        wanted[k] = mass * _follow_velocity(numbers, memory, k, asked[k], here[k], most, dt)
    w, u = numbers.w[HEIGHT], numbers.u[HEIGHT]
    point = (seen.leg_frame_point[0, 2] + seen.leg_frame_point[1, 2]) / 2
    height = (target.height[0] + target.height[1]) / 2
    climb = tan(memory.slope[0]) * here[0] + tan(memory.slope[1]) * here[1]
    wanted[2] = mass * (GRAVITY + w * w * (height - point + memory.ground_height)
                        + 2 * u * w * (climb - v[2]))


@compiled
def _find_way_back(target: TargetRecord, seen: np.record, c: float,
                   s: float) -> tuple[float, float]:
    """Return how far the feet that the robot stands on are from their places under it, m."""
    x, y, count = 0.0, 0.0, 0
    for leg in range(4):
        if seen.bears[leg]:
            point, place = seen.leg_frame_point[leg // 2], target.foot_place[leg]
            x += seen.sole[leg, 0] - point[0] - c * place[0] + s * place[1]
            y += seen.sole[leg, 1] - point[1] - s * place[0] - c * place[1]
            count += 1
    count = max(count, 1)
    return x / count, y / count


@compiled
def _follow_velocity(numbers: np.record, memory: np.record, k: int, asked: float, here: float,
                     most: float, dt: float) -> float:
    """Return the acceleration of a single integral plant; it does not wind up at its limit."""
    w, u = numbers.w[FORWARD + k], numbers.u[FORWARD + k]
    if memory.begun == 0.0:
        memory.driven[k] = 2 * u * w * here
    wanted = memory.driven[k] + w * w * (asked - here) * dt - 2 * u * w * here
    limited = min(max(wanted, -most), most)
    memory.driven[k] = limited + 2 * u * w * here
    return limited


@compiled
def _wanted_torque(anatomy: np.record, numbers: np.record, target: TargetRecord,
                   motion: np.record, memory: np.record, c: float, s: float,
                   wanted: Array) -> None:
    """Write I times the angular acceleration that turns the body to its goal."""
    link, goal = anatomy.leg_frame[1], memory.goal[1]
    w, vector, turning = motion.angular_velocity[link], np.empty(3), np.zeros(3)
    rotation_error(goal, motion.rotation[link], vector)
    for axis in range(3):
        angle, rate = 0.0, target.yaw_rate if axis == YAW else 0.0
        for k in range(3):
            angle += goal[k, axis] * vector[k]
            rate -= goal[k, axis] * w[k]
        quick, damped = numbers.w[axis], numbers.u[axis]
        wish = quick * quick * angle + 2 * damped * quick * rate
        for k in range(3):
            turning[k] += goal[k, axis] * wish
    torque = np.zeros(3)
    for row in range(3):
        for k in range(3):
            torque[row] += memory.inertia[row, k] * turning[k]
    wanted[3] = c * torque[0] + s * torque[1]
    wanted[4] = c * torque[1] - s * torque[0]
    wanted[5] = torque[2]
