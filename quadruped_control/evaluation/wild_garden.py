"""Random gardens: things on all sides, wherever a robot is driven."""

from __future__ import annotations

from math import pi

from quadruped_control.evaluation.wild_things import (
    CELLS,
    DEPTHS,
    SLIPPERIEST,
    STAIR_RISES,
    TREADS,
    WALL,
    WALL_SHARE,
    WALLS,
    Asked,
    Element,
    Feature,
    Rng,
    World,
    bound,
    draw,
    draw_box,
)

GARDEN, CELL, FULL = 2, 8.0, 0.75       # cells to each side, m from one to the next, share filled
SIZES = (0.8, 2.4)                      # m, half of a thing
ASIDE = 1.0                             # m from the middle of its cell
STEPS = (2, 4)                          # of a pyramid
TOP = 0.8                               # m, half of its top at least


def draw_garden(rng: Rng, asked: Asked, size: float) -> World:
    """Return things in the cells of a grid; the robot starts in the middle, facing anywhere."""
    elements = []
    for i in range(-GARDEN, GARDEN + 1):
        for j in range(-GARDEN, GARDEN + 1):
            if (i or j) and rng.random() < FULL:
                x, y = (CELL * size * n + draw(rng, (-ASIDE, ASIDE)) * size for n in (i, j))
                elements.append(_draw_thing(rng, x, y, asked, size))
    return World('garden', tuple(elements), draw(rng, (-pi, pi), 3))


def _draw_thing(rng: Rng, x: float, y: float, asked: Asked, size: float) -> Element:
    kinds = ['rough', 'slippery', 'steps', 'block', *(['pyramid'] * 2 if asked.stairs else [])]
    kind = WALL if rng.random() < WALL_SHARE else str(rng.choice(kinds))
    a, b = (draw(rng, SIZES) * size for _ in range(2))

    def area(far_x: float, far_y: float, **more: object) -> Feature:
        return {'kind': more.pop('kind'), 'x': [round(x - far_x, 3), round(x + far_x, 3)],
                'y': [round(y - far_y, 3), round(y + far_y, 3)], **more}

    if kind == 'rough':
        amplitude = draw(rng, (0.01, asked.rough))
        return Element(bound('rough', 100 * amplitude, (3, 6), 'cm'), [area(
            a, b, kind='rough', amplitude=round(amplitude * size, 3),
            cell=round(draw(rng, CELLS) * size, 3))])
    if kind == 'slippery':
        return Element('slippery', [area(
            a, b, kind='patch', friction=draw(rng, (asked.friction, SLIPPERIEST)))])
    if kind == 'steps':
        return Element('random steps', [area(
            a, b, kind='steps', depth=round(draw(rng, DEPTHS) * size, 3),
            height=[0.0, round(draw(rng, (0.01, asked.steps)) * size, 3)])])
    if kind == 'pyramid':
        rise, tread = draw(rng, STAIR_RISES), draw(rng, TREADS) * size
        count, top = int(rng.integers(STEPS[0], STEPS[1] + 1)), TOP * size
        return Element(bound('pyramid', 100 * rise, (7, 10, 13, 17), 'cm'), [
            area(*(far + (count - n) * tread for far in (max(a / 2, top), max(b / 2, top))),
                 kind='box', height=round(n * rise * size, 3)) for n in range(1, count + 1)])
    if kind == WALL:
        return Element(WALL, [area(0.5 * a, 0.5 * b, kind='box',
                                     height=round(draw(rng, WALLS) * size, 3))])
    height = draw_box(rng, asked)
    return Element('trench' if height < 0.0 else 'block',
                   [area(a, b, kind='box', height=round(height * size, 3))])
