"""
The physical world. The only file that imports pybullet.

The engine advances by a fixed step and moves the robot by joint torques alone; its own motors
and dampers are off. State goes into a flat record, torques come from a flat array.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import InputError
from quadruped_control.kinematics.engine_layout import (
    limit_torques,
    set_base_from_centre_of_mass,
    set_joints,
)
from quadruped_control.kinematics.records import GRAVITY, as_block, new_record, state_type
from quadruped_control.kinematics.rotations import rotation_from_quaternion
from quadruped_control.model.robot import Robot
from quadruped_control.simulation.camera import Camera
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.engine_urdf import write_engine_urdf
from quadruped_control.simulation.looks import (
    OBSTACLE_COLOUR,
    TILE_COLOURS,
    flatten_faces,
    make_tiles,
    tiles_place,
)
from quadruped_control.simulation.pose import Pose
from quadruped_control.simulation.silence import silence
from quadruped_control.terrain.solids import Box, Plane, Solid

with silence():         # the engine prints its date of build
    import pybullet
    from pybullet_utils.bullet_client import BulletClient

Array = NDArray[np.float64]

TIME_STEP = 1e-3                # s
ROBOT_GROUP, GROUND_GROUP = 1, 2     # the robot meets the ground, not itself
SPEED_CLAMP = 1000.0            # rad/s: the engine's own clamp on joint speeds, out of the way
POSITION = itemgetter(0)
SPEED = itemgetter(1)


class World:
    """
    A robot on its ground.

    The shape of a tick is ``read``, compute torques, ``write``, ``step``.

    :param torque_limit: N m; torques are cut to it when written.
    :param visible: load the visual shapes, for rendering.
    """

    def __init__(self, robot: Robot, solids: Sequence[Solid], contact: ContactModel, *,
                 torque_limit: float, visible: bool = False) -> None:
        self.robot = robot
        self.torque_limit = torque_limit
        self.state = new_record(state_type(len(robot.links)))
        self._block = as_block(self.state)
        self._clock = self._block['time']
        self._foot_force = self.state['foot_force']
        self._solids = tuple(solids)
        self._contact = contact
        self._visible = visible
        with silence():
            self._engine = BulletClient(connection_mode=pybullet.DIRECT)
        self._movable = np.array(robot.movable)
        self._offset = robot.tree['centre_of_mass'][0].copy()
        self._rotation = np.empty((3, 3))
        self._base = np.empty(13)
        self._torques = np.zeros(len(robot.links))
        self._commanded = np.zeros(len(self._movable))
        self.body_contacts: frozenset[int] = frozenset()
        self._build()

    def close(self) -> None:
        """Free the engine."""
        self._engine.disconnect()

    def reset(self, pose: Pose) -> None:
        """Place the robot; the world is built anew, since only that repeats bit for bit."""
        self._engine.resetSimulation()
        self._build()
        self.place(pose)
        self.state['time'] = 0.0
        self.state['foot_force'] = 0.0
        self.read()

    def place(self, pose: Pose) -> None:
        """Set base and joints at rest, without building anew; for pictures."""
        quaternion = np.asarray(pose.base_quaternion)
        rotation_from_quaternion(quaternion, self._rotation)
        centre = pose.base_position + self._rotation @ self._offset
        self._engine.resetBasePositionAndOrientation(self._body, centre, quaternion)
        self._engine.resetBaseVelocity(self._body, [0, 0, 0], [0, 0, 0])
        for joint, link in zip(self._joints, self._movable, strict=True):
            self._engine.resetJointState(self._body, joint, pose.joint_position[link], 0.0)

    def read(self) -> np.record:
        """Read base, joints and foot contacts into the state record."""
        joints = self._get_joints()
        count = len(joints)
        set_joints(np.fromiter(map(POSITION, joints), float, count),
                   np.fromiter(map(SPEED, joints), float, count), self._movable, self._block)
        centre, quaternion = self._get_base()
        velocity, spin = self._get_base_velocity()
        self._base[:] = (*centre, *quaternion, *velocity, *spin)
        set_base_from_centre_of_mass(self._base, self._offset, self._block)
        self._read_contacts()
        return self.state

    def write(self, torques: Array) -> Array:
        """Command torques, cut to the limit, for the next step; return what was commanded."""
        limit_torques(torques, self.torque_limit, self._movable, self._torques, self._commanded)
        self._set_torques(forces=self._commanded.tolist())
        return self._torques

    def push(self, link: int, point: Array, force: Array) -> None:
        """Apply a force at a point of a link, both in the world, during the next step."""
        self._engine.applyExternalForce(self._body, self._indices[link], force, point,
                                        pybullet.WORLD_FRAME)

    def step(self) -> None:
        """Advance by one time step."""
        self._step()
        self._clock += TIME_STEP

    def _read_contacts(self) -> None:
        forces = [0.0, 0.0, 0.0, 0.0]
        others = None
        for contact in self._get_contacts():
            leg = self._feet.get(contact[3])
            if leg is not None:
                forces[leg] += contact[9]
            elif contact[9] > 0.0:
                others = (others or set()) | {self._links[contact[3]]}
        self._foot_force[:] = forces
        self.body_contacts = frozenset(others) if others else frozenset()

    def render(self, camera: Camera) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3) by the engine's software renderer."""
        engine = self._engine
        middle = tiles_place(*camera.target[:2])
        for tiles, height in self._tiles:       # a plane moved along itself stays the same
            engine.resetBasePositionAndOrientation(tiles, (*middle, height), (0, 0, 0, 1))
        view = engine.computeViewMatrix(camera.eye, camera.target, [0, 0, 1])
        aspect = camera.width / camera.height
        projection = engine.computeProjectionMatrixFOV(camera.field_of_view, aspect, 0.05, 60.0)
        picture = engine.getCameraImage(
            camera.width, camera.height, view, projection, renderer=pybullet.ER_TINY_RENDERER,
            shadow=1, lightDirection=[-1.0, -2.0, 4.0], lightAmbientCoeff=0.55,
            lightDiffuseCoeff=0.55, lightSpecularCoeff=0.05)
        pixels = np.asarray(picture[2], np.uint8).reshape(camera.height, camera.width, 4)
        return pixels[:, :, :3]

    # ---- building ----

    def _build(self) -> None:
        engine = self._engine
        engine.setPhysicsEngineParameter(
            fixedTimeStep=TIME_STEP, numSubSteps=0, deterministicOverlappingPairs=1,
            numSolverIterations=self._contact.solver_iterations)
        engine.setGravity(0, 0, -GRAVITY)
        self._tiles: list[tuple[int, float]] = []
        for solid in self._solids:
            self._add_solid(solid)
        if self._visible:
            self._add_tiles()
        self._body = self._load()
        self._map_links()
        self._silence_engine()
        self._bind()

    def _bind(self) -> None:
        """Bind the calls of every tick once: the client would look them up each time."""
        here = {'physicsClientId': self._engine._client}
        self._get_joints = partial(pybullet.getJointStates, self._body, self._joints, **here)
        self._get_base = partial(pybullet.getBasePositionAndOrientation, self._body, **here)
        self._get_base_velocity = partial(pybullet.getBaseVelocity, self._body, **here)
        self._get_contacts = partial(pybullet.getContactPoints, self._body, **here)
        self._set_torques = partial(pybullet.setJointMotorControlArray, self._body, self._joints,
                                    pybullet.TORQUE_CONTROL, **here)
        self._step = partial(pybullet.stepSimulation, **here)

    def _load(self) -> int:
        """Load a copy of the URDF that the engine can read."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / 'robot.urdf'
            write_engine_urdf(self.robot.urdf, copy, with_meshes=self._visible)
            try:
                with silence():
                    return int(self._engine.loadURDF(
                        str(copy), flags=pybullet.URDF_USE_INERTIA_FROM_FILE))
            except pybullet.error as error:
                raise InputError(self.robot.urdf, '', str(error),
                                 'a URDF that the physics engine can load') from None

    def _map_links(self) -> None:
        """Relate the engine's joint numbers to the tree's links, by name."""
        names = {link.joint_name: i for i, link in enumerate(self.robot.links)}
        self._indices = {0: -1}
        for joint in range(self._engine.getNumJoints(self._body)):
            name = self._engine.getJointInfo(self._body, joint)[1].decode()
            self._indices[names[name]] = joint
        self._links = {joint: link for link, joint in self._indices.items()}
        self._joints = [self._indices[link] for link in self.robot.movable]
        self._feet = {self._indices[int(toe)]: leg
                      for leg, toe in enumerate(self.robot.anatomy['toe'])}

    def _silence_engine(self) -> None:
        """Switch the engine's motors and dampers off, and set friction: see bullet3 issue 3314."""
        engine, contact = self._engine, self._contact
        engine.setJointMotorControlArray(self._body, self._joints, pybullet.VELOCITY_CONTROL,
                                         forces=[0.0] * len(self._joints))
        for index in self._indices.values():
            engine.setCollisionFilterGroupMask(self._body, index, ROBOT_GROUP, GROUND_GROUP)
            engine.changeDynamics(self._body, index, linearDamping=0.0, angularDamping=0.0,
                                  jointDamping=0.0)
            engine.changeDynamics(self._body, index, maxJointVelocity=SPEED_CLAMP)
            engine.changeDynamics(self._body, index, lateralFriction=contact.body_friction,
                                  restitution=0.0, rollingFriction=0.0, spinningFriction=0.0)
        for index in self._feet:
            engine.changeDynamics(self._body, index, lateralFriction=contact.foot_friction)
            engine.changeDynamics(self._body, index, spinningFriction=contact.foot_spin_friction)

    def _add_solid(self, solid: Solid) -> None:
        engine = self._engine
        position = (0.0, 0.0, 0.0)
        if isinstance(solid, Plane):
            shape = engine.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=[0, 0, 1])
            position = (0.0, 0.0, solid.height)
        elif isinstance(solid, Box):
            shape = engine.createCollisionShape(pybullet.GEOM_BOX, halfExtents=solid.half_extents)
            position = solid.centre
        else:           # as triangles: the engine would round a convex hull by its margin
            shape = engine.createCollisionShape(
                pybullet.GEOM_MESH, vertices=solid.vertices, indices=solid.triangles.ravel(),
                flags=pybullet.GEOM_FORCE_CONCAVE_TRIMESH)
        look = self._solid_look(solid) if self._visible else -1
        body = engine.createMultiBody(0, shape, look, basePosition=position)
        if isinstance(solid, Plane):
            self._tiles.append((body, solid.height))
        engine.setCollisionFilterGroupMask(body, -1, GROUND_GROUP, ROBOT_GROUP)
        engine.changeDynamics(body, -1, lateralFriction=solid.friction, spinningFriction=0.0,
                              restitution=0.0)

    def _solid_look(self, solid: Solid) -> int:
        engine, colour = self._engine, OBSTACLE_COLOUR
        if isinstance(solid, Box):
            return int(engine.createVisualShape(pybullet.GEOM_BOX, rgbaColor=colour,
                                                halfExtents=solid.half_extents))
        if isinstance(solid, Plane):
            return self._mesh_look(*make_tiles(0), TILE_COLOURS[0])
        return self._mesh_look(solid.vertices, solid.triangles, colour)

    def _mesh_look(self, vertices: Array, triangles: NDArray[np.int64],
                   colour: tuple[float, ...]) -> int:
        corners, normals = flatten_faces(vertices, triangles)
        return int(self._engine.createVisualShape(
            pybullet.GEOM_MESH, rgbaColor=colour, vertices=corners.tolist(),
            indices=list(range(len(corners))), normals=normals.tolist()))

    def _add_tiles(self) -> None:
        """Lay the other squares of the flat ground's pattern, by which a viewer sees motion."""
        if not any(isinstance(solid, Plane) for solid in self._solids):
            return
        shape = self._mesh_look(*make_tiles(1), TILE_COLOURS[1])
        self._tiles.append((self._engine.createMultiBody(0, -1, shape), 0.0))
