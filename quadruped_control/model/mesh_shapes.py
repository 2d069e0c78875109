"""The points of shapes, meshes included, from which simpler shapes are made."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.foreign_tree import Array, ForeignShape

ROUND = 24          # corners of a circle
MESH_FORMATS = 'a mesh (stl, obj, dae, ply) with vertices'


def outline(shape: ForeignShape) -> Array:
    """Return points (n, 3) in the link's frame whose hull is the shape, spheres approximately."""
    if shape.kind == 'mesh':
        assert shape.mesh is not None
        points = mesh_points(shape.mesh) * shape.size
    elif shape.kind == 'box':
        points = np.array(list(product((-0.5, 0.5), repeat=3))) * shape.size
    elif shape.kind == 'cylinder':
        radius, length = shape.size
        points = np.array([(x * radius, y * radius, z * length / 2)
                           for x, y in _circle() for z in (-1, 1)])
    else:
        points = np.array([*product((-1, 1), (0,), (0,)), *product((0,), (-1, 1), (0,)),
                           *product((0,), (0,), (-1, 1))]) * shape.size[0]
    return np.asarray(points @ shape.pose[:3, :3].T + shape.pose[:3, 3])


def _circle() -> Array:
    angles = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)])


@cache
def mesh_points(path: Path) -> Array:
    """Return the vertices of a mesh file, or raise InputError."""
    import trimesh  # slow to import, and only foreign robots need it

    try:
        loaded = trimesh.load(str(path))
    except Exception as error:      # of its many readers, each has errors of its own
        raise InputError(path, '', Remark(error), MESH_FORMATS) from None
    mesh = loaded.to_geometry() if isinstance(loaded, trimesh.Scene) else loaded
    points = np.asarray(getattr(mesh, 'vertices', np.empty((0, 3))), dtype=float)
    if not len(points) or not np.all(np.isfinite(points)):
        raise InputError(path, '', Remark('a file without vertices'), MESH_FORMATS)
    return points
