"""Postures: sit, lie down, stand up and go on, each from many slightly different starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row

ALLOWED = 0.95              # of the runs of a row that must succeed
LONGEST = 1.5               # s that a transition may take
HOLD = 5.0                  # s that a posture is held
ASK_AT = 0.5                # s at which the first posture is asked for
EVERY = LONGEST + HOLD + 0.5                    # s from one request to the next
JOINT_NOISE, PLACE_NOISE = 0.05, 0.2            # rad; m and rad of heading
TROT = {'vx': 1.0, 'gait': 'trot'}
SPEED_ALLOWED = 0.15        # m/s that the speed at the end may be off
BLOCK = {'kind': 'box', 'x': [-0.6, 0.25], 'y': [-1.0, 1.0], 'height': 0.08}
COLUMNS = ('what', 'succeeded', 'slowest transition', 'held', 'failures')


@dataclass(frozen=True)
class Course:
    """Postures asked for one after the other; the last may be a trot."""

    what: str
    skills: tuple[str, ...]
    trots: bool = False
    on_block: bool = False


COURSES = {course.what: course for course in (
    Course('stand, sit, stand', ('sit', 'stand')),
    Course('stand, lie, stand', ('lie_down', 'stand')),
    Course('hind feet on an 8 cm block: stand, lie, stand', ('lie_down', 'stand'), on_block=True),
    Course('sit, lie, stand', ('sit', 'lie_down', 'stand')),
    Course('sit, trot', ('sit',), trots=True),
    Course('lie, trot', ('lie_down',), trots=True),
)}


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """Return a trial for each course and seed; the seed is the noise of the start."""
    return [Trial((course.what,), _scenario(course, seed)) for course in COURSES.values()
            if 'trot' in gaits or not course.trots for seed in seeds]


def _scenario(course: Course, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    x, y, turn = (float(value) for value in random.uniform(-PLACE_NOISE, PLACE_NOISE, 3))
    if course.on_block:
        x, turn = 0.25 * x, 0.25 * turn         # the hind feet stay on the block
    asked: list[dict[str, Any]] = [{'skill': skill} for skill in course.skills]
    asked += [TROT] if course.trots else []
    commands = [{'t': ASK_AT + n * EVERY, **command} for n, command in enumerate(asked)]
    return {'seed': seed, 'duration': ASK_AT + len(asked) * EVERY, 'recover': False,
            'start': {'position': [x, y], 'heading': turn, 'joint_noise': JOINT_NOISE},
            'terrain': [BLOCK] if course.on_block else [], 'commands': commands}


def find_fault(course: Course, metrics: Metrics) -> str | None:
    """Return what was wrong with a run, or None."""
    wanted = [*course.skills, *(['stand'] if course.trots else [])]
    found = metrics['postures']
    if metrics['fell']:
        return 'fell'
    if [posture['skill'] for posture in found] != wanted:
        return 'another posture'
    for posture in found:
        if posture['done_after'] is None or posture['done_after'] > LONGEST:
            return f'{posture["skill"]} too slow'
        if posture['held'] is False:
            return f'{posture["skill"]} not held'
    if course.trots and abs(metrics['final_speed'] - TROT['vx']) > SPEED_ALLOWED:  # type: ignore[operator]
        return 'no trot'
    return None


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return for each course how many runs succeeded, and what went wrong in the others."""
    return [_row(COURSES[str(what)], found) for (what,), found in by_row(outcomes).items()]


def _row(course: Course, found: list[Metrics]) -> dict[str, Any]:
    faults = [find_fault(course, metrics) for metrics in found]
    postures = [posture for metrics in found for posture in metrics['postures']]
    times = [posture['done_after'] for posture in postures if posture['done_after'] is not None]
    judged = [posture['held'] for posture in postures if posture['held'] is not None]
    return {'what': course.what, 'of': len(found), 'succeeded': faults.count(None),
            'slowest': max(times, default=None), 'held': sum(judged), 'judged': len(judged),
            'failures': [fault for fault in faults if fault is not None]}


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough runs succeeded."""
    return bool(row['succeeded'] >= ALLOWED * row['of'])


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    counts = {fault: row['failures'].count(fault) for fault in dict.fromkeys(row['failures'])}
    slowest = 'none' if row['slowest'] is None else f'{row["slowest"]:.2f} s'
    return [row['what'], f'{row["succeeded"]}/{row["of"]}', slowest,
            f'{row["held"]}/{row["judged"]}',
            ', '.join(f'{fault} {count}' for fault, count in counts.items())]
