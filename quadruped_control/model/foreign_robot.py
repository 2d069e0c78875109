"""A robot made from a foreign URDF: rewritten in the project's convention, names kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quadruped_control.model.description import Sphere
from quadruped_control.model.foreign_tree import Array
from quadruped_control.model.links import Link
from quadruped_control.model.role_map import RoleMap


@dataclass(frozen=True)
class ForeignLeg:
    """
    A leg.

    :param joints: roll, pitch, knee; ``links`` are those that they move.
    :param contact: the user's link that touches the ground; it is part of the last of ``links``.
    :param foot: in the frame of the last of ``links``.
    :param lengths: of thigh and shank, to the foot's centre, m.
    """

    name: str
    joints: tuple[str, str, str]
    links: tuple[str, str, str]
    contact: str
    foot: Sphere
    lengths: tuple[float, float]


@dataclass(frozen=True)
class ForeignLegFrame:
    """A leg frame: the link that it lies on, and its legs."""

    link: str
    legs: tuple[str, ...]


@dataclass(frozen=True)
class ForeignRobot:
    """
    A foreign robot.

    Joints and links have the user's names. A joint's user angle is sign * ours + offset.

    :param urdf: the text of the rewritten URDF; ``links`` are what is in it, parents first.
    :param legs: in the project's order.
    :param spine: joints; neck and tail likewise.
    :param held: joints that have no role, with the angle (rad) or way (m) that they keep.
    :param efforts: N m by joint.
    :param bodies: the links of the URDF by the link of ours that they are part of.
    :param remarks: what was mended or assumed, a sentence each.
    :param root_rotation: 3 x 3, from the axes of the user's root link to those of ours.
    :param root_offset: where the origin of our root link is in the frame of the user's root, m.
    :param tilt: by how much axes were turned at most to be exact, rad.
    :param role_map: what was given, with all that was inferred.
    """

    name: str
    source: Path
    links: tuple[Link, ...]
    urdf: str
    legs: tuple[ForeignLeg, ...]
    leg_frames: tuple[ForeignLegFrame, ...]
    spine: tuple[str, ...]
    neck: tuple[str, ...]
    tail: tuple[str, ...]
    signs: Mapping[str, int]
    offsets: Mapping[str, float]
    held: Mapping[str, float]
    efforts: Mapping[str, float]
    bodies: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...]
    root_rotation: Array
    root_offset: Array
    tilt: float
    role_map: RoleMap

    @property
    def mass(self) -> float:
        """Of all links, kg."""
        return sum(link.mass for link in self.links)

    def leg_frame_of(self, leg: str) -> str:
        """Return the link that the leg frame of a leg lies on."""
        return next(frame.link for frame in self.leg_frames if leg in frame.legs)

    def user_angles(self, angles: Mapping[str, float]) -> dict[str, float]:
        """Return the user's angles of all joints, those that are held included."""
        moved = {name: self.signs[name] * angles.get(name, 0.0) + self.offsets[name]
                 for name in self.signs}
        return {**moved, **self.held}
