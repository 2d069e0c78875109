"""Gains of the controller: the schema of gains.yaml of a robot and its flat record."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from quadruped_control.control.foot_limits import (
    Distribution,
    flatten_distribution,
    list_distribution_fields,
)
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import ABSENT, new_record
from quadruped_control.loading import Schema, load
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.similarity import Unit

NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Gain(Schema):
    """A proportional and a damping gain."""

    kp: Annotated[NotNegative, Unit('N m/rad')]
    kd: Annotated[NotNegative, Unit('N m s/rad')]


class JointGains(Schema):
    """Gains by part of the body; none where there is no such part."""

    hip: Gain
    knee: Gain
    hip_twist: Gain | None = None
    ankle: Gain | None = None
    toe: Gain | None = None
    spine: Gain | None = None
    neck: Gain | None = None
    tail: Gain | None = None


class LegFrameGains(Schema):
    """How the leg frames are held."""

    roll: Gain
    pitch: Gain
    yaw: Gain
    spine_share: Share
    standing_spring: Annotated[NotNegative, Unit('N/m')]
    grip: NotNegative
    least_load: Annotated[float, Field(ge=0, le=0.5)]


class ContactGains(Schema):
    """How the controller treats contacts."""

    lost_after: Annotated[NotNegative, Unit('s')]
    held_mass: Annotated[NotNegative, Unit('kg')]
    late_drop: Annotated[NotNegative, Unit('m')]
    late_speed: Annotated[NotNegative, Unit('m/s')]
    late_reach: Annotated[NotNegative, Unit('m')]
    late_aside: Annotated[NotNegative, Unit('m')]
    tracking_damping: Annotated[NotNegative, Unit('N s/m')]


class FallGains(Schema):
    """When the stance rules rest: at which cosine of the tilt, and for how long (s)."""

    least_upright: Annotated[float, Field(ge=-1, le=1)]
    tilted_for: Annotated[NotNegative, Unit('s')]


class Gains(Schema):
    """The whole file."""

    joints: JointGains
    stance_shape: Share
    leg_frames: LegFrameGains
    contact: ContactGains
    falling: FallGains
    stance_forces: Distribution


def load_gains(robot: str = DEFAULT_ROBOT) -> Gains:
    """Read the gains of a robot."""
    return load(gains_file(robot), Gains)


def gains_file(robot: str) -> Path:
    """Return where the gains of a robot are."""
    return robot_folder(robot) / 'gains.yaml'


def _refuse_missing(robot: Robot, joints: list[int]) -> None:
    if joints:
        names = ', '.join(robot.links[joint].joint_name for joint in joints)
        raise InputError(gains_file(robot.name), 'joints', None, f'gains of {names}')


@cache
def gains_type(links: int) -> np.dtype:
    """Gains as the compiled controller reads them."""
    return np.dtype([
        ('kp', 'f8', (links,)),
        ('kd', 'f8', (links,)),
        ('stance_shape', 'f8'),
        ('orientation_kp', 'f8', (3,)),               # roll, pitch, yaw
        ('orientation_kd', 'f8', (3,)),
        ('spine_share', 'f8'),
        ('standing_spring', 'f8'),
        ('grip', 'f8'),
        ('least_load', 'f8'),
        ('lost_after', 'f8'),
        ('held_mass', 'f8'),
        ('late_drop', 'f8'),
        ('late_speed', 'f8'),
        ('late_reach', 'f8'),
        ('late_aside', 'f8'),
        ('tracking_damping', 'f8'),
        ('least_upright', 'f8'),
        ('tilted_for', 'f8'),
        ('weight', 'f8', (2,)),                       # N, that front and rear legs carry standing
        *list_distribution_fields(links),
    ], align=True)


def flatten_gains(gains: Gains, robot: Robot) -> np.record:
    """Lay the gains out per joint, and find how the weight divides between front and rear."""
    flat = new_record(gains_type(len(robot.links)))
    anatomy, frames = robot.anatomy, gains.leg_frames
    parts = [(robot.spine, gains.joints.spine), (robot.neck, gains.joints.neck),
             (robot.tail, gains.joints.tail), (anatomy['hip'][:, :2].ravel(), gains.joints.hip),
             (anatomy['hip'][:, 2], gains.joints.hip_twist), (anatomy['knee'], gains.joints.knee),
             (anatomy['ankle'].ravel(), gains.joints.ankle),
             (anatomy['toe_joint'], gains.joints.toe)]
    for joints, gain in parts:
        there = [joint for joint in joints if joint != ABSENT]
        if gain is None:
            _refuse_missing(robot, there)
            continue
        flat['kp'][there] = gain.kp
        flat['kd'][there] = gain.kd
    flat['stance_shape'] = gains.stance_shape
    flat['orientation_kp'] = frames.roll.kp, frames.pitch.kp, frames.yaw.kp
    flat['orientation_kd'] = frames.roll.kd, frames.pitch.kd, frames.yaw.kd
    flat['spine_share'] = frames.spine_share
    flat['standing_spring'] = frames.standing_spring
    flat['least_load'] = frames.least_load
    flat['grip'] = frames.grip
    flat['lost_after'], flat['held_mass'] = gains.contact.lost_after, gains.contact.held_mass
    flat['late_drop'] = gains.contact.late_drop
    flat['late_speed'] = gains.contact.late_speed
    flat['late_reach'] = gains.contact.late_reach
    flat['late_aside'] = gains.contact.late_aside
    flat['tracking_damping'] = gains.contact.tracking_damping
    flat['least_upright'] = gains.falling.least_upright
    flat['tilted_for'] = gains.falling.tilted_for
    flat['weight'] = robot.standing_weight()
    flatten_distribution(gains.stance_forces, robot, flat)
    return flat
