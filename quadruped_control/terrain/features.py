"""What may stand on the ground: the features of a terrain as a scenario file lists them."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from quadruped_control.loading import Schema, refusal

GAP_DEPTH = 2.0  # m, of the contract of scenarios
LEAST_SIDE = 0.01  # m, of a feature
MOST_CELLS = 250_000  # of one terrain: bounds the memory that an input can ask for


def _increasing(span: tuple[float, float]) -> tuple[float, float]:
    if span[1] - span[0] < LEAST_SIDE:
        raise refusal(f'[least, most] with most at least {LEAST_SIDE} m above least')
    return span


def _ordered(span: tuple[float, float]) -> tuple[float, float]:
    if span[1] < span[0]:
        raise refusal('[least, most] with least <= most')
    return span


Coordinate = Annotated[float, Field(ge=-100.0, le=100.0)]
Span = Annotated[tuple[Coordinate, Coordinate], AfterValidator(_increasing)]
Height = Annotated[float, Field(ge=-2.0, le=5.0)]
Friction = Annotated[float, Field(gt=0.0, le=2.0)]


class _Rectangle(Schema):
    """Area that a feature covers, in m: half open, x[0] <= x < x[1] and the same in y."""

    x: Span
    y: Span = (-100.0, 100.0)

    @property
    def cells(self) -> int:
        """Number of pieces that the feature is made of."""
        return 1


class Box(_Rectangle):
    """Level area at a height (m); a pit if the height is negative."""

    kind: Literal['box']
    height: Height
    friction: Friction = 1.0


class Gap(_Rectangle):
    """No ground: a floor 2 m below."""

    kind: Literal['gap']
    friction: Friction = 1.0


class Ramp(_Rectangle):
    """Plane that goes from the first height (m) at x[0] to the second at x[1]."""

    kind: Literal['ramp']
    height: tuple[Height, Height]
    friction: Friction = 1.0


class Steps(_Rectangle):
    """Level treads one after the other along x, `depth` m long, each at a random height (m)."""

    kind: Literal['steps']
    depth: Annotated[float, Field(ge=0.05, le=200.0)]
    height: Annotated[tuple[Height, Height], AfterValidator(_ordered)]
    friction: Friction = 1.0

    @property
    def cells(self) -> int:
        """Number of treads; the last one may be shorter."""
        return count_cells(self.x, self.depth)


class Rough(_Rectangle):
    """Random height field from 0 to `amplitude` m on a grid of `cell` m."""

    kind: Literal['rough']
    amplitude: Annotated[float, Field(gt=0.0, le=0.5)]
    cell: Annotated[float, Field(ge=0.03, le=100.0)]
    friction: Friction = 1.0

    @property
    def cells(self) -> int:
        """Number of squares of the grid; the last of a row may be narrower."""
        return count_cells(self.x, self.cell) * count_cells(self.y, self.cell)

    @model_validator(mode='after')
    def _refuse_too_fine(self) -> Self:
        if self.cells > MOST_CELLS:
            raise refusal(f'a size that makes at most {MOST_CELLS} cells', 'cell')
        return self


class Patch(_Rectangle):
    """Area of other friction; the height stays as it is."""

    kind: Literal['patch']
    friction: Friction


class Barrier(_Rectangle):
    """Wall of a height (m) above the flat ground."""

    kind: Literal['barrier']
    height: Annotated[float, Field(gt=0.0, le=5.0)]
    friction: Friction = 1.0


Feature = Annotated[
    Box | Gap | Ramp | Steps | Rough | Patch | Barrier, Field(discriminator='kind')
]


def count_cells(span: tuple[float, float], size: float) -> int:
    """Return how many cells of a size (m) cover a span, a last narrower one included."""
    return max(1, math.ceil((span[1] - span[0]) / size - 1e-6))
