"""
High leaps: a covariance search in PyBullet from the highest leap of a dictionary.

A leap counts by the height h of its leg frames from each of several starts, less what the body is
pitched and rolled at the landing, and by a part of that where the dog does not land well. Slow
approaches only: higher leaps are best done at low speeds (section 7 of the paper).
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
SPREAD = 0.04               # of the range of each parameter, at first
SPEEDS = (0.0, 0.8)         # m/s, bounds
GOOD = 1.1                  # m from which a leap is kept
SURE = 0.8                  # chance to land that the leap has from which the search goes on
FURTHEST, FAR = 1.5, 0.5    # m of distance; m of height that a m beyond it costs
LEVEL = 0.25                # rad of pitch at the first touch that cost nothing
PITCHED, ROLLED = 0.4, 0.3  # m that a rad more of it costs; that a rad of roll costs
UNSAFE = 0.5                # share that a leap without a good landing counts


class Heightening(LeapSearch):
    """A search for height."""

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        height, speed = dictionary.column('height'), dictionary.column('speed')
        sure = (dictionary.find_chances(0.0) >= SURE) & (speed <= SPEEDS[1])
        highest = int(np.argmax(np.where(sure, height, 0.0)))
        super().__init__(rate_height_of_frames, dictionary.parameters[highest],
                         float(speed[highest]), speeds=SPEEDS, spread=SPREAD, good=GOOD,
                         seed=seed)

    def describe(self) -> str:
        """Say how far it is."""
        return f'highest that always lands {self.longest:.2f} m'


def rate_height_of_frames(parameters: Array, speed: float) -> Rating:
    """Try a leap at a speed (m/s) on flat ground; after a first start that fails no other."""
    score, landed = rate_from_starts(parameters, speed, value_height, unsafe=UNSAFE,
                                     patient=False)
    if len(landed) < len(FLAT_STARTS):
        return Rating(score)
    return Rating(score, min(outcome.height for outcome in landed),
                  make_row(join_outcomes(landed), parameters))


def value_height(outcome: LeapOutcome) -> float:
    """Return the height of a leap (m), less for how it comes down."""
    return (outcome.height - PITCHED * max(abs(outcome.pitch) - LEVEL, 0.0)
            - ROLLED * abs(outcome.roll) - FAR * max(outcome.distance - FURTHEST, 0.0))
