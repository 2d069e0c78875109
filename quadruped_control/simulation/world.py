"""
The physical world, in Bullet.

The engine advances by a fixed step and moves the robot by joint torques alone; its own motors
and dampers are off. State goes into a flat record, torques come from a flat array.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import GRAVITY, as_block, new_record, state_type
from quadruped_control.kinematics.rotations import (
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from quadruped_control.model.principal_axes import principal_axes
from quadruped_control.model.robot import Robot
from quadruped_control.simulation.bullet import Bullet
from quadruped_control.simulation.bullet_engine import (
    BASE_SPEEDS,
    FUNCTIONS,
    engine_type,
    push_engine,
    read_engine,
    step_engine,
    write_engine,
)
from quadruped_control.simulation.camera import Camera
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.engine_urdf import write_engine_urdf
from quadruped_control.simulation.looks import (
    BALL_COLOUR,
    OBSTACLE_COLOUR,
    TILE_COLOURS,
    choose_tile,
    flatten_faces,
    make_sphere,
    make_tiles,
    tiles_place,
)
from quadruped_control.simulation.native_call import address_of
from quadruped_control.simulation.pose import Pose
from quadruped_control.terrain.solids import Box, Plane, Solid

Array = NDArray[np.float64]

TIME_STEP = 1e-3                # s
ROBOT_GROUP, GROUND_GROUP = 1, 2     # the robot meets the ground, not itself
SPEED_CLAMP = 1000.0            # rad/s: the engine's own clamp on joint speeds, out of the way
MANY_SOLIDS = 20                # from which on a tree of boxes finds near pairs faster than a list


class World:
    """
    A robot on its ground.

    The shape of a tick is ``read``, compute torques, ``write``, ``step``.

    :param visible: load the visual shapes, for rendering.
    """

    def __init__(self, robot: Robot, solids: Sequence[Solid], contact: ContactModel, *,
                 visible: bool = False) -> None:
        self.robot = robot
        self.state = new_record(state_type(len(robot.links)))
        self._state = as_block(self.state)
        self._solids = tuple(solids)
        self._contact = contact
        self._visible = visible
        self._tile = choose_tile(float(robot.standing_height().mean()))
        self._bullet = Bullet()
        record = new_record(engine_type(len(robot.links), len(robot.movable)))
        self.engine = as_block(record)
        self._limited: Array = record['limited']
        for field, name in FUNCTIONS.items():
            record[field] = address_of(getattr(self._bullet.library, name))
        record['copy'] = address_of(ctypes.CDLL(None).memcpy)
        record['client'] = self._bullet.client
        record['time_step'], record['limits'] = TIME_STEP, robot.torque_limits()
        record['movable'] = robot.movable
        record['offset'] = robot.tree['centre_of_mass'][0]
        quaternion_from_rotation(principal_axes(robot.tree['inertia'][0])[1], record['turn'])
        self._ball: int | None = None
        self._build()

    def close(self) -> None:
        """Free the engine."""
        self._bullet.close()
        self.engine['client'] = 0

    def reset(self, pose: Pose) -> None:
        """Place the robot; the world is built anew, since only that repeats bit for bit."""
        self._build()
        self.place(pose)
        self.state['time'] = 0.0
        self.read()

    def place(self, pose: Pose) -> None:
        """Set base and joints at rest, without building anew; for pictures."""
        rotation = np.empty((3, 3))
        rotation_from_quaternion(np.asarray(pose.base_quaternion), rotation)
        centre = pose.base_position + rotation @ self.robot.tree['centre_of_mass'][0]
        quaternion: Array = np.array(pose.base_quaternion, dtype=float)
        if self.engine[0]['turn'][3] != 1.0:
            turned = principal_axes(self.robot.tree['inertia'][0])[1]
            quaternion_from_rotation(rotation @ turned, quaternion)
        self._bullet.place(self._body, centre, quaternion)
        self._bullet.set_velocity(self._body, np.zeros(3), np.zeros(3))
        for link in self.robot.movable:
            self._bullet.set_joint(self._body, self._numbers[link], pose.joint_position[link], 0.0)

    def read(self) -> np.record:
        """Read base, joints and contacts into the state record."""
        read_engine(self.engine, self._state)
        return self.state

    def write(self, torques: Array) -> Array:
        """Command torques, cut to the limit, for the next step; return what was commanded."""
        write_engine(self.engine, torques)
        return self._limited

    @property
    def applied(self) -> Array:
        """Torques of the last step by link, within the limit (N m)."""
        return self._limited

    def push(self, link: int, point: Array, force: Array) -> None:
        """Apply a force at a point of a link, both in the world, during the next step."""
        push_engine(self.engine, link, point, force)

    def step(self) -> None:
        """Advance by one time step."""
        step_engine(self.engine, self._state, TIME_STEP)

    @property
    def body_contacts(self) -> frozenset[int]:
        """The links, without feet, that something pressed on when the state was read."""
        return frozenset(np.flatnonzero(self.engine['touches'][0]).tolist())

    def render(self, camera: Camera) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3) by the engine's software renderer."""
        middle = tiles_place(*camera.target[:2], self._tile)
        for tiles, height in self._tiles:       # a plane moved along itself stays the same
            self._bullet.place(tiles, (*middle, height))
        return self._bullet.render(camera)

    def show_ball(self, place: tuple[float, float, float], radius: float) -> None:
        """Put a red ball somewhere (m), which is only seen, in a visible world."""
        if self._ball is None:
            look = self._bullet.draw_triangles(*flatten_faces(*make_sphere(radius)), BALL_COLOUR)
            self._ball = self._bullet.add_body(-1, look, place)
        self._bullet.place(self._ball, place)

    # ---- building ----

    def _build(self) -> None:
        bullet = self._bullet
        bullet.reset(simple_broadphase=len(self._solids) < MANY_SOLIDS)
        bullet.set_physics(time_step=TIME_STEP, gravity=GRAVITY,
                           solver_iterations=self._contact.solver_iterations)
        self._tiles: list[tuple[int, float]] = []
        self._ball = None
        for solid in self._solids:
            self._add_solid(solid)
        if self._visible:
            self._add_tiles()
        self._body = self._load()
        self._map_links()
        self._silence_engine()

    def _load(self) -> int:
        """Load a copy of the URDF that the engine can read."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / 'robot.urdf'
            write_engine_urdf(self.robot.urdf, copy, with_meshes=self._visible)
            body = self._bullet.load_urdf(copy)
        if body is None:
            raise InputError(self.robot.urdf, '', 'Cannot load URDF file.',
                             'a URDF that the physics engine can load')
        return body

    def _map_links(self) -> None:
        """Relate the engine's joint numbers to the tree's links, by name."""
        record, joints = self.engine[0], self._bullet.joints(self._body)
        names = {link.joint_name: i for i, link in enumerate(self.robot.links)}
        links = [0, *(names[joint.name] for joint in joints)]
        self._numbers = dict(zip(links, range(-1, len(joints)), strict=True))
        self._speeds = [joints[self._numbers[link]].speed for link in self.robot.movable]
        record['body'] = self._body
        record['order'] = [speed - BASE_SPEEDS for speed in self._speeds]
        record['link'] = links
        record['number'][links] = range(-1, len(joints))
        record['leg'] = -1
        record['leg'][self.robot.anatomy['toe']] = range(4)

    def _silence_engine(self) -> None:
        """Switch the engine's motors and dampers off, and set friction: see bullet3 issue 3314."""
        bullet, body, contact = self._bullet, self._body, self._contact
        bullet.switch_motors_off(body, self._speeds)
        bullet.clear_damping(body, self._numbers.values(), SPEED_CLAMP)
        for link, number in self._numbers.items():
            bullet.set_collisions(body, number, ROBOT_GROUP, GROUND_GROUP)
            if link in self.robot.anatomy['toe']:
                bullet.set_friction(body, number, contact.foot_friction,
                                    contact.foot_spin_friction)
            else:
                bullet.set_friction(body, number, contact.body_friction, 0.0)

    def _add_solid(self, solid: Solid) -> None:
        """
        Add a part of the ground; all but a plane as triangles.

        On a box of Bullet's a foot would be felt one step late, up to a millimetre deep: the
        shapes of a link, which are offset from its centre of mass, are tried against another
        shape only when their bounding boxes overlap. Those of planes and triangles are wider.
        """
        bullet, position = self._bullet, (0.0, 0.0, 0.0)
        if isinstance(solid, Plane):
            shape, position = bullet.make_plane(), (0.0, 0.0, solid.height)
        elif isinstance(solid, Box):
            vertices, triangles = solid.make_mesh()
            shape, position = bullet.make_mesh(vertices - solid.centre, triangles), solid.centre
        else:
            shape = bullet.make_mesh(solid.vertices, solid.triangles)
        look = self._draw_solid(solid) if self._visible else -1
        body = bullet.add_body(shape, look, position)
        if isinstance(solid, Plane):
            self._tiles.append((body, solid.height))
        bullet.set_collisions(body, -1, GROUND_GROUP, ROBOT_GROUP)
        bullet.set_friction(body, -1, solid.friction, 0.0)

    def _draw_solid(self, solid: Solid) -> int:
        if isinstance(solid, Box):
            return self._bullet.draw_box(solid.half_extents, OBSTACLE_COLOUR)
        if isinstance(solid, Plane):
            return self._draw_tiles(0)
        return self._bullet.draw_triangles(*flatten_faces(solid.vertices, solid.triangles),
                                           OBSTACLE_COLOUR)

    def _draw_tiles(self, parity: int) -> int:
        return self._bullet.draw_triangles(*flatten_faces(*make_tiles(parity, self._tile)),
                                           TILE_COLOURS[parity])

    def _add_tiles(self) -> None:
        """Lay the other squares of the flat ground's pattern, by which a viewer sees motion."""
        if any(isinstance(solid, Plane) for solid in self._solids):
            body = self._bullet.add_body(-1, self._draw_tiles(1), (0.0, 0.0, 0.0))
            self._tiles.append((body, 0.0))
