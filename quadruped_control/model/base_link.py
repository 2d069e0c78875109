"""REP-105's base_link: of no mass, above the root; or the root itself, where it is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from transforms3d.euler import mat2euler

Array = NDArray[np.float64]
BASE_LINK = 'base_link'


@dataclass(frozen=True)
class BaseFrame:
    """
    The frame whose place in the world users are told.

    :param rotation: 3 x 3, from its axes to those of the root link used here.
    :param place: of its origin in the frame of that link, m.
    """

    name: str = BASE_LINK
    rotation: Array = field(default_factory=lambda: np.eye(3))
    place: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def is_root(self) -> bool:
        """Say whether it is the frame of the root link used here."""
        return not self.place.any() and np.array_equal(self.rotation, np.eye(3))


def add_base_link(urdf: str, root: str, base: str = BASE_LINK, rotation: Array | None = None,
                  place: Array | None = None) -> str:
    """
    Return a URDF in which the root link is fixed to a base link, their frames the same.

    :param rotation: of the root's frame in the base's, where they are not the same.
    :param place: likewise, m.
    """
    origin = ''
    if rotation is not None and place is not None:
        xyz = ' '.join(repr(float(value) + 0.0) for value in place)
        rpy = ' '.join(repr(float(value) + 0.0) for value in mat2euler(rotation, axes='sxyz'))
        origin = f'  <origin xyz="{xyz}" rpy="{rpy}" />\n'
    joint = (
        f' <link name="{base}" />\n'
        f' <joint name="{base}_to_{root}" type="fixed">\n'
        f'{origin}'
        f'  <parent link="{base}" />\n'
        f'  <child link="{root}" />\n'
        ' </joint>\n'
    )
    return re.sub('</robot>', joint + '</robot>', urdf)
