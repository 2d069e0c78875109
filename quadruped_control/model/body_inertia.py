"""The inertia of links welded together, and what is done where a URDF's cannot be meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foreign_tree import Array, ForeignShape, ForeignTree
from quadruped_control.model.inertia_repair import (
    Inertial,
    find_gyration,
    is_empty,
    is_possible,
    lump,
    mend,
    solid_inertia,
)
from quadruped_control.model.mesh_shapes import outline

POINT_MASS = 0.1            # of a body's mass: a link of less may be a point
FARTHEST = 2.0              # radius of gyration over a body's length: more is a made-up number


def weigh(tree: ForeignTree, name: str, members: Sequence[str], poses: Mapping[str, Array],
          remarks: list[str]) -> Inertial:
    """
    Return mass, centre and inertia of a body in the frame of the poses, or raise InputError.

    :param name: of the body; ``members`` are its links.
    """
    parts = _read_parts(tree, members, remarks)
    whole = lump(part.placed(poses[link]) for link, part in parts.items())
    if whole.mass <= 0:
        raise InputError(tree.source, f'link {name}', Remark('without mass and inertia'),
                         'an inertial with mass and inertia, in this link or one fixed to it')
    size, gyration = _measure(tree, members, poses), find_gyration(whole)
    if size and gyration > FARTHEST * size:
        parts = {link: _fill(tree, link, part) for link, part in parts.items()}
        whole = lump(part.placed(poses[link]) for link, part in parts.items())
        remarks.append(f'the inertia of {name} would need mass {gyration:.2g} m from its centre, '
                       f'and it is {size:.2g} m long: its links are taken to be boxes')
    return whole if is_possible(whole) else _mend(whole, name, remarks)


def _read_parts(tree: ForeignTree, members: Sequence[str], remarks: list[str]
                ) -> dict[str, Inertial]:
    """Return what the URDF says of the links; those without inertia are filled."""
    parts, mass = {}, sum(tree.links[link].mass for link in members)
    for link in members:
        found = tree.links[link]
        part = Inertial(found.mass, found.centre_of_mass, found.inertia)
        if is_empty(part) and part.mass > POINT_MASS * mass:
            part = _fill(tree, link, part)
            filled = 'a box around its shape' if _shapes(tree, link) else 'a ball of water'
            remarks.append(f'link {link} of {part.mass:g} kg has no inertia: it is taken to be '
                           f'{filled}')
        parts[link] = part
    return parts


def _shapes(tree: ForeignTree, link: str) -> tuple[ForeignShape, ...]:
    return tree.links[link].collisions or tree.links[link].visuals


def _fill(tree: ForeignTree, link: str, part: Inertial) -> Inertial:
    """Spread the mass of a link evenly over its shape."""
    shapes = _shapes(tree, link)
    points = np.vstack([outline(shape) for shape in shapes]) if shapes else None
    return replace(part, inertia=solid_inertia(part.mass, points))


def _measure(tree: ForeignTree, members: Sequence[str], poses: Mapping[str, Array]) -> float:
    """Return the diagonal of a body's collision shapes, m; 0 if it has none."""
    points = [outline(shape) @ poses[link][:3, :3].T + poses[link][:3, 3]
              for link in members for shape in tree.links[link].collisions]
    return float(np.linalg.norm(np.ptp(np.vstack(points), axis=0))) if points else 0.0


def _mend(whole: Inertial, name: str, remarks: list[str]) -> Inertial:
    mended = mend(whole)
    remarks.append(f'the inertia of {name} is impossible (moments {_list(whole)} kg m^2); it is '
                   f'mended to {_list(mended)}')
    return mended


def _list(part: Inertial) -> str:
    return ', '.join(f'{value:.4g}' for value in np.linalg.eigvalsh(part.inertia))
