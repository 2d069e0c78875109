"""What tests ask Bullet beyond what the package does."""

from __future__ import annotations

import ctypes

import numpy as np

from quadruped_control.simulation.bullet import KINDS, Bullet

DOUBLE, INT = ctypes.c_double, ctypes.c_int
HIT = np.dtype([('fraction', 'f8'), ('body', 'i4'), ('link', 'i4'), ('position', 'f8', 3),
                ('normal', 'f8', 3)])
JOINT_NAMES = 2 * 1024          # bytes before the numbers of b3JointInfo


class Dynamics(ctypes.Structure):
    """b3DynamicsInfo."""

    _fields_ = (('mass', DOUBLE), ('inertia', DOUBLE * 3), ('inertial_frame', DOUBLE * 7),
                ('friction', DOUBLE), ('rolling_friction', DOUBLE), ('spin_friction', DOUBLE),
                ('restitution', DOUBLE), ('stiffness', DOUBLE), ('damping', DOUBLE),
                ('activation', INT), ('body_type', INT), ('angular_damping', DOUBLE),
                ('linear_damping', DOUBLE), ('rest', DOUBLE * 16))


class Hits(ctypes.Structure):
    """b3RaycastInformation."""

    _fields_ = (('count', INT), ('hits', ctypes.c_void_p))


def declare(bullet: Bullet, name: str, kinds: str) -> ctypes._CFuncPtr:
    """Return a function of the library, its result and arguments by the letters of KINDS."""
    function: ctypes._CFuncPtr = bullet.library[name]
    function.restype, function.argtypes = KINDS[kinds[0]], [KINDS[kind] for kind in kinds[1:]]
    return function


def get_dynamics(bullet: Bullet, body: int, number: int) -> Dynamics:
    info = Dynamics()
    command = declare(bullet, 'b3GetDynamicsInfoCommandInit', 'ppii')(bullet.client, body, number)
    declare(bullet, 'b3GetDynamicsInfo', 'ipp')(bullet.submit(command), ctypes.byref(info))
    return info


def get_joint_damping(bullet: Bullet, body: int, number: int) -> tuple[float, float]:
    """Return damping and friction of a joint."""
    info = ctypes.create_string_buffer(2 * JOINT_NAMES)
    bullet.library.b3GetJointInfo(bullet.client, body, number, info)
    damping, friction = np.frombuffer(info, np.float64, 2, JOINT_NAMES + 24)
    return float(damping), float(friction)


def cast_rays(bullet: Bullet, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return what rays (n, 3) hit, as records."""
    found = Hits()
    command = declare(bullet, 'b3CreateRaycastBatchCommandInit', 'pp')(bullet.client)
    declare(bullet, 'b3RaycastBatchAddRays', '-ppDDi')(
        bullet.client, command, np.ascontiguousarray(start), np.ascontiguousarray(end), len(start))
    bullet.submit(command)
    declare(bullet, 'b3GetRaycastInformation', '-pp')(bullet.client, ctypes.byref(found))
    return np.frombuffer(ctypes.string_at(found.hits, found.count * HIT.itemsize), HIT)
