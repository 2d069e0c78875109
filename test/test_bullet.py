"""Bullet by its C interface does what pybullet's Python functions do, bit for bit."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pybullet
import pytest

from quadruped_control.errors import QuadrupedError
from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.loading import validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.echo import write_echo
from quadruped_control.rollout.pushes import PushStage, apply_pushes
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation import bullet
from quadruped_control.simulation.bullet import Bullet, CameraImage
from quadruped_control.simulation.bullet_engine import CONTACT_BYTES, engine_type
from quadruped_control.simulation.camera import Camera
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.pose import Pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.solids import Plane

FALL = 600                      # steps from a height of 0.6 m, with contacts at the end


@pytest.fixture(scope='module')
def robot() -> Robot:
    return load_robot('dog')


def prepare(engine: Any, body: int, joints: list[int], toes: list[int], pose: Pose,
            offset: np.ndarray) -> None:
    """Make the world of the package by pybullet's Python functions."""
    contact = ContactModel()
    engine.setPhysicsEngineParameter(fixedTimeStep=TIME_STEP, numSubSteps=0,
                                     deterministicOverlappingPairs=1,
                                     numSolverIterations=contact.solver_iterations)
    engine.setGravity(0, 0, -GRAVITY)
    plane = engine.createMultiBody(0, engine.createCollisionShape(
        pybullet.GEOM_PLANE, planeNormal=[0, 0, 1]))
    engine.setCollisionFilterGroupMask(plane, -1, 2, 1)
    engine.changeDynamics(plane, -1, lateralFriction=1.0, spinningFriction=0.0, restitution=0.0)
    engine.setJointMotorControlArray(body, joints, pybullet.VELOCITY_CONTROL,
                                     forces=[0.0] * len(joints))
    for link in range(-1, engine.getNumJoints(body)):
        engine.setCollisionFilterGroupMask(body, link, 1, 2)
        engine.changeDynamics(body, link, linearDamping=0.0, angularDamping=0.0,
                              jointDamping=0.0)
        engine.changeDynamics(body, link, maxJointVelocity=1000.0)
        engine.changeDynamics(body, link, lateralFriction=1.0, restitution=0.0,
                              rollingFriction=0.0,
                              spinningFriction=contact.foot_spin_friction * (link in toes))
    engine.resetBasePositionAndOrientation(body, pose.base_position + offset, [0, 0, 0, 1])


def test_world_is_the_one_that_pybullet_simulates(
        robot: Robot, load_in_pybullet: Callable[[Robot], Any]) -> None:
    """A dog falls with torques on its joints: coordinates and contact forces are the same."""
    pose = Pose(np.array([0.0, 0.0, 0.6]), np.array([0.0, 0.0, 0.0, 1.0]),
                np.zeros(len(robot.links)))
    engine, body, numbers = load_in_pybullet(robot)
    joints = [numbers[robot.links[link].name] for link in robot.movable]
    toes = [numbers[robot.links[int(toe)].name] for toe in robot.anatomy['toe']]
    prepare(engine, body, joints, toes, pose, robot.tree['centre_of_mass'][0])
    world = World(robot, [Plane(0.0, 1.0)], ContactModel())
    world.reset(pose)
    rng, touched = np.random.default_rng(1), 0
    for _ in range(FALL):
        torques = rng.normal(scale=2.0, size=len(robot.links))
        world.write(torques)
        world.step()
        engine.setJointMotorControlArray(body, joints, pybullet.TORQUE_CONTROL,
                                         forces=torques[list(robot.movable)].tolist())
        engine.stepSimulation()
        state = world.read()
        expected = np.array([joint[:2] for joint in engine.getJointStates(body, joints)])
        np.testing.assert_array_equal(state['joint_position'][list(robot.movable)], expected[:, 0])
        np.testing.assert_array_equal(state['joint_velocity'][list(robot.movable)], expected[:, 1])
        force, others = np.zeros(4), set()
        for contact in engine.getContactPoints(body):
            if contact[3] in toes:
                force[toes.index(contact[3])] += contact[9]
            elif contact[9] > 0.0:
                others.add(contact[3])
        np.testing.assert_array_equal(state['foot_force'], force)
        assert {numbers.get(robot.links[link].name, -1) for link in world.body_contacts} == others
        touched += force.any() + 10 * bool(others)
    np.testing.assert_array_equal(state['base_quaternion'],
                                  engine.getBasePositionAndOrientation(body)[1])
    assert touched > 11, 'the fall had no contacts to compare'
    world.close()


def test_picture_is_the_one_that_pybullet_makes(
        robot: Robot, load_in_pybullet: Callable[[Robot], Any]) -> None:
    camera, colour = Camera((0.0, 0.0, 0.0), width=64, height=48), (0.9, 0.2, 0.1, 1.0)
    own = Bullet()
    own.reset(simple_broadphase=False)
    own.add_body(-1, own.draw_box((0.2, 0.3, 0.1), colour), (0.1, 0.0, 0.0))
    picture = own.render(camera)
    own.close()
    engine = load_in_pybullet(robot)[0]
    engine.resetSimulation()
    shape = engine.createVisualShape(pybullet.GEOM_BOX, halfExtents=(0.2, 0.3, 0.1),
                                     rgbaColor=colour)
    engine.createMultiBody(0, -1, shape, (0.1, 0.0, 0.0))
    view = engine.computeViewMatrix(camera.eye, camera.target, [0, 0, 1])
    projection = engine.computeProjectionMatrixFOV(camera.field_of_view, 64 / 48, 0.05, 60.0)
    image = engine.getCameraImage(
        64, 48, view, projection, renderer=pybullet.ER_TINY_RENDERER, shadow=1,
        lightDirection=[-1.0, -2.0, 4.0], lightAmbientCoeff=0.55, lightDiffuseCoeff=0.55,
        lightSpecularCoeff=0.05)
    expected = np.asarray(image[2], np.uint8).reshape(48, 64, 4)[:, :, :3]
    np.testing.assert_array_equal(picture, expected)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 2


def test_layouts_are_those_of_the_header() -> None:
    """b3ContactPointData is five integers, padded, and 19 doubles without a gap."""
    engine = engine_type(68, 67)
    first, second = engine.fields['contact_integers'], engine.fields['contact_doubles']
    assert second[1] - first[1] == 24
    assert second[1] + second[0].itemsize - first[1] == CONTACT_BYTES
    assert CameraImage.pixels.offset == 8 and ctypes.sizeof(CameraImage) == 32


def test_library_without_a_function_is_refused_in_one_sentence(
        monkeypatch: pytest.MonkeyPatch) -> None:
    load = inspect.unwrap(bullet.load_library)
    monkeypatch.setitem(bullet.CALLS, 'b3Levitate', '-p')
    with pytest.raises(QuadrupedError, match=r'b3Levitate.*>=3\.2\.6,<3\.3'):
        load()
    monkeypatch.setattr(bullet, 'find_spec', lambda name: None)
    with pytest.raises(QuadrupedError, match='not installed'):
        load()


@pytest.mark.parametrize('commands', [
    [], [{'t': 0.1, 'vx': 1.0, 'gait': 'trot'}, {'t': 0.6, 'wz': 0.5}],
    [{'t': 0.05, 'target': (1.0, 1.0)}]], ids=['stand', 'trot', 'target'])
def test_compiled_ticks_are_read_update_write_step(commands: list[dict[str, Any]]) -> None:
    """What a scenario runs compiled is what nodes do call by call, bit for bit."""
    push = {'t': 0.3, 'at': 'front', 'force': (20.0, 60.0, 0.0), 'duration': 0.1}
    loops = [Loop(validate({'duration': 1.0, 'commands': commands, 'pushes': [push]}, Scenario,
                           'test')) for _ in range(2)]
    loops[0].run(1000)
    loop = loops[1]
    world, scheduler, controller = loop.world, loop.scheduler, loop.controller
    for row in range(1000):
        state = world.read()
        np.testing.assert_array_equal(
            state['joint_velocity'][list(world.robot.movable)],
            loops[0].recording.joint_velocity[row])
        loop.commands.apply(scheduler, state)
        scheduler.update(state)
        loop.observation.update()
        world.write(controller.update(loop.observation, scheduler.target, TIME_STEP))
        write_echo(scheduler.planning, loop.body.observed, loop.body.echo)
        apply_pushes(loop.pushes, world.engine, loop.observation.blocks, loop.body.echo[0])
        world.step()
    assert loop.pushes[0]['stage'] == PushStage.RUNNING and loop.pushes[0]['steps'] == 0
    for done in loops:
        done.world.close()
