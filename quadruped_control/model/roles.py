"""Which links and joints of a tree are legs, leg frames, spine, neck and tail."""

from __future__ import annotations

from dataclasses import dataclass

from quadruped_control.kinematics.leg_kinds import LegKind
from quadruped_control.kinematics.records import LEGS
from quadruped_control.model.description import JointDescription, RobotDescription, Sphere
from quadruped_control.model.links import JOINT_AXES

NO_JOINT = ''


@dataclass(frozen=True)
class LegRoles:
    """
    A leg's joints by name, NO_JOINT where it has none, and its foot.

    :param hip: pitch, roll and yaw.
    :param first: the hip's joint nearest to the body, and the last one.
    :param ankle: pitch and roll.
    :param foot_link: that touches the ground, with its sphere.
    """

    hip: tuple[str, str, str]
    first: str
    last: str
    knee: str
    foot_link: str
    foot: Sphere
    ankle: tuple[str, str] = (NO_JOINT, NO_JOINT)
    toe: str = NO_JOINT


@dataclass(frozen=True)
class Roles:
    """
    The roles of a whole body; legs as in LEGS.

    :param leg_frames: links: front, rear; both may be the same.
    :param spine: joints, each a revolute, from the rear leg frame on; neck and tail likewise.
    :param standing_spread: m that each foot stands further out than in the zero pose.
    :param standing_aside: m that all stand further left, under a centre of mass that is.
    """

    kind: LegKind
    legs: tuple[LegRoles, LegRoles, LegRoles, LegRoles]
    leg_frames: tuple[str, str]
    spine: tuple[str, ...] = ()
    neck: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    standing_spread: float = 0.0
    standing_aside: float = 0.0


def describe_roles(description: RobotDescription) -> Roles:
    """Return the roles that a description gives."""
    kinds = {link.joint.name: link.joint for link in description.links if link.joint}

    def expand(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f'{name}_{axis}' for name in names for axis in _axes(kinds[name]))

    legs = [_describe_leg(description, name) for name in LEGS]
    return Roles(LegKind.TOED, (legs[0], legs[1], legs[2], legs[3]),
                 (description.leg_frames.front, description.leg_frames.rear),
                 expand(description.spine), expand(description.neck), expand(description.tail),
                 description.standing_spread)


def _axes(joint: JointDescription) -> tuple[str, ...]:
    return JOINT_AXES[joint.kind]


def _describe_leg(description: RobotDescription, leg: str) -> LegRoles:
    pair, side = leg.split('_')
    joints = getattr(description.legs, pair)
    hip, knee, ankle, toe = (getattr(joints, part).replace('{side}', side)
                             for part in ('hip', 'knee', 'ankle', 'toe'))
    held = next(link for link in description.links
                if link.joint is not None and link.joint.name.replace('{side}', side) == toe)
    assert held.foot is not None        # the description was checked
    return LegRoles((f'{hip}_pitch', f'{hip}_roll', f'{hip}_yaw'), f'{hip}_pitch', f'{hip}_yaw',
                    knee, held.name.replace('{side}', side), held.foot,
                    (f'{ankle}_pitch', f'{ankle}_roll'), toe)
