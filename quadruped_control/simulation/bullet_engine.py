"""
What the world asks of Bullet in every tick, compiled: read, write, push and step.

One record holds all that these calls need: the addresses of Bullet's functions, room for their
answers, and which of Bullet's joints is which link of the tree.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.engine_layout import (
    limit_torques,
    set_base_from_centre_of_mass,
    set_joints,
)
from quadruped_control.simulation.engine import RECORD, Effort, Functions, register_engine
from quadruped_control.simulation.native_call import call_native

Array = NDArray[np.float64]
Block = NDArray[np.record]

# functions by the field that holds their address
FUNCTIONS = {
    'submit': 'b3SubmitClientCommandAndWaitStatus',
    'request_state': 'b3RequestActualStateCommandInit', 'get_state': 'b3GetStatusActualState',
    'request_contacts': 'b3InitRequestContactPointInformation',
    'choose_contacts': 'b3SetContactFilterBodyA', 'get_contacts': 'b3GetContactPointInformation',
    'request_control': 'b3JointControlCommandInit2',
    'set_torque': 'b3JointControlSetDesiredForceTorque',
    'request_force': 'b3ApplyExternalForceCommandInit', 'add_force': 'b3ApplyExternalForce',
    'request_step': 'b3InitStepSimulationCommand',
}
BASE_POSITIONS, BASE_SPEEDS = 7, 6
CONTACT_BYTES = 176
LINK_A, NORMAL_FORCE = 3, 10        # in the integers and in the doubles of a contact
TORQUE_CONTROL, WORLD_FRAME = 1, 2
LOW_HALF = 0xFFFFFFFF               # of 8 bytes that begin with a 4-byte integer


@cache
def engine_type(links: int, joints: int) -> np.dtype:
    """Bullet as compiled code sees it, for a robot with so many links and moving joints."""
    return np.dtype([
        *((name, 'i8') for name in FUNCTIONS),
        ('copy', 'i8'),                               # memcpy
        ('client', 'i8'),
        ('body', 'i8'),
        ('time_step', 'f8'),                          # s
        ('state', 'i8', (2,)),                        # where positions and speeds are
        ('contacts', 'i8', (2,)),                     # b3ContactInformation: number and place
        ('contact_integers', 'i4', (6,)),             # b3ContactPointData
        ('contact_doubles', 'f8', (19,)),
        ('positions', 'f8', (BASE_POSITIONS + joints,)),
        ('speeds', 'f8', (BASE_SPEEDS + joints,)),
        ('joint_positions', 'f8', (joints,)),         # in the order of ``movable``, as below
        ('joint_speeds', 'f8', (joints,)),
        ('chosen', 'f8', (joints,)),                  # torques
        ('limited', 'f8', (links,)),
        ('limits', 'f8', (links,)),                   # of the torques, N m
        ('movable', 'i8', (joints,)),
        ('order', 'i8', (joints,)),                   # place of each among Bullet's movable ones
        ('offset', 'f8', (3,)),                       # centre of mass in the root's frame, m
        ('turn', 'f8', (4,)),                         # of its principal axes in that frame
        ('root', 'f8', (13,)),                        # its pose and velocity
        ('number', 'i8', (links,)),                   # Bullet's number of a link, -1 for the root
        ('link', 'i8', (links,)),                     # of a number, from -1 on
        ('leg', 'i8', (links,)),                      # of a link that is a foot, else -1
        ('touches', 'i8', (links,)),                  # 1: a link, not a foot, with contact force
    ], align=True)


@compiled
def read_engine(engine: Block, state: Block) -> None:
    """Write base, joints and contacts into the state record."""
    e = _open(engine)
    _fetch_state(e)
    for n in range(e.order.shape[0]):
        e.joint_positions[n] = e.positions[BASE_POSITIONS + e.order[n]]
        e.joint_speeds[n] = e.speeds[BASE_SPEEDS + e.order[n]]
    set_joints(e.joint_positions, e.joint_speeds, e.movable, state)
    e.root[:BASE_POSITIONS] = e.positions[:BASE_POSITIONS]
    e.root[BASE_POSITIONS:] = e.speeds[:BASE_SPEEDS]
    if e.turn[3] != 1.0:
        _turn_back(e.root, e.turn)
    set_base_from_centre_of_mass(e.root, e.offset, state)
    _read_contacts(e, state[0].foot_force)


@compiled
def _turn_back(root: Array, turn: Array) -> None:
    """Turn the attitude of the principal axes, which Bullet gives, to that of the root's frame."""
    x, y, z, w = root[3], root[4], root[5], root[6]
    a, b, c, d = -turn[0], -turn[1], -turn[2], turn[3]
    root[3] = w*a + x*d + y*c - z*b
    root[4] = w*b - x*c + y*d + z*a
    root[5] = w*c + x*b - y*a + z*d
    root[6] = w*d - x*a - y*b - z*c


@compiled
def write_engine(engine: Block, torques: Array) -> None:
    """Cut torques to the limit, leave them in ``limited`` and command them for the next step."""
    e = _open(engine)
    limit_torques(torques, e.limits, e.movable, e.limited, e.chosen)
    command = call_native(e.request_control, (e.client, e.body, TORQUE_CONTROL))
    for n in range(e.order.shape[0]):
        call_native(e.set_torque, (command, BASE_SPEEDS + e.order[n], e.chosen[n]))
    call_native(e.submit, (e.client, command))


@compiled
def push_engine(engine: Block, link: int, point: Array, force: Array) -> None:
    """Apply a force at a point of a link, both in the world, during the next step."""
    e = _open(engine)
    command = call_native(e.request_force, (e.client,))
    call_native(e.add_force, (command, e.body, e.number[link], force.ctypes.data,
                              point.ctypes.data, WORLD_FRAME))
    call_native(e.submit, (e.client, command))


@compiled
def step_engine(engine: Block, state: Block, dt: float) -> None:
    """Advance by one time step, which is the world's."""
    e = _open(engine)
    call_native(e.submit, (e.client, call_native(e.request_step, (e.client,))))
    state[0].time += dt


@compiled
def tell_effort(engine: Block) -> Effort:
    """Return the torques written, their limits, and which links were touched."""
    e = engine[0]
    return Effort(e.limited, e.limits, e.movable, e.touches)


@compiled
def _open(engine: Block) -> np.record:
    """Return the record; a client that is closed must not be called."""
    if engine[0].client == 0:
        raise RuntimeError('the world is closed')
    return engine[0]


@compiled
def _fetch_state(e: np.record) -> None:
    """Copy all coordinates: the root's pose or velocity, then the joints in Bullet's order."""
    status = call_native(e.submit, (e.client, call_native(e.request_state, (e.client, e.body))))
    places = e.state.ctypes.data
    if call_native(e.get_state, (status, 0, 0, 0, 0, places, places + 8, 0)) & LOW_HALF == 0:
        raise RuntimeError('Bullet gives no state of a robot with so many links')
    call_native(e.copy, (e.positions.ctypes.data, e.state[0], 8 * e.positions.shape[0]))
    call_native(e.copy, (e.speeds.ctypes.data, e.state[1], 8 * e.speeds.shape[0]))


@compiled
def _read_contacts(e: np.record, foot_force: Array) -> None:
    command = call_native(e.request_contacts, (e.client,))
    call_native(e.choose_contacts, (command, e.body))
    call_native(e.submit, (e.client, command))
    call_native(e.get_contacts, (e.client, e.contacts.ctypes.data))
    foot_force[:] = 0.0
    e.touches[:] = 0
    for n in range(e.contacts[0] & LOW_HALF):
        call_native(e.copy, (e.contact_integers.ctypes.data, e.contacts[1] + n * CONTACT_BYTES,
                             CONTACT_BYTES))
        force = e.contact_doubles[NORMAL_FORCE]
        link = e.link[e.contact_integers[LINK_A] + 1]
        if e.leg[link] >= 0:
            foot_force[e.leg[link]] += force
        elif force > 0.0:
            e.touches[link] = 1


register_engine(RECORD, Functions(read_engine, write_engine, push_engine, step_engine,
                                  tell_effort))
