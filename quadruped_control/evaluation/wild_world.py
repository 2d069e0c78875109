"""
Random ground: courses along a way, gardens of things on all sides, hillsides.

All is within what is asked of the gait by `evaluate terrain` and by courses of leaps, except for
walls, before which the robot must stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi, radians, tan
from typing import Any

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.evaluation.leap_courses import (
    APART,
    BARRIER_LENGTH,
    BARRIERS,
    GAPS,
    PLATFORMS,
)
from quadruped_control.evaluation.terrain import RUN_UP, SHORT_RUN_UP

Span = tuple[float, float]
Feature = dict[str, Any]
Rng = np.random.Generator

WIDE = 40.0                             # m to either side
LONGEST = 90.0                          # m to which features reach
FIRST, BETWEEN = (2.0, 4.0), (1.0, 4.0)     # m
COURSE, LEAPS = (4, 9), (3, 6)          # elements of a course
STAIR_RISES, TREADS, STEPS = (0.04, 0.17), (0.28, 0.35), (3, 8)     # m, m, how many
TOPS = (1.5, 3.0)                       # m of level ground on top
SLOPE_LENGTHS, AREAS = (2.0, 4.0), (2.0, 8.0)       # m
LEAST_SLOPE = 4.0                       # degrees
DEPTHS, CELLS = (0.25, 0.6), (0.12, 0.25)           # m of random steps, of rough ground
BOXES, BOX_LENGTHS = (0.02, 0.10), (0.3, 2.0)       # m high, long
WALLS, WALL_LENGTHS = (0.7, 1.2), (0.2, 1.0)        # m
SLIPPERIEST = 0.8                       # friction from which a patch counts as slippery
ACROSS = 15.0                           # degrees of the steepest hillside
HILL = 14.0                             # m from its foot to its top
HIGHEST = 4.5                           # m of any slope, for a robot of any size
GARDEN, CELL, FULL = 2, 8.0, 0.75       # cells to each side, m from one to the next, share filled
GARDEN_SIZE = 2.4                       # m, half of the greatest thing in it
WALL_SHARE = 0.05                       # of all elements


@dataclass(frozen=True)
class Asked:
    """
    What ground a gait must go over.

    :param stairs: as steep as any.
    :param slope: degrees; steps and roughness in m.
    """

    stairs: bool
    slope: float
    steps: float
    rough: float
    friction: float


HARDEST = Asked(True, 25.0, 0.06, 0.06, 0.3)
ASKED = {
    AUTO: HARDEST,
    'walk': Asked(False, 25.0, 0.06, 0.06, 0.3),
    'trot': Asked(False, 20.0, 0.06, 0.06, 0.3),
    'pace': Asked(False, 10.0, 0.06, 0.03, 0.5),
    'canter': Asked(False, 10.0, 0.04, 0.03, 0.5),
    'transverse_gallop': Asked(False, 10.0, 0.02, 0.03, 0.5),
    'rotary_gallop': Asked(False, 10.0, 0.02, 0.03, 0.5),
}


@dataclass(frozen=True)
class Element:
    """A thing on the ground: its name in the report, and the features it is made of."""

    label: str
    features: list[Feature] = field(hash=False)


@dataclass(frozen=True)
class World:
    """
    What the robot is put on.

    :param leash: rad that a driver turns away from the heading at most; None: as he likes.
    """

    kind: str
    elements: tuple[Element, ...] = ()
    heading: float = 0.0
    position: tuple[float, float] = (0.0, 0.0)
    leash: float | None = None

    @property
    def features(self) -> list[Feature]:
        """All features, in the order of the elements."""
        return [feature for element in self.elements for feature in element.features]


def draw_flat(rng: Rng) -> World:
    """Return flat ground, with the robot facing anywhere."""
    return World('flat', heading=_draw(rng, (-pi, pi), 3))


def draw_world(rng: Rng, gait: str, size: float, *, leaps: bool, steepest: float) -> World:
    """
    Return ground with things on it.

    :param size: of the robot as a multiple of the dog's.
    :param leaps: the robot leaps over what is in its way.
    :param steepest: degrees of the slope that it can start on.
    """
    asked = ASKED.get(gait, ASKED['pace'])
    if leaps:
        return _draw_course(rng, gait, asked, size, leaps=True)
    kind = str(rng.choice(['course', 'garden', 'hillside'], p=[0.55, 0.35, 0.1]))
    if kind == 'course':
        return _draw_course(rng, gait, asked, size, leaps=False)
    if kind == 'garden':
        return _draw_garden(rng, asked, size)
    return _draw_hillside(rng, min(asked.slope, ACROSS, steepest), size)


def _draw(rng: Rng, span: Span, digits: int = 2) -> float:
    return round(float(rng.uniform(*span)), digits)


# Along a way: elements begin at a place and give features by (from, to, height or heights).


@dataclass(frozen=True)
class Way:
    """A direction along an axis of the world, in which a course goes."""

    axis: str
    sign: int

    @property
    def heading(self) -> float:
        """The direction in rad."""
        return (0.0 if self.sign > 0 else pi) if self.axis == 'x' else self.sign * pi / 2

    def place(self, begin: float, end: float, wide: float = WIDE, **more: object) -> Feature:
        """Return a feature from and to so many m along the way."""
        along = [begin, end] if self.sign > 0 else [-end, -begin]
        across = [-wide, wide]
        spans = {'x': along, 'y': across} if self.axis == 'x' else {'x': across, 'y': along}
        heights = more.get('height')
        if more.get('kind') == 'ramp' and isinstance(heights, list) and self.sign < 0:
            more = {**more, 'height': heights[::-1]}
        return {'kind': more.pop('kind'), **{axis: [round(end, 3) for end in span]
                                             for axis, span in spans.items()}, **more}


def _draw_course(rng: Rng, gait: str, asked: Asked, size: float, *, leaps: bool) -> World:
    way = Way(str(rng.choice(['x', 'y'])), int(rng.choice([-1, 1])))
    run_up = RUN_UP.get(gait, SHORT_RUN_UP) - SHORT_RUN_UP
    place = _draw(rng, FIRST) * size + run_up * size
    elements: list[Element] = []
    makers = _list_makers(way, asked, leaps=leaps)
    for _ in range(int(rng.integers(*(LEAPS if leaps else COURSE)))):
        make = makers[int(rng.integers(len(makers)))]
        before = _draw(rng, APART if leaps else BETWEEN) * size
        if rng.random() < WALL_SHARE and elements:
            make = _wall
        element, end = make(rng, way, round(place + before, 3), asked, size)
        if end > LONGEST:
            break
        elements.append(element)
        place = end
        if make is _wall:
            break
    leash = radians(10.0 if leaps else 35.0)
    heading = way.heading + _draw(rng, (-leash, leash), 3)
    return World('leaps' if leaps else 'course', tuple(elements),
                 round((heading + pi) % (2 * pi) - pi, 3), leash=leash)


Maker = Callable[[Rng, Way, float, Asked, float], tuple[Element, float]]


def _list_makers(way: Way, asked: Asked, *, leaps: bool) -> list[Maker]:
    makers: list[Maker] = [_steps, _rough, _patch, _box]
    makers += [_ramp, _ramp] if way.axis == 'x' else []
    makers += [_stairs, _stairs] if asked.stairs else []
    return [*makers, *[_gap, _barrier, _platform] * 2] if leaps else makers


def _stairs(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """Stairs up, a landing, and stairs down."""
    rise, tread = _draw(rng, STAIR_RISES), _draw(rng, TREADS) * size
    count = int(rng.integers(STEPS[0], STEPS[1] + 1))
    tops = [*range(1, count + 1), *range(count - 1, 0, -1)]
    widths = [*[tread] * (count - 1), _draw(rng, TOPS) * size, *[tread] * (count - 1)]
    edges = (place + np.concatenate([[0.0], np.cumsum(widths)])).tolist()
    features = [way.place(a, b, kind='box', height=round(top * rise * size, 3))
                for a, b, top in zip(edges, edges[1:], tops, strict=False)]
    return Element(_bound('stairs', 100 * rise, (7, 10, 13, 17), 'cm'), features), edges[-1]


def _ramp(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """Return a ramp up, level ground, and a ramp down."""
    angle = _draw(rng, (LEAST_SLOPE, asked.slope))
    length = min(_draw(rng, SLOPE_LENGTHS) * size, HIGHEST / tan(radians(angle)))
    rise, top = round(length * tan(radians(angle)), 3), _draw(rng, TOPS) * size
    a, b, c, d = (place + far for far in (0.0, length, length + top, 2 * length + top))
    return Element(_bound('ramp', angle, (10, 15, 20, 25), 'deg'), [
        way.place(a, b, kind='ramp', height=[0.0, rise]),
        way.place(b, c, kind='box', height=rise),
        way.place(c, d, kind='ramp', height=[rise, 0.0])]), d


def _steps(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + _draw(rng, AREAS) * size
    return Element('random steps', [way.place(
        place, end, kind='steps', depth=round(_draw(rng, DEPTHS) * size, 3),
        height=[0.0, round(_draw(rng, (0.01, asked.steps)) * size, 3)])]), end


def _rough(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end, amplitude = place + _draw(rng, AREAS) * size, _draw(rng, (0.01, asked.rough))
    return Element(_bound('rough', 100 * amplitude, (3, 6), 'cm'), [way.place(
        place, end, wide=10.0 * size, kind='rough', amplitude=round(amplitude * size, 3),
        cell=round(_draw(rng, CELLS) * size, 3))]), end


def _patch(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + _draw(rng, AREAS) * size
    return Element('slippery', [way.place(
        place, end, kind='patch', friction=_draw(rng, (asked.friction, SLIPPERIEST)))]), end


def _box(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """Return a low step up and down, or a shallow trench."""
    end = place + _draw(rng, BOX_LENGTHS) * size
    height = _draw(rng, (BOXES[0], BOXES[1] if asked.stairs else asked.steps))
    height = -height if rng.random() < 0.3 else height
    return Element('trench' if height < 0.0 else 'block',
                   [way.place(place, end, kind='box', height=round(height * size, 3))]), end


def _wall(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """What cannot be passed: the robot must stop before it."""
    end = place + _draw(rng, WALL_LENGTHS) * size
    return Element('wall', [way.place(
        place, end, kind='box', height=round(_draw(rng, WALLS) * size, 3))]), end


def _gap(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + _draw(rng, GAPS) * size
    return Element('gap', [way.place(place, end, kind='gap')]), end


def _barrier(rng: Rng, way: Way, place: float, asked: Asked, size: float
             ) -> tuple[Element, float]:
    end = place + BARRIER_LENGTH * size
    return Element('barrier', [way.place(
        place, end, kind='barrier', height=round(_draw(rng, BARRIERS) * size, 3))]), end


def _platform(rng: Rng, way: Way, place: float, asked: Asked, size: float
              ) -> tuple[Element, float]:
    end = place + _draw(rng, APART) * size
    return Element('platform', [way.place(
        place, end, kind='box', height=round(_draw(rng, PLATFORMS) * size, 3))]), end


def _bound(what: str, value: float, bounds: tuple[float, ...], unit: str) -> str:
    """Name a thing by the least bound that it is below."""
    bound = next((bound for bound in bounds if value <= bound + 1e-6), bounds[-1])
    return f'{what} to {bound:g} {unit}'


# On all sides


def _draw_garden(rng: Rng, asked: Asked, size: float) -> World:
    """Return things in the cells of a grid; the robot starts in the middle, facing anywhere."""
    elements = []
    for i in range(-GARDEN, GARDEN + 1):
        for j in range(-GARDEN, GARDEN + 1):
            if (i or j) and rng.random() < FULL:
                x, y = (CELL * size * n + _draw(rng, (-1.0, 1.0)) * size for n in (i, j))
                elements.append(_draw_thing(rng, x, y, asked, size))
    return World('garden', tuple(elements), _draw(rng, (-pi, pi), 3))


def _draw_thing(rng: Rng, x: float, y: float, asked: Asked, size: float) -> Element:
    kinds = ['rough', 'slippery', 'steps', 'block', *(['pyramid'] * 2 if asked.stairs else [])]
    kind = 'wall' if rng.random() < WALL_SHARE else str(rng.choice(kinds))
    a, b = (_draw(rng, (0.8, GARDEN_SIZE)) * size for _ in range(2))

    def area(far_x: float, far_y: float, **more: object) -> Feature:
        return {'kind': more.pop('kind'), 'x': [round(x - far_x, 3), round(x + far_x, 3)],
                'y': [round(y - far_y, 3), round(y + far_y, 3)], **more}

    if kind == 'rough':
        amplitude = _draw(rng, (0.01, asked.rough))
        return Element(_bound('rough', 100 * amplitude, (3, 6), 'cm'), [area(
            a, b, kind='rough', amplitude=round(amplitude * size, 3),
            cell=round(_draw(rng, CELLS) * size, 3))])
    if kind == 'slippery':
        return Element('slippery', [area(
            a, b, kind='patch', friction=_draw(rng, (asked.friction, SLIPPERIEST)))])
    if kind == 'steps':
        return Element('random steps', [area(
            a, b, kind='steps', depth=round(_draw(rng, DEPTHS) * size, 3),
            height=[0.0, round(_draw(rng, (0.01, asked.steps)) * size, 3)])])
    if kind == 'pyramid':
        rise, tread = _draw(rng, STAIR_RISES), _draw(rng, TREADS) * size
        count, top = int(rng.integers(2, 5)), 0.8 * size
        return Element(_bound('pyramid', 100 * rise, (7, 10, 13, 17), 'cm'), [
            area(*(far + (count - n) * tread for far in (max(a / 2, top), max(b / 2, top))),
                 kind='box', height=round(n * rise * size, 3)) for n in range(1, count + 1)])
    if kind == 'wall':
        return Element('wall', [area(0.5 * a, 0.5 * b, kind='box',
                                     height=round(_draw(rng, WALLS) * size, 3))])
    height = _draw(rng, (BOXES[0], BOXES[1] if asked.stairs else asked.steps))
    height = -height if rng.random() < 0.3 else height
    return Element('trench' if height < 0.0 else 'block',
                   [area(a, b, kind='box', height=round(height * size, 3))])


def _draw_hillside(rng: Rng, steepest: float, size: float) -> World:
    """Return a long ridge; the robot starts half way up, facing anywhere."""
    angle = _draw(rng, (LEAST_SLOPE, steepest))
    far = min(HILL * size, HIGHEST / tan(radians(angle)))
    rise = round(far * tan(radians(angle)), 3)
    sides = [{'kind': 'ramp', 'x': [-far, 0.0], 'y': [-LONGEST, LONGEST], 'height': [0.0, rise]},
             {'kind': 'ramp', 'x': [0.0, far], 'y': [-LONGEST, LONGEST], 'height': [rise, 0.0]}]
    return World('hillside', (Element(_bound('hillside', angle, (10, 15), 'deg'), sides),),
                 _draw(rng, (-pi, pi), 3), (round(-far / 2, 3), 0.0))
