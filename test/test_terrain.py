"""The ground follows its features, and solids have the same upper side and friction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from pydantic import TypeAdapter

from quadruped_control.terrain.features import Feature
from quadruped_control.terrain.ground import Ground, Layer
from quadruped_control.terrain.ground_table import tabulate
from quadruped_control.terrain.pieces import merge, pieces
from quadruped_control.terrain.solids import Box, Mesh, Plane, Solid, Wedge, solids

Floats = NDArray[np.float64]

BOX = {'kind': 'box', 'x': (3.0, 3.5), 'y': (-2.0, 2.0), 'height': 0.05, 'friction': 0.9}
GAP = {'kind': 'gap', 'x': (6.0, 7.2)}
RAMP = {'kind': 'ramp', 'x': (8.0, 10.0), 'y': (-2.0, 2.0), 'height': (0.0, 0.3)}
STEPS = {'kind': 'steps', 'x': (0.0, 1.0), 'y': (-1.0, 1.0), 'depth': 0.3, 'height': (0.02, 0.06)}
ROUGH = {'kind': 'rough', 'x': (0.0, 2.0), 'y': (-1.0, 1.0), 'amplitude': 0.1, 'cell': 0.15}
PATCH = {'kind': 'patch', 'x': (2.9, 3.3), 'y': (0.0, 1.0), 'friction': 0.3}
BARRIER = {'kind': 'barrier', 'x': (0.5, 0.6), 'y': (-0.5, 0.5), 'height': 0.4}


def build(*features: dict[str, Any], seed: int = 0) -> Ground:
    adapter: TypeAdapter[Any] = TypeAdapter(Feature)
    return Ground.from_features([adapter.validate_python(item) for item in features], seed)


TERRAINS = {
    'flat': build(),
    'raised': build(BOX, RAMP, STEPS | {'x': (11.0, 12.0)}, ROUGH, BARRIER, seed=3),
    'gap': build(BOX, GAP, RAMP, ROUGH, seed=4),
    'slippery': build(BOX, PATCH),
    'slippery rough': build(ROUGH | {'friction': 0.5}, BARRIER),
    'patched rough': build(ROUGH, PATCH | {'x': (0.31, 1.27), 'y': (-0.44, 3.0)}),
    'cut': build(
        ROUGH,
        RAMP | {'x': (1.03, 1.9), 'y': (-0.3, 0.41), 'height': (-0.2, 0.3)},
        STEPS | {'x': (0.22, 1.4), 'y': (-0.7, 0.0)},
        PATCH | {'x': (-0.5, 0.8), 'y': (-0.8, 0.1)},
        BOX | {'x': (0.4, 0.9), 'y': (-0.1, 0.1), 'height': -0.3},
        BOX | {'x': (0.9, 1.2), 'y': (-0.1, 0.1), 'height': -0.3},
        seed=9,
    ),
    'narrow rough': build(ROUGH | {'y': (0.0, 0.1), 'friction': 0.4}),
    'everything': build(GAP | {'x': (-100.0, 100.0)}, BOX),
}


def sample(count: int, seed: int = 1) -> Floats:
    """Return points (2, n) around all features, denser near the origin."""
    rng = np.random.default_rng(seed)
    near = rng.uniform((-0.5, -1.3), (2.5, 1.3), (count // 2, 2))
    far = rng.uniform((-4.0, -4.0), (14.0, 4.0), (count // 2, 2))
    points: Floats = np.concatenate((near, far)).T
    return points


def cast_down(bodies: list[Solid], x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the height and the friction of the first body below each point."""
    height, friction = np.full(x.shape, -np.inf), np.full(x.shape, np.nan)
    for body in bodies:
        top = body_top(body, x, y)
        above = top > height + 1e-12
        height[above], friction[above] = top[above], body.friction
    return height, friction


def body_top(body: Solid, x: Floats, y: Floats) -> Floats:
    if isinstance(body, Plane):
        return np.full(x.shape, body.height)
    if isinstance(body, Box):
        (cx, cy, cz), (hx, hy, hz) = body.centre, body.half_extents
        inside = (abs(x - cx) <= hx) & (abs(y - cy) <= hy)
        return np.where(inside, cz + hz, -np.inf)
    if isinstance(body, Wedge):
        corners = body.vertices[body.triangles[2:4]]
    else:
        corners = body.vertices[body.triangles]
    top = np.full(x.shape, -np.inf)
    for triangle in corners:
        top = np.maximum(top, triangle_height(triangle, x, y))
    return top


def triangle_height(corners: Floats, x: Floats, y: Floats) -> Floats:
    (a, b, c) = corners
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if abs(area) < 1e-14:
        return np.full(x.shape, -np.inf)
    v = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
    w = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
    inside = (v >= -1e-9) & (w >= -1e-9) & (v + w <= 1.0 + 1e-9)
    return np.where(inside, a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2]), -np.inf)


def test_known_heights() -> None:
    ground = build(BOX, GAP, RAMP)
    x = [0.0, 3.0, 3.2, 3.5, 6.5, 7.2, 8.0, 9.0, 9.999999, 10.0]
    expected = [0.0, 0.05, 0.05, 0.0, -2.0, 0.0, 0.0, 0.15, 0.3, 0.0]
    assert_allclose(ground.height(x, 0.0), expected, atol=1e-6)
    assert_allclose(ground.height(x, 2.0)[[2, 4, 7]], [0.0, -2.0, 0.0])
    assert_allclose(ground.height(6.5, [-100.0, 100.0]), [-2.0, 0.0])


def test_known_normals() -> None:
    ground = build(BOX, RAMP)
    assert_allclose(ground.normal([0.0, 3.2], 0.0), [[0.0, 0.0, 1.0]] * 2)
    angle = np.arctan2(0.3, 2.0)
    assert_allclose(ground.normal(9.0, 0.0), [-np.sin(angle), 0.0, np.cos(angle)])


def test_later_features_win_and_patches_keep_the_height() -> None:
    ground = build(BOX, PATCH, BOX | {'x': (3.2, 3.4), 'height': 0.2, 'friction': 0.7})
    x = [2.95, 3.1, 3.1, 3.25, 3.45]
    y = [0.5, 0.5, -0.5, 0.5, 0.5]
    assert_allclose(ground.height(x, y), [0.0, 0.05, 0.05, 0.2, 0.05])
    assert_allclose(ground.friction(x, y), [0.3, 0.3, 0.9, 0.7, 0.9])
    assert ground.owner(x, y).tolist() == [-1, 0, 0, 2, 0]


def test_steps_are_level_and_within_their_limits() -> None:
    ground = build(STEPS, seed=5)
    x = np.array([0.0, 0.29, 0.3, 0.59, 0.6, 0.89, 0.9, 0.999])
    height = ground.height(x, 0.0).reshape(4, 2)
    assert_allclose(height[:, 0], height[:, 1])
    assert len(np.unique(height)) == 4
    assert height.min() >= 0.02 and height.max() <= 0.06


def test_rough_ground_is_continuous_zero_at_its_border_and_bounded() -> None:
    ground = build(ROUGH, seed=2)
    x, y = sample(4000)
    height = ground.height(x, y)
    assert 0.05 < height.max() <= 0.1 and height.min() == 0.0
    assert_allclose(ground.height(x + 1e-9, y + 1e-9), height, atol=1e-8)
    assert_allclose(ground.height(np.linspace(0.0, 2.0, 50), -1.0), 0.0)
    assert_allclose(ground.height(2.0 - 1e-9, np.linspace(-1.0, 1.0, 50)), 0.0, atol=1e-8)


def test_seed_and_index_decide_the_random_heights() -> None:
    x, y = sample(400)
    first = build(ROUGH, seed=1).height(x, y)
    assert_allclose(build(ROUGH, seed=1).height(x, y), first, rtol=0.0)
    assert not np.allclose(build(ROUGH, seed=2).height(x, y), first)
    more = build(ROUGH, STEPS | {'x': (50.0, 51.0)}, seed=1)
    assert_allclose(more.height(x, y), first, rtol=0.0)
    both = build(ROUGH, ROUGH | {'x': (2.0, 4.0)}, seed=1)
    assert not np.allclose(both.height(x + 2.0, y), both.height(x, y))


@pytest.mark.parametrize('name', TERRAINS)
def test_one_point_agrees_with_many(name: str) -> None:
    ground = TERRAINS[name]
    x, y = sample(600)
    one = [ground.height_at(px, py) for px, py in zip(x.tolist(), y.tolist(), strict=True)]
    assert_allclose(one, ground.height(x, y), atol=1e-12)


@pytest.mark.parametrize('name', TERRAINS)
def test_normals_are_unit_and_follow_the_heights(name: str) -> None:
    ground = TERRAINS[name]
    x, y = sample(4000)
    normal = ground.normal(x, y)
    assert_allclose(np.linalg.norm(normal, axis=-1), 1.0)
    step = 1e-6
    around = [ground.normal(x + dx, y + dy) for dx in (-step, step) for dy in (-step, step)]
    same = np.all(abs(np.array(around) - normal) < 1e-9, axis=(0, 2))
    slope_x = (ground.height(x + step, y) - ground.height(x - step, y)) / (2 * step)
    slope_y = (ground.height(x, y + step) - ground.height(x, y - step)) / (2 * step)
    same &= (abs(slope_x) < 1e3) & (abs(slope_y) < 1e3)
    assert same.mean() > 0.99
    expected = np.stack((-slope_x, -slope_y, np.ones_like(x)), axis=-1)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    assert_allclose(normal[same], expected[same], atol=1e-6)


@pytest.mark.parametrize('name', TERRAINS)
def test_solids_have_the_height_and_friction_of_the_ground(name: str) -> None:
    ground = TERRAINS[name]
    x, y = sample(1000)
    height, friction = cast_down(solids(ground), x, y)
    assert_allclose(height, ground.height(x, y), atol=1e-12)
    assert_allclose(friction, ground.friction(x, y))


@pytest.mark.parametrize('name', TERRAINS)
def test_pieces_cover_every_point_once(name: str) -> None:
    x, y = sample(1000)
    for parts in (pieces(TERRAINS[name]), merge(pieces(TERRAINS[name]))):
        covered = sum(
            ((p.x[0] <= x) & (x < p.x[1]) & (p.y[0] <= y) & (y < p.y[1])).astype(int)
            for p in parts
        )
        assert np.all(covered == 1)


def test_flat_ground_is_one_plane_while_that_is_possible() -> None:
    assert solids(TERRAINS['flat']) == [Plane(0.0, 1.0)]
    assert [type(body) for body in solids(build(BOX, RAMP))] == [Plane, Box, Wedge]
    for name in ('gap', 'slippery', 'slippery rough', 'narrow rough'):
        assert not any(isinstance(body, Plane) for body in solids(TERRAINS[name]))


def test_neighbours_that_look_the_same_become_one() -> None:
    row = [BOX | {'x': (3.0 + 0.5 * i, 3.5 + 0.5 * i)} for i in range(4)]
    assert len(solids(build(*row))) == 2
    stairs = STEPS | {'height': (0.1, 0.1)}
    assert len(solids(build(stairs))) == 2


def test_walls_of_a_pit_reach_its_floor() -> None:
    for body in solids(TERRAINS['gap']):
        if isinstance(body, Box):
            assert_allclose(body.centre[2] - body.half_extents[2], -2.5)


def test_meshes_look_up_and_close_their_sides() -> None:
    ground = TERRAINS['cut']
    for body in solids(ground):
        if isinstance(body, Mesh):
            a, b, c = np.moveaxis(body.vertices[body.triangles], 1, 0)
            normal = np.cross(b - a, c - a)
            assert np.all(normal[:, 2] > -1e-12)
            assert_allclose(body.vertices[:, 2].min(), -0.05)
            assert_open_edges_are_low(body)


def assert_open_edges_are_low(mesh: Mesh) -> None:
    """Check by the divergence theorem that area vectors of the mesh sum up to its plan area."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    area = np.cross(b - a, c - a).sum(axis=0) / 2
    assert_allclose(area[:2], 0.0, atol=1e-12)


def test_wedges_are_closed() -> None:
    (wedge,) = (body for body in solids(build(RAMP)) if isinstance(body, Wedge))
    a, b, c = np.moveaxis(wedge.vertices[wedge.triangles], 1, 0)
    assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0.0, atol=1e-12)
    volume = np.einsum('ij,ij->', a, np.cross(b, c)) / 6
    assert_allclose(volume, 2.0 * 4.0 * (0.5 + 0.15))


def test_large_rough_ground_is_split_into_meshes_that_engines_take() -> None:
    ground = build(ROUGH | {'x': (0.0, 12.0), 'y': (-6.0, 6.0), 'cell': 0.04})
    meshes = [body for body in solids(ground) if isinstance(body, Mesh)]
    assert len(meshes) == 2
    assert max(len(mesh.vertices) for mesh in meshes) < 131_072
    assert sum(len(mesh.triangles) for mesh in meshes) > 180_000


class Waves:
    """A surface that somebody adds."""


def test_a_surface_that_the_controllers_table_does_not_know_is_no_flat_ground() -> None:
    ground = Ground.from_features(())
    with_waves = replace(ground, layers=(
        Layer((0.0, 1.0), (0.0, 1.0), 1.0, Waves()),))         # type: ignore[arg-type]
    with pytest.raises(AssertionError, match='Waves'):
        tabulate(with_waves)
