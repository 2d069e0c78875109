"""A dog that a push turned off its heading: what belongs to its body stays in its axes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from states import control

from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.kinematics.records import FRONT, REAR, new_record, state_type
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

OFF = 1.0                       # rad that the heading is to the left of where the dog faces


def stand() -> Loop:
    """Return a dog that stands still and level, facing along x."""
    loop = Loop(validate({'name': 'stand', 'duration': 1.0}, Scenario, 'stand'))
    loop.run(500)
    return loop


def turn_heading(loop: Loop, *, facing: float) -> np.record:
    """Ask a standing dog to go another way at its present speed, and return its target."""
    target = loop.scheduler.target
    target['heading'], target['rpy'][:, 2] = OFF, facing
    target['standing'] = 0.0
    target['velocity'] = loop.observation.record['leg_frame_velocity']
    target['velocity_gain'] = target['leg_force'] = target['heading_gain'] = 0.0
    return target


def find_levers(loop: Loop) -> NDArray[np.float64]:
    """Return where the leg frames are from the middle between them (2, 2), m."""
    points = loop.observation.record['leg_frame_point'][:, :2]
    return np.asarray(points - points.mean(axis=0))


def measure_forces(loop: Loop) -> NDArray[np.float64]:
    """Return the level forces that the feet of each leg frame give it (2, 2), N."""
    control(loop)
    forces = -loop.observation.record['virtual_force'][:, :2]
    return np.asarray(forces.reshape(2, 2, 2).sum(axis=1))


def compute_spin(loop: Loop, forces: NDArray[np.float64]) -> float:
    """Return the torque to the left of forces on the leg frames, N m."""
    levers = find_levers(loop)
    return float((levers[:, 0] * forces[:, 1] - levers[:, 1] * forces[:, 0]).sum())


@pytest.mark.timeout(300)
@pytest.mark.parametrize('facing', [0.0, OFF])
def test_legs_that_drive_and_brake_spin_only_a_dog_that_they_push_aside(facing: float) -> None:
    loop = stand()
    target = turn_heading(loop, facing=facing)
    before = measure_forces(loop)
    target['leg_force'][:2, :, 0], target['leg_force'][2:, :, 0] = -50.0, 50.0
    spin = compute_spin(loop, measure_forces(loop) - before)
    if facing == 0.0:
        assert spin == pytest.approx(0.0, abs=3.0)          # N m, of forces of 200 N
    else:                           # along the heading: the further off it is the faster
        assert spin < -10.0


@pytest.mark.timeout(300)
def test_the_force_that_turns_a_dog_back_is_across_its_body() -> None:
    loop = stand()
    target = turn_heading(loop, facing=0.0)
    before = measure_forces(loop)
    target['heading_gain'] = 15.0
    forces = measure_forces(loop) - before
    levers = find_levers(loop)
    length = float(np.linalg.norm(levers[FRONT] - levers[REAR]))
    assert compute_spin(loop, forces) == pytest.approx(15.0 * OFF * length, rel=0.05)
    np.testing.assert_allclose(forces.sum(axis=0), 0.0, atol=1.0)


@pytest.mark.timeout(300)
@pytest.mark.parametrize('facing', [0.0, OFF])
def test_a_level_dog_off_its_heading_is_asked_to_pitch_not_to_roll(facing: float) -> None:
    loop = stand()
    target = turn_heading(loop, facing=facing)
    control(loop)
    before = loop.observation.record['leg_frame_torque'].copy()
    target['rpy'][:, 1] = 0.2
    control(loop)
    asked = loop.observation.record['leg_frame_torque'] - before
    if facing == 0.0:
        assert np.abs(asked[:, 0]).max() < 0.1 * asked[:, 1].min()
    else:                           # along the axes of the heading: what it must not be
        assert np.abs(asked[:, 0]).max() > 0.3 * asked[:, 1].min()


@pytest.mark.parametrize(('gait', 'speed', 'facing'), [
    ('trot', 1.5, 0.0), ('canter', 2.5, 0.875), ('canter', 3.0, 0.75),
    ('transverse_gallop', 5.0, 1.0)])
def test_only_fast_gaits_face_where_the_dog_does(gait: str, speed: float, facing: float) -> None:
    library, robot, yaw = GaitLibrary(), load_robot('dog'), 0.4
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=TIME_STEP, gait=gait)
    scheduler.command[0] = speed
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)
    state['base_velocity'][0] = speed
    for _ in range(4000):
        target = scheduler.update(state)
    heading = float(target['heading'])
    assert abs(yaw - heading) > 0.1
    np.testing.assert_allclose(target['rpy'][:, 2], heading + facing * (yaw - heading), atol=1e-6)
