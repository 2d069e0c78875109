"""Random courses: one thing after the other along a way, and perhaps a wall at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, radians, tan

import numpy as np

from quadruped_control.evaluation.leap_courses import (
    APART,
    BARRIER_LENGTH,
    BARRIERS,
    GAPS,
    PLATFORMS,
)
from quadruped_control.evaluation.terrain import RUN_UP, SHORT_RUN_UP
from quadruped_control.evaluation.wild_things import (
    CELLS,
    DEPTHS,
    HIGHEST,
    LEAST_SLOPE,
    LONGEST,
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

WIDE, ROUGH_WIDE = 40.0, 10.0           # m to either side
FIRST, BETWEEN = (2.0, 4.0), (1.0, 4.0)     # m
THINGS, LEAPS = (4, 9), (3, 6)          # of a course
STEPS = (3, 8)                          # of stairs
TOPS = (1.5, 3.0)                       # m of level ground on top
SLOPE_LENGTHS, AREAS = (2.0, 4.0), (2.0, 8.0)       # m
BOX_LENGTHS, WALL_LENGTHS = (0.3, 2.0), (0.2, 1.0)  # m
LEASH, LEAPING_LEASH = 35.0, 10.0       # degrees to which it is gone over at an angle


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


def draw_course(rng: Rng, gait: str, asked: Asked, size: float, *, leaps: bool) -> World:
    """Return a course along an axis of the world, which the robot faces more or less."""
    way = Way(str(rng.choice(['x', 'y'])), int(rng.choice([-1, 1])))
    run_up = RUN_UP.get(gait, SHORT_RUN_UP) - SHORT_RUN_UP
    place = draw(rng, FIRST) * size + run_up * size
    elements: list[Element] = []
    makers = _list_makers(way, asked, leaps=leaps)
    for _ in range(int(rng.integers(*(LEAPS if leaps else THINGS)))):
        make = makers[int(rng.integers(len(makers)))]
        before = draw(rng, APART if leaps else BETWEEN) * size
        if rng.random() < WALL_SHARE and elements:
            make = _wall
        element, end = make(rng, way, round(place + before, 3), asked, size)
        if end > LONGEST:
            break
        elements.append(element)
        place = end
        if make is _wall:
            break
    leash = radians(LEAPING_LEASH if leaps else LEASH)
    heading = way.heading + draw(rng, (-leash, leash), 3)
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
    rise, tread = draw(rng, STAIR_RISES), draw(rng, TREADS) * size
    count = int(rng.integers(STEPS[0], STEPS[1] + 1))
    tops = [*range(1, count + 1), *range(count - 1, 0, -1)]
    widths = [*[tread] * (count - 1), draw(rng, TOPS) * size, *[tread] * (count - 1)]
    edges = (place + np.concatenate([[0.0], np.cumsum(widths)])).tolist()
    features = [way.place(a, b, kind='box', height=round(top * rise * size, 3))
                for a, b, top in zip(edges, edges[1:], tops, strict=False)]
    return Element(bound('stairs', 100 * rise, (7, 10, 13, 17), 'cm'), features), edges[-1]


def _ramp(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """Return a ramp up, level ground, and a ramp down."""
    angle = draw(rng, (LEAST_SLOPE, asked.slope))
    length = min(draw(rng, SLOPE_LENGTHS) * size, HIGHEST / tan(radians(angle)))
    rise, top = round(length * tan(radians(angle)), 3), draw(rng, TOPS) * size
    a, b, c, d = (place + far for far in (0.0, length, length + top, 2 * length + top))
    return Element(bound('ramp', angle, (10, 15, 20, 25), 'deg'), [
        way.place(a, b, kind='ramp', height=[0.0, rise]),
        way.place(b, c, kind='box', height=rise),
        way.place(c, d, kind='ramp', height=[rise, 0.0])]), d


def _steps(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + draw(rng, AREAS) * size
    return Element('random steps', [way.place(
        place, end, kind='steps', depth=round(draw(rng, DEPTHS) * size, 3),
        height=[0.0, round(draw(rng, (0.01, asked.steps)) * size, 3)])]), end


def _rough(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end, amplitude = place + draw(rng, AREAS) * size, draw(rng, (0.01, asked.rough))
    return Element(bound('rough', 100 * amplitude, (3, 6), 'cm'), [way.place(
        place, end, wide=ROUGH_WIDE * size, kind='rough', amplitude=round(amplitude * size, 3),
        cell=round(draw(rng, CELLS) * size, 3))]), end


def _patch(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + draw(rng, AREAS) * size
    return Element('slippery', [way.place(
        place, end, kind='patch', friction=draw(rng, (asked.friction, SLIPPERIEST)))]), end


def _box(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """Return a low step up and down, or a shallow trench."""
    end = place + draw(rng, BOX_LENGTHS) * size
    height = draw_box(rng, asked)
    return Element('trench' if height < 0.0 else 'block',
                   [way.place(place, end, kind='box', height=round(height * size, 3))]), end


def _wall(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    """What cannot be passed: the robot must stop before it."""
    end = place + draw(rng, WALL_LENGTHS) * size
    return Element(WALL, [way.place(
        place, end, kind='box', height=round(draw(rng, WALLS) * size, 3))]), end


def _gap(rng: Rng, way: Way, place: float, asked: Asked, size: float) -> tuple[Element, float]:
    end = place + draw(rng, GAPS) * size
    return Element('gap', [way.place(place, end, kind='gap')]), end


def _barrier(rng: Rng, way: Way, place: float, asked: Asked, size: float
             ) -> tuple[Element, float]:
    end = place + BARRIER_LENGTH * size
    return Element('barrier', [way.place(
        place, end, kind='barrier', height=round(draw(rng, BARRIERS) * size, 3))]), end


def _platform(rng: Rng, way: Way, place: float, asked: Asked, size: float
              ) -> tuple[Element, float]:
    end = place + draw(rng, APART) * size
    return Element('platform', [way.place(
        place, end, kind='box', height=round(draw(rng, PLATFORMS) * size, 3))]), end
