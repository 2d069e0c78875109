"""
The robot in MuJoCo, with the interface of :class:`World`. The only file that imports mujoco.

A second opinion on the physics, and a faster one. Flat ground only for now.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from quadruped_control.kinematics.records import as_block, new_record, state_type
from quadruped_control.model.links import expand_links
from quadruped_control.model.mjcf_writer import write_mjcf
from quadruped_control.model.robot import Robot
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.pose import Pose

Array = NDArray[np.float64]
FREE_POSITIONS, FREE_SPEEDS = 7, 6


class MujocoWorld:
    """
    A robot on flat ground.

    :param torque_limit: N m; torques are cut to it when written.
    """

    def __init__(self, robot: Robot, contact: ContactModel, *, torque_limit: float,
                 time_step: float) -> None:
        self.robot = robot
        self.torque_limit = torque_limit
        text = write_mjcf(expand_links(robot.description), time_step=time_step,
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
        ground = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_GEOM, 'ground')
        self._ground = ground
        toes = [robot.links[int(toe)].name for toe in robot.anatomy['toe']]
        self._feet = {mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, name): leg
                      for leg, name in enumerate(toes)}
        self._force = np.zeros(6)

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

    def read(self) -> np.record:
        """Read base, joints and foot contacts into the state record."""
        data, state = self._data, self.state
        state['base_position'] = data.qpos[:3]
        state['base_quaternion'] = data.qpos[[4, 5, 6, 3]]
        state['base_velocity'] = data.qvel[:3]
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, data.qpos[3:FREE_POSITIONS])
        state['base_angular_velocity'] = rotation.reshape(3, 3) @ data.qvel[3:FREE_SPEEDS]
        state['joint_position'][self._movable] = data.qpos[self._positions]
        state['joint_velocity'][self._movable] = data.qvel[self._speeds]
        state['foot_force'] = 0.0
        for index in range(data.ncon):
            leg = self._feet.get(int(self._model.geom_bodyid[max(data.contact[index].geom)]))
            if leg is not None:
                mujoco.mj_contactForce(self._model, data, index, self._force)
                state['foot_force'][leg] += self._force[0]
        return state

    def write(self, torques: Array) -> Array:
        """Command torques, cut to the limit, for the next step; return what was commanded."""
        limited = np.clip(torques, -self.torque_limit, self.torque_limit)
        self._data.qfrc_applied[self._speeds] = limited[self._movable]
        return limited

    def step(self) -> None:
        """Advance by one time step."""
        mujoco.mj_step(self._model, self._data)
        self.state['time'] = self._data.time
