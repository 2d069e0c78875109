"""Leaps from a dog that trots already: the same as from a stand, and the dog is left as it was."""

from __future__ import annotations

import numpy as np
import pytest

from quadruped_control.control.leap import PARAMETERS, list_bounds
from quadruped_control.leaps.coverage import list_borders
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.rollout.leap_outcome import measure_first_leap
from quadruped_control.tuning.forks import compute_in_fork
from quadruped_control.tuning.leap_proof import (
    GO_ON,
    ONWARDS,
    lands_on_flat,
    lead_dog,
    run_leap,
)
from quadruped_control.tuning.leap_runway import SPEEDS, STARTS, leap_in_fork


def find_sure_leap() -> tuple[np.ndarray, float]:
    dictionary = load_dictionary()
    sure = int(np.argmax(dictionary.find_chances(0.0)))
    return dictionary.parameters[sure].copy(), float(dictionary.column('speed')[sure])


def test_a_leap_in_a_fork_is_the_leap_from_a_stand_each_time() -> None:
    parameters, speed = find_sure_leap()
    here = measure_first_leap(run_leap(parameters, speed, STARTS[1]))
    assert here is not None
    for _ in range(2):
        assert leap_in_fork(parameters, speed, STARTS[1]) == here


def test_a_leap_without_force_gives_nothing() -> None:
    assert leap_in_fork(list_bounds()[0], find_sure_leap()[1], STARTS[0]) is None


def test_more_torque_throws_the_dog_higher() -> None:
    parameters, speed = find_sure_leap()
    heights = []
    for torque in (75.0, 80.0):
        parameters[PARAMETERS.index('push_torque')] = torque
        outcome = measure_first_leap(run_leap(parameters, speed, STARTS[0]))
        assert outcome is not None
        heights.append(outcome.height)
    assert heights[0] < heights[1]


def test_each_band_of_speeds_has_some_of_the_runway() -> None:
    counts, _ = np.histogram(SPEEDS, list_borders()[2])
    assert counts.min() >= 2 and counts.sum() == len(SPEEDS)


def test_the_starts_differ_and_leap_from_both_sides() -> None:
    assert len(set(STARTS)) == len(STARTS)
    assert {start.half_strides for start in STARTS} == {2, 3}
    assert {start.keeps for start in STARTS} == {True, False}


@pytest.mark.parametrize(('keeps', 'speed'), [(True, 0.2), (False, ONWARDS)])
def test_a_dog_keeps_its_speed_behind_a_leap_or_trots_on_at_the_planners(
        keeps: bool, speed: float) -> None:
    dog = lead_dog(0.2, STARTS[0]._replace(keeps=keeps))
    dog.run(round(1000 * (GO_ON + 0.9)))
    assert dog.recording.command[-1, 0] == pytest.approx(speed, abs=0.02)
    dog.world.close()


def test_a_dog_that_keeps_a_slow_speed_lands_well_without_coming_far() -> None:
    dictionary = load_dictionary()
    slow = dictionary.column('speed') < 0.1
    short = np.where(slow & (dictionary.find_chances(0.0) == 1.0),
                     dictionary.column('distance'), np.inf)
    leap = int(np.argmin(short))
    start = STARTS[0]._replace(keeps=True)
    recording = run_leap(dictionary.parameters[leap], float(dictionary.column('speed')[leap]),
                         start)
    assert lands_on_flat(recording, start, float(dictionary.column('take_off')[leap]))
    assert not lands_on_flat(recording, start._replace(keeps=False), 9.0)


def test_a_computation_without_an_answer_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        compute_in_fork(lambda: 1 // 0)
    assert 'ZeroDivisionError' in capfd.readouterr().err
