"""Feet that should stand and have no contact: where they wait, and how fast they are lowered."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from states import control

from quadruped_control.control.gains import load_gains
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

GAINS = load_gains('dog').contact
LEG = 0                         # front left


@pytest.fixture(name='dog', scope='module')
def _dog() -> Loop:
    """Return a dog that stands still and level, facing along x, for all tests."""
    loop = Loop(validate({'name': 'stand', 'duration': 1.0}, Scenario, 'stand'))
    loop.run(500)
    return loop


def wait(loop: Loop, place: tuple[float, float], *, reach: float = 10.0,
         ticks: int = 1) -> NDArray[np.float64]:
    """
    Tell a dog that its feet feel no ground; return where the foot is wanted after some ticks.

    :param place: of the foot, forward and left of its place under the leg frame, m.
    :return: the same, and its height over the ground, m.
    """
    target, memory = loop.scheduler.target, loop.controller.parts.memory[0]
    seen, state = loop.observation.record, loop.world.read()
    target['standing'], target['stance'], target['velocity'] = 0.0, 1.0, 0.0
    target['reach'] = reach
    control(loop)
    under = seen['leg_frame_point'][LEG // 2, :2] + target['foot_place'][LEG]
    seen['foot_target'][LEG, :2] = under + place
    memory['airborne'], memory['late'], memory['was_swinging'] = 1.0, 0.0, 0.0
    felt = state['foot_force'].copy()
    state['foot_force'] = 0.0
    for _ in range(ticks):
        loop.controller.update(loop.observation, target, TIME_STEP)
    state['foot_force'] = felt
    found = seen['foot_target'][LEG]
    return np.array([*(found[:2] - under), found[2]])


@pytest.mark.timeout(300)
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_a_foot_waits_aside_where_its_gait_has_set_it(dog: Loop, side: float) -> None:
    assert wait(dog, (0.0, 0.2 * side), reach=0.21)[1] == pytest.approx(0.2 * side)
    assert wait(dog, (0.0, 0.5 * side), reach=0.21)[1] == pytest.approx(0.21 * side)
    assert wait(dog, (0.0, 0.5 * side), reach=0.9)[1] == pytest.approx(GAINS.late_aside * side)
    for reach in (0.0, 10.0):           # one of 10 m limits nothing
        assert wait(dog, (0.0, 0.5 * side), reach=reach)[1] == pytest.approx(
            GAINS.late_reach * side)


@pytest.mark.timeout(300)
def test_a_foot_that_is_left_behind_is_dragged_along_and_keeps_its_side(dog: Loop) -> None:
    found = wait(dog, (-0.4, 0.15), reach=0.2)
    assert found[:2] == pytest.approx([-GAINS.late_reach, 0.15])
    assert wait(dog, (-0.1, 0.15), reach=0.2)[:2] == pytest.approx([-0.1, 0.15])
    free = wait(dog, (-0.4, 0.3))[:2]
    assert free == pytest.approx(np.array([-0.8, 0.6]) * GAINS.late_reach)


@pytest.mark.timeout(300)
def test_a_late_foot_is_lowered_slowly_and_not_far(dog: Loop) -> None:
    early = wait(dog, (0.0, 0.0), ticks=20)[2]
    assert early - wait(dog, (0.0, 0.0), ticks=40)[2] == pytest.approx(
        20e-3 * GAINS.late_speed, abs=1e-6)
    assert early + 20e-3 * GAINS.late_speed - wait(dog, (0.0, 0.0), ticks=500)[2] == pytest.approx(
        GAINS.late_drop, abs=1e-6)
