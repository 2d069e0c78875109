"""What a gait is tuned for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from quadruped_control.model.robot_files import DEFAULT_ROBOT, Spine
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.similarity import Similarity
from quadruped_control.tuning.reference import Reference

DIRECTIONS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
TUNED = 'tuned'


@cache
def measure_robot(name: str) -> Similarity:
    """Return by what a robot differs from the one that the numbers of a search are for."""
    return load_robot(name).similarity_to(load_model())


class Engine(str, Enum):
    """What a search runs in: MuJoCo is the fast one."""

    MUJOCO = 'mujoco'
    BULLET = 'pybullet'


@dataclass(frozen=True)
class Task:
    """
    What a gait is tuned for.

    :param speed: m/s.
    :param pushes: force (N) and duration (s) that each scenario draws from.
    :param settle: s to the limit cycle, from a stand; the second half is judged too.
    :param duration: s of each run.
    :param reference: motion that the undisturbed gait should resemble.
    :param gait: whose ladder leads to the speed; without one the dog starts in the tuned gait.
    :param steps: m; random steps up to so high that the dog runs over, in PyBullet.
    """

    speed: float
    pushes: tuple[tuple[float, float], ...]
    torque_limit: float | None = None
    settle: float = 4.0
    duration: float = 3.0
    robot: str = DEFAULT_ROBOT
    spine: Spine = 'flexible'
    reference: Reference | None = None
    gait: str = TUNED
    engine: Engine = Engine.MUJOCO
    steps: float = 0.0

    @property
    def similarity(self) -> Similarity:
        """Of its robot."""
        return measure_robot(self.robot)
