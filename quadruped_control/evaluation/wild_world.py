"""
Random ground: courses along a way, gardens of things on all sides, hillsides.

All is within what is asked of the gait by `evaluate terrain` and by courses of leaps, except for
walls, before which the robot must stop.
"""

from __future__ import annotations

from math import pi, radians, tan

from quadruped_control.evaluation.wild_course import draw_course
from quadruped_control.evaluation.wild_garden import draw_garden
from quadruped_control.evaluation.wild_things import (
    ASKED,
    HIGHEST,
    LEAST_SLOPE,
    LONGEST,
    Element,
    Rng,
    World,
    bound,
    draw,
)

SHARES = {'course': 0.55, 'garden': 0.35, 'hillside': 0.1}
ACROSS = 15.0                           # degrees of the steepest hillside
HILL = 14.0                             # m from its foot to its top


def draw_flat(rng: Rng) -> World:
    """Return flat ground, with the robot facing anywhere."""
    return World('flat', heading=draw(rng, (-pi, pi), 3))


def draw_world(rng: Rng, gait: str, size: float, *, leaps: bool, steepest: float) -> World:
    """
    Return ground with things on it.

    :param size: of the robot as a multiple of the dog's.
    :param leaps: the robot leaps over what is in its way.
    :param steepest: degrees of the slope that it can start on.
    """
    asked = ASKED.get(gait, ASKED['pace'])
    if leaps:
        return draw_course(rng, gait, asked, size, leaps=True)
    kind = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    if kind == 'course':
        return draw_course(rng, gait, asked, size, leaps=False)
    if kind == 'garden':
        return draw_garden(rng, asked, size)
    return _draw_hillside(rng, min(asked.slope, ACROSS, steepest), size)


def _draw_hillside(rng: Rng, steepest: float, size: float) -> World:
    """Return a long ridge; the robot starts half way up, facing anywhere."""
    angle = draw(rng, (LEAST_SLOPE, steepest))
    far = min(HILL * size, HIGHEST / tan(radians(angle)))
    rise = round(far * tan(radians(angle)), 3)
    sides = [{'kind': 'ramp', 'x': [-far, 0.0], 'y': [-LONGEST, LONGEST], 'height': [0.0, rise]},
             {'kind': 'ramp', 'x': [0.0, far], 'y': [-LONGEST, LONGEST], 'height': [rise, 0.0]}]
    return World('hillside', (Element(bound('hillside', angle, (10, 15), 'deg'), sides),),
                 draw(rng, (-pi, pi), 3), (round(-far / 2, 3), 0.0))
