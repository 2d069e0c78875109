"""What stands on random ground, and how much of it is asked of each gait."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quadruped_control.control.ladder import AUTO

Span = tuple[float, float]
Feature = dict[str, Any]
Rng = np.random.Generator

LONGEST = 90.0                          # m to which features reach
HIGHEST = 4.5                           # m of any slope, for a robot of any size
STAIR_RISES, TREADS = (0.04, 0.17), (0.28, 0.35)    # m
LEAST_SLOPE = 4.0                       # degrees
DEPTHS, CELLS = (0.25, 0.6), (0.12, 0.25)           # m of random steps, of rough ground
BOXES = (0.02, 0.10)                    # m high
TRENCHES = 0.3                          # share of them that are as deep
WALL = 'wall'                           # what such an element is called
WALLS = (0.7, 1.2)                      # m high
WALL_SHARE = 0.05                       # of all things
SLIPPERIEST = 0.8                       # friction from which a patch counts as slippery


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


def draw(rng: Rng, span: Span, digits: int = 2) -> float:
    """Return a number from a span, with few digits, as scenario files have them."""
    return round(float(rng.uniform(*span)), digits)


def draw_box(rng: Rng, asked: Asked) -> float:
    """Return the height of a low block, or the depth of a trench, m."""
    height = draw(rng, (BOXES[0], BOXES[1] if asked.stairs else asked.steps))
    return -height if rng.random() < TRENCHES else height


def bound(what: str, value: float, bounds: tuple[float, ...], unit: str) -> str:
    """Name a thing by the least bound that it is below."""
    bound = next((bound for bound in bounds if value <= bound + 1e-6), bounds[-1])
    return f'{what} to {bound:g} {unit}'
