"""What was found in a foreign URDF, as the rows of a table."""

from __future__ import annotations

from math import degrees

from quadruped_control.model.foreign_robot import ForeignLeg, ForeignRobot

HEADER = ('leg', 'joint', 'role', 'standing', 'limits', 'effort', 'length', 'foot')
ROLES = ('roll', 'pitch', 'knee')


def describe(robot: ForeignRobot) -> list[tuple[str, ...]]:
    """Return the rows below ``HEADER``, one a leg's joint; angles are the user's, in degrees."""
    return [_row(robot, leg, number) for leg in robot.legs for number in range(3)]


def _row(robot: ForeignRobot, leg: ForeignLeg, number: int) -> tuple[str, ...]:
    joint = leg.joints[number]
    sphere = leg.foot
    return (
        leg.name if number == 0 else '', joint, ROLES[number],
        f'{degrees(robot.offsets[joint]):.0f} deg', _limits(robot, joint),
        f'{robot.efforts[joint]:g} N m',
        ('', *(f'{length:.3f} m' for length in leg.lengths))[number],
        f'{leg.contact}, radius {sphere.radius:.3f} m' if number == 2 else '')


def _limits(robot: ForeignRobot, joint: str) -> str:
    link = next(link for link in robot.links if link.joint_name == joint)
    if link.position_range is None:
        return 'none'
    ends = sorted(robot.signs[joint] * end + robot.offsets[joint] for end in link.position_range)
    return f'{degrees(ends[0]):.0f} to {degrees(ends[1]):.0f} deg'
