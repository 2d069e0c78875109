"""
High leaps: a covariance search in PyBullet from the highest leaps of a dictionary.

A leap counts by the height h of its leg frames, less what the body is pitched and rolled at the
first touch; where that is high and level enough it counts more from how many starts the dog lands
well. Slow approaches only: higher leaps are best done at low speeds (section 7 of the paper).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import LeapDictionary, make_row
from quadruped_control.rollout.leap_outcome import LeapOutcome
from quadruped_control.tuning.leap_flight import Flight, fly_in_fork
from quadruped_control.tuning.leap_runway import SPEEDS as RUNWAY_SPEEDS
from quadruped_control.tuning.leap_runway import STARTS, leap_in_fork
from quadruped_control.tuning.leap_search import LeapSearch, Rating
from quadruped_control.tuning.leap_trial import join_outcomes

Array = NDArray[np.float64]
SPREAD = 0.04               # of the range of each parameter, at first
SPEEDS = (0.0, 0.8)         # m/s, bounds
GOOD = 1.37                 # m from which a leap is kept
SURE = 0.8                  # chance to land that the leap has from which the search goes on
HIGHEST = 4                 # leaps, the highest, one of which it is
FURTHEST, FAR = 1.5, 0.5    # m of distance; m of height that a m beyond it costs
ENOUGH, BEYOND = 1.44, 0.7  # m of height that count; share of what is more that costs
LEVEL = 0.25                # rad of pitch at the first touch that cost nothing
PITCHED, ROLLED = 0.5, 0.3  # m that a rad more of it costs; that a rad of roll costs
FLIGHTS = 2                 # starts from which it is seen how a leap flies
NOSE, SIDE = 0.6, 0.5       # rad of pitch and roll with which no landing is tried
LANDED = 0.2                # m that it counts more to land from all starts


class Heightening(LeapSearch):
    """
    A search for height.

    :param seed: tells too from which of the highest leaps it begins.
    """

    def __init__(self, dictionary: LeapDictionary, seed: int) -> None:
        height, speed = dictionary.column('height'), dictionary.column('speed')
        sure = (dictionary.find_chances(0.0) >= SURE) & (speed <= SPEEDS[1])
        chosen = int(np.argsort(-np.where(sure, height, 0.0))[seed % HIGHEST])
        super().__init__(rate_height_of_frames, dictionary.parameters[chosen],
                         float(speed[chosen]), speeds=SPEEDS, spread=SPREAD, good=GOOD,
                         seed=seed)

    def describe(self) -> str:
        """Say how far it is."""
        return f'highest that always lands {self.longest:.2f} m, score {self.score:.3f}'


def rate_height_of_frames(parameters: Array, speed: float) -> Rating:
    """Try a leap on flat ground at that speed of the runway which is nearest to one (m/s)."""
    speed = min(RUNWAY_SPEEDS, key=lambda other: abs(other - speed))
    flights = [flight for start in STARTS[:FLIGHTS]
               if (flight := fly_in_fork(parameters, speed, start)) is not None]
    score = sum(map(value_height, flights)) / FLIGHTS
    good = [flight for flight in flights if flight.height >= GOOD
            and abs(flight.pitch) <= NOSE and abs(flight.roll) <= SIDE]
    if len(good) < FLIGHTS:
        return Rating(score)
    landed = list[LeapOutcome]()
    for start in STARTS:
        outcome = leap_in_fork(parameters, speed, start)
        if outcome is None:
            return Rating(score + LANDED * len(landed) / len(STARTS))
        landed.append(outcome)
    return Rating(score + LANDED, min(outcome.height for outcome in landed),
                  make_row(join_outcomes(landed), parameters))


def value_height(leap: Flight | LeapOutcome) -> float:
    """Return the height of a leap (m), less for how it comes down."""
    return (leap.height - BEYOND * max(leap.height - ENOUGH, 0.0)
            - PITCHED * max(abs(leap.pitch) - LEVEL, 0.0)
            - ROLLED * abs(leap.roll) - FAR * max(leap.distance - FURTHEST, 0.0))
