"""Which way a foreign robot looks, in the frame of its root link, and which leg is which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.kinematics.records import LEGS
from quadruped_control.model.foreign_tree import Array, ForeignTree
from quadruped_control.model.leg_places import LegPlaces
from quadruped_control.model.name_sides import Side
from quadruped_control.model.role_map import Direction, RoleMap

SNAP = np.cos(np.radians(3.0))          # to an axis of the root
PARALLEL = np.cos(np.radians(10.0))
NARROWEST = 0.01                        # m between left and right, to tell which way is up
CORNER = (Side(1, 1), Side(1, -1), Side(-1, 1), Side(-1, -1))       # in the order of LEGS


@dataclass(frozen=True)
class BodyAxes:
    """Unit vectors in the frame of the root link."""

    forward: Array
    up: Array

    @property
    def rotation(self) -> Array:
        """From the root's frame to x forward, y left, z up."""
        return np.array([self.forward, np.cross(self.up, self.forward), self.up])


def find_axes(tree: ForeignTree, places: LegPlaces, role_map: RoleMap,
              asks: dict[str, str]) -> BodyAxes:
    """
    Return forward and up; what only the user can know is added to ``asks``, by its key.

    :param places: of legs in no order, or in the project's if the role map names them.
    """
    line = _common_line(tree, places.axes)
    ends = _split_ends(tree, places.hips @ line)
    up = _read_direction(role_map.up)
    if up is None:
        up = _find_up(places, line, ends, asks)
    forward = _read_direction(role_map.forward)
    if forward is None:
        forward = line * _forward_sign(tree, places, line, ends, up, role_map, asks)
    if abs(forward @ up) > 0.01:
        raise InputError(tree.source, 'forward', forward.tolist(),
                         f'at a right angle to up, which is {up.tolist()}')
    return BodyAxes(forward, up)


def _read_direction(direction: Direction | None) -> Array | None:
    if direction is None:
        return None
    if isinstance(direction, str):
        return np.eye(3)['xyz'.index(direction[-1])] * (-1 if direction[0] == '-' else 1)
    return np.array(direction) / np.linalg.norm(direction)


def write_direction(vector: Array) -> Direction:
    """Return a direction as the role map writes it."""
    for number, name in enumerate('xyz'):
        if abs(vector[number]) > 1 - 1e-12:
            return name if vector[number] > 0 else f'-{name}'      # type: ignore[return-value]
    return float(vector[0]), float(vector[1]), float(vector[2])


def _snap(vector: Array) -> Array:
    """Return the root's own axis if that is near."""
    largest = int(np.argmax(np.abs(vector)))
    if abs(vector[largest]) > SNAP:
        return np.eye(3)[largest] * np.sign(vector[largest])
    return vector


def _common_line(tree: ForeignTree, axes: Array) -> Array:
    aligned = axes * np.where(axes @ axes[0] < 0, -1.0, 1.0)[:, None]
    mean = aligned.mean(axis=0) / np.linalg.norm(aligned.mean(axis=0))
    if np.min(aligned @ mean) < PARALLEL:
        raise InputError(tree.source, 'first joints of the legs', axes.round(3).tolist(),
                         'parallel axes, along the body: legs that roll first')
    return _snap(mean)


def _split_ends(tree: ForeignTree, along: Array) -> Array:
    """Return 1 for the two legs that are farther along, -1 for the others."""
    order = np.argsort(along)
    gap = along[order[2]] - along[order[1]]
    if gap <= 0.2 * (along[order[3]] - along[order[0]]) or gap < 1e-3:
        raise InputError(tree.source, 'hips along the axes of the first joints',
                         along.round(4).tolist(), 'two front legs and two rear legs apart, whose '
                         'first joints roll them about an axis along the body')
    return np.where(np.argsort(order) >= 2, 1, -1)


def _find_up(places: LegPlaces, line: Array, ends: Array, asks: dict[str, str]) -> Array:
    """Return the normal of the plane of the hips, on the side that most speaks for."""
    normal = _find_normal(places, line, ends)
    if normal is None:
        return np.array([0.0, 0.0, 1.0])        # legs in one plane, which is refused later
    legs = places.feet - places.thighs
    down = float((legs @ normal).mean() / np.linalg.norm(legs, axis=1).mean())
    votes = [
        np.sign(normal[2]) if abs(normal[2]) > SNAP else 0.0,       # the root's z
        -np.sign(down) * (1.0 if abs(down) > 0.5 else 0.5 if abs(down) > 0.2 else 0.0),
        0.75 * _named_up(places, line, ends, normal),
    ]
    if sum(votes) == 0:
        asks['up'] = f"the root's axis that points up ({_name(normal)} or {_name(-normal)})"
    return normal * (np.sign(sum(votes)) or 1.0)


def _find_normal(places: LegPlaces, line: Array, ends: Array) -> Array | None:
    """Return the unit vector across the line and the way from right to left, None without one."""
    for points in (places.hips, places.thighs, places.feet):
        pairs = [np.subtract(*points[ends == end]) for end in (1, -1)]
        first, second = (pair - line * (pair @ line) for pair in pairs)
        if min(np.linalg.norm(first), np.linalg.norm(second)) > NARROWEST:
            normal = np.cross(line, first + second * (np.sign(first @ second) or 1.0))
            normal /= np.linalg.norm(normal)
            snapped = _snap(normal)
            return snapped if abs(snapped @ line) < 1e-9 else normal
    return None


def _named_up(places: LegPlaces, line: Array, ends: Array, normal: Array) -> float:
    """Return 1 or -1 if the legs' names say that up is along the normal or against it, else 0."""
    forward = sum(end * named.end for end, named in zip(ends, places.named, strict=True))
    away = places.thighs - places.thighs.mean(axis=0)
    left = sum((named.side * way for named, way in zip(places.named, away, strict=True)),
               np.zeros(3))
    return float(np.sign(np.cross(line * forward, left) @ normal))


def _name(vector: Array) -> Direction:
    return write_direction(vector.round(9))


def _forward_sign(tree: ForeignTree, places: LegPlaces, line: Array, ends: Array, up: Array,
                  role_map: RoleMap, asks: dict[str, str]) -> float:
    if role_map.legs is not None:
        return 1.0 if (ends * [1, 1, -1, -1]).sum() > 0 else -1.0
    left = np.cross(up, line)
    sides = np.sign((places.thighs - places.thighs.mean(axis=0)) @ left)
    by_end = float(sum(end * named.end for end, named in zip(ends, places.named, strict=True)))
    by_side = float(sum(side * named.side
                        for side, named in zip(sides, places.named, strict=True)))
    if by_end and by_side and by_end * by_side < 0:
        return float(np.sign(by_end))           # mirrored, which is refused with the legs' names
    if by_end:
        return float(np.sign(by_end))
    is_usual = line[0] ** 2 > 0.5 and up[2] > 0.5
    if is_usual and by_side * line[0] >= 0:
        return float(np.sign(line[0]))
    if by_side and not is_usual:
        return float(np.sign(by_side))
    asks['forward'] = (f"the root's axis that points forward ({_name(line)} or {_name(-line)}; "
                       'names of legs do not tell)')
    return 1.0


def name_legs(tree: ForeignTree, places: LegPlaces, axes: BodyAxes) -> list[int]:
    """Return the numbers of the legs in the project's order, or raise InputError."""
    local = places.thighs @ axes.rotation.T
    ends = _split_ends(tree, local[:, 0])
    sides = np.zeros(4, dtype=int)
    for end in (1, -1):
        pair = np.flatnonzero(ends == end)
        gap = local[pair[0], 1] - local[pair[1], 1]
        if abs(gap) < 1e-3:
            raise InputError(tree.source, 'hips sideways', local[:, 1].round(4).tolist(),
                             'a left and a right leg apart, in front and in the rear')
        sides[pair] = (1, -1) if gap > 0 else (-1, 1)
    found = [Side(int(end), int(side)) for end, side in zip(ends, sides, strict=True)]
    return [found.index(corner) for corner in CORNER]


def refuse_other_names(tree: ForeignTree, named: Sequence[Side]) -> None:
    """Raise InputError if legs, in the project's order, are named by other places."""
    wrong = [f'{leg} is named {_words(name)}' for leg, corner, name in
             zip(LEGS, CORNER, named, strict=True)
             if name.end * corner.end < 0 or name.side * corner.side < 0]
    if wrong:
        raise InputError(tree.source, 'names of legs', Remark('; '.join(wrong)),
                         "names of legs that fit their places, or a role map with 'legs'")


def _words(name: Side) -> str:
    words = ('', 'front', 'rear')[name.end], ('', 'left', 'right')[name.side]
    return ' '.join(filter(None, words))
