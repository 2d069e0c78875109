"""
The dog's looks: the shapes of the description as Wavefront meshes.

Shapes of one colour of a link melt into one skin: the zero level of the smooth minimum of their
distances, which surface nets on a grid find. Those without blend have skins of their own. Shapes
that are paint give their colour to the part of the skins that lies in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.model.description import Flesh
from quadruped_control.model.flesh_distance import TINY, Floats, bounds, distance, thickness
from quadruped_control.model.links import Link

Ints = NDArray[np.int64]
Mesh = tuple[Floats, Floats, Ints]      # vertices, normals, quads; triangles repeat a corner
Field = Callable[[Floats], Floats]      # distances of points, negative inside

COARSENESS = 0.6                        # cells of a skin, relative to its thinnest shape
MOST_NODES = 1_000_000                  # of the grid of one skin


def mesh_file_name(link: Link, colour: str) -> str:
    """Name of the file with all shapes of one colour of a link."""
    return f'{link.name}_{colour}.obj'


class _TooFineError(Exception):
    """Thin shapes far apart would need a grid of too many nodes."""


def write_meshes(link: Link, source: Path, largest_cell: float) -> dict[str, str]:
    """
    Return the Wavefront text of each mesh file of a link.

    :param source: the description, for errors.
    :param largest_cell: of a skin, m; thin shapes have smaller ones.
    """
    where = f'visual of {link.name}'
    try:
        skins = _skins(link, largest_cell)
    except _TooFineError as error:
        raise InputError(source, where, Remark(error), f'at most {MOST_NODES} nodes: shapes that '
                         'are smaller together, or thicker each') from None
    parts = _paint(skins, [flesh for flesh in link.visual if flesh.paint])
    files = {}
    for colour in dict.fromkeys(flesh.colour for flesh in link.visual):
        meshes = [mesh for name, mesh in parts if name == colour and len(mesh[2])]
        if not meshes:
            raise InputError(source, where, colour, 'a colour of which the paint leaves something')
        files[mesh_file_name(link, colour)] = _wavefront(_join(meshes))
    return files


def _skins(link: Link, largest_cell: float) -> list[tuple[str, Mesh]]:
    groups: dict[tuple[str, int], list[Flesh]] = {}
    for number, flesh in enumerate(link.visual):
        if not flesh.paint:
            groups.setdefault((flesh.colour, 0 if flesh.blend else number + 1), []).append(flesh)
    sole = link.foot.centre[2] - link.foot.radius if link.foot else None
    return [(colour, _skin(shapes, sole, largest_cell)) for (colour, _), shapes in groups.items()]


def _skin(shapes: Sequence[Flesh], sole: float | None, largest_cell: float) -> Mesh:
    """Return the surface of the melted shapes, cut off flat at the height of the sole."""
    def field(points: Floats) -> Floats:
        values = distance(shapes[0], points)
        for flesh in shapes[1:]:
            values = _melt(values, distance(flesh, points), flesh.blend)
        return values if sole is None else -_melt(-values, points[:, 2] - sole, 0.004)

    corners = np.array([bounds(flesh) for flesh in shapes])
    low, high = corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)
    cell = min(largest_cell, COARSENESS * min(thickness(flesh) for flesh in shapes))
    return _surface(field, low, high, cell)


def _melt(first: Floats, second: Floats, width: float) -> Floats:
    """Smooth minimum of two distances, which rounds off where they differ by less than width."""
    near = np.maximum(width - np.abs(first - second), 0)
    return np.minimum(first, second) - near**2 / (4 * width)


# ---- skins: surface nets ----

def _surface(field: Field, low: Floats, high: Floats, cell: float) -> Mesh:
    counts = np.ceil((high - low) / cell).astype(int) + 5
    if counts.prod() > MOST_NODES:
        raise _TooFineError(f'{counts.prod()} nodes')
    first = (low + high) / 2 - cell * (counts - 1) / 2
    nodes = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing='ij'), axis=-1)
    values = field(nodes.reshape(-1, 3) * cell + first).reshape(counts)
    vertices, quads = _net(values)
    vertices = vertices * cell + first
    for _ in range(4):
        value, gradient = field(vertices), _gradient(field, vertices)
        step = np.clip(value / np.sum(gradient**2, axis=1), -cell, cell)
        vertices = vertices - step[:, None] * gradient
    normals = _gradient(field, vertices)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return vertices, normals, _turn(quads, vertices)


def _gradient(field: Field, points: Floats) -> Floats:
    columns = [(field(points + step) - field(points - step)) / 2e-4 for step in np.eye(3) * 1e-4]
    gradient = np.column_stack(columns)
    gradient[np.linalg.norm(gradient, axis=1) < 0.1] = (0, 0, 1)
    return gradient


def _net(values: Floats) -> tuple[Floats, Ints]:
    """Return a vertex in every cell that the zero level crosses, and a quad for each crossing."""
    strides = np.array([values.shape[1] * values.shape[2], values.shape[2], 1])
    sums, hits, quads = np.zeros((values.size, 3)), np.zeros(values.size), []
    for axis in range(3):
        lower, upper = np.delete(values, -1, axis), np.delete(values, 0, axis)
        where = np.argwhere((lower < 0) != (upper < 0))
        v0, v1 = lower[tuple(where.T)], upper[tuple(where.T)]
        crossing = where.astype(float)
        crossing[:, axis] += v0 / (v0 - v1)
        b, c = strides[(axis + 1) % 3], strides[(axis + 2) % 3]
        quad = (where @ strides)[:, None] - np.array([0, b, b + c, c])
        for corner in quad.T:
            np.add.at(sums, corner, crossing)
            np.add.at(hits, corner, 1)
        quads.append(np.where((v0 < 0)[:, None], quad, quad[:, ::-1]))
    used = np.flatnonzero(hits)
    numbers = np.cumsum(hits > 0) - 1
    return sums[used] / hits[used, None], numbers[np.vstack(quads)]


def _turn(quads: Ints, vertices: Floats) -> Ints:
    """Let quads begin at an end of the shorter diagonal, along which readers cut them."""
    a, b, c, d = (vertices[corner] for corner in quads.T)
    longer = np.linalg.norm(c - a, axis=1) > np.linalg.norm(d - b, axis=1) + TINY
    return np.where(longer[:, None], np.roll(quads, -1, axis=1), quads)


# ---- paint ----

def _paint(parts: list[tuple[str, Mesh]], paints: Sequence[Flesh]) -> list[tuple[str, Mesh]]:
    for paint in paints:
        pieces = []
        for colour, mesh in parts:
            inside, outside = _cut(mesh, distance(paint, mesh[0]))
            pieces += [(colour, outside), (paint.colour, inside)]
        parts = pieces
    return parts


def _cut(mesh: Mesh, values: Floats) -> tuple[Mesh, Mesh]:
    """Cut a mesh along the zero level of the values of its vertices; negative ones first."""
    vertices, normals, quads = mesh
    count = (values[quads] < 0).sum(axis=1)
    mixed = quads[(count > 0) & (count < 4)]
    triangles = np.vstack([mixed[:, :3], mixed[:, [0, 2, 3]]])
    start, end, inner, outer = _cut_triangles(triangles, values, len(vertices))
    share = (values[start] / (values[start] - values[end]))[:, None]
    vertices, normals = (np.vstack([x, x[start] + share * (x[end] - x[start])])
                         for x in (vertices, normals))
    inside, outside = (np.vstack([quads[count == full], part[:, [0, 1, 2, 2]]])
                       for full, part in ((4, inner), (0, outer)))
    return (vertices, normals, inside), (vertices, normals, outside)


def _cut_triangles(triangles: Ints, values: Floats, first: int) -> tuple[Ints, Ints, Ints, Ints]:
    """
    Return the ends of the edges that are cut, and the triangles inside and outside.

    :param first: number of the vertex on the first of the edges.
    """
    inner = values[triangles] < 0
    count = inner.sum(axis=1)
    mixed = (count == 1) | (count == 2)
    lone = count[mixed] == 1
    corner = np.argmax(inner[mixed] == lone[:, None], axis=1)
    a, b, c = (triangles[mixed, (corner + i) % 3] for i in range(3))
    ab = first + np.arange(len(a))
    ac = ab + len(a)
    tip = np.column_stack([a, ab, ac])
    rest = np.vstack([np.column_stack([ab, b, c]), np.column_stack([ab, c, ac])])
    lones = np.concatenate([lone, lone])
    inside = np.vstack([triangles[count == 3], tip[lone], rest[~lones]])
    outside = np.vstack([triangles[count == 0], tip[~lone], rest[lones]])
    return np.concatenate([a, a]), np.concatenate([b, c]), inside, outside


# ---- files ----

def _join(meshes: Sequence[Mesh]) -> Mesh:
    offsets = np.cumsum([0] + [len(vertices) for vertices, _, _ in meshes])
    faces = [mesh[2] + offset for mesh, offset in zip(meshes, offsets, strict=False)]
    return (np.vstack([mesh[0] for mesh in meshes]), np.vstack([mesh[1] for mesh in meshes]),
            np.vstack(faces))


def _wavefront(mesh: Mesh) -> str:
    """Write a mesh without equal or unused vertices and without faces that are none."""
    vertices, normals, quads = mesh
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.hstack([vertices.round(4), normals.round(2)]) + 0.0
    rows, corners = np.unique(rows[quads.ravel()], axis=0, return_inverse=True)
    faces = [list(dict.fromkeys(quad)) for quad in (corners.reshape(-1, 4) + 1).tolist()]
    lines = ['# made by `./quadruped model`']
    lines += [f'v {x:.4f} {y:.4f} {z:.4f}' for x, y, z in rows[:, :3]]
    lines += [f'vn {x:.2f} {y:.2f} {z:.2f}' for x, y, z in rows[:, 3:]]
    lines += ['f ' + ' '.join(f'{i}//{i}' for i in face) for face in faces if len(face) > 2]
    return '\n'.join(lines) + '\n'
