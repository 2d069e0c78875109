"""The nominal standing pose of legs that roll, pitch and bend a knee: feet below the hips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import acos, atan2, cos, inf, pi, sin

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foot_shape import Foot
from quadruped_control.model.foreign_tree import Array, ForeignJoint, ForeignTree
from quadruped_control.model.leg_chains import Chain

STRETCH = 0.75                  # of a leg's length, from its pitch joint to the foot's centre
STRETCHES = (0.75, 0.7, 0.8, 0.65, 0.85, 0.6, 0.9, 0.55, 0.5, 0.95)     # the usual one first
SHIFTS = (0.0, -0.05, 0.05, -0.1, 0.1, -0.2, 0.2)       # of the foot forward, over a leg's length
MARGIN = 0.05                   # rad that are kept from the limits
BENT = 0.15                     # rad by which a knee counts as bent
SHORTEST = 0.005                # m of a thigh or shank
LARGEST_TILT = np.radians(5.0)  # of axes against x and y of the body
KNEE_BEHIND, KNEE_AHEAD = 1, -1


@dataclass(frozen=True)
class LegShape:
    """
    A leg in the body's axes, its roll joint where the leg's plane is upright.

    :param signs: 1 or -1 by joint: the sense of the user's angle about x or y.
    :param thigh: (x, z) from pitch joint to knee, and ``shank`` from the knee to the foot's
        centre, pitch and knee at zero, m.
    :param pitch_place: of the pitch joint, m.
    """

    name: str
    joints: tuple[ForeignJoint, ...]
    roll: float
    signs: tuple[int, int, int]
    thigh: Array
    shank: Array
    pitch_place: Array
    radius: float

    @property
    def lengths(self) -> tuple[float, float]:
        """Of thigh and shank, m."""
        return float(np.linalg.norm(self.thigh)), float(np.linalg.norm(self.shank))


def shape_leg(tree: ForeignTree, name: str, leg: Chain, foot: Foot, rotation: Array,
              standing: Mapping[str, float]) -> LegShape:
    """
    Return a leg's shape, or raise InputError if it is no leg that rolls, pitches and bends.

    :param rotation: from the root's axes to the body's.
    """
    joints = leg.joints
    angles = {**standing, **{joint.name: 0.0 for joint in joints}}
    angles[joints[0].name] = roll = _upright_roll(tree, leg, rotation, angles, standing)
    axes, places, poses = _axes_and_places(tree, leg, rotation, angles)
    signs = _signs(tree, name, leg, axes)
    tip = rotation @ (poses[joints[2].child] @ [*foot.centre, 1.0])[:3]
    shape = LegShape(name, joints, roll, signs, (places[2] - places[1])[::2],
                     (tip - places[2])[::2], places[1], foot.radius)
    for part, length in zip(('thigh', 'shank'), shape.lengths, strict=True):
        if length < SHORTEST:
            raise InputError(tree.source, f'{name} {part}', f'{length:.6g} m',
                             f'a leg with a thigh and a shank of more than {SHORTEST} m each')
    return shape


def _axes_and_places(tree: ForeignTree, leg: Chain, rotation: Array, angles: Mapping[str, float]
                     ) -> tuple[list[Array], list[Array], dict[str, Array]]:
    poses = tree.place(angles)
    axes = [rotation @ poses[joint.child][:3, :3] @ joint.axis for joint in leg.joints]
    places = [rotation @ poses[joint.child][:3, 3] for joint in leg.joints]
    return axes, places, poses


def _upright_roll(tree: ForeignTree, leg: Chain, rotation: Array, angles: Mapping[str, float],
                  standing: Mapping[str, float]) -> float:
    """Return the angle of the first joint at which the axis of the second lies sideways."""
    axes, _, _ = _axes_and_places(tree, leg, rotation, angles)
    joint = leg.joints[0]
    sense = 1.0 if axes[0][0] > 0 else -1.0
    tilt = atan2(axes[1][2], axes[1][1])
    wanted = standing.get(joint.name, joint.rest)
    found = [_wrap_near(sense * (half - tilt), wanted) for half in (0.0, pi)]
    inside = [angle for angle in found if _margin(joint, angle) >= 0]
    return min(inside or found, key=lambda angle: abs(angle - wanted))


def _signs(tree: ForeignTree, name: str, leg: Chain, axes: Sequence[Array]
           ) -> tuple[int, int, int]:
    signs = []
    for joint, axis, place, word in zip(leg.joints, axes, (0, 1, 1), ('roll', 'pitch', 'knee'),
                                        strict=True):
        if abs(axis[place]) < cos(LARGEST_TILT):
            raise InputError(tree.source, f'joint {joint.name}', axis.round(4).tolist(),
                             f"{'forward' if place == 0 else 'sideways'} as the axis (x forward, "
                             f'y left, z up, leg upright) of the {word} joint of {name}, within '
                             '5 degrees: legs that roll, pitch and bend a knee, in this order')
        signs.append(1 if axis[place] > 0 else -1)
    return signs[0], signs[1], signs[2]


def find_standing_pose(tree: ForeignTree, legs: Sequence[LegShape], given: Mapping[str, float],
                       asks: dict[str, str], remarks: list[str]) -> dict[str, float]:
    """Return the user's angles of all leg joints; what cannot be found is added to ``asks``."""
    angles: dict[str, float] = {}
    free: list[LegShape] = []
    for leg in legs:
        names = [joint.name for joint in leg.joints]
        angles[names[0]] = leg.roll
        _remark_roll(leg, given, remarks)
        told = [name for name in names[1:] if name in given]
        if told:
            angles.update((name, given[name]) for name in told)
            asks.update((f'standing.{name}', f'angle of the {leg.name} leg')
                        for name in names[1:] if name not in given)
        else:
            free.append(leg)
    for end in ('front', 'rear'):
        pair = [leg for leg in free if leg.name.startswith(end)]
        if pair:
            _stand(pair, end, _common_sole(legs), angles, asks, remarks)
    _refuse_outside(tree, legs, angles)
    return angles


def _remark_roll(leg: LegShape, given: Mapping[str, float], remarks: list[str]) -> None:
    joint = leg.joints[0]
    wanted = given.get(joint.name)
    if wanted is not None and abs(leg.roll - wanted) > 1e-6:
        remarks.append(f'{joint.name} stands at {leg.roll:.4f} rad, not {wanted:g}: the leg is '
                       'upright there')


def _common_sole(legs: Sequence[LegShape]) -> float:
    return float(np.mean([leg.pitch_place[2] - STRETCH * sum(leg.lengths) - leg.radius
                          for leg in legs]))


def _stand(pair: Sequence[LegShape], end: str, sole: float, angles: dict[str, float],
           asks: dict[str, str], remarks: list[str]) -> None:
    """Find the pose of the legs of one end, which stand alike."""
    options = {bend: found for bend in (KNEE_BEHIND, KNEE_AHEAD)
               if (found := _solve_pair(pair, sole, bend)) is not None}
    if not options:
        asks.update((f'standing.{joint.name}', f'angle of the {leg.name} leg')
                    for leg in pair for joint in leg.joints[1:])
        return
    bend = next(iter(options)) if len(options) == 1 else _usual_bend(pair)
    if bend is None:
        bend = KNEE_BEHIND
        remarks.append(f'{end} knees bend backward: nothing in the URDF says which way; '
                       "'standing' can say otherwise")
    angles.update(options[bend])


def _usual_bend(pair: Sequence[LegShape]) -> int | None:
    """Return the bend of the zero pose, else that of the middle of the knee's range."""
    for of_middle in (False, True):
        bends = []
        for leg in pair:
            limits = leg.joints[2].limits
            turn = sum(limits) / 2 if of_middle and limits else 0.0
            knee = _wrap_near(_angle(leg.shank) - _angle(leg.thigh) + leg.signs[2] * turn, 0.0)
            bends.append(0.0 if abs(knee) < BENT or abs(knee) > pi - BENT else -np.sign(knee))
        if len(set(bends)) == 1 and bends[0]:
            return int(bends[0])
    return None


def _solve_pair(pair: Sequence[LegShape], sole: float, bend: int) -> dict[str, float] | None:
    """Return the pose nearest to the usual one that all limits allow, None if there is none."""
    for shift, stretch in sorted(product(SHIFTS, STRETCHES),
                                 key=lambda way: abs(way[0]) + abs(way[1] - STRETCH)):
        angles: dict[str, float] = {}
        for leg in pair:
            length = sum(leg.lengths)
            drop = leg.pitch_place[2] - leg.radius - sole + (stretch - STRETCH) * length
            found = _solve(leg, np.array([shift * length, -drop]), bend)
            if found is None:
                break
            angles |= found
        else:
            return angles
    return None


def _solve(leg: LegShape, foot: Array, bend: int) -> dict[str, float] | None:
    """Return pitch and knee that put the foot at (x, z) from the pitch joint, within limits."""
    thigh, shank = leg.lengths
    reach = float(np.linalg.norm(foot))
    if not abs(thigh - shank) * 1.02 < reach < (thigh + shank) * 0.98:
        return None
    inner = acos((thigh**2 + reach**2 - shank**2) / (2 * thigh * reach))
    thigh_angle = _angle(foot) + bend * inner
    knee = -thigh * np.array([sin(thigh_angle), cos(thigh_angle)])
    pitch = thigh_angle - _angle(leg.thigh)
    turn = _angle(foot - knee) - _angle(leg.shank) - pitch
    angles = {}
    for joint, sign, value in zip(leg.joints[1:], leg.signs[1:], (pitch, turn), strict=True):
        angle = _wrap_near(sign * value, joint.rest)
        if _margin(joint, angle) < MARGIN:
            return None
        angles[joint.name] = round(angle, 9)
    return angles


def _angle(vector: Array) -> float:
    """Return by how much a vector (x, z) is turned about y from straight down, rad."""
    return atan2(-vector[0], -vector[1])


def _wrap_near(angle: float, middle: float) -> float:
    return angle + 2 * pi * round((middle - angle) / (2 * pi))


def _margin(joint: ForeignJoint, angle: float) -> float:
    if joint.limits is None:
        return inf
    return min(angle - joint.limits[0], joint.limits[1] - angle)


def _refuse_outside(tree: ForeignTree, legs: Sequence[LegShape], angles: Mapping[str, float]
                    ) -> None:
    for leg in legs:
        for joint in leg.joints:
            if joint.name in angles and _margin(joint, angles[joint.name]) < 0:
                raise InputError(tree.source, f'standing.{joint.name}',
                                 Remark(f'{angles[joint.name]:.4f} rad'),
                                 f'an angle within its limits {joint.limits}')

