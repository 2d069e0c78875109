"""From gait to gait: by the speed asked for, by a rope that holds the dog back, start and stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from quadruped_control.control.ladder import AUTO, load_ladder
from quadruped_control.evaluation.gaits import make_nudges
from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row

UP = ('stand', 'walk', 'trot', 'canter')
# top in m/s, s up and down again, gaits; the first is of walk and trot, the second of all gaits
RAMPS = ((2.5, 30.0, (*UP, *UP[-2::-1])),
         (5.5, 40.0, (*UP, 'transverse_gallop', *UP[::-1])))
RAMP_STEP = 0.1             # s
ROPE_SPEED, ROPE_AT = 2.0, 5.0                          # m/s, s
ROPE_FORCES = (60.0, 90.0, 110.0)       # N back at each leg frame, a second each
STOP_AT = 5.5                                           # s
STOP_SPEEDS = {'walk': 1.0, 'trot': 1.0, 'pace': 1.0, 'canter': 2.5,
               'transverse_gallop': 3.5, 'rotary_gallop': 3.5}      # m/s
GALLOPS = ('transverse_gallop', 'rotary_gallop', 'transverse_gallop')
GALLOP_SPEEDS = (3.5, 4.5, 5.25, 5.5)       # m/s
GALLOP_AT, GALLOP_FOR = 6.0, 4.0    # s by when it gallops, and that each lasts
SLOWING = 0.5               # s that a dog told to stop takes for each m/s
START = 0.5                 # s at which the first command comes
SETTLE = 4.0                # s that a run goes on after the last event
SHORTEST = 0.5              # s that a gait must last to count as seen
SPEED_ALLOWED = 0.15        # m/s that the speed at the end may be off, or
SHARE_ALLOWED = 0.05        # of it, where that is more
LEAST_TOP = 0.95            # of the top speed asked for that must be reached
ANYTHING = '...'
COLUMNS = ('what', 'stood', 'gaits asked', 'gaits seen', 'when asked', 'top speed',
           'final speed asked', 'final speed')


@dataclass(frozen=True)
class Course:
    """
    What is done with the dog, and what it should do.

    :param gaits: in the order they should come; ANYTHING stands for any or none.
    :param final_speed: m/s.
    :param top_speed: m/s that must be reached on the way.
    :param since: s from which on gaits are looked at.
    :param moments: times (s) with the gait that the dog should be in.
    """

    what: str
    duration: float
    commands: list[dict[str, Any]]
    gaits: tuple[str, ...]
    final_speed: float = 0.0
    since: float = 0.0
    moments: tuple[tuple[float, str], ...] = ()
    pushes: tuple[dict[str, Any], ...] = ()
    top_speed: float = 0.0


def ramp(top: float, duration: float, gaits: tuple[str, ...]) -> Course:
    """Ask for more and more speed, then for less and less, and let the dog choose its gait."""
    half = duration / 2
    times = np.arange(0.0, duration + RAMP_STEP / 2, RAMP_STEP)
    commands = [{'t': round(START + float(t), 3),
                 'vx': round(top * (1 - abs(float(t) - half) / half), 3)} for t in times]
    return Course(f'ramp 0 to {top:g} to 0 m/s', START + duration + SETTLE, commands, gaits,
                  top_speed=top)


def rope() -> Course:
    """Hold back a trotting dog at both leg frames till it walks, and let go."""
    pull = tuple({'t': ROPE_AT + n, 'at': at, 'force': [-force, 0, 0], 'duration': 1.0}
                 for n, force in enumerate(ROPE_FORCES) for at in ('front', 'rear'))
    release = ROPE_AT + len(ROPE_FORCES)
    return Course(f'rope at {ROPE_SPEED:g} m/s', release + SETTLE,
                  [{'t': START, 'vx': ROPE_SPEED, 'gait': AUTO}], ('trot', 'walk', 'trot'),
                  final_speed=ROPE_SPEED, since=ROPE_AT, pushes=pull,
                  moments=((ROPE_AT, 'trot'), (release, 'walk')))


def start_and_stop(gait: str) -> Course:
    """Go from a stand into a gait, and stand again by way of whatever is slower."""
    speed = STOP_SPEEDS[gait]
    return Course(f'stand, {gait} at {speed:g} m/s, stand',
                  STOP_AT + SETTLE + SLOWING * (speed - 1.0),
                  [{'t': START, 'vx': speed, 'gait': gait}, {'t': STOP_AT, 'skill': 'stand'}],
                  ('stand', ANYTHING, 'stand') if gait in load_ladder().fast else
                  ('stand', gait, ANYTHING, 'stand'), moments=((STOP_AT, gait),))


def change_gallops(speed: float) -> Course:
    """Go from the transverse gallop into the rotary one, and back."""
    ends = [GALLOP_AT + (n + 1) * GALLOP_FOR for n in range(len(GALLOPS))]
    return Course(f'transverse gallop, rotary and back at {speed:g} m/s', ends[-1],
                  [{'t': t, 'vx': speed, 'gait': gait}
                   for t, gait in zip((START, *ends), GALLOPS, strict=False)],
                  GALLOPS, final_speed=speed, since=GALLOP_AT)


def courses() -> dict[str, Course]:
    """Return all courses by what they are called."""
    every = (*(ramp(*row) for row in RAMPS), rope(), *map(start_and_stop, STOP_SPEEDS),
             *map(change_gallops, GALLOP_SPEEDS))
    return {course.what: course for course in every}


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """
    Return a trial for each course and seed; a seed is three small nudges.

    A course is left out if it asks for a gait that is not among those given.
    """
    return [Trial((course.what,), _scenario(course, seed)) for course in courses().values()
            if {*course.gaits, *(gait for _, gait in course.moments)} <= {
                *gaits, 'stand', ANYTHING} for seed in seeds]


def _scenario(course: Course, seed: int) -> dict[str, Any]:
    return {'seed': seed, 'duration': course.duration, 'commands': course.commands,
            'recover': False, 'pushes': [*course.pushes, *make_nudges(seed, course.duration)]}


def list_gaits(metrics: Metrics, duration: float, since: float = 0.0) -> tuple[str, ...]:
    """Return the gaits one after the other, without those that lasted less than half a second."""
    times = [change['t'] for change in metrics['gaits']]
    lasting = [change['gait'] for change, (begin, end) in zip(
        metrics['gaits'], pairwise([*times, duration]), strict=True)
        if end - max(begin, since) >= SHORTEST]
    return tuple(gait for gait, _ in groupby(lasting))


def as_asked(seen: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    """Say whether gaits came in the order asked for."""
    if ANYTHING not in asked:
        return seen == asked
    gap = asked.index(ANYTHING)
    head, tail = asked[:gap], asked[gap + 1:]
    return (len(seen) >= len(asked) - 1
            and seen[:gap] == head and seen[len(seen) - len(tail):] == tail)


def gait_at(metrics: Metrics, t: float) -> str:
    """Return the gait that the dog was in at a time."""
    return str([change['gait'] for change in metrics['gaits'] if change['t'] <= t][-1])


def follows(course: Course, metrics: Metrics) -> bool:
    """Say whether a run showed the gaits of its course."""
    seen = list_gaits(metrics, course.duration, course.since)
    return as_asked(seen, course.gaits) and all(
        gait_at(metrics, t) == gait for t, gait in course.moments)


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return for each course how many runs stood, what gaits they showed and how they ended."""
    known = courses()
    return [_row(known[str(what)], found) for (what,), found in by_row(outcomes).items()]


def _row(course: Course, found: list[Metrics]) -> dict[str, Any]:
    seen = [list(list_gaits(metrics, course.duration, course.since)) for metrics in found]
    speeds = [metrics['final_speed'] for metrics in found]
    return {
        'what': course.what, 'of': len(found),
        'stood': sum(not metrics['fell'] for metrics in found),
        'asked': list(course.gaits), 'gaits': seen,
        'as_asked': sum(follows(course, metrics) for metrics in found),
        'top_speed_asked': course.top_speed,
        'top_speed': min(metrics['top_speed'] for metrics in found),
        'final_speed_asked': course.final_speed,
        'final_speed': max(speeds, key=lambda speed: abs(speed - course.final_speed)),
    }


def passes(row: dict[str, Any]) -> bool:
    """Say whether all runs stood, showed the gaits and reached the speeds asked for."""
    allowed = max(SPEED_ALLOWED, SHARE_ALLOWED * row['final_speed_asked'])
    return bool(row['stood'] == row['as_asked'] == row['of']
                and row['top_speed'] >= LEAST_TOP * row['top_speed_asked']
                and abs(row['final_speed'] - row['final_speed_asked']) <= allowed)


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS; speeds are the worst."""
    counts = Counter(' '.join(gaits) for gaits in row['gaits'])
    return [row['what'], f'{row["stood"]}/{row["of"]}', ' '.join(row['asked']),
            ', '.join(f'{gaits} ({count})' for gaits, count in counts.most_common()),
            f'{row["as_asked"]}/{row["of"]}', f'{row["top_speed"]:.2f} m/s',
            f'{row["final_speed_asked"]:.1f} m/s', f'{row["final_speed"]:.2f} m/s']
