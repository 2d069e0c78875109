"""Ground that the dog does not know: stairs, slopes, steps, rough ground, low friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, radians, sin, tan
from typing import Any

import numpy as np

from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, by_row

SPEEDS = {'walk': 0.8, 'trot': 1.5, 'pace': 1.5, 'canter': 3.0,
          'transverse_gallop': 3.5, 'rotary_gallop': 3.5}                           # m/s
RUN_UP = {'canter': 9.0, 'transverse_gallop': 12.0, 'rotary_gallop': 12.0}          # m
SHORT_RUN_UP = 1.5          # m, of all other gaits
LENGTH = 10.0               # m of ground after it
SLOPE = 6.0                 # m, of a steep one
LANDING = 1.5               # m between stairs up and down
STAIRS = 8                  # steps
TURNED = 30.0               # degrees, to stairs that are gone up at an angle
WIDE = 20.0                 # m to either side
SLOWED = 1.3                # m/s to which the ground ahead may slow a gait that is faster
STRAY = 0.05                # rad that a run may set off to either side
ALLOWED = 0.95              # share of runs that must stay up and get through
THROUGH = 0.8               # of its way that a run must get
STEP_HEIGHTS = {f'steps {100 * height:.0f} cm': height for height in (0.02, 0.04, 0.06, 0.08)}
COLUMNS = ('gait', 'ground', 'stood', 'got through')

Terrain = list[dict[str, Any]]


@dataclass(frozen=True)
class Course:
    """
    What is gone over, and how.

    :param way: m from the start to the end.
    :param turned: degrees from the terrain's x.
    """

    gait: str
    ground: str
    speed: float
    terrain: Terrain
    way: float
    turned: float = 0.0


def grounds(run_up: float = SHORT_RUN_UP) -> dict[str, Terrain]:
    """Return the terrain features by the name of the ground, which begins after so many m."""
    x = [run_up, run_up + LENGTH]
    found: dict[str, Terrain] = {
        name: [{'kind': 'steps', 'x': x, 'y': [-5, 5], 'depth': 0.3, 'height': [0.0, height]}]
        for name, height in STEP_HEIGHTS.items()}
    found['ramp up 10 deg'] = make_slope(10.0, 1, run_up, LENGTH)
    found['ramp down 10 deg'] = make_slope(10.0, -1, run_up, LENGTH)
    found['rough 3 cm'] = make_rough(0.03, x)
    found['friction 0.5'] = [{'kind': 'patch', 'x': x, 'y': [-5, 5], 'friction': 0.5}]
    return found


def make_slope(angle: float, way: int, run_up: float, length: float) -> Terrain:
    """Return a ramp ahead, up (1) or down (-1), of so many degrees and m."""
    x, rise, y = [run_up, run_up + length], round(length * tan(radians(angle)), 3), [-WIDE, WIDE]
    if way > 0:
        return [{'kind': 'ramp', 'x': x, 'y': y, 'height': [0.0, rise]},
                {'kind': 'box', 'x': [x[1], x[1] + 5.0], 'y': y, 'height': rise}]
    return [{'kind': 'box', 'x': [-5.0, x[0]], 'y': y, 'height': rise},
            {'kind': 'ramp', 'x': x, 'y': y, 'height': [rise, 0.0]}]


def make_stairs(rise: float, tread: float, run_up: float = SHORT_RUN_UP) -> Terrain:
    """Return stairs up, a landing, and stairs down."""
    up = [(run_up + n * tread, run_up + (n + 1) * tread, (n + 1) * rise) for n in range(STAIRS)]
    x = up[-1][1]
    level = [(x, x + LANDING, STAIRS * rise)]
    x += LANDING
    down = [(x + n * tread, x + (n + 1) * tread, (STAIRS - 1 - n) * rise)
            for n in range(STAIRS - 1)]
    return [{'kind': 'box', 'x': [round(a, 3), round(b, 3)], 'y': [-WIDE, WIDE],
             'height': round(height, 3)} for a, b, height in [*up, *level, *down]]


def make_rough(amplitude: float, x: list[float]) -> Terrain:
    """Return a height field."""
    return [{'kind': 'rough', 'x': x, 'y': [-5, 5], 'amplitude': amplitude, 'cell': 0.15}]


def list_courses(gaits: Sequence[str]) -> list[Course]:
    """Return the courses of some gaits; where more than one, those of ``auto``, too."""
    found = []
    for gait in gaits:
        run_up = RUN_UP.get(gait, SHORT_RUN_UP)
        found += [Course(gait, name, SPEEDS[gait], terrain, LENGTH + run_up)
                  for name, terrain in grounds(run_up).items()]
    chosen = {*gaits, 'auto'} if len(gaits) > 1 else set(gaits)
    return found + [course for course in list_hard_courses() if course.gait in chosen]


def list_hard_courses() -> list[Course]:
    """Return stairs, steep slopes and rough ground."""
    found = []
    for gait, rise, tread, speed in (('auto', 0.17, 0.28, 0.5), ('auto', 0.13, 0.30, 1.0)):
        for turned in (0.0, TURNED):
            way = (SHORT_RUN_UP + 2 * STAIRS * tread + LANDING) / cos(radians(turned)) + 1.0
            name = f'stairs of {100 * rise:.0f} by {100 * tread:.0f} cm'
            found.append(Course(gait, f'{name}, {turned:.0f} deg' if turned else name, speed,
                                make_stairs(rise, tread), way, turned))
    for gait, angle, speed in (('walk', 25.0, 0.5), ('trot', 20.0, 1.0), ('canter', 15.0, 3.0)):
        run_up = RUN_UP.get(gait, SHORT_RUN_UP)
        for what, way in (('up', 1), ('down', -1)):
            found.append(Course(gait, f'slope {what} {angle:.0f} deg', speed,
                                make_slope(angle, way, run_up, SLOPE), run_up + SLOPE + 1.0))
    across: Terrain = [{'kind': 'ramp', 'x': [-8.0, 8.0], 'y': [-WIDE, WIDE],
                        'height': [0.0, round(16.0 * tan(radians(15.0)), 3)]}]
    for gait, speed in (('walk', 0.7), ('trot', 1.0)):
        found.append(Course(gait, 'across 15 deg', speed, across, 6.0, 90.0))
        found.append(Course(gait, 'rough 6 cm', speed,
                            make_rough(0.06, [SHORT_RUN_UP, SHORT_RUN_UP + LENGTH]), LENGTH))
        found.append(Course(gait, 'friction 0.3', speed, [
            {'kind': 'patch', 'x': [SHORT_RUN_UP, 60.0], 'y': [-WIDE, WIDE], 'friction': 0.3}],
            LENGTH))
    return found


def make_trials(gaits: Sequence[str], seeds: Sequence[int]) -> list[Trial]:
    """Return a trial for each course and seed."""
    return [Trial((course.gait, course.ground), write_scenario(course, seed))
            for course in list_courses(gaits) for seed in seeds]


def write_scenario(course: Course, seed: int) -> dict[str, Any]:
    """Return the scenario of a course: when and at which angle it is begun goes by the seed."""
    rng = np.random.default_rng(seed)
    begin = round(float(rng.uniform(0.3, 0.8)), 3)
    heading = radians(course.turned) + round(float(rng.uniform(-STRAY, STRAY)), 4)
    return {'seed': seed, 'duration': round(2.0 + course.way / min(course.speed, SLOWED), 3),
            'terrain': course.terrain, 'recover': False,
            'start': {'heading': round(heading - 2 * pi * round(heading / (2 * pi)), 4)},
            'commands': [{'t': begin, 'vx': course.speed, 'gait': course.gait}]}


def summarise(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return how many runs stayed up on each ground, and how many got to its end."""
    courses = {(course.gait, course.ground): course for course in list_courses(list(SPEEDS))}
    return [{'gait': row[0], 'ground': row[1], 'of': len(found),
             'stood': sum(not metrics['fell'] for metrics in found),
             'through': sum(_gets_through(courses[str(row[0]), str(row[1])], metrics)
                            for metrics in found)}
            for row, found in by_row(outcomes).items()]


def _gets_through(course: Course, metrics: Metrics) -> bool:
    """Say whether a run stayed up and went most of its way."""
    x, y = metrics['displacement']
    turned = radians(course.turned)
    return not metrics['fell'] and x * cos(turned) + y * sin(turned) >= THROUGH * course.way


def passes(row: dict[str, Any]) -> bool:
    """Say whether enough runs stayed up and got through."""
    return bool(row['through'] >= ALLOWED * row['of'])


def find_largest_steps(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Return for each gait the height (m) of the highest steps that it passes, None for none."""
    largest: dict[str, float | None] = {row['gait']: None for row in rows
                                        if row['ground'] in STEP_HEIGHTS}
    for row in rows:
        height = STEP_HEIGHTS.get(row['ground'])
        if height is not None and passes(row):
            largest[row['gait']] = max(height, largest[row['gait']] or 0.0)
    return largest


def cells(row: dict[str, Any]) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    return [row['gait'], row['ground'], f'{row["stood"]}/{row["of"]}',
            f'{row["through"]}/{row["of"]}']
