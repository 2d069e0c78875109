"""Pictures of a recorded run: the poses shown again in a visible world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import cos, degrees, inf, sin
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from quadruped_control.model.robot import Robot
from quadruped_control.rollout.recording import Recording
from quadruped_control.simulation.camera import Camera
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.pose import Pose
from quadruped_control.simulation.world import World
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import solids

Picture = NDArray[np.uint8]
# in leg lengths, the height of the leg frames of the robot that stands:
DISTANCE = 4.8              # of the camera
EYE_LEVEL = 0.83            # over the ground at which it looks, and
HIGHEST = 1.5               # over which the robot is not: a gap that it leaps over is no ground
AROUND = np.linspace(-3.3, 3.3, 5)      # along the way, whose middle height counts as ground


class Replay:
    """
    A visible world that shows steps of a recording; a context manager.

    :param camera: its target is replaced by the robot's place at each picture, and its direction
        taken from the robot's heading; without one it stands as far off as the robot is large.
    :param ball: where a ball was in each step (n, 2), and its radius, m.
    """

    def __init__(self, robot: Robot, ground: Ground, recording: Recording,
                 camera: Camera | None = None,
                 ball: tuple[NDArray[np.float64], float] | None = None) -> None:
        self._recording = recording
        self._ball = ball
        self._ground = ground
        self._movable = list(robot.movable)
        self._links = len(robot.links)
        self._leg = float(robot.standing_height().mean())
        self._camera = camera or Camera((0.0, 0.0, 0.0), DISTANCE * self._leg)
        self._world = World(robot.limit(0.0), solids(ground), ContactModel(), visible=True)

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._world.close()

    def picture(self, step: int) -> Picture:
        """Return a picture of one step, the camera beside the robot."""
        row = self._recording.poses[step]
        joints = np.zeros(self._links)
        joints[self._movable] = row[7:]
        self._world.place(Pose(row[:3], row[3:7], joints))
        self._show_ball(step)
        x, y, z = self._recording.leg_frame_position[step].mean(axis=0)
        heading = self._recording.target_heading[step]
        way = self._leg * AROUND
        around = self._ground.height(x + cos(heading) * way, y + sin(heading) * way)
        level = max(float(np.median(around)), z - HIGHEST * self._leg)
        target = (x, y, level + EYE_LEVEL * self._leg)
        direction = self._camera.direction + degrees(heading)
        return self._world.render(replace(self._camera, target=target, direction=direction))

    def _show_ball(self, step: int) -> None:
        if self._ball is not None:
            places, radius = self._ball
            x, y = places[step].tolist()
            height = float(self._ground.height(np.array([x]), np.array([y]))[0])
            self._world.show_ball((x, y, height + radius), radius)

    def pictures(self, rate: float, begin: float = 0.0, end: float = inf) -> Iterator[Picture]:
        """Yield pictures at a rate in Hz of simulated time, from one time (s) to another."""
        step = max(1, round(1.0 / rate / self._recording.time_step))
        first = round(begin / self._recording.time_step)
        last = min(len(self._recording), end / self._recording.time_step)
        for n in range(first, round(last), step):
            yield self.picture(n)
