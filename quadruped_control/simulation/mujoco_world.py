"""
The robot in MuJoCo, with the interface of :class:`World`. The only file that imports mujoco.

A second opinion on the physics, and a faster one. Flat ground only for now.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.kinematics.engine_layout import limit_torques
from quadruped_control.kinematics.records import as_block, new_record, state_type
from quadruped_control.kinematics.rotations import rotation_from_quaternion
from quadruped_control.model.mjcf_writer import write_mjcf
from quadruped_control.model.robot import Robot
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.engine import Effort, Functions, register_engine
from quadruped_control.simulation.native_call import address_of, call_native
from quadruped_control.simulation.pose import Pose

Array = NDArray[np.float64]
FREE_POSITIONS = 7


class Engine(NamedTuple):
    """MuJoCo's memory as the compiled loop sees it: addresses, and arrays that share it."""

    step: int
    model: int
    data: int
    positions: Array
    speeds: Array
    applied: Array
    pushed: Array
    body_centres: Array
    sensors: Array
    warm_start: Array
    position_index: NDArray[np.int64]
    speed_index: NDArray[np.int64]
    movable: NDArray[np.int64]
    foot_sensor: NDArray[np.int64]
    body: NDArray[np.int64]             # of each link
    limits: Array                       # of the torques by link, N m
    limited: Array
    chosen: Array
    touches: NDArray[np.int64]


def find_step() -> int:
    """Return the address of MuJoCo's step."""
    library = next(Path(mujoco.__file__).parent.glob('libmujoco.so*'))
    return address_of(ctypes.CDLL(str(library)).mj_step)


@compiled
def read_engine(engine: Engine, block: NDArray[np.record]) -> None:
    """Write the state record from MuJoCo's coordinates; the root's spin is in its own axes."""
    state, rotation = block[0], np.empty((3, 3))
    q, v = engine.positions, engine.speeds
    for k in range(3):
        state.base_position[k] = q[k]
        state.base_velocity[k] = v[k]
        state.base_quaternion[k] = q[4 + k]
    state.base_quaternion[3] = q[3]
    rotation_from_quaternion(state.base_quaternion, rotation)
    for k in range(3):
        state.base_angular_velocity[k] = (rotation[k, 0] * v[3] + rotation[k, 1] * v[4]
                                          + rotation[k, 2] * v[5])
    for n in range(engine.movable.shape[0]):
        state.joint_position[engine.movable[n]] = q[engine.position_index[n]]
        state.joint_velocity[engine.movable[n]] = v[engine.speed_index[n]]
    for leg in range(4):
        state.foot_force[leg] = engine.sensors[engine.foot_sensor[leg]]


@compiled
def write_engine(engine: Engine, torques: Array) -> None:
    """Cut torques to their limits and set them for the next step."""
    limit_torques(torques, engine.limits, engine.movable, engine.limited, engine.chosen)
    for n in range(engine.chosen.shape[0]):
        engine.applied[engine.speed_index[n]] = engine.chosen[n]


@compiled
def push_engine(engine: Engine, link: int, point: Array, force: Array) -> None:
    """Add a force at a point of a link, both in the world, for the next step."""
    f = engine.pushed[engine.body[link]]
    arm = point - engine.body_centres[engine.body[link]]
    for k in range(3):
        f[k] += force[k]
    f[3] += arm[1] * force[2] - arm[2] * force[1]
    f[4] += arm[2] * force[0] - arm[0] * force[2]
    f[5] += arm[0] * force[1] - arm[1] * force[0]


@compiled
def step_engine(engine: Engine, state: NDArray[np.record], dt: float) -> None:
    """Advance by one time step, which is the model's; pushes end with it."""
    call_native(engine.step, (engine.model, engine.data))
    engine.pushed[:] = 0.0
    state[0].time += dt


@compiled
def tell_effort(engine: Engine) -> Effort:
    """Return the torques written and their limits; contacts of the body are not felt."""
    return Effort(engine.limited, engine.limits, engine.movable, engine.touches)


register_engine(Engine, Functions(read_engine, write_engine, push_engine, step_engine,
                                  tell_effort))


class MujocoWorld:
    """A robot on flat ground."""

    def __init__(self, robot: Robot, contact: ContactModel, *, time_step: float) -> None:
        self.robot = robot
        links = len(robot.links)
        self._limits = robot.torque_limits()
        text = write_mjcf(robot.shapes, time_step=time_step,
                          foot_spin_friction=contact.foot_spin_friction)
        self._model = mujoco.MjModel.from_xml_string(text)
        self._data = mujoco.MjData(self._model)
        self.state = new_record(state_type(len(robot.links)))
        self._block = as_block(self.state)
        joints = [mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_JOINT, name)
                  for name in robot.joint_names]
        self._positions = self._model.jnt_qposadr[joints]
        self._speeds = self._model.jnt_dofadr[joints]
        self._movable = np.array(robot.movable)
        toes = [robot.links[int(toe)].name for toe in robot.anatomy['toe']]
        sensors = [mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_SENSOR, name)
                   for name in toes]
        bodies = [mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, link.name)
                  for link in robot.links]
        data = self._data
        self.engine = Engine(
            find_step(), self._model._address, data._address, data.qpos, data.qvel,
            data.qfrc_applied, data.xfrc_applied, data.xipos, data.sensordata, data.qacc_warmstart,
            self._positions.astype(np.int64), self._speeds.astype(np.int64), self._movable,
            self._model.sensor_adr[sensors].astype(np.int64), np.array(bodies), self._limits,
            np.zeros(links), np.zeros(len(self._movable)), np.zeros(links, np.int64))

    def reset(self, pose: Pose) -> None:
        """Place the robot at rest."""
        mujoco.mj_resetData(self._model, self._data)
        x, y, z, w = pose.base_quaternion
        self._data.qpos[:3] = pose.base_position
        self._data.qpos[3:FREE_POSITIONS] = w, x, y, z
        self._data.qpos[self._positions] = pose.joint_position[self._movable]
        mujoco.mj_forward(self._model, self._data)
        self.state['time'] = 0.0
        self.read()

    def refresh(self) -> None:
        """Bring what follows from positions and speeds up to date after they were set."""
        self._data.qfrc_applied[:] = 0.0
        self._data.xfrc_applied[:] = 0.0
        mujoco.mj_forward(self._model, self._data)

    def read(self) -> np.record:
        """Read base, joints and foot contacts into the state record."""
        read_engine(self.engine, self._block)
        return self.state

    def write(self, torques: Array) -> Array:
        """Command torques, cut to the limit, for the next step; return what was commanded."""
        limited = np.clip(torques, -self._limits, self._limits)
        self._data.qfrc_applied[self._speeds] = limited[self._movable]
        return limited

    def step(self) -> None:
        """Advance by one time step."""
        mujoco.mj_step(self._model, self._data)
        self.state['time'] = self._data.time
