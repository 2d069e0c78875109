"""
What a controller is: one class, and the place where the compiled loop finds it.

A controller turns an observation and a target into torques. Its compiled half is a function of
its parts, a NamedTuple of records that is a type of its own: by that type the loop finds the
function when it is compiled, so that choosing a controller costs nothing at run time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import choose_when_compiled
from quadruped_control.control.observation import Observation, Observed
from quadruped_control.control.records import TargetRecord
from quadruped_control.kinematics.records import as_block
from quadruped_control.loading import Schema
from quadruped_control.terrain.local_map import LEVEL, LocalMap

Array = NDArray[np.float64]
Block = NDArray[np.record]
Compute = Callable[[Any, Observed, Block, float, Array], None]
_FUNCTIONS: dict[type, Compute] = {}


class Controller(ABC):
    """
    From what is observed and what is wanted to joint torques, by a compiled function.

    :ivar parameters: what users may tune, as its file has them.
    """

    name: str
    parameters: Schema

    def __init__(self, links: int, *kept: Block) -> None:
        """Keep the blocks that outlive a tick: as they are now, they are after a reset."""
        self._kept, self._fresh = kept, [block.copy() for block in kept]
        self._torques: Array = np.zeros(links)
        self._ground = LEVEL

    @property
    @abstractmethod
    def parts(self) -> Any:
        """What the compiled function of this controller works on."""

    @abstractmethod
    def tune(self, parameters: Schema) -> None:
        """Go on with other parameters."""

    def enter(self, ground: LocalMap) -> None:
        """Know the ground around the robot by this map from now on."""
        self._ground = ground

    def reset(self) -> None:
        """Forget what outlives a tick, and the ground."""
        self.restore(self._fresh)
        self._ground = LEVEL

    def save(self) -> list[NDArray[Any]]:
        """Return copies of what outlives a tick."""
        return [block.copy() for block in self._kept]

    def restore(self, saved: list[NDArray[Any]]) -> None:
        """Go back to what was saved."""
        for block, then in zip(self._kept, saved, strict=True):
            block[:] = then

    def update(self, observation: Observation, target: TargetRecord, dt: float) -> Array:
        """Return the torque of every link's joint (N m), before limits."""
        compute_torques(self.parts, observation.blocks, as_block(target), dt, self._torques)
        return self._torques


def register(parts: type, function: Compute) -> None:
    """Say which compiled function computes the torques of a controller with these parts."""
    _FUNCTIONS[parts] = function


def compute_torques(parts: Any, observed: Observed, target: Block, dt: float,
                    torques: Array) -> None:
    """Write the torques of a controller; within compiled code it is its function itself."""
    _FUNCTIONS[type(parts)](parts, observed, target, dt, torques)


@choose_when_compiled(compute_torques)
def _choose(parts: Any, observed: Any, target: Any, dt: Any, torques: Any) -> Compute:
    function = _FUNCTIONS[parts.instance_class]

    def compute(parts: Any, observed: Observed, target: Block, dt: float, torques: Array) -> None:
        function(parts, observed, target, dt, torques)

    return compute
