"""
What the joints and links of a foreign URDF are: robot.yaml of a robot that is not described here.

All but ``name`` and ``urdf`` may be left out; what is left out is inferred from the URDF, and what
cannot be inferred is asked for by its key. Names of links and joints are the URDF's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, model_validator

from quadruped_control.kinematics.records import LEGS
from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.description import PlainName, Sphere
from quadruped_control.model.measures import Measures

UrdfName = Annotated[str, Field(min_length=1, max_length=200, description='a name of the URDF')]
Angle = Annotated[float, Field(ge=-100.0, le=100.0, description='rad (m of a sliding joint)')]
Torque = Annotated[float, Field(gt=0.0, le=100_000.0, description='N m')]
Share = Annotated[float, Field(ge=-1.0, le=1.0)]
LegName = Literal['front_left', 'front_right', 'rear_left', 'rear_right']
Direction = Literal['x', '-x', 'y', '-y', 'z', '-z'] | tuple[Share, Share, Share]
Joints = Annotated[tuple[UrdfName, ...], Field(max_length=100)]


class LegEntry(Schema):
    """
    A leg.

    :param joints: from the body outward: roll (abduction), pitch, knee.
    :param contact: the link that touches the ground.
    :param foot: the foot's sphere in the frame of the contact link, in place of what its shape is.
    """

    joints: tuple[UrdfName, UrdfName, UrdfName]
    contact: UrdfName | None = None
    foot: Sphere | None = None


class LegsEntry(Schema):
    """The four legs."""

    front_left: LegEntry
    front_right: LegEntry
    rear_left: LegEntry
    rear_right: LegEntry

    def in_order(self) -> tuple[LegEntry, ...]:
        """Return them in the project's order."""
        return tuple(getattr(self, name) for name in LEGS)


class LegFrameEntry(Schema):
    """A leg frame: the link that it lies on, and its legs."""

    link: UrdfName
    legs: Annotated[tuple[LegName, ...], Field(min_length=1, max_length=4)]


class RoleMap(Schema):
    """
    A URDF with the roles of its joints and links.

    :param urdf: a file, from the folder of robot.yaml if relative; ``package://PACKAGE/FILE`` of
        a ROS package, or ``python://PACKAGE/FILE`` inside an installed Python package.
    :param leg_frames: one or two; both may lie on one rigid trunk.
    :param standing: rad by joint, of the nominal standing pose.
    :param held: rad or m by joint, of joints that have no role; they are held there.
    :param forward: axis of the root link that points forward; ``up`` likewise.
    :param effort: N m by joint in place of the URDF's; a number is for joints without any.
    :param measures: in place of those that follow from its size.
    """

    name: PlainName
    urdf: Annotated[str, Field(min_length=1, max_length=1000)]
    leg_frames: Annotated[tuple[LegFrameEntry, ...], Field(min_length=1, max_length=2)] | None = (
        None)
    legs: LegsEntry | None = None
    spine: Joints | None = None
    neck: Joints = ()
    tail: Joints = ()
    standing: dict[UrdfName, Angle] = Field(default_factory=dict)
    held: dict[UrdfName, Angle] = Field(default_factory=dict)
    forward: Direction | None = None
    up: Direction | None = None
    effort: Torque | dict[UrdfName, Torque] | None = None
    measures: Measures | None = None

    @model_validator(mode='after')
    def _each_leg_once(self) -> RoleMap:
        named = [leg for frame in self.leg_frames or () for leg in frame.legs]
        if self.leg_frames is not None and sorted(named) != sorted(LEGS):
            raise refusal(f'leg frames that have each of {", ".join(LEGS)} once', 'leg_frames')
        return self


def load_role_map(path: str | Path) -> RoleMap:
    """Read robot.yaml, or raise InputError."""
    return load(path, RoleMap)


def write_role_map(role_map: RoleMap) -> str:
    """Return the text of robot.yaml; what is not said there is left out."""
    data = role_map.model_dump(mode='json', exclude_none=True)
    kept = {key: value for key, value in data.items() if key == 'spine' or value not in ([], {})}
    return str(yaml.safe_dump(kept, sort_keys=False, default_flow_style=None, width=99))
