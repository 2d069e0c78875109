"""Leaps onto platforms and off them, in PyBullet: what the planner's choice rests on."""

from __future__ import annotations

import numpy as np

from quadruped_control.leaps.dictionary import FIGURES, LEVELS, LeapDictionary, load_dictionary
from quadruped_control.tuning.leap_proof import (
    STARTS,
    find_begin,
    lands,
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
