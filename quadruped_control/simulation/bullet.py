"""
Bullet's C interface (PhysicsClientC_API.h). The only file that loads pybullet's library.

pybullet is a Python module around this interface and exports it. Called directly it gives the
state of the robot as plain arrays, and compiled code can call it too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import QuadrupedError
from quadruped_control.simulation.camera import Camera
from quadruped_control.simulation.silence import silence

Array = NDArray[np.float64]

KINDS: dict[str, Any] = {
    '-': None, 'p': ctypes.c_void_p, 's': ctypes.c_char_p, 'i': ctypes.c_int,
    'd': ctypes.c_double, 'f': ctypes.c_float,
    'D': np.ctypeslib.ndpointer(np.float64, flags='C'),
    'F': np.ctypeslib.ndpointer(np.float32, flags='C'),
    'I': np.ctypeslib.ndpointer(np.int32, flags='C'),
}  # fmt: skip
# name: result and arguments, by the letters above
CALLS = {
    'b3ConnectPhysicsDirect': 'p', 'b3DisconnectSharedMemory': '-p',
    'b3SubmitClientCommandAndWaitStatus': 'ppp', 'b3GetStatusType': 'ip',
    'b3InitResetSimulationCommand': 'pp', 'b3InitResetSimulationSetFlags': 'ipi',
    'b3InitPhysicsParamCommand': 'pp', 'b3PhysicsParamSetGravity': 'ipddd',
    'b3PhysicsParamSetTimeStep': 'ipd', 'b3PhysicsParamSetNumSubSteps': 'ipi',
    'b3PhysicsParamSetNumSolverIterations': 'ipi',
    'b3PhysicsParameterSetDeterministicOverlappingPairs': 'ipi',
    'b3LoadUrdfCommandInit': 'pps', 'b3LoadUrdfCommandSetFlags': 'ipi',
    'b3GetStatusBodyIndex': 'ip', 'b3GetNumJoints': 'ipi', 'b3GetJointInfo': 'ipiip',
    'b3CreatePoseCommandInit': 'ppi', 'b3CreatePoseCommandSetBasePosition': 'ipddd',
    'b3CreatePoseCommandSetBaseOrientation': 'ipdddd',
    'b3CreatePoseCommandSetBaseLinearVelocity': 'ipD',
    'b3CreatePoseCommandSetBaseAngularVelocity': 'ipD',
    'b3CreatePoseCommandSetJointPosition': 'ippid',
    'b3CreatePoseCommandSetJointVelocity': 'ippid',
    'b3JointControlCommandInit2': 'ppii', 'b3JointControlSetDesiredVelocity': 'ipid',
    'b3JointControlSetKd': 'ipid', 'b3JointControlSetMaximumForce': 'ipid',
    'b3JointControlSetDesiredForceTorque': 'ipid',
    'b3CollisionFilterCommandInit': 'pp', 'b3SetCollisionFilterGroupMask': '-piiii',
    'b3InitChangeDynamicsInfo': 'pp', 'b3ChangeDynamicsInfoSetLinearDamping': 'ipid',
    'b3ChangeDynamicsInfoSetAngularDamping': 'ipid',
    'b3ChangeDynamicsInfoSetMaxJointVelocity': 'ipid',
    'b3ChangeDynamicsInfoSetJointDamping': 'ipiid',
    'b3ChangeDynamicsInfoSetLateralFriction': 'ipiid',
    'b3ChangeDynamicsInfoSetSpinningFriction': 'ipiid',
    'b3ChangeDynamicsInfoSetRollingFriction': 'ipiid',
    'b3ChangeDynamicsInfoSetRestitution': 'ipiid',
    'b3CreateCollisionShapeCommandInit': 'pp', 'b3CreateCollisionShapeAddPlane': 'ipDd',
    'b3CreateCollisionShapeAddConcaveMesh': 'ippDDiIi', 'b3CreateCollisionSetFlag': '-pii',
    'b3GetStatusCollisionShapeUniqueId': 'ip',
    'b3CreateVisualShapeCommandInit': 'pp', 'b3CreateVisualShapeAddBox': 'ipD',
    'b3CreateVisualShapeAddMesh2': 'ippDDiIiDipi', 'b3CreateVisualShapeSetRGBAColor': '-piD',
    'b3CreateVisualShapeSetSpecularColor': '-piD',
    'b3CreateVisualShapeSetChildTransform': '-piDD', 'b3GetStatusVisualShapeUniqueId': 'ip',
    'b3CreateMultiBodyCommandInit': 'pp', 'b3CreateMultiBodyBase': 'ipdiiDDDD',
    'b3InitRequestCameraImage': 'pp', 'b3RequestCameraImageSetPixelResolution': '-pii',
    'b3ComputeViewMatrixFromPositions': '-FFFF', 'b3ComputeProjectionMatrixFOV': '-ffffF',
    'b3RequestCameraImageSetCameraMatrices': '-pFF',
    'b3RequestCameraImageSetLightDirection': '-pF',
    'b3RequestCameraImageSetLightAmbientCoeff': '-pf',
    'b3RequestCameraImageSetLightDiffuseCoeff': '-pf',
    'b3RequestCameraImageSetLightSpecularCoeff': '-pf',
    'b3RequestCameraImageSetShadow': '-pi', 'b3RequestCameraImageSelectRenderer': '-pi',
    'b3GetCameraImageData': '-pp',
    'b3RequestActualStateCommandInit': 'ppi', 'b3GetStatusActualState': 'ipppppppp',
    'b3InitRequestContactPointInformation': 'pp', 'b3SetContactFilterBodyA': '-pi',
    'b3GetContactPointInformation': '-pp',
    'b3ApplyExternalForceCommandInit': 'pp', 'b3ApplyExternalForce': '-piiDDi',
    'b3InitStepSimulationCommand': 'pp',
}  # fmt: skip
URDF_LOADED = 6                     # status
USE_INERTIA_FROM_FILE, CONCAVE_MESH, SOFTWARE_RENDERER, VELOCITY_CONTROL = 2, 1, 1 << 16, 0
SIMPLE_BROADPHASE = 4
NAME_BYTES = 1024
UNIT = np.ones(3)
NOWHERE, UNTURNED = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])


class JointInfo(ctypes.Structure):
    """The beginning of b3JointInfo, and room for the rest."""

    _fields_ = (('link_name', ctypes.c_char * NAME_BYTES),
                ('joint_name', ctypes.c_char * NAME_BYTES), ('type', ctypes.c_int),
                ('position_index', ctypes.c_int), ('speed_index', ctypes.c_int),
                ('rest', ctypes.c_char * NAME_BYTES))


class CameraImage(ctypes.Structure):
    """b3CameraImageData; a pixel is red, green, blue, alpha."""

    _fields_ = (('width', ctypes.c_int), ('height', ctypes.c_int),
                ('pixels', ctypes.POINTER(ctypes.c_uint8)), ('depth', ctypes.c_void_p),
                ('segments', ctypes.c_void_p))


class Joint(NamedTuple):
    """A joint as Bullet numbers it; ``speed`` is its place among all speeds, -1 if it is fixed."""

    name: str
    speed: int


@cache
def load_library() -> ctypes.CDLL:
    """Load the library and check that it has what is called here."""
    module = find_spec('pybullet')
    if module is None or module.origin is None:
        raise QuadrupedError('pybullet is not installed: pip install "pybullet>=3.2.6,<3.3"')
    library = ctypes.CDLL(module.origin)
    missing = [name for name in CALLS if not hasattr(library, name)]
    if missing:
        raise QuadrupedError(f'{Path(module.origin).name} has no {missing[0]}: this pybullet does'
                             ' not export its C interface; versions >=3.2.6,<3.3 are known to')
    for name, kinds in CALLS.items():
        function = getattr(library, name)
        function.restype = KINDS[kinds[0]]
        function.argtypes = [KINDS[kind] for kind in kinds[1:]]
    return library


class Bullet:
    """A physics server of our own inside this process, and what a world asks of it once."""

    def __init__(self) -> None:
        self.library = load_library()
        with silence():
            self.client: int = self.library.b3ConnectPhysicsDirect()

    def close(self) -> None:
        """Free the server."""
        if self.client:
            self.library.b3DisconnectSharedMemory(self.client)
        self.client = 0

    def submit(self, command: int) -> int:
        """Run a command and return its status."""
        return int(self.library.b3SubmitClientCommandAndWaitStatus(self.client, command))

    def reset(self, *, simple_broadphase: bool) -> None:
        """
        Remove everything.

        :param simple_broadphase: compare all pairs of bounding boxes, rather than keep a tree.
        """
        command = self.library.b3InitResetSimulationCommand(self.client)
        self.library.b3InitResetSimulationSetFlags(command, SIMPLE_BROADPHASE * simple_broadphase)
        self.submit(command)

    def set_physics(self, *, time_step: float, solver_iterations: int, gravity: float) -> None:
        """Set the step (s), without substeps, and gravity (m/s^2, downwards)."""
        library = self.library
        command = library.b3InitPhysicsParamCommand(self.client)
        library.b3PhysicsParamSetNumSolverIterations(command, solver_iterations)
        library.b3PhysicsParamSetNumSubSteps(command, 0)
        library.b3PhysicsParamSetTimeStep(command, time_step)
        library.b3PhysicsParameterSetDeterministicOverlappingPairs(command, 1)
        library.b3PhysicsParamSetGravity(command, 0.0, 0.0, -gravity)
        self.submit(command)

    def load_urdf(self, path: Path) -> int | None:
        """Return the number of the body, or None if the engine cannot load it."""
        command = self.library.b3LoadUrdfCommandInit(self.client, str(path).encode())
        self.library.b3LoadUrdfCommandSetFlags(command, USE_INERTIA_FROM_FILE)
        with silence():
            status = self.submit(command)
        if self.library.b3GetStatusType(status) != URDF_LOADED:
            return None
        return int(self.library.b3GetStatusBodyIndex(status))

    def joints(self, body: int) -> list[Joint]:
        """Return the joints of a body in Bullet's order."""
        info, joints = JointInfo(), []
        for number in range(self.library.b3GetNumJoints(self.client, body)):
            self.library.b3GetJointInfo(self.client, body, number, ctypes.byref(info))
            joints.append(Joint(info.joint_name.decode(), info.speed_index))
        return joints

    def place(self, body: int, position: Sequence[float] | Array,
              quaternion: Sequence[float] | Array = UNTURNED) -> None:
        """Set the pose of a body's centre of mass."""
        command = self.library.b3CreatePoseCommandInit(self.client, body)
        self.library.b3CreatePoseCommandSetBasePosition(command, *position)
        self.library.b3CreatePoseCommandSetBaseOrientation(command, *quaternion)
        self.submit(command)

    def set_velocity(self, body: int, velocity: Array, spin: Array) -> None:
        """Set the velocity of a body's centre of mass."""
        command = self.library.b3CreatePoseCommandInit(self.client, body)
        self.library.b3CreatePoseCommandSetBaseLinearVelocity(command, velocity)
        self.library.b3CreatePoseCommandSetBaseAngularVelocity(command, spin)
        self.submit(command)

    def set_joint(self, body: int, joint: int, position: float, speed: float) -> None:
        """Set the state of a joint."""
        client = self.client
        command = self.library.b3CreatePoseCommandInit(client, body)
        self.library.b3CreatePoseCommandSetJointPosition(client, command, joint, position)
        self.library.b3CreatePoseCommandSetJointVelocity(client, command, joint, speed)
        self.submit(command)

    def switch_motors_off(self, body: int, speeds: Iterable[int]) -> None:
        """Take the force from the velocity motors that Bullet gives every joint."""
        command = self.library.b3JointControlCommandInit2(self.client, body, VELOCITY_CONTROL)
        for speed in speeds:
            self.library.b3JointControlSetDesiredVelocity(command, speed, 0.0)
            self.library.b3JointControlSetKd(command, speed, 1.0)
            self.library.b3JointControlSetMaximumForce(command, speed, 0.0)
        self.submit(command)

    def set_collisions(self, body: int, link: int, group: int, mask: int) -> None:
        """Set in which groups a link is, and which it meets."""
        command = self.library.b3CollisionFilterCommandInit(self.client)
        self.library.b3SetCollisionFilterGroupMask(command, body, link, group, mask)
        self.submit(command)

    def clear_damping(self, body: int, links: Iterable[int], speed_clamp: float) -> None:
        """Switch Bullet's damping off, and move its clamp on joint speeds (rad/s) away."""
        library = self.library
        for link in links:
            command = library.b3InitChangeDynamicsInfo(self.client)
            library.b3ChangeDynamicsInfoSetLinearDamping(command, body, 0.0)
            library.b3ChangeDynamicsInfoSetAngularDamping(command, body, 0.0)
            library.b3ChangeDynamicsInfoSetJointDamping(command, body, link, 0.0)
            self.submit(command)
        command = library.b3InitChangeDynamicsInfo(self.client)
        library.b3ChangeDynamicsInfoSetMaxJointVelocity(command, body, speed_clamp)
        self.submit(command)

    def set_friction(self, body: int, link: int, friction: float, spin_friction: float) -> None:
        """Set sliding and torsional friction of a link that neither rolls hard nor bounces."""
        library = self.library
        command = library.b3InitChangeDynamicsInfo(self.client)
        library.b3ChangeDynamicsInfoSetLateralFriction(command, body, link, friction)
        library.b3ChangeDynamicsInfoSetSpinningFriction(command, body, link, spin_friction)
        library.b3ChangeDynamicsInfoSetRollingFriction(command, body, link, 0.0)
        library.b3ChangeDynamicsInfoSetRestitution(command, body, link, 0.0)
        self.submit(command)

    # ---- shapes ----

    def make_plane(self) -> int:
        """Return a collision shape: all that is below z = 0."""
        command = self.library.b3CreateCollisionShapeCommandInit(self.client)
        self.library.b3CreateCollisionShapeAddPlane(command, np.array([0.0, 0.0, 1.0]), 0.0)
        return int(self.library.b3GetStatusCollisionShapeUniqueId(self.submit(command)))

    def make_mesh(self, vertices: Array, triangles: NDArray[np.int64]) -> int:
        """Return a collision shape of triangles: Bullet would round a hull by its margin."""
        corners, indices = np.ascontiguousarray(vertices, float), triangles.astype(np.int32)
        command = self.library.b3CreateCollisionShapeCommandInit(self.client)
        shape = self.library.b3CreateCollisionShapeAddConcaveMesh(
            self.client, command, UNIT, corners, len(corners), indices, indices.size)
        self.library.b3CreateCollisionSetFlag(command, shape, CONCAVE_MESH)
        return int(self.library.b3GetStatusCollisionShapeUniqueId(self.submit(command)))

    def draw_box(self, half_extents: Sequence[float], colour: Sequence[float]) -> int:
        """Return a visual shape."""
        command = self.library.b3CreateVisualShapeCommandInit(self.client)
        shape = self.library.b3CreateVisualShapeAddBox(command, np.array(half_extents, float))
        return self._paint(command, shape, colour)

    def draw_triangles(self, corners: Array, normals: Array, colour: Sequence[float]) -> int:
        """Return a visual shape of triangles (3 n, 3) that share no corners."""
        command = self.library.b3CreateVisualShapeCommandInit(self.client)
        count = len(corners)
        shape = self.library.b3CreateVisualShapeAddMesh2(
            self.client, command, UNIT, corners, count, np.arange(count, dtype=np.int32), count,
            normals, count, None, 0)
        return self._paint(command, shape, colour)

    def _paint(self, command: int, shape: int, colour: Sequence[float]) -> int:
        self.library.b3CreateVisualShapeSetRGBAColor(command, shape, np.array(colour, float))
        self.library.b3CreateVisualShapeSetSpecularColor(command, shape, UNIT)
        self.library.b3CreateVisualShapeSetChildTransform(command, shape, NOWHERE, UNTURNED)
        return int(self.library.b3GetStatusVisualShapeUniqueId(self.submit(command)))

    def add_body(self, collision: int, look: int, position: Sequence[float]) -> int:
        """Return the number of a new body that never moves; -1 for no shape."""
        command = self.library.b3CreateMultiBodyCommandInit(self.client)
        self.library.b3CreateMultiBodyBase(command, 0.0, collision, look,
                                           np.array(position, float), UNTURNED, NOWHERE, UNTURNED)
        return int(self.library.b3GetStatusBodyIndex(self.submit(command)))

    # ---- pictures ----

    def render(self, camera: Camera) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3) by the software renderer."""
        library, (view, projection) = self.library, np.empty((2, 16), np.float32)
        eye, target, up, light = (np.array(vector, np.float32) for vector in (
            camera.eye, camera.target, (0, 0, 1), (-1.0, -2.0, 4.0)))
        library.b3ComputeViewMatrixFromPositions(eye, target, up, view)
        library.b3ComputeProjectionMatrixFOV(camera.field_of_view, camera.width / camera.height,
                                             0.05, 60.0, projection)
        command = library.b3InitRequestCameraImage(self.client)
        library.b3RequestCameraImageSetPixelResolution(command, camera.width, camera.height)
        library.b3RequestCameraImageSetCameraMatrices(command, view, projection)
        library.b3RequestCameraImageSetLightDirection(command, light)
        library.b3RequestCameraImageSetLightAmbientCoeff(command, 0.55)
        library.b3RequestCameraImageSetLightDiffuseCoeff(command, 0.55)
        library.b3RequestCameraImageSetLightSpecularCoeff(command, 0.05)
        library.b3RequestCameraImageSetShadow(command, 1)
        library.b3RequestCameraImageSelectRenderer(command, SOFTWARE_RENDERER)
        self.submit(command)
        image = CameraImage()
        library.b3GetCameraImageData(self.client, ctypes.byref(image))
        pixels = np.ctypeslib.as_array(image.pixels, (image.height, image.width, 4))
        return pixels[:, :, :3].copy()
