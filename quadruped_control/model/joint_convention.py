"""Between the angles used here and those of a user's URDF: the names are the same."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointConvention:
    """
    A user's angle is sign * ours + offset; speed and torque have the sign alone.

    :param signs: of the moving joints, in their order; ``offsets`` likewise, rad.
    :param held: joints of the URDF that are held, with their angle (rad) or way (m).
    :param root: name of the URDF's root link, and where it is in the frame of ours.
    """

    signs: Array
    offsets: Array
    held: dict[str, float] = field(default_factory=dict)
    root: str = ''
    root_rotation: Array = field(default_factory=lambda: np.eye(3))
    root_place: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def same(cls, joints: int, root: str) -> JointConvention:
        """Return that of a URDF which is in the convention used here."""
        return cls(np.ones(joints), np.zeros(joints), root=root)

    def to_user(self, angles: Array) -> Array:
        """Return the user's angles of the moving joints."""
        return self.signs * angles + self.offsets

    def from_user(self, angles: Array) -> Array:
        """Return the angles used here."""
        return self.signs * (angles - self.offsets)
