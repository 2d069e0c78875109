"""The roles of a foreign robot in the words of the rest of the package."""

from __future__ import annotations

from quadruped_control.kinematics.leg_kinds import LegKind
from quadruped_control.model.foreign_robot import ForeignLeg, ForeignRobot
from quadruped_control.model.roles import NO_JOINT, LegRoles, Roles


def foreign_roles(robot: ForeignRobot) -> Roles:
    """Return the roles of a robot whose legs roll, pitch and bend a knee."""
    front_left, front_right, rear_left, rear_right = map(_leg, robot.legs)
    return Roles(LegKind.POINT_FOOT, (front_left, front_right, rear_left, rear_right),
                 (robot.leg_frame_of('front_left'), robot.leg_frame_of('rear_left')),
                 robot.spine, robot.neck, robot.tail)


def _leg(leg: ForeignLeg) -> LegRoles:
    roll, pitch, knee = leg.joints
    return LegRoles(hip=(pitch, roll, NO_JOINT), first=roll, last=pitch, knee=knee,
                    foot_link=leg.links[2], foot=leg.foot)
