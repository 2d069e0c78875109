"""The 3D half of the page: dog, ground, markers and footprints, and a camera that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import cos, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.page.follow import FollowedPoint
from quadruped_control.page.footprints import Footprints
from quadruped_control.page.marker_layers import MarkerLayers
from quadruped_control.page.page_robot import PageRobot
from quadruped_control.page.posed_node import PosedNode, Quaternion
from quadruped_control.page.robot_model import RobotModel
from quadruped_control.page.terrain_view import TerrainView

WORLD = '/world'
STAY, FOLLOW, BEHIND = 'stay', 'go along', 'turn along'
FOLLOWING = (FOLLOW, BEHIND, STAY)
# all in standing heights of the robot
LOOK_AT = (0.0, 0.0, 0.78)
# from where the camera looks, from the dog's middle
VIEWS = {'side': (1.2, -4.9, 2.07), 'ahead': (4.8, -2.2, 1.75), 'behind': (-5.0, -1.5, 2.2),
         'above': (-0.9, -0.9, 7.0)}
FURTHEST = 100.0                # m from the camera that a click on the ground may be
HORIZON, ZENITH = (236, 240, 240), (150, 188, 222)


class Shift(NamedTuple):
    """How the world is moved (m) and turned (rad) under the camera."""

    place: tuple[float, float, float]
    heading: float

    def find_ground(self, origin: Sequence[float], direction: Sequence[float], height: float
                    ) -> tuple[float, float] | None:
        """
        Return where in the world a ray of the scene meets level ground (m), None: nowhere.

        :param height: of the ground, m.
        """
        down = direction[2]
        length = (height + self.place[2] - origin[2]) / down if down else -1.0
        if not 0.0 < length < FURTHEST:
            return None
        x, y = (origin[k] + length * direction[k] - self.place[k] for k in range(2))
        c, s = cos(self.heading), sin(self.heading)
        return c * x + s * y, c * y - s * x


class PageScene:
    """
    What is seen.

    The camera belongs to whoever looks: to follow the dog the world is moved, not the camera, so
    that each page can be turned and zoomed freely.
    """

    def __init__(self, server: Any, is_shown: Callable[[str], bool], robot: PageRobot) -> None:
        scene = server.scene
        self._server = server
        self._world = PosedNode(scene.add_frame(WORLD, show_axes=False))
        self._dog: RobotModel | None = None
        self._height = robot.height
        self._terrain = TerrainView(scene, f'{WORLD}/terrain')
        self._layers = MarkerLayers(scene, f'{WORLD}/markers', is_shown)
        self.footprints = Footprints(scene, f'{WORLD}/footprints', robot)
        self._point = FollowedPoint(robot.middle, robot.base_height)
        self.following = FOLLOW
        self._shift = Shift((0.0, 0.0, 0.0), 0.0)
        self._click: Callable[..., None] | None = None
        self._set_up_light()
        server.initial_camera.position = self._scale(VIEWS['side'])
        server.initial_camera.look_at = self._scale(LOOK_AT)
        server.initial_camera.fov = 0.75

    def _set_up_light(self) -> None:
        scene = self._server.scene
        scene.configure_default_lights(False)
        scene.add_light_hemisphere('/sky', sky_color=(255, 255, 255), ground_color=(150, 140, 120),
                                   intensity=1.3)
        self._sun = scene.add_light_directional('/sun', color=(255, 246, 230), intensity=2.0,
                                                position=(1.5, -2.5, 4.0), cast_shadow=True)
        scene.set_background_image(make_sky(), format='png')

    @property
    def has_dog(self) -> bool:
        """Say whether the dog's looks are known."""
        return self._dog is not None

    def take_description(self, urdf: str) -> None:
        """Draw the dog of a URDF in place of the last."""
        if self._dog is not None:
            self._dog.remove()
        self._dog = RobotModel(self._server.scene, urdf, f'{WORLD}/robot')

    def look_from(self, camera: Any, view: str) -> None:
        """Let the camera of one page look from another side."""
        camera.position = self._scale(VIEWS[view])
        camera.look_at = self._scale(LOOK_AT)

    def _scale(self, place: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = (self._height * value for value in place)
        return x, y, z

    def show_terrain(self, markers: Iterable[Any]) -> None:
        """Draw another ground; footprints and markers on the last one are gone."""
        self._terrain.show(markers)
        self.footprints.clear()
        self._layers.clear()

    def show_flat_ground(self) -> None:
        """Draw flat ground, where nobody tells of another."""
        self._terrain.show_flat()

    def show_markers(self, markers: Iterable[Any]) -> None:
        """Draw the markers of a message."""
        self._layers.show(markers)

    def switch_shadows(self, shown: bool) -> None:
        """Let things cast shadows, or not, where the machine draws slowly."""
        self._sun.cast_shadow = shown

    def switch_layers(self) -> None:
        """Show and hide namespaces as they are switched now."""
        self._layers.switch()

    def move_dog(self, position: Sequence[float], turn: Quaternion, names: Sequence[str],
                 angles: Sequence[float]) -> None:
        """Place the dog, and the world under the camera."""
        if self._dog is not None:
            self._dog.move(position, turn, names, angles)
        self._point.update(np.asarray(position, float), turn)
        if self.following != STAY:
            self._move_world()
        self.footprints.draw()

    def _move_world(self) -> None:
        x, y, z = self._point.place
        heading = self._point.heading if self.following == BEHIND else 0.0
        c, s = cos(-heading), sin(-heading)
        self._shift = Shift((-(c * x - s * y), -(s * x + c * y), -z), -heading)
        self._world.place(self._shift.place)
        self._world.turn((cos(-heading / 2), 0.0, 0.0, sin(-heading / 2)))

    # ---- clicks ----

    def await_click(self, then: Callable[[tuple[float, float] | None], None]) -> None:
        """Let the next click on the scene tell its place on the ground (m), None for the sky."""
        self.forget_click()

        def take(event: Any) -> None:
            self.forget_click()
            then(self._shift.find_ground(event.ray_origin, event.ray_direction,
                                         float(self._point.place[2])))

        self._click = self._server.scene.on_click()(take)

    def forget_click(self) -> None:
        """Wait for no click any more."""
        if self._click is not None:
            self._server.scene.remove_click_callback(self._click)
            self._click = None


def make_sky() -> NDArray[np.uint8]:
    """Return a picture of the sky, lighter towards the horizon."""
    rise = np.clip(np.linspace(1.4, -0.6, 64), 0.0, 1.0)[:, None, None]
    sky = np.array(HORIZON) + rise * (np.array(ZENITH) - np.array(HORIZON))
    return np.repeat(sky, 2, axis=1).astype(np.uint8)
