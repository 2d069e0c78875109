"""
On which ground a leap lands well: each leap tried in PyBullet onto platforms and off them.

The figures of a leap are of flat ground. On a platform the dog lands earlier, at another pitch,
and some leaps then always end on the nose. A trial is run twice: on flat ground, to know where the
leap begins, and with an edge so far ahead of there that the feet pass it in their middle, with
the footing that the planner leaves behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.leap_measures import load_leap_measures
from quadruped_control.control.skill_numbers import Activity
from quadruped_control.leaps.dictionary import LEVELS, UNTRIED, LeapDictionary
from quadruped_control.loading import validate
from quadruped_control.rollout.leap_outcome import find_leaps
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario

Array = NDArray[np.float64]
SETTLE, AFTER = 2.0, 2.8    # s before and after the request
LOOK = 0.1                  # s between two looks whether the dog fell
SLOW_DOWN = 1.2             # s before it when a dog that was faster gets its speed
GO_ON = 1.1                 # s after it when the dog is to trot on at
ONWARDS = 1.0               # m/s
BEHIND = 0.4                # m that the hips must come behind the edge
LENGTH = 20.0               # m of a platform
FLAT = LEVELS.index(0.0)
HIGH = 0.5                  # m of a platform from which more is tried, and
FAILURES = 2                # so many of the trials may fail until no more are run


class ProofStart(NamedTuple):
    """
    How a trial differs.

    Half strides to go, m/s faster, s later, m that the edge is further; and m/s that the dog is
    faster still until shortly before, as a planner finds it that chose a leap for another speed.
    After it the dog trots on at ONWARDS, as a planner lets it, or keeps its speed.
    """

    half_strides: int
    faster: float
    later: float
    further: float = 0.0
    rush: float = 0.0
    keeps: bool = False


STARTS = (ProofStart(2, 0.0, 0.0, 0.0), ProofStart(3, 0.03, 0.13, 0.04),
          ProofStart(2, -0.03, 0.27, -0.04))
# More where it costs little, and where a leap is told by its h, d and v.
FLAT_STARTS = (*STARTS, ProofStart(3, -0.02, 0.34, rush=0.3), ProofStart(2, 0.02, 0.20, rush=-0.2),
               ProofStart(3, 0.0, 0.07, rush=0.6))
# And many where a leap is short of room and of height: three that land may be chance.
HIGH_STARTS = (*FLAT_STARTS,
               ProofStart(2, 0.02, 0.05, -0.03), ProofStart(3, 0.03, 0.10, rush=0.35),
               ProofStart(2, 0.0, 0.18, 0.02, rush=0.35), ProofStart(3, 0.02, 0.22, -0.02),
               ProofStart(2, 0.03, 0.30, rush=0.2), ProofStart(3, 0.0, 0.37, 0.03, rush=0.35),
               ProofStart(3, 0.07, 0.10, rush=0.35), ProofStart(2, 0.07, 0.30, rush=0.2))


def prove_dictionary(dictionary: LeapDictionary, pool: Executor, leaps: Sequence[int]
                     ) -> Iterator[LeapDictionary]:
    """
    Try leaps; yield the dictionary after each of them, with how often it landed well.

    Of a leap that was tried on flat ground only the share there is the worse of both.

    :param leaps: rows of the dictionary.
    """
    proved = LeapDictionary(dictionary.rows.copy(), dictionary.origin, dictionary.measures)
    untried = set(list_untried(dictionary))
    clearance = dictionary.measures.planner.clearance
    reaches = [dictionary.find_reach(level + clearance if level > 0.0 else 0.0)
               for level in LEVELS]
    futures: dict[Future[Array], int] = {}
    for n in leaps:
        places = np.array([[first[n], last[n]] for first, last in reaches])
        futures[pool.submit(prove_leap, dictionary.parameters[n],
                            float(dictionary.column('speed')[n]), places)] = n
    for future in as_completed(futures):
        n, landed = futures[future], future.result()
        if n in untried:
            landed[FLAT] = min(landed[FLAT], proved.landings[n, FLAT])
        proved.landings[n] = landed
        yield proved


def list_untried(dictionary: LeapDictionary) -> list[int]:
    """Return the leaps that were not tried on other ground yet."""
    return np.flatnonzero((dictionary.landings == UNTRIED).any(axis=1)).tolist()


def prove_leap(parameters: Array, speed: float, places: Array) -> Array:
    """
    Return the share of the trials that land well, for each of LEVELS.

    :param places: from where to where the feet are high enough for each level (levels, 2), m from
        where the hips are at the begin.
    """
    flat = [run_leap(parameters, speed, start) for start in FLAT_STARTS]
    begins = [find_begin(recording) for recording in flat]
    measures = load_leap_measures()
    landed, margin = np.zeros(len(LEVELS)), measures.planner.margin
    for n, level in enumerate(LEVELS):
        first, last = places[n]
        if level == 0.0:
            landed[n] = np.mean([lands(recording, begin, first)
                                 for recording, begin in zip(flat, begins, strict=True)])
        elif last - first > 2 * margin:
            footing = measures.obstacles.footing if level > 0.0 else 0.0
            if level >= HIGH:
                begins += [find_begin(run_leap(parameters, speed, start))
                           for start in HIGH_STARTS[len(begins):]]
            landed[n] = _try_edge(parameters, speed, begins, level, (first + last - footing) / 2)
    return landed


def _try_edge(parameters: Array, speed: float, begins: Sequence[float | None], level: float,
              edge: float) -> float:
    """Return the share of the trials over an edge that land well; after failures none is run."""
    starts, allowed = (HIGH_STARTS, FAILURES) if level >= HIGH else (STARTS, 0)
    landed = 0
    for n, (start, begin) in enumerate(zip(starts, begins, strict=False)):
        if n - landed > allowed or begin is None:
            break
        place = edge + start.further
        recording = run_leap(parameters, speed, start, level=level, edge=round(begin + place, 3))
        landed += lands(recording, begin, place)
    return landed / len(starts)


def run_leap(parameters: Array, speed: float, start: ProofStart, *, level: float = 0.0,
             edge: float = 0.0) -> Recording:
    """Trot from a stand, leap, trot on; the ground behind an edge (m) is higher by a level (m)."""
    dog = lead_dog(speed, start, level=level, edge=edge)
    recording = leap_from(dog, parameters, start)
    dog.world.close()
    return recording


def lead_dog(speed: float, start: ProofStart, *, level: float = 0.0, edge: float = 0.0) -> Loop:
    """Return a dog that trots at a speed (m/s), just before it is asked to leap."""
    settle = SETTLE + start.later
    terrain: list[dict[str, Any]] = []
    if level > 0.0:
        terrain = [{'kind': 'box', 'x': [edge, edge + LENGTH], 'height': level}]
    elif level < 0.0:
        terrain = [{'kind': 'box', 'x': [-LENGTH, edge], 'height': -level}]
    speed = max(speed + start.faster, 0.0)
    commands = [{'t': 0.1, 'vx': max(speed + start.rush, 0.0), 'gait': 'trot'},
                {'t': round(settle - SLOW_DOWN, 3), 'vx': speed}]
    if not start.keeps:
        commands.append({'t': round(settle + GO_ON, 3), 'vx': ONWARDS, 'gait': 'trot'})
    scenario = validate({
        'name': 'proof', 'duration': settle + AFTER, 'recover': False, 'terrain': terrain,
        'commands': commands}, Scenario, 'proof')
    loop = Loop(scenario)
    if loop.guide is not None:
        loop.guide.leaps_ahead = True
    loop.run(round(1000 * settle))
    return loop


def leap_from(dog: Loop, parameters: Array, start: ProofStart) -> Recording:
    """Let a dog that trots leap and trot on; the recording ends where it falls."""
    if not has_fallen(dog.recording):
        dog.scheduler.skills.leap_by(parameters, SETTLE + start.later,
                                     half_strides=start.half_strides)
    for _ in range(round(AFTER / LOOK)):
        if has_fallen(dog.recording):
            break
        dog.run(round(1000 * LOOK))
    return dog.recording


def has_fallen(recording: Recording) -> bool:
    """Say whether the dog fell."""
    return bool((recording.skill == Activity.FALLING).any())


def find_begin(recording: Recording) -> float | None:
    """Return where the hips were at the begin of the leap, m, or None if there was none."""
    found = find_leaps(recording)
    return float(recording.leg_frame_position[found[0][0], 1, 0]) if found else None


def lands(recording: Recording, begin: float | None, edge: float) -> bool:
    """Say whether the dog leapt, never fell, and its hips came behind the edge."""
    if begin is None or has_fallen(recording) or not find_leaps(recording):
        return False
    return bool(recording.leg_frame_position[-1, 1, 0] > begin + edge + BEHIND)


def lands_on_flat(recording: Recording, start: ProofStart, take_off: float) -> bool:
    """
    Say whether the dog landed well on flat ground.

    One that keeps its speed, which may be none, need not come further than it began.

    :param take_off: the foremost place that a foot left, m from where the hips were at the begin.
    """
    return lands(recording, find_begin(recording), -BEHIND if start.keeps else take_off)
