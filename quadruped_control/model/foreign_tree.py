"""The links and joints of a foreign URDF as they are written there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat

from quadruped_control.errors import InputError

Array = NDArray[np.float64]
ShapeKind = Literal['box', 'cylinder', 'sphere', 'mesh']
HINGES = ('revolute', 'continuous')


@dataclass(frozen=True)
class ForeignShape:
    """
    A visual or collision shape.

    :param size: of a box its edges, of a cylinder radius and length, of a sphere the radius, of a
        mesh its scale.
    :param pose: 4 x 4, in the frame of the link.
    """

    kind: ShapeKind
    size: tuple[float, ...]
    pose: Array
    mesh: Path | None = None
    colour: tuple[float, ...] | None = None


@dataclass(frozen=True)
class ForeignLink:
    """A link; the inertia is about the centre of mass, in the link's axes."""

    name: str
    mass: float
    centre_of_mass: Array
    inertia: Array
    collisions: tuple[ForeignShape, ...]
    visuals: tuple[ForeignShape, ...]


@dataclass(frozen=True)
class ForeignJoint:
    """A joint; the axis is a unit vector, limits are in rad or m, None for none."""

    name: str
    kind: str
    parent: str
    child: str
    pose: Array
    axis: Array
    limits: tuple[float, float] | None
    effort: float | None
    speed: float | None
    is_mimic: bool

    def motion(self, angle: float) -> Array:
        """Return the 4 x 4 motion of the child in its own frame."""
        moved = np.eye(4)
        if self.kind == 'prismatic':
            moved[:3, 3] = self.axis * angle
        elif self.kind in HINGES:
            moved[:3, :3] = axangle2mat(self.axis, angle, is_normalized=True)
        return moved

    @property
    def rest(self) -> float:
        """Where it is held if nobody says: at zero, or in the middle of limits without it."""
        if self.limits is None or self.limits[0] <= 0.0 <= self.limits[1]:
            return 0.0
        return sum(self.limits) / 2


@dataclass(frozen=True)
class ForeignTree:
    """
    A robot: links by name, parents first, and joints by the name of their child.

    :param unseen: visual meshes that are not there, which a robot can do without.
    :param missing: what is wrong with collision meshes that are not there.
    :param surplus: how many places and turns have a fourth number, which is 0 and passed over.
    """

    source: Path
    links: Mapping[str, ForeignLink]
    joints: Mapping[str, ForeignJoint]
    unseen: tuple[str, ...] = ()
    missing: tuple[InputError, ...] = ()
    surplus: int = 0

    @property
    def root(self) -> str:
        """Name of the link without a parent."""
        return next(iter(self.links))

    @cached_property
    def joints_by_name(self) -> Mapping[str, ForeignJoint]:
        """Joints by their own name."""
        return {joint.name: joint for joint in self.joints.values()}

    def place(self, angles: Mapping[str, float]) -> dict[str, Array]:
        """Return the 4 x 4 pose of every link in the root's frame; joints not named rest."""
        poses = {self.root: np.eye(4)}
        for child in self.links:
            if child in self.joints:
                joint = self.joints[child]
                angle = angles.get(joint.name, joint.rest)
                poses[child] = poses[joint.parent] @ joint.pose @ joint.motion(angle)
        return poses

    def bodies(self, moving: Collection[str]) -> dict[str, str]:
        """Return, by link, the first link of the rigid body that it is part of."""
        heads: dict[str, str] = {}
        for link in self.links:
            joint = self.joints.get(link)
            welded = joint is not None and joint.name not in moving
            heads[link] = heads[joint.parent] if joint and welded else link
        return heads

    def path(self, link: str) -> list[ForeignJoint]:
        """Return the joints from the root to a link."""
        found: list[ForeignJoint] = []
        while link in self.joints:
            found.append(self.joints[link])
            link = self.joints[link].parent
        return found[::-1]
