"""The world obeys mechanics: nothing hidden damps, drives or limits the dog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from bullet_probe import cast_rays, get_dynamics, get_joint_damping
from pydantic import TypeAdapter
from states import accelerate, moved

from quadruped_control.control.observation import Observation
from quadruped_control.kinematics.forward_kinematics import (
    compute_centre_of_mass,
    compute_point_velocity,
)
from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.loading import validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario, Start
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.pose import Pose
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP, World
from quadruped_control.terrain.features import Feature
from quadruped_control.terrain.ground import Ground
from quadruped_control.terrain.solids import solids

LIMIT = 100.0
BESIDE = 2e-3                   # m: rays hit walls that they pass so near, within a tolerance


@pytest.fixture(scope='module')
def robot() -> Robot:
    return load_robot('dog')


@pytest.fixture
def world(robot: Robot) -> Iterator[World]:
    world = build_world(robot, Ground.from_features(()))
    yield world
    world.close()


def build_world(robot: Robot, ground: Ground, contact: ContactModel | None = None) -> World:
    return World(robot.limit(LIMIT), solids(ground), contact or ContactModel())


def build_ground(*features: dict[str, Any], seed: int = 0) -> Ground:
    adapter: TypeAdapter[Any] = TypeAdapter(Feature)
    return Ground.from_features([adapter.validate_python(item) for item in features], seed)


def build_loop(**keys: Any) -> Loop:
    return Loop(validate({'duration': 5.0, **keys}, Scenario, 'test'))


def pose_at(robot: Robot, height: float, joints: np.ndarray | None = None) -> Pose:
    zero = np.zeros(len(robot.links))
    return Pose(np.array([0.0, 0.0, height]), np.array([0.0, 0.0, 0.0, 1.0]),
                zero if joints is None else joints)


def advance(world: World, steps: int, torques: np.ndarray | None = None) -> np.record:
    """Step a limp dog, or one with constant torques, and return its state."""
    for _ in range(steps):
        world.write(np.zeros(len(world.robot.links)) if torques is None else torques)
        world.step()
    return world.read()


def throw(world: World, seed: int) -> None:
    """Let the dog fly, spin and move all its joints, 3 m above the ground."""
    robot, rng = world.robot, np.random.default_rng(seed)
    joints = np.zeros(len(robot.links))
    joints[list(robot.movable)] = rng.uniform(-0.1, 0.1, len(robot.movable))
    world.reset(pose_at(robot, 3.0, joints))
    bullet, body = world._bullet, world._body
    bullet.set_velocity(body, np.array([5.0, 1.0, 0.0]), np.array([0.5, 0.3, 2.0]))
    for link in robot.movable:
        bullet.set_joint(body, world._numbers[link], joints[link], rng.uniform(-0.5, 0.5))


class Mechanics(NamedTuple):
    """Momentum, angular momentum about the centre of mass, kinetic energy relative to it."""

    centre: np.ndarray
    momentum: np.ndarray
    spin: np.ndarray
    inner_energy: float


def measure(robot: Robot, state: np.record) -> Mechanics:
    motion, tree = moved(robot, state), robot.tree
    centre, speed, momentum, spin, energy = np.empty(3), np.empty(3), np.zeros(3), np.zeros(3), 0.0
    compute_centre_of_mass(tree, motion, centre)
    for i, mass in enumerate(tree['mass']):
        compute_point_velocity(motion, i, motion['centre'][i], speed)
        turn, w = motion['rotation'][i], motion['angular_velocity'][i]
        inertia = turn @ tree['inertia'][i] @ turn.T
        momentum += mass * speed
        spin += np.cross(motion['centre'][i] - centre, mass * speed) + inertia @ w
        energy += mass * speed @ speed / 2 + w @ inertia @ w / 2
    return Mechanics(centre, momentum, spin,
                     energy - float(momentum @ momentum / (2 * tree['total_mass'])))


def test_engine_reports_no_damping_and_the_friction_that_was_set(robot: Robot) -> None:
    """What bullet3 issue 3314 is about: values set together with others may be lost."""
    contact = ContactModel(foot_friction=0.8, foot_spin_friction=0.03, body_friction=0.6)
    world = build_world(robot, Ground.from_features(()), contact)
    for link, number in world._numbers.items():
        dynamics = get_dynamics(world._bullet, world._body, number)
        is_foot = link in robot.anatomy['toe']
        assert dynamics.friction == pytest.approx(0.8 if is_foot else 0.6)
        assert dynamics.spin_friction == pytest.approx(0.03 if is_foot else 0.0)
        assert (dynamics.rolling_friction, dynamics.restitution) == (0.0, 0.0)
        assert (dynamics.linear_damping, dynamics.angular_damping) == (0.0, 0.0)
        assert number < 0 or get_joint_damping(world._bullet, world._body, number) == (0.0, 0.0)
    world.close()


@pytest.mark.parametrize('seed', range(3))
def test_flight_keeps_momentum_spin_and_energy(world: World, robot: Robot, seed: int) -> None:
    """With the engine's default damping each would lose 5 % or more in these 0.2 s."""
    throw(world, seed)
    before, steps = measure(robot, world.read()), 200
    after = measure(robot, advance(world, steps))
    fallen = robot.tree['total_mass'] * GRAVITY * steps * TIME_STEP
    np.testing.assert_allclose(after.momentum - before.momentum, (0.0, 0.0, -fallen), atol=0.1)
    scale = np.linalg.norm(before.spin)
    np.testing.assert_allclose(after.spin, before.spin, atol=0.005 * scale)
    assert after.inner_energy == pytest.approx(before.inner_energy, rel=0.01)


def test_limp_dog_falls_with_gravity(world: World, robot: Robot) -> None:
    world.reset(pose_at(robot, 2.0))
    start = measure(robot, world.read()).centre
    after = measure(robot, advance(world, 300)).centre
    steps = np.arange(1, 301)                   # the engine moves by the speed after each step
    fallen = GRAVITY * TIME_STEP**2 * steps.sum()
    np.testing.assert_allclose(after - start, (0.0, 0.0, -fallen), atol=1e-6)


@pytest.mark.parametrize('frame', [0, 1], ids=['front', 'rear'])
@pytest.mark.parametrize('force', [(100.0, 0.0, 0.0), (0.0, -50.0, 0.0), (0.0, 0.0, 80.0)])
def test_push_gives_its_impulse(world: World, robot: Robot, frame: int,
                                force: tuple[float, ...]) -> None:
    """A force F for a time t on the flying dog changes its momentum by F t."""
    world.reset(pose_at(robot, 2.0))
    link, steps = int(robot.anatomy['leg_frame'][frame]), 50
    for _ in range(steps):
        point = moved(robot, world.read())['centre'][link].copy()
        world.push(link, point, np.array(force))
        advance(world, 1)
    gained = measure(robot, world.read()).momentum
    time = steps * TIME_STEP
    weight = np.array([0.0, 0.0, robot.tree['total_mass'] * GRAVITY])
    np.testing.assert_allclose(gained, (np.array(force) - weight) * time,
                               atol=0.01 * np.linalg.norm(force) * time)


def test_push_is_where_it_is_said_to_be(world: World, robot: Robot) -> None:
    """A sideways force ahead of the centre of mass turns the dog to that side."""
    for frame, sign in ((0, 1.0), (1, -1.0)):
        world.reset(pose_at(robot, 2.0))
        link = int(robot.anatomy['leg_frame'][frame])
        point = moved(robot, world.read())['centre'][link].copy()
        arm = point - measure(robot, world.read()).centre
        world.push(link, point, np.array([0.0, 100.0, 0.0]))
        spin = measure(robot, advance(world, 1)).spin
        assert np.sign(spin[2]) == sign
        np.testing.assert_allclose(spin, np.cross(arm, (0.0, 100.0 * TIME_STEP, 0.0)), atol=1e-3)


def test_torques_are_cut_to_the_limit(world: World, robot: Robot) -> None:
    wanted = np.zeros(len(robot.links))
    knee, hip = int(robot.anatomy['knee'][0]), int(robot.anatomy['hip'][0, 0])
    wanted[[knee, hip]] = 1e6, -150.0
    states = []
    for torques in (wanted, np.clip(wanted, -LIMIT, LIMIT)):
        world.reset(pose_at(robot, 2.0))
        written = world.write(torques).copy()
        np.testing.assert_array_equal(written[[knee, hip]], (LIMIT, -LIMIT))
        states.append(advance(world, 3, torques).tobytes())
    assert states[0] == states[1]


def test_torque_accelerates_the_joint_as_the_model_says(world: World, robot: Robot) -> None:
    """The engine's own motors are off: the model of the library predicts the next speeds."""
    rng, torques = np.random.default_rng(3), np.zeros(len(robot.links))
    torques[list(robot.movable)] = rng.uniform(-2.0, 2.0, len(robot.movable))
    throw(world, 1)
    state = world.read().copy()
    expected, _ = accelerate(robot, state, torques)
    after = advance(world, 1, torques)
    gained = (after['joint_velocity'] - state['joint_velocity'])[list(robot.movable)]
    np.testing.assert_allclose(gained, expected * TIME_STEP, rtol=1e-5, atol=1e-6)


def test_feet_carry_the_weight() -> None:
    loop = build_loop(duration=3.0)
    forces = []
    loop.run(2000)
    for _ in range(500):
        loop.run(1)
        forces.append(loop.world.state['foot_force'].copy())
    mean = np.mean(forces, axis=0)
    weight = float(loop.robot.tree['total_mass']) * GRAVITY
    assert mean.sum() == pytest.approx(weight, rel=0.005)
    assert mean[0] == pytest.approx(mean[1], rel=0.02)
    assert mean[2] == pytest.approx(mean[3], rel=0.02)
    assert mean[:2].sum() == pytest.approx(loop.robot.standing_weight()[0], rel=0.1)
    assert loop.world.body_contacts == frozenset()
    loop.world.close()


def test_a_floor_of_blocks_feels_like_a_plane() -> None:
    """A trot leaves the same track on an endless plane, and on a floor that ends far ahead."""
    tracks = []
    for terrain in ([], [{'kind': 'gap', 'x': [30.0, 31.0]}]):
        loop = Loop(validate({
            'name': 'floor', 'duration': 1.5, 'terrain': terrain,
            'commands': [{'t': 0.2, 'vx': 1.0, 'gait': 'trot'}]}, Scenario, 'floor'))
        loop.run(1500)
        tracks.append(loop.recording.foot_position.copy())
        loop.world.close()
    np.testing.assert_allclose(tracks[0][:400], tracks[1][:400], atol=1e-6)
    np.testing.assert_allclose(tracks[0], tracks[1], atol=2e-3)
    for track in tracks:            # m that soles sink in; a toe's corner more for some ms
        assert np.quantile(track[:, :, 2], 0.01) > -2e-4 and track[:, :, 2].min() > -1e-3


def test_foot_resists_twisting() -> None:
    """A foot passes a yaw torque to the ground up to its spin friction times its load."""
    turned = {}
    for spin_friction in (0.0, 0.02):
        loop = build_loop()
        world = build_world(loop.robot, loop.ground,
                            ContactModel(foot_spin_friction=spin_friction))
        world.reset(compute_start_pose(loop.robot, loop.ground, loop.scenario.start))
        loop.controller.reset()
        observation = Observation(loop.robot, world.state)
        twist, toe = int(loop.robot.anatomy['hip'][0, 2]), int(loop.robot.anatomy['toe'][0])
        for step in range(600):
            state = world.read()
            loop.scheduler.update(state)
            observation.update()
            torques = loop.controller.update(observation, loop.scheduler.target, TIME_STEP).copy()
            if step >= 500:
                torques[twist] = 2.0
            if step == 500:
                before = moved(loop.robot, world.state)['rotation'][toe][1, 0]
            world.write(torques)
            world.step()
        after = moved(loop.robot, world.read())['rotation'][toe][1, 0]
        turned[spin_friction] = float(after - before)
        world.close()
        loop.world.close()
    assert turned[0.0] > 0.1                    # rad: it spins on its point
    assert abs(turned[0.02]) < 0.2 * turned[0.0]


def test_lying_dog_reports_what_touches(world: World, robot: Robot) -> None:
    start = Start(rpy=(1.57, 0.0, 0.0), drop=0.05)
    world.reset(compute_start_pose(robot, Ground.from_features(()), start))
    assert world.body_contacts == frozenset()
    advance(world, 1500)
    names = {robot.links[link].name for link in world.body_contacts}
    assert names & {'pelvis', 'shoulders', 'thoracic_1', 'thoracic_2', 'lumbar_1', 'lumbar_2'}
    assert not any(name.endswith('toe') for name in names)      # feet are reported as feet


def test_dog_does_not_collide_with_itself(world: World, robot: Robot) -> None:
    """Legs through one another: nothing touches, high above the ground."""
    joints = np.zeros(len(robot.links))
    joints[robot.anatomy['hip'][:, 1]] = (-0.6, 0.6, -0.6, 0.6)
    world.reset(pose_at(robot, 2.0, joints))
    state = advance(world, 5)
    assert not state['foot_force'].any() and world.body_contacts == frozenset()


def drive(world: World, pose: Pose, seed: int, steps: int = 300) -> bytes:
    """Return all states of a dog that falls on the ground with random torques, bit by bit."""
    rng, states = np.random.default_rng(seed), []
    world.reset(pose)
    for _ in range(steps):
        states.append(world.read().tobytes())
        world.write(rng.normal(scale=3.0, size=len(world.robot.links)))
        world.step()
    return b''.join(states)


def test_reset_repeats_bit_for_bit(world: World, robot: Robot) -> None:
    pose = pose_at(robot, 0.5)
    first = drive(world, pose, 1)
    other = drive(world, pose, 2)
    assert first != other
    assert drive(world, pose, 1) == first


def test_two_worlds_do_not_disturb_each_other(robot: Robot) -> None:
    ground = Ground.from_features(())
    pose = pose_at(robot, 0.5)
    alone = build_world(robot, ground)
    expected = drive(alone, pose, 1)
    alone.close()
    pair = [build_world(robot, ground), build_world(robot, build_ground(
        {'kind': 'box', 'x': (-1.0, 1.0), 'y': (-1.0, 1.0), 'height': 0.1}))]
    rngs, states = [np.random.default_rng(seed) for seed in (1, 7)], []
    for world in pair:
        world.reset(pose)
    for _ in range(300):
        for world, rng in zip(pair, rngs, strict=True):
            state = world.read()
            if world is pair[0]:
                states.append(state.tobytes())
            world.write(rng.normal(scale=3.0, size=len(robot.links)))
            world.step()
    for world in pair:
        world.close()
    assert b''.join(states) == expected


def test_closed_world_refuses_to_go_on(robot: Robot) -> None:
    world = build_world(robot, Ground.from_features(()))
    world.close()
    world.close()
    for call in (world.read, world.step):
        with pytest.raises(RuntimeError, match='closed'):
            call()


TERRAINS: dict[str, tuple[dict[str, Any], ...]] = {
    'box': ({'kind': 'box', 'x': (1.0, 2.0), 'y': (-1.0, 1.0), 'height': 0.2, 'friction': 0.9},),
    'pit': ({'kind': 'box', 'x': (1.0, 2.0), 'y': (-1.0, 1.0), 'height': -0.2},),
    'gap': ({'kind': 'gap', 'x': (1.0, 1.7), 'friction': 0.5},),
    'ramp': ({'kind': 'ramp', 'x': (0.5, 2.0), 'y': (-1.0, 1.0), 'height': (0.0, 0.4)},),
    'steps': ({'kind': 'steps', 'x': (0.5, 2.0), 'y': (-1.0, 1.0), 'depth': 0.2,
               'height': (0.0, 0.1)},),
    'rough': ({'kind': 'rough', 'x': (0.0, 2.0), 'y': (-1.0, 1.0), 'amplitude': 0.08,
               'cell': 0.15, 'friction': 0.7},),
    'patch': ({'kind': 'patch', 'x': (0.5, 1.5), 'y': (-1.0, 1.0), 'friction': 0.3},),
    'barrier': ({'kind': 'barrier', 'x': (1.0, 1.1), 'y': (-1.0, 1.0), 'height': 0.4},),
    'cut': (
        {'kind': 'rough', 'x': (0.0, 2.0), 'y': (-1.0, 1.0), 'amplitude': 0.1, 'cell': 0.15},
        {'kind': 'ramp', 'x': (1.03, 1.9), 'y': (-0.3, 0.41), 'height': (-0.2, 0.3)},
        {'kind': 'patch', 'x': (-0.5, 0.8), 'y': (-0.8, 0.1), 'friction': 0.3},
    ),
}


@pytest.mark.parametrize('name', TERRAINS)
def test_engine_sees_the_ground_that_the_library_knows(robot: Robot, name: str) -> None:
    """Height and friction under random points, by rays through the engine's bodies."""
    ground = build_ground(*TERRAINS[name], seed=2)
    world = build_world(robot, ground)
    world.place(pose_at(robot, 50.0))
    rng = np.random.default_rng(4)
    x, y = rng.uniform((-1.0, -1.5), (3.0, 1.5), (400, 2)).T
    beside = ground.height(x + BESIDE, y) - ground.height(x - BESIDE, y)
    x, y = x[abs(beside) < 0.05], y[abs(beside) < 0.05]
    top = np.stack((x, y, np.full_like(x, 3.0)), axis=-1)
    hits = cast_rays(world._bullet, top, top - (0.0, 0.0, 6.0))
    friction = {body: get_dynamics(world._bullet, body, -1).friction for body in set(hits['body'])}
    np.testing.assert_allclose(hits['position'][:, 2], ground.height(x, y), atol=1e-4)
    np.testing.assert_allclose([friction[body] for body in hits['body']], ground.friction(x, y))
    world.close()


RAMP = {'kind': 'ramp', 'x': (-2.0, 2.0), 'y': (-2.0, 2.0), 'height': (0.0, 0.7053)}
STARTS: dict[str, tuple[tuple[dict[str, Any], ...], Start]] = {
    'flat': ((), Start()),
    'turned': ((), Start(position=(3.0, -2.0), heading=2.5)),
    'up a ramp': ((RAMP,), Start()),
    'down a ramp': ((RAMP,), Start(heading=np.pi)),
    'across a ramp': ((RAMP,), Start(heading=np.pi / 2)),
    'askew on a ramp': ((RAMP,), Start(heading=0.7)),
    'front feet on a box': (
        ({'kind': 'box', 'x': (0.3, 2.0), 'y': (-1.0, 1.0), 'height': 0.12},), Start()),
    'left feet on a box': (
        ({'kind': 'box', 'x': (-1.0, 2.0), 'y': (0.0, 1.0), 'height': 0.06},), Start()),
    'rough': (({'kind': 'rough', 'x': (-1.0, 2.0), 'y': (-1.0, 1.0), 'amplitude': 0.05,
                'cell': 0.15},), Start()),
}


@pytest.mark.parametrize('name', STARTS)
def test_start_pose_has_its_feet_on_the_ground(robot: Robot, name: str) -> None:
    """Every foot's sphere touches the ground under it, and nothing else does."""
    features, start = STARTS[name]
    ground = build_ground(*features, seed=3)
    pose = compute_start_pose(robot, ground, start)
    world = build_world(robot, ground)
    world.reset(pose)
    motion = moved(robot, world.read())
    for link, sphere in robot.spheres():
        centre = motion['position'][link] + motion['rotation'][link] @ sphere.centre
        height, normal = ground.height_at(*centre[:2]), ground.normal(*centre[:2])
        gap = (centre[2] - height) * normal[2] - sphere.radius
        if link in robot.anatomy['toe']:
            slack = 2e-3 if name == 'rough' else 1e-6       # where a neighbour may be higher
            assert gap == pytest.approx(0.0, abs=slack), robot.links[link].name
        else:
            assert gap > 0.0, robot.links[link].name
    world.close()


def test_drop_starts_as_high_as_it_says(robot: Robot) -> None:
    flat = Ground.from_features(())
    for start in (Start(drop=0.3), Start(rpy=(1.57, 0.0, 0.3), drop=0.3),
                  Start(rpy=(3.14, 0.2, 0.0), drop=0.3)):
        world = build_world(robot, flat)
        world.reset(compute_start_pose(robot, flat, start))
        motion = moved(robot, world.read())
        lowest = min((motion['position'][link] + motion['rotation'][link] @ sphere.centre)[2]
                     - sphere.radius for link, sphere in robot.spheres())
        assert lowest == pytest.approx(0.3, abs=1e-3)
        world.close()
