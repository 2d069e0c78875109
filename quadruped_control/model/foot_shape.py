"""The foot of a leg as a sphere, from whatever shape the URDF gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quadruped_control.model.description import Sphere
from quadruped_control.model.foreign_tree import Array, ForeignShape, ForeignTree
from quadruped_control.model.mesh_shapes import outline

NEAR_END = 0.8          # of a leg's reach: where a link of its own is a foot
DISTAL = 0.15           # the share of a shank that is its foot, if none is apart
SLENDER = 2.5           # length over width of a shape that is a shank, not a foot
THINNEST, THICKEST = 0.02, 0.25         # radius over the reach of the shank


@dataclass(frozen=True)
class Foot:
    """
    The contact link and the sphere in the frame of the shank's first link.

    :param shaped_by: the link whose collision shape became the sphere; None if it was given.
    """

    contact: str
    centre: Array
    radius: float
    shaped_by: str | None


def find_foot(tree: ForeignTree, shank: str, members: Sequence[str], contact: str | None,
              given: Sphere | None) -> Foot | None:
    """
    Return the foot of a shank, None if nothing there can touch the ground.

    :param shank: first link of the shank; ``members`` are all that move with it.
    :param contact: the link that touches, if known; ``given`` the sphere in its frame.
    """
    poses = _relative_poses(tree, shank, members)
    if given is not None:
        link = contact or shank
        centre = _transform(poses[link], np.array([given.centre]))[0]
        return Foot(link, centre, given.radius, link if link != shank else None)
    clouds = {link: np.vstack([_transform(poses[link], outline(shape)) for shape in shapes])
              for link in members if (shapes := tree.links[link].collisions)}
    if not clouds:
        return None
    link = contact if contact in clouds else _choose(clouds, shank)
    sphere = _farthest_sphere(tree.links[link].collisions, poses[link])
    if sphere is not None:
        return Foot(contact or link, *sphere, link)
    reach = max(float(np.linalg.norm(cloud, axis=1).max()) for cloud in clouds.values())
    return Foot(contact or link, *_fit(clouds[link], reach), link)


def _relative_poses(tree: ForeignTree, shank: str, members: Sequence[str]) -> dict[str, Array]:
    poses = tree.place({})
    back = np.linalg.inv(poses[shank])
    return {link: back @ poses[link] for link in members}


def _transform(pose: Array, points: Array) -> Array:
    return np.asarray(points @ pose[:3, :3].T + pose[:3, 3])


def _choose(clouds: Mapping[str, Array], shank: str) -> str:
    reach = {link: float(np.linalg.norm(cloud, axis=1).max()) for link, cloud in clouds.items()}
    farthest = max(reach.values())
    apart = [link for link in clouds if link != shank and reach[link] > NEAR_END * farthest]
    return max(apart or clouds, key=reach.__getitem__)


def _farthest_sphere(shapes: Sequence[ForeignShape], pose: Array) -> tuple[Array, float] | None:
    spheres = [(_transform(pose, shape.pose[None, :3, 3])[0], shape.size[0])
               for shape in shapes if shape.kind == 'sphere']
    return max(spheres, key=lambda sphere: float(np.linalg.norm(sphere[0])), default=None)


def _fit(points: Array, reach: float) -> tuple[Array, float]:
    """Return centre and radius of a sphere at the end of a shape, as wide as it is there."""
    distances = np.linalg.norm(points, axis=1)
    end = points[distances > (1 - DISTAL / 3) * distances.max()].mean(axis=0)
    down = end / np.linalg.norm(end)
    along = points @ down
    across = points - np.outer(along, down)
    if np.ptp(along) > SLENDER * _width(across):
        across = across[along > along.max() - DISTAL * reach]
    radius = _width(across) / 2
    if np.ptp(along) <= SLENDER * _width(across):
        radius = min(radius, float(np.ptp(along)) / 2)
    radius = float(np.clip(radius, THINNEST * reach, THICKEST * reach))
    middle = (across.min(axis=0) + across.max(axis=0)) / 2
    middle -= down * (middle @ down)
    return middle + down * (along.max() - radius), radius


def _width(across: Array) -> float:
    """Return the smaller extent of points in a plane."""
    directions = np.linalg.svd(across - across.mean(axis=0), full_matrices=False)[2][:2]
    return float(np.ptp(across @ directions.T, axis=0).min())
