"""Forces of stance feet by optimisation: what the leg frames want, within what feet can give."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from states import control

from quadruped_control.control.gains import Gains, load_gains
from quadruped_control.kinematics.records import GRAVITY
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario

Array = NDArray[np.float64]
BRAKE = 300.0                   # N s/m
LIMITS = load_gains().stance_forces


def stand(controller: str, torque_limit: float | None = None) -> Loop:
    """Return a dog that stands still and level, facing along x."""
    loop = Loop(validate({'name': 'stand', 'duration': 1.0, 'controller': controller,
                          'torque_limit': torque_limit}, Scenario, 'stand'))
    loop.run(500)
    control(loop)               # so that what is observed is of the state as it is
    return loop


@pytest.fixture(scope='module')
def standing() -> Loop:
    """Return one dog for all tests: what they change is set anew by each."""
    return stand('leg_frames')


def push_feet(loop: Loop, *, slower: float = 0.0, aside: float = 0.0,
              roll: float = 0.0) -> Array:
    """
    Ask a standing dog to be slower and go aside (m/s), or to roll (rad).

    Return the forces of the ground on its feet (4, 3).
    """
    target = loop.scheduler.target
    target['standing'], target['velocity_gain'] = 0.0, BRAKE
    target['velocity'] = loop.observation.record['leg_frame_velocity']
    target['velocity'][:, 0] -= slower
    target['velocity'][:, 1] += aside
    target['rpy'][:, 0] = roll
    control(loop)
    return -np.asarray(loop.observation.record['virtual_force'])


def compute_moments(loop: Loop, forces: Array) -> Array:
    """Return the pitch moment (4,) about the hips that the forces on the feet have, N m."""
    hips = loop.observation.motion['position'][loop.robot.anatomy['hip'][:, 0]]
    arms = loop.observation.record['sole'] - hips
    return np.asarray(np.cross(arms, forces)[:, 1])


def find_strongest(loop: Loop) -> float:
    """Return what the strongest joint can give, N m."""
    return float(loop.robot.torque_limits()[list(loop.robot.movable)].max())


@pytest.mark.timeout(300)
def test_feet_of_a_standing_dog_carry_its_weight(standing: Loop) -> None:
    forces = push_feet(standing)
    weight = float(standing.robot.tree['total_mass']) * GRAVITY
    assert forces[:, 2].sum() == pytest.approx(weight, rel=0.05)
    assert (forces[:, 2] > 0.1 * weight).all()


@pytest.mark.timeout(300)
@pytest.mark.parametrize('slower', [-0.2, 0.2])
def test_what_feet_can_give_they_give_as_algorithm_2_does(standing: Loop, slower: float) -> None:
    """Shared otherwise, but for each leg frame the same force in all."""
    other = push_feet(stand('algorithm_2'), slower=slower)
    forces = push_feet(standing, slower=slower)
    for legs in (slice(0, 2), slice(2, 4)):
        braked = forces[legs].sum(axis=0) - push_feet(standing)[legs].sum(axis=0)
        assert braked[0] == pytest.approx(-BRAKE * slower, rel=0.15)
        np.testing.assert_allclose(forces[legs].sum(axis=0), other[legs].sum(axis=0), atol=15.0)


@pytest.mark.timeout(300)
@pytest.mark.parametrize('asked', [{'slower': 4.0}, {'slower': -4.0}, {'aside': 4.0},
                                   {'slower': 3.0, 'aside': -3.0}, {'roll': 0.6}])
def test_feet_neither_slip_nor_pull_nor_ask_too_much_of_a_hip(
        standing: Loop, asked: dict[str, float]) -> None:
    forces = push_feet(standing, **asked)
    grip = standing.scheduler.target['grip'] * LIMITS.friction
    assert (np.abs(forces[:, :2]) <= grip * forces[:, 2:] + 0.1).all()
    assert (forces[:, 2] >= LIMITS.least - 1e-3).all()
    limit = LIMITS.torque_share * find_strongest(standing)
    assert np.abs(compute_moments(standing, forces)).max() <= limit + 1e-3


@pytest.mark.timeout(300)
def test_hips_that_may_give_little_are_asked_for_little(standing: Loop) -> None:
    controller = standing.controller
    gains = controller.parameters
    assert isinstance(gains, Gains)
    before = np.abs(compute_moments(standing, push_feet(standing, slower=1.0))).max()
    share = 0.5 * before / find_strongest(standing)
    weak = gains.stance_forces.model_copy(update={'torque_share': share})
    controller.tune(gains.model_copy(update={'stance_forces': weak}))
    after = np.abs(compute_moments(standing, push_feet(standing, slower=1.0))).max()
    controller.tune(gains)
    assert after <= 0.5 * before + 1e-3


@pytest.mark.timeout(300)
def test_the_torque_limit_of_a_scenario_is_that_of_the_hips() -> None:
    usual, weak = (np.abs(compute_moments(loop, push_feet(loop, slower=2.0))).max()
                   for loop in (stand('leg_frames'),
                                stand('leg_frames', torque_limit=40.0)))
    assert usual > 40.0 and weak <= LIMITS.torque_share * 40.0 + 1e-3


@pytest.mark.timeout(300)
@pytest.mark.parametrize(('field', 'limit'), [('slant', 0.05), ('grip', 0.1)])
def test_a_gait_may_want_less_along_the_ground(standing: Loop, field: str, limit: float) -> None:
    """By what its leg frames ask for, or by the friction that its feet count on."""
    usual = float(standing.scheduler.target[field])
    free = push_feet(standing, slower=1.0)
    standing.scheduler.target[field] = limit
    limited = push_feet(standing, slower=1.0)
    standing.scheduler.target[field] = usual
    assert free[:, 0].sum() < -200.0 and limited[:, 0].sum() > 0.5 * free[:, 0].sum()
    weight = float(standing.robot.tree['total_mass']) * GRAVITY
    assert free[:, 2].sum() > 1.3 * weight              # pressed down, to have the grip
    assert limited[:, 2].sum() == pytest.approx(weight, rel=0.15)


@pytest.mark.timeout(300)
def test_a_dog_that_should_roll_loads_the_feet_of_one_side(standing: Loop) -> None:
    level, rolled = push_feet(standing), push_feet(standing, roll=0.1)
    left, right = rolled[[0, 2], 2].sum(), rolled[[1, 3], 2].sum()
    assert left > right + 20.0                          # to roll is to raise the left side
    assert left + right == pytest.approx(level[:, 2].sum(), rel=0.1)
