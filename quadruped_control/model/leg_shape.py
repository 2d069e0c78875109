"""A leg that rolls, pitches and bends a knee: its lengths, and the senses of its joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, cos, inf, pi

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.model.foot_shape import Foot
from quadruped_control.model.foreign_tree import Array, ForeignJoint, ForeignTree
from quadruped_control.model.leg_chains import Chain

SHORTEST = 0.005                # m of a thigh or shank
AS_NEAR = 0.1                   # rad by which two angles are as near to a third
LARGEST_TILT = np.radians(5.0)  # of axes against x and y of the body


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
    """
    Return the angle of the first joint at which the axis of the second lies sideways.

    There are two, half a turn apart. Where both are as near, as of legs that lie sideways at zero,
    it is the one at which the second joint is lower.
    """
    axes, _, _ = _axes_and_places(tree, leg, rotation, angles)
    joint = leg.joints[0]
    sense = 1.0 if axes[0][0] > 0 else -1.0
    tilt = atan2(axes[1][2], axes[1][1])
    wanted = standing.get(joint.name, joint.rest)
    found = [wrap_near(sense * (half - tilt), wanted) for half in (0.0, pi)]
    inside = [angle for angle in found if margin(joint, angle) >= 0] or found
    nearest = min(abs(angle - wanted) for angle in inside)
    near = [angle for angle in inside if abs(angle - wanted) < nearest + AS_NEAR]

    def height(angle: float) -> float:
        _, places, _ = _axes_and_places(tree, leg, rotation, {**angles, joint.name: angle})
        return float(places[1][2])

    return near[0] if len(near) == 1 else min(near, key=height)


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


def wrap_near(angle: float, middle: float) -> float:
    """Return an angle plus whole turns, as near to the middle as can be, rad."""
    return angle + 2 * pi * round((middle - angle) / (2 * pi))


def margin(joint: ForeignJoint, angle: float) -> float:
    """Return how far an angle is inside the limits of a joint, rad."""
    if joint.limits is None:
        return inf
    return min(angle - joint.limits[0], joint.limits[1] - angle)
