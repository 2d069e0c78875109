"""Leaps onto platforms and off them, in PyBullet: what the planner's choice rests on."""

from __future__ import annotations

import numpy as np
import pytest

from quadruped_control.leaps.dictionary import FIGURES, LEVELS, LeapDictionary, load_dictionary
from quadruped_control.tuning import leap_proof
from quadruped_control.tuning.leap_proof import (
    HIGH,
    HIGH_STARTS,
    STARTS,
    ProofStart,
    find_begin,
    lands,
    lead_dog,
    list_untried,
    prove_leap,
    run_leap,
)

UP = 0.2                    # m
AT = LEVELS.index(UP)


def find_proved() -> tuple[LeapDictionary, int]:
    """Return the dictionary and its leap of least effort that lands well 20 cm higher."""
    dictionary = load_dictionary()
    effort = np.where(dictionary.landings[:, AT] == 1.0, dictionary.column('effort'), np.inf)
    return dictionary, int(np.argmin(effort))


def test_all_leaps_that_come_with_the_package_were_tried() -> None:
    dictionary = load_dictionary()
    assert list_untried(dictionary) == []
    assert ((dictionary.landings >= 0.0) & (dictionary.landings <= 1.0)).all()


def test_a_leap_that_is_said_to_land_on_a_platform_does() -> None:
    dictionary, leap = find_proved()
    needed = UP + dictionary.measures.planner.clearance
    first, last = (float(places[leap]) for places in dictionary.find_reach(needed))
    parameters, speed = dictionary.parameters[leap], float(dictionary.column('speed')[leap])
    begin = find_begin(run_leap(parameters, speed, STARTS[0]))
    assert begin is not None
    edge = (first + last) / 2
    up = run_leap(parameters, speed, STARTS[0], level=UP, edge=round(begin + edge, 3))
    assert lands(up, begin, edge)
    assert up.leg_frame_position[-1, :, 2].min() > UP + 0.35        # it stands up there
    assert not lands(up, begin, edge + 9.0)                         # and not beyond


def test_what_the_feet_do_not_clear_is_not_tried() -> None:
    dictionary, leap = find_proved()
    row = dictionary.rows[leap]
    nowhere = np.tile([1.0, -1.0], (len(LEVELS), 1))
    found = prove_leap(dictionary.parameters[leap], float(row[FIGURES.index('speed')]), nowhere)
    assert [level for level, share in zip(LEVELS, found, strict=True) if share > 0.0] == [0.0]


def test_a_high_platform_is_tried_more_often_and_two_of_its_trials_may_fail(
        monkeypatch: pytest.MonkeyPatch) -> None:
    failing = [n in (0, 3, 5) for n in range(len(HIGH_STARTS))]
    tried = dict[float, int]()

    def run(parameters: np.ndarray, speed: float, start: ProofStart, *, level: float = 0.0,
            edge: float = 0.0) -> float:
        tried[level] = tried.get(level, 0) + 1
        return level

    monkeypatch.setattr(leap_proof, 'run_leap', run)
    monkeypatch.setattr(leap_proof, 'find_begin', lambda recording: 1.0)
    monkeypatch.setattr(leap_proof, 'lands', lambda level, begin, edge: not (
        level and failing[tried[level] - 1]))
    places = np.tile([0.0, 1.0], (len(LEVELS), 1))
    found = dict(zip(LEVELS, prove_leap(np.zeros(1), 1.0, places), strict=True))
    assert (tried[0.4], found[0.4]) == (1, 0.0)             # of three, the first failed
    assert (tried[HIGH], found[HIGH]) == (6, pytest.approx(3 / len(HIGH_STARTS)))
    failing[3] = False
    tried.clear()
    found = dict(zip(LEVELS, prove_leap(np.zeros(1), 1.0, places), strict=True))
    assert (tried[HIGH], found[HIGH]) == (
        len(HIGH_STARTS), pytest.approx(1.0 - 2 / len(HIGH_STARTS)))


def test_a_dog_of_a_trial_comes_to_an_edge_as_fast_as_on_flat_ground() -> None:
    speeds = []
    for level in (0.0, HIGH):
        dog = lead_dog(0.45, STARTS[0], level=level, edge=2.0)
        speeds.append(float(dog.scheduler.clock.speed[0]))
        dog.world.close()
    assert speeds[1] == pytest.approx(speeds[0], abs=0.02)
