"""The roles of a foreign robot in the words of the rest of the package."""

from __future__ import annotations

from quadruped_control.errors import InputError
from quadruped_control.explanation import Remark
from quadruped_control.kinematics.leg_kinds import LegKind
from quadruped_control.kinematics.records import LEGS
from quadruped_control.model.foreign_robot import ForeignLeg, ForeignRobot
from quadruped_control.model.roles import NO_JOINT, LegRoles, Roles


def foreign_roles(robot: ForeignRobot) -> Roles:
    """Return the roles of a robot whose legs roll, pitch and bend a knee."""
    front_left, front_right, rear_left, rear_right = map(_leg, robot.legs)
    return Roles(LegKind.POINT_FOOT, (front_left, front_right, rear_left, rear_right),
                 (_find_frame(robot, LEGS[:2]), _find_frame(robot, LEGS[2:])),
                 robot.spine, robot.neck, robot.tail, standing_aside=find_aside(robot))


def _find_frame(robot: ForeignRobot, pair: tuple[str, ...]) -> str:
    """Return the link of the leg frame of two legs."""
    links = {robot.leg_frame_of(leg) for leg in pair}
    if len(links) != 1:
        found = f'{" and ".join(pair)} are on {" and ".join(sorted(links))}'
        raise InputError(robot.source, 'leg_frames', Remark(found),
                         'front legs on one link, and rear legs on one link')
    return links.pop()


def find_aside(robot: ForeignRobot) -> float:
    """Return how far left the centre of mass is in the standing pose, m."""
    places: dict[str, float] = {}
    total = 0.0
    for link in robot.links:
        above = 0.0 if link.parent is None else places[link.parent]
        places[link.name] = above + link.origin[1]
        total += link.mass * (places[link.name] + link.centre_of_mass[1])
    middle = sum(places[leg.links[0]] for leg in robot.legs) / len(robot.legs)
    return total / robot.mass - middle


def _leg(leg: ForeignLeg) -> LegRoles:
    roll, pitch, knee = leg.joints
    return LegRoles(hip=(pitch, roll, NO_JOINT), first=roll, last=pitch, knee=knee,
                    foot_link=leg.links[2], foot=leg.foot)
