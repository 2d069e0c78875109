"""What a page must know of a robot: what it can be asked for, how fast it is, and its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quadruped_control.control.controllers import find_kind, is_rigid
from quadruped_control.control.drive_limits import DriveLimits, find_drive_limits
from quadruped_control.control.gait import available_gaits
from quadruped_control.control.ladder import AUTO
from quadruped_control.control.offers import list_offers
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_registry import Skill
from quadruped_control.kinematics.records import GRAVITY, LEGS, REAR
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot


@dataclass(frozen=True)
class PageRobot:
    """
    A robot for panels and scene.

    :param gaits: that can be tuned; ``requests`` are those that can be asked for, auto first.
    :param height: in which it stands, m.
    :param base_height: of its base in that stance, m; ``middle`` is how far its middle is ahead.
    :param weight: N.
    :param leg_joints: names of a leg's joints, by leg.
    """

    name: str
    gaits: Sequence[str]
    requests: Sequence[str]
    skills: Sequence[Skill]
    limits: DriveLimits
    height: float
    base_height: float
    middle: float
    weight: float
    leg_joints: dict[str, list[str]]


def find_page_robot(name: str, controller: str | None = None) -> PageRobot:
    """Return what a page must know of a robot with a controller, or raise InputError."""
    offers = list_offers(name, controller)
    robot = load_robot(name, 'rigid' if is_rigid(controller) else 'flexible')
    heights, point = robot.standing_height(), robot.anatomy['leg_frame_point'][REAR]
    return PageRobot(
        name, sorted(available_gaits(name) & offers.gaits), [AUTO, *sorted(offers.gaits)],
        [skill for skill in load_book(name).skills if skill.name in offers.skills],
        find_drive_limits(robot, find_kind(name, controller).gaits), float(heights.mean()),
        float(heights[REAR] - point[2]), float(robot.anatomy['middle']),
        float(robot.tree['total_mass']) * GRAVITY,
        {leg: _list_joints(robot, roles.first)
         for leg, roles in zip(LEGS, robot.roles.legs, strict=True)})


def _list_joints(robot: Robot, first: str) -> list[str]:
    """Return the joints from one on, outwards."""
    names, found = set(), []
    for link in robot.links:
        if link.joint_name == first or link.parent in names:
            names.add(link.name)
            found.append(link.joint_name)
    return [joint for joint in found if joint in robot.joint_names]
