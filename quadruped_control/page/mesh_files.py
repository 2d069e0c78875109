"""Meshes of files (obj, stl, dae ...) as triangles, each file read once in a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import trimesh

from quadruped_control.page.shapes import Triangles, Vertices

Colour = tuple[int, int, int]


class MeshPart(NamedTuple):
    """
    Triangles (m, 3) of vertices (n, 3), and the colour that the file gives them, if any.

    :param is_picture: the colour is the mean of a picture that is laid on it.
    """

    vertices: Vertices
    triangles: Triangles
    colour: Colour | None
    is_picture: bool = False


@cache
def read_mesh(path: Path) -> tuple[MeshPart, ...]:
    """Return the parts of a mesh file, placed as the file has them."""
    loaded: Any = trimesh.load(path, process=False)
    parts = loaded.dump() if isinstance(loaded, trimesh.Scene) else [loaded]
    return tuple(MeshPart(np.asarray(part.vertices, np.float32), np.asarray(part.faces, np.uint32),
                          *_read_colour(part))
                 for part in parts if isinstance(part, trimesh.Trimesh) and len(part.faces))


def _read_colour(mesh: Any) -> tuple[Colour | None, bool]:
    """Return the colour of a mesh, and whether it is that of a picture."""
    visual = mesh.visual
    if not visual.defined:
        return None, False
    if visual.kind == 'texture':
        picture = getattr(visual.material, 'image', None)
        if picture is not None:
            red, green, blue = np.asarray(picture.convert('RGB')).reshape(-1, 3).mean(axis=0)
            return (round(red), round(green), round(blue)), True
        red, green, blue, _ = visual.material.main_color
    else:
        red, green, blue, _ = visual.main_color
    return (int(red), int(green), int(blue)), False
