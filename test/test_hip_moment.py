"""Forces of stance feet that ask no more of a hip than it may give."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from states import control

from quadruped_control.control.gait_fields import NO_LIMIT
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario

BRAKE = 300.0                   # N s/m


def stand() -> Loop:
    """Return a dog that stands still and level, facing along x."""
    loop = Loop(validate({'name': 'stand', 'duration': 1.0}, Scenario, 'stand'))
    loop.run(500)
    control(loop)               # so that what is observed is of the state as it is
    return loop


def push_feet(loop: Loop, *, slower: float, hip_moment: float) -> NDArray[np.float64]:
    """
    Ask a standing dog to be slower (m/s), and return the forces of the ground on its feet (4, 3).

    :param hip_moment: N m.
    """
    target = loop.scheduler.target
    target['standing'], target['hip_moment'] = 0.0, hip_moment
    target['velocity_gain'] = BRAKE
    target['velocity'] = loop.observation.record['leg_frame_velocity']
    target['velocity'][:, 0] -= slower
    control(loop)
    return -np.asarray(loop.observation.record['virtual_force'])


def compute_moments(loop: Loop, forces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pitch moment (4,) about the hips that the forces on the feet have, N m."""
    hips = loop.observation.motion['position'][loop.robot.anatomy['hip'][:, 0]]
    arms = loop.observation.record['sole'] - hips
    return np.asarray(np.cross(arms, forces)[:, 1])


@pytest.fixture(scope='module')
def standing() -> Loop:
    """Return one dog for all tests: what they change is set anew by each."""
    return stand()


@pytest.mark.timeout(300)
@pytest.mark.parametrize('slower', [-1.0, 1.0])
@pytest.mark.parametrize('hip_moment', [5.0, 15.0])
def test_no_foot_has_a_greater_moment_about_its_hip_than_it_may(
        standing: Loop, slower: float, hip_moment: float) -> None:
    free = push_feet(standing, slower=slower, hip_moment=NO_LIMIT)
    assert np.abs(compute_moments(standing, free)).max() > 15.0
    aimed = push_feet(standing, slower=slower, hip_moment=hip_moment)
    assert np.abs(compute_moments(standing, aimed)).max() <= hip_moment + 1e-6


@pytest.mark.timeout(300)
def test_what_a_foot_carries_and_does_sideways_stays_as_it_was(standing: Loop) -> None:
    free = push_feet(standing, slower=1.0, hip_moment=NO_LIMIT)
    aimed = push_feet(standing, slower=1.0, hip_moment=10.0)
    np.testing.assert_allclose(aimed[:, 1:], free[:, 1:], atol=1e-9)
    assert (aimed[:, 0] > free[:, 0]).all()             # it brakes less, and not more


@pytest.mark.timeout(300)
def test_a_force_within_the_limit_is_not_touched(standing: Loop) -> None:
    free = push_feet(standing, slower=0.0, hip_moment=NO_LIMIT)
    most = float(np.abs(compute_moments(standing, free)).max())
    np.testing.assert_array_equal(push_feet(standing, slower=0.0, hip_moment=most + 1.0), free)
