"""The last word on a leap: the same trial in PyBullet, whose figures the dictionary then has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import LeapDictionary, make_row
from quadruped_control.loading import validate
from quadruped_control.rollout.leap_outcome import LeapOutcome
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.tuning.leap_trial import join_outcomes, judge

Array = NDArray[np.float64]
SETTLE, AFTER = 2.0, 2.0    # s
BEFORE = 0.5                # s of a nudge before the request, as in the fast engine
Nudge = Mapping[str, object]
NUDGES: tuple[Nudge, ...] = ({'at': 'front', 'force': [30.0, -40.0, 0.0]},
                             {'at': 'rear', 'force': [0.0, 40.0, 0.0]})
OTHER_NUDGES: tuple[Nudge, ...] = ({'at': 'rear', 'force': [-40.0, 20.0, 0.0]},)
# half strides to go, m/s faster than the leap's speed, nudges
STARTS: tuple[tuple[int, float, tuple[Nudge, ...]], ...] = (
    (2, 0.0, ()), (3, 0.0, NUDGES), (3, 0.04, ()), (2, -0.04, OTHER_NUDGES))


def accept_dictionary(dictionary: LeapDictionary, pool: Executor,
                      progress: Callable[[int, int], None]) -> LeapDictionary:
    """
    Return the leaps that hold in PyBullet, with what they do there.

    :param progress: called with how many were tried and how many of them hold.
    """
    speeds = dictionary.column('speed')
    futures = [pool.submit(accept_leap, parameters, float(speed))
               for parameters, speed in zip(dictionary.parameters, speeds, strict=True)]
    rows = []
    for tried, (parameters, future) in enumerate(
            zip(dictionary.parameters, futures, strict=True), 1):
        figures = future.result()
        if figures is not None:
            rows.append(make_row(figures, parameters))
        progress(tried, len(rows))
    origin = (*dictionary.origin,
              f'Accepted in PyBullet: {len(rows)} of {len(dictionary)}; the figures are of there.')
    return LeapDictionary(np.array(rows), origin)


def accept_leap(parameters: Array, speed: float) -> Array | None:
    """Return the figures of a leap in PyBullet from all STARTS, or None if one of them fails."""
    outcomes: list[LeapOutcome] = []
    for half_strides, faster, nudges in STARTS:
        outcome = leap_in_pybullet(parameters, max(speed + faster, 0.0), nudges=nudges,
                                   half_strides=half_strides)
        if outcome is None:
            return None
        outcomes.append(outcome)
    return join_outcomes(outcomes)


def leap_in_pybullet(parameters: Array, speed: float, *, half_strides: int,
                     settle: float = SETTLE, nudges: Sequence[Nudge] = ()) -> LeapOutcome | None:
    """Trot from a stand at a speed (m/s), leap, trot on; None unless it lands well."""
    scenario = validate({
        'name': 'leap', 'duration': settle + AFTER, 'recover': False,
        'commands': [{'t': 0.1, 'vx': speed, 'gait': 'trot'}],
        'pushes': [{'t': settle - BEFORE, 'duration': 0.1, **nudge} for nudge in nudges]},
        Scenario, 'leap')
    loop = Loop(scenario)
    loop.run(round(1000 * settle))
    loop.scheduler.skills.leap_by(parameters, settle, half_strides=half_strides)
    loop.run(round(1000 * AFTER))
    loop.world.close()
    return judge(loop.recording, len(loop.recording), speed)
