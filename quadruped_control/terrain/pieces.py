"""The ground cut into rectangles, each of one surface and one friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quadruped_control.terrain.ground import BASE_FRICTION, Ground, HeightField, Incline, Treads

Span = tuple[float, float]

EXTENT = 1000.0  # m, half a side of the ground where it has to be built of boxes


@dataclass(frozen=True)
class Piece:
    """Rectangle (m) on which one surface and one friction are in force."""

    x: Span
    y: Span
    surface: Incline | HeightField
    friction: float


def pieces(ground: Ground) -> list[Piece]:
    """Cut the ground into rectangles that do not overlap, each of one surface and friction."""
    everywhere = (-EXTENT, EXTENT)
    parts = [Piece(everywhere, everywhere, Incline(0.0, 0.0), BASE_FRICTION)]
    for layer in ground.layers:
        rest = [outer for piece in parts for outer in _outside(piece, layer.x, layer.y)]
        if layer.surface is None:
            inner = [_inside(piece, layer.x, layer.y) for piece in parts]
            parts = rest + [replace(p, friction=layer.friction) for p in inner if p is not None]
        elif isinstance(layer.surface, Treads):
            parts = rest + list(_treads(layer.surface, layer.y, layer.friction))
        else:
            parts = [*rest, Piece(layer.x, layer.y, layer.surface, layer.friction)]
    return parts


def _treads(surface: Treads, y: Span, friction: float) -> Iterator[Piece]:
    edges, heights = surface.edges.tolist(), surface.heights.tolist()
    for x0, x1, height in zip(edges[:-1], edges[1:], heights, strict=True):
        yield Piece((x0, x1), y, Incline(0.0, height), friction)


def _inside(piece: Piece, x: Span, y: Span) -> Piece | None:
    x0, x1 = max(piece.x[0], x[0]), min(piece.x[1], x[1])
    y0, y1 = max(piece.y[0], y[0]), min(piece.y[1], y[1])
    return replace(piece, x=(x0, x1), y=(y0, y1)) if x0 < x1 and y0 < y1 else None


def _outside(piece: Piece, x: Span, y: Span) -> list[Piece]:
    """Return what a rectangle leaves of a piece: before and after it in x, then beside it."""
    inner = _inside(piece, x, y)
    if inner is None:
        return [piece]
    sides = (
        replace(piece, x=(piece.x[0], inner.x[0])),
        replace(piece, x=(inner.x[1], piece.x[1])),
        replace(inner, y=(piece.y[0], inner.y[0])),
        replace(inner, y=(inner.y[1], piece.y[1])),
    )
    return [side for side in sides if side.x[0] < side.x[1] and side.y[0] < side.y[1]]


def merge(parts: list[Piece]) -> list[Piece]:
    """Join pieces of the same surface and friction that share a whole side, until none do."""
    before = -1
    while len(parts) != before:
        before = len(parts)
        parts = _merge_along_y(_merge_along_x(parts))
    return parts


def _merge_along_x(parts: list[Piece]) -> list[Piece]:
    ending: dict[object, Piece] = {}
    for piece in sorted(parts, key=lambda piece: piece.x):
        left = ending.pop((piece.x[0], piece.y, _look(piece)), None)
        grown = piece if left is None else replace(piece, x=(left.x[0], piece.x[1]))
        ending[(grown.x[1], grown.y, _look(grown))] = grown
    return list(ending.values())


def _merge_along_y(parts: list[Piece]) -> list[Piece]:
    turned = _merge_along_x([replace(piece, x=piece.y, y=piece.x) for piece in parts])
    return [replace(piece, x=piece.y, y=piece.x) for piece in turned]


def _look(piece: Piece) -> tuple[object, ...]:
    """Return what pieces must have in common to be one; level ones only their height."""
    surface = piece.surface
    if isinstance(surface, Incline) and surface.slope == 0.0:
        return surface.height0, piece.friction
    return id(surface), piece.friction
