"""The scheduler of a robot, with what its controller can play."""

from __future__ import annotations

from quadruped_control.control.controllers import find_kind
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.offers import explain_missing
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.model.robot import Robot


def load_library(robot: str, controller: str | None = None) -> GaitLibrary:
    """Return the gaits of a robot that a controller can walk in, by default its first one."""
    return GaitLibrary(robot, gaits=find_kind(robot, controller).gaits)


def make_scheduler(robot: Robot, library: GaitLibrary, controller: str | None = None, *,
                   time_step: float) -> SkillScheduler:
    """Return a scheduler that refuses what the controller cannot play."""
    scheduler = SkillScheduler(robot, library.stand, library.tables, time_step=time_step)
    if not find_kind(robot.name, controller).leaps:
        scheduler.skills.barred[LEAP] = explain_missing(robot.name, LEAP, controller)
    return scheduler
