"""A dog that is faster than asked steps faster, by as much as its gait says."""

from __future__ import annotations

import pytest

from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.control.records import gait_type
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.model.robot_loading import load_robot

STEP = 0.001
ASKED = 4.0                     # m/s


def count_strides(speed: float, hastening: float) -> float:
    """Return the strides of two seconds of a gallop that goes at a speed (m/s)."""
    library = GaitLibrary()
    table = library.tables['transverse_gallop']
    place = (gait_type().fields or {})['hastening'][1] // 8
    table.rows[:, place] = hastening
    robot = load_robot('dog')
    scheduler = GaitScheduler(robot, library.stand, library.tables, time_step=STEP,
                              gait='transverse_gallop')
    scheduler.command[0] = ASKED
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
    strides = [0.0, 0.0]
    for n in range(5000):
        state['base_velocity'][0] = min(ASKED, n * STEP * 2.0) if n < 2500 else speed
        scheduler.update(state)
        if n in (2999, 4999):
            strides[n == 4999] = float(scheduler.clock['cycles'] + scheduler.clock['phase'])
    return strides[1] - strides[0]


@pytest.mark.parametrize(('speed', 'hastening', 'faster'), [
    (1.1 * ASKED, 1.0, 1.1),
    (1.1 * ASKED, 2.0, 1.2),
    (1.5 * ASKED, 1.0, 1.3),            # no more than that
    (0.9 * ASKED, 1.0, 1.0),            # one that is too slow keeps its rate
])
def test_strides_are_hastened_by_as_much_as_a_dog_is_too_fast(speed: float, hastening: float,
                                                              faster: float) -> None:
    plain = count_strides(speed, 0.0)
    assert count_strides(speed, hastening) / plain == pytest.approx(faster, rel=0.01)


def test_a_dog_that_nobody_pushes_steps_as_its_gait_says() -> None:
    assert count_strides(ASKED, 2.0) == count_strides(ASKED, 0.0)
