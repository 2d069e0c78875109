"""Collision shapes made of spheres and rods, as all engines here know them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quadruped_control.model.description import Rod, Sphere
from quadruped_control.model.foreign_tree import Array, ForeignShape
from quadruped_control.model.mesh_shapes import outline

Simple = Sphere | Rod
THIN = 1.25             # a box whose other edges differ by less is one rod
LEAST = 1e-3            # m: smallest radius, and smallest length of a rod
TINY = 4e-3             # m: what is smaller is a marker, not a body


def simplify_trunk(shapes: Sequence[ForeignShape]) -> tuple[Simple, ...]:
    """Return spheres and rods for the shapes of a body, meshes as the boxes around them."""
    found: list[Simple] = []
    for shape in _keep_large(shapes):
        found += _simplify(shape if shape.kind != 'mesh' else _box_around(outline(shape)))
    return tuple(found)


def simplify_leg(shapes: Sequence[ForeignShape], bone: Array, slim: float) -> tuple[Simple, ...]:
    """
    Return spheres and rods for a part of a leg.

    Meshes become one rod along the bone, since their edges would catch on steps.

    :param bone: from the link's origin to the next joint, or to the foot's upper end, m.
    :param slim: largest radius of that rod, over its length.
    """
    found: list[Simple] = []
    for shape in _keep_large(shapes):
        if shape.kind != 'mesh':
            found += _simplify(shape)
    meshes = [outline(shape) for shape in shapes if shape.kind == 'mesh']
    length = float(np.linalg.norm(bone))
    if meshes and not found and length > 10 * LEAST:
        points = np.vstack(meshes)
        along = bone / length
        inside = points[(points @ along > 0.2 * length) & (points @ along < 0.8 * length)]
        across = inside - np.outer(inside @ along, along)
        width = float(np.ptp(across, axis=0).max()) if len(inside) else 0.0
        found.append(_rod(np.zeros(3), bone, min(max(width / 2, 0.02 * length), slim * length)))
    return tuple(found)


def clear_foot(solids: Sequence[Simple], foot: Sphere) -> tuple[Simple, ...]:
    """Return a shank's shapes without what would touch the ground in place of the foot."""
    kept: list[Simple] = []
    tip = np.array(foot.centre)
    end = 1 - foot.radius / max(float(np.linalg.norm(tip)), foot.radius)
    for solid in solids:
        if isinstance(solid, Sphere):
            if np.linalg.norm(np.array(solid.centre) - tip) > foot.radius:
                kept.append(solid)
            continue
        ends = np.array([solid.start, solid.end])
        along = ends @ tip / max(float(tip @ tip), 1e-12)       # 0 at the knee, 1 at the foot
        if along.max() > end and np.ptp(along) > 0.2:
            limit = end if solid.radius > foot.radius / 2 else max(end, 1.0)
            share = (np.minimum(along, limit) - along[0]) / (along[1] - along[0])
            ends = ends[0] + np.outer(share, ends[1] - ends[0])
        if along.min() < end:
            kept.append(_rod(ends[0], ends[1], solid.radius))
    return tuple(kept)


def _keep_large(shapes: Sequence[ForeignShape]) -> list[ForeignShape]:
    return [shape for shape in shapes
            if shape.kind == 'mesh' or np.ptp(outline(shape), axis=0).max() > TINY]


def _simplify(shape: ForeignShape) -> list[Simple]:
    centre, turn = shape.pose[:3, 3], shape.pose[:3, :3]
    if shape.kind == 'sphere':
        return [make_sphere(centre, shape.size[0])]
    if shape.kind == 'cylinder':
        half = turn[:, 2] * shape.size[1] / 2
        return [_rod(centre - half, centre + half, shape.size[0])]
    order = np.argsort(shape.size)
    thin, wide, long = np.array(shape.size)[order] / 2
    aside = turn[:, order[1]] * (wide - thin)
    half = turn[:, order[2]] * long
    rows = (0.0,) if wide < THIN * thin else (-1.0, 1.0)
    return [_rod(centre + row * aside - half, centre + row * aside + half, thin) for row in rows]


def _box_around(points: Array) -> ForeignShape:
    pose = np.eye(4)
    pose[:3, 3] = (points.min(axis=0) + points.max(axis=0)) / 2
    return ForeignShape('box', tuple(np.maximum(np.ptp(points, axis=0), 2 * LEAST)), pose)


def make_sphere(centre: Array, radius: float) -> Sphere:
    """Return a sphere, numbers rounded to what matters."""
    return Sphere(centre=_vector(centre), radius=max(float(radius), LEAST))


def _rod(start: Array, end: Array, radius: float) -> Rod:
    return Rod.model_validate({'from': _vector(start), 'to': _vector(end),
                               'radius': max(float(radius), LEAST)})


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in np.round(values, 12))
    return x, y, z
