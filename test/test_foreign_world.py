"""A foreign robot in the world: where Bullet says that it is, and how it moves."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from bullet_probe import get_dynamics

from quadruped_control.kinematics.forward_kinematics import compute_motion
from quadruped_control.kinematics.records import motion_type, new_record
from quadruped_control.model.foreign_roles import foreign_roles
from quadruped_control.model.robot import Robot, build_robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.urdf_import import import_urdf
from quadruped_control.model.urdf_reader import read_urdf
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.pose import Pose
from quadruped_control.simulation.world import World

DATA = Path(str(next(iter(find_spec('pybullet_data').submodule_search_locations))))  # type: ignore


@pytest.fixture(name='a1')
def build_a1(tmp_path: Path) -> Robot:
    foreign = import_urdf(DATA / 'a1' / 'a1.urdf')
    path = tmp_path / 'a1.urdf'
    path.write_text(foreign.urdf, encoding='utf-8')
    return build_robot('a1', path, tuple(read_urdf(path)), foreign.links, foreign_roles(foreign),
                       load_robot().measures)


@pytest.mark.timeout(400)
def test_pose_is_read_as_it_was_set_though_the_root_has_products_of_inertia(a1: Robot) -> None:
    assert abs(a1.tree['inertia'][0][0, 2]) > 1e-4
    random = np.random.default_rng(1)
    quaternion = random.normal(size=4)
    quaternion /= np.linalg.norm(quaternion) * np.sign(quaternion[3])
    pose = Pose(np.array([1.0, 2.0, 3.0]), quaternion, random.uniform(-0.3, 0.3, 13))
    world = World(a1.limit(50.0), (), ContactModel())
    world.reset(pose)
    state = world.state
    assert np.allclose(state['base_quaternion'] * np.sign(state['base_quaternion'][3]), quaternion,
                       atol=1e-9)
    assert np.allclose(state['base_position'], pose.base_position, atol=1e-9)
    frame = np.array(get_dynamics(world._bullet, world._body, -1).inertial_frame)
    assert np.allclose(frame[:3], a1.tree['centre_of_mass'][0], atol=1e-9)
    assert np.allclose(frame[3:], world.engine['turn'][0], atol=1e-9), 'as Bullet has it'
    assert frame[6] < 1 - 1e-6
    world.close()


@pytest.mark.timeout(400)
def test_free_flight_keeps_the_momentum_that_our_tree_computes(a1: Robot) -> None:
    """Bullet and the tree here agree on inertias only if torques inside change no momentum."""
    world = World(a1.limit(50.0), (), ContactModel())
    world.reset(Pose(np.array([0.0, 0.0, 5.0]), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(13)))
    torques = np.zeros(13)
    torques[list(a1.movable)] = np.random.default_rng(2).uniform(-1.0, 1.0, 12)
    for _ in range(100):
        world.write(torques)
        world.step()
    world.read()
    motion = new_record(motion_type(13))
    compute_motion(a1.tree, world.state, motion)
    mass, spins = a1.tree['mass'], motion['angular_velocity']
    centres = [motion['position'][i] + motion['rotation'][i] @ a1.tree['centre_of_mass'][i]
               for i in range(13)]
    speeds = [motion['velocity'][i] + np.cross(spins[i], centres[i] - motion['position'][i])
              for i in range(13)]
    whole = sum(m * c for m, c in zip(mass, centres, strict=True)) / mass.sum()
    linear = sum(m * v for m, v in zip(mass, speeds, strict=True))
    angular, moved = np.zeros(3), 0.0
    for i in range(13):
        turned = motion['rotation'][i] @ a1.tree['inertia'][i] @ motion['rotation'][i].T
        own = turned @ spins[i] + mass[i] * np.cross(centres[i] - whole, speeds[i])
        angular += own
        moved += float(np.linalg.norm(own))
    assert moved > 0.1, 'the legs did swing'
    assert np.linalg.norm(angular) < 0.01 * moved
    assert np.allclose(linear, [0, 0, -mass.sum() * 9.81 * 0.1], atol=0.02 * mass.sum() * 0.981)
    world.close()
