"""The ground as mathematics: height, normal and friction anywhere, without a physics engine."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quadruped_control.terrain import features as kinds
from quadruped_control.terrain.features import Feature, count_cells

Floats = NDArray[np.float64]

BASE_FRICTION = 1.0  # of the flat ground, by the contract of scenarios


@dataclass(frozen=True)
class Incline:
    """Plane z = height + slope (x - x0); level with slope 0."""

    x0: float
    height0: float
    slope: float = 0.0

    def height_at(self, x: float, y: float) -> float:
        """Return the height in m at one point."""
        return self.height0 + self.slope * (x - self.x0)

    def height(self, x: Floats, y: Floats) -> Floats:
        """Return the heights in m at points of the surface."""
        return self.height0 + self.slope * (x - self.x0)

    def gradient(self, x: Floats, y: Floats) -> Floats:
        """Return the slopes along x and y, in a last axis of 2."""
        return np.broadcast_to((self.slope, 0.0), (*x.shape, 2))


@dataclass(frozen=True, eq=False)
class Treads:
    """Level steps along x, between the edges (m) at which the next one begins."""

    edges: Floats  # (n + 1)
    heights: Floats  # (n)

    def height_at(self, x: float, y: float) -> float:
        """Return the height in m at one point."""
        return float(self.heights[_cell_at(self.edges, x)])

    def height(self, x: Floats, y: Floats) -> Floats:
        """Return the heights in m at points of the surface."""
        return self.heights[_cells(self.edges, x)]

    def gradient(self, x: Floats, y: Floats) -> Floats:
        """Return the slopes along x and y, in a last axis of 2."""
        return np.zeros((*x.shape, 2))


@dataclass(frozen=True, eq=False)
class HeightField:
    """
    Grid of heights, linear on two triangles per cell.

    The diagonal of each cell goes from its corner of least x and y to that of most x and y. The
    vertices on the border are at height 0, so that it joins flat ground without a step.
    """

    x: Floats  # (n) m, grid lines
    y: Floats  # (m) m
    z: Floats  # (n, m) m

    def height_at(self, x: float, y: float) -> float:
        """Return the height in m at one point."""
        i, j = _cell_at(self.x, x), _cell_at(self.y, y)
        x0, y0, z = self.x.item(i), self.y.item(j), self.z.item
        u = (x - x0) / (self.x.item(i + 1) - x0)
        v = (y - y0) / (self.y.item(j + 1) - y0)
        z00, z11 = z(i, j), z(i + 1, j + 1)
        if u >= v:
            z10 = z(i + 1, j)
            return z00 + u * (z10 - z00) + v * (z11 - z10)
        z01 = z(i, j + 1)
        return z00 + u * (z11 - z01) + v * (z01 - z00)

    def height(self, x: Floats, y: Floats) -> Floats:
        """Return the heights in m at points of the surface."""
        corner, u, v, du, dv = self._locate(x, y)
        return corner + u * du + v * dv

    def gradient(self, x: Floats, y: Floats) -> Floats:
        """Return the slopes along x and y, in a last axis of 2."""
        _, _, _, du, dv = self._locate(x, y)
        return np.stack((du, dv), axis=-1)

    def _locate(self, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return the cell's first corner height, the way from it (m) and the gradient there."""
        i, j = _cells(self.x, x), _cells(self.y, y)
        width, depth = self.x[i + 1] - self.x[i], self.y[j + 1] - self.y[j]
        u, v = x - self.x[i], y - self.y[j]
        z00, z10 = self.z[i, j], self.z[i + 1, j]
        z01, z11 = self.z[i, j + 1], self.z[i + 1, j + 1]
        right = u * depth >= v * width  # of the diagonal, seen along it
        du = np.where(right, z10 - z00, z11 - z01) / width
        dv = np.where(right, z11 - z10, z01 - z00) / depth
        return z00, u, v, du, dv


Surface = Incline | Treads | HeightField


@dataclass(frozen=True)
class Layer:
    """A feature ready for evaluation: its rectangle (m), friction and, unless a patch, surface."""

    x: tuple[float, float]
    y: tuple[float, float]
    friction: float
    surface: Surface | None

    def covers(self, x: Floats, y: Floats) -> NDArray[np.bool_]:
        """Say which points lie in the rectangle."""
        return (self.x[0] <= x) & (x < self.x[1]) & (self.y[0] <= y) & (y < self.y[1])


@dataclass(frozen=True, eq=False)
class Ground:
    """
    Flat ground at height 0 with features on it, of which later ones win.

    All methods broadcast positions x and y in m, and take any point of the plane.
    """

    features: tuple[Feature, ...]
    layers: tuple[Layer, ...]
    _search: tuple[tuple[float, float, float, float, Surface], ...] = field(repr=False)

    @classmethod
    def from_features(cls, features: Sequence[Feature], seed: int = 0) -> Ground:
        """Build the ground; the random heights of a feature depend on the seed and its index."""
        layers = tuple(
            Layer(item.x, item.y, item.friction, _surface(item, (seed, index)))
            for index, item in enumerate(features)
        )
        search = tuple(
            (*layer.x, *layer.y, layer.surface)
            for layer in reversed(layers)
            if layer.surface is not None
        )
        return cls(tuple(features), layers, search)

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the height of the ground in m."""
        px, py = _points(x, y)
        height = np.zeros(px.shape)
        for layer in self.layers:
            if layer.surface is not None and (inside := layer.covers(px, py)).any():
                height[inside] = layer.surface.height(px[inside], py[inside])
        return height

    def height_at(self, x: float, y: float) -> float:
        """Return the height in m at one point, fast."""
        for x0, x1, y0, y1, surface in self._search:
            if x0 <= x < x1 and y0 <= y < y1:
                return surface.height_at(x, y)
        return 0.0

    def normal(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the upward unit normals, in a last axis of 3."""
        px, py = _points(x, y)
        normal = np.zeros((*px.shape, 3))
        normal[..., 2] = 1.0
        for layer in self.layers:
            if layer.surface is not None and (inside := layer.covers(px, py)).any():
                normal[inside, :2] = -layer.surface.gradient(px[inside], py[inside])
        return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))

    def friction(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return the coefficient of friction."""
        px, py = _points(x, y)
        friction = np.full(px.shape, BASE_FRICTION)
        for layer in self.layers:
            friction[layer.covers(px, py)] = layer.friction
        return friction

    def owner(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the feature that sets the height, or -1 on flat ground."""
        px, py = _points(x, y)
        owner = np.full(px.shape, -1, dtype=np.int64)
        for index, layer in enumerate(self.layers):
            if layer.surface is not None:
                owner[layer.covers(px, py)] = index
        return owner


def _points(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    return px, py


def _surface(feature: Feature, entropy: tuple[int, int]) -> Surface | None:
    match feature:
        case kinds.Patch():
            return None
        case kinds.Box() | kinds.Barrier():
            return Incline(feature.x[0], feature.height)
        case kinds.Gap():
            return Incline(feature.x[0], -kinds.GAP_DEPTH)
        case kinds.Ramp():
            low, high = feature.height
            return Incline(feature.x[0], low, (high - low) / (feature.x[1] - feature.x[0]))
        case kinds.Steps():
            edges = _lines(feature.x, feature.depth)
            heights = np.random.default_rng(entropy).uniform(*feature.height, len(edges) - 1)
            return Treads(edges, heights)
        case kinds.Rough():
            x, y = _lines(feature.x, feature.cell), _lines(feature.y, feature.cell)
            z = np.zeros((len(x), len(y)))
            inner = z[1:-1, 1:-1]
            inner[:] = np.random.default_rng(entropy).uniform(0.0, feature.amplitude, inner.shape)
            return HeightField(x, y, z)


def _cells(lines: Floats, values: Floats) -> NDArray[np.int64]:
    """Return the index of the half-open cell between two lines that each value lies in."""
    return np.searchsorted(lines[1:-1], values, side='right')


def _cell_at(lines: Floats, value: float) -> int:
    return bisect_right(lines, value, 1, len(lines) - 1) - 1


def _lines(span: tuple[float, float], size: float) -> Floats:
    """Return the borders of the cells of a size that cover a span; the last may be narrower."""
    lines: Floats = span[0] + size * np.arange(count_cells(span, size) + 1, dtype=float)
    lines[-1] = span[1]
    return lines
