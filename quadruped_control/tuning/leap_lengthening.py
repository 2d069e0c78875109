"""
Leaps over long gaps: a covariance search in PyBullet from the longest leap of a dictionary.

A leap counts by its length from each of several starts, and by a part of it where the dog does
not land well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import LeapOutcome
from quadruped_control.tuning.leap_proof import FLAT_STARTS
from quadruped_control.tuning.leap_search import LeapSearch, Rating, rate_from_starts
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
SPREAD = 0.015              # of the range of each parameter, at first
SPEEDS = (0.5, 2.0)         # m/s, bounds
LONGEST = 2.2               # m that count: more is worth less than to land from all starts
GOOD = 1.9                  # m from which a leap is kept
UNSAFE = 0.3                # share of its length that a leap without a good landing counts


class Lengthening(LeapSearch):
    """A search for length."""

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        length = dictionary.column('landing') - dictionary.column('take_off')
        longest = int(np.argmax(np.where(dictionary.find_chances(0.0) > 0.0, length, 0.0)))
        super().__init__(rate_length, dictionary.parameters[longest],
                         float(dictionary.column('speed')[longest]), speeds=SPEEDS,
                         spread=SPREAD, good=GOOD, seed=seed)

    def describe(self) -> str:
        """Say how far it is."""
        return f'longest that always lands {self.longest:.2f} m'


def rate_length(parameters: Array, speed: float) -> Rating:
    """Try a leap at a speed (m/s) on flat ground from all starts."""
    score, landed = rate_from_starts(parameters, speed, value_length, unsafe=UNSAFE)
    if len(landed) < len(FLAT_STARTS):
        return Rating(score)
    length = min(outcome.landing - outcome.take_off for outcome in landed)
    return Rating(score, length, make_row(join_outcomes(landed), parameters))


def value_length(outcome: LeapOutcome) -> float:
    """Return the length of a leap (m), as far as it counts."""
    return min(outcome.landing - outcome.take_off, LONGEST)
