"""The nominal standing pose of legs that roll, pitch and bend a knee: feet below the hips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import acos, atan2, cos, pi, sin

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foreign_tree import Array, ForeignTree
from quadruped_control.model.leg_shape import LegShape, margin, wrap_near

STRETCH = 0.75                  # of a leg's length, from its pitch joint to the foot's centre
STRETCHES = (0.75, 0.7, 0.8, 0.65, 0.85, 0.6, 0.9, 0.55, 0.5, 0.95)     # the usual one first
SHIFTS = (0.0, -0.05, 0.05, -0.1, 0.1, -0.2, 0.2)       # of the foot forward, over a leg's length
MARGIN = 0.05                   # rad that are kept from the limits
BENT = 0.15                     # rad by which a knee counts as bent
KNEE_BEHIND, KNEE_AHEAD = 1, -1


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
            asks.update((f'standing.{name}', f'rad, {leg.name}, whose other joints are told')
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
        why = 'limits let no foot below the hip'
        asks.update((f'standing.{joint.name}', f'rad, {leg.name}: {why}')
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
            knee = wrap_near(_angle(leg.shank) - _angle(leg.thigh) + leg.signs[2] * turn, 0.0)
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
        angle = wrap_near(sign * value, joint.rest)
        if margin(joint, angle) < MARGIN:
            return None
        angles[joint.name] = round(angle, 9)
    return angles


def _angle(vector: Array) -> float:
    """Return by how much a vector (x, z) is turned about y from straight down, rad."""
    return atan2(-vector[0], -vector[1])


def _refuse_outside(tree: ForeignTree, legs: Sequence[LegShape], angles: Mapping[str, float]
                    ) -> None:
    for leg in legs:
        for joint in leg.joints:
            if joint.name in angles and margin(joint, angles[joint.name]) < 0:
                raise InputError(tree.source, f'standing.{joint.name}',
                                 Remark(f'{angles[joint.name]:.4f} rad'),
                                 f'an angle within its limits {joint.limits}')

