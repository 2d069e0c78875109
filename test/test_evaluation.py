"""Evaluations: searches and summaries on runs whose outcome is known, and scenarios that run."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from quadruped_control.command_line import evaluate, workers
from quadruped_control.command_line.main import main
from quadruped_control.evaluation import (
    controllers,
    gaits,
    largest_push,
    pursuit,
    pushes,
    terrain,
    transitions,
    trial,
)
from quadruped_control.evaluation.largest_push import find_largest, find_rows, order
from quadruped_control.evaluation.trial import Metrics, Outcome, Trial, find_first
from quadruped_control.expectation import apply_expectations
from quadruped_control.kinematics.records import LEGS
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.scenario import load_scenario
from quadruped_control.share import share_folder

GOOD: Metrics = {
    'fell': False, 'mean_speed': 1.0, 'distance': 10.0, 'displacement': [3.0, 0.0], 'slip': 0.0,
    'turned': 0.5,
    'duty_factor': dict.fromkeys(LEGS, 0.5), 'lateral_drift': 0.0, 'head_acceleration': 1.0,
    'cost_of_transport': None, 'torque_saturation': 0.0, 'final_speed': 0.0, 'top_speed': 5.5,
    'gaits': [{'t': 0.0, 'gait': 'stand'}, {'t': 0.5, 'gait': 'walk'}],
    'postures': [], 'falls': [], 'lay': None, 'torque_jump': 0.1, 'slips': None, 'jams': None,
    'unsolved': 1, 'pitch': {frame: {'amplitude': 0.1} for frame in ('front', 'rear')},
    'target': [{'t': 0.5, 'reached_after': 5.0, 'error': 0.1}] * 10,
}
Fate = Callable[[Trial], bool]


@pytest.fixture(name='fall')
def _fall(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fate], list[Trial]]:
    """Let trials fall or not without running them; give the list of those that were begun."""
    begun: list[Trial] = []

    def install(fate: Fate) -> list[Trial]:
        def run(asked: Trial) -> Metrics:
            begun.append(asked)
            return {**GOOD, 'fell': fate(asked)}

        monkeypatch.setattr(trial, 'run_trial', run)
        monkeypatch.setattr(evaluate, 'run_trial', run)
        monkeypatch.setattr(workers, 'open_pool', lambda count: ThreadPoolExecutor(1))
        return begun

    return install


def size(asked: Trial) -> float:
    """Return the force of the one push of a trial in N."""
    return max(map(abs, asked.scenario['pushes'][0]['force']))


# Largest pushes


@pytest.mark.parametrize('threshold', [0.0, 9.0, 10.0, 55.0, 80.0, 89.0, 137.0, 240.0, 1000.0])
def test_bisection_finds_a_known_threshold(threshold: float) -> None:
    tried: list[float] = []

    def holds(value: float) -> bool:
        tried.append(value)
        return value <= threshold

    found = find_largest(holds, 80.0, step=10.0, most=240.0)
    assert found == min(threshold // 10 * 10, 240.0)
    assert tried[0] == 80.0 and len(tried) == len(set(tried)) <= 6
    assert min(tried) > 0.0 and max(tried) <= 240.0


def test_largest_force_needs_every_case_to_recover(fall: Callable[[Fate], list[Trial]]) -> None:
    """One case of 80 is weaker than the others, and it decides."""
    begun = fall(lambda asked: size(asked) > (
        150.0 if asked.scenario['name'] == 'trot rear left 0.7' else 400.0))
    said: list[tuple[str, int, int]] = []
    with ThreadPoolExecutor(1) as pool:
        rows = find_rows(['trot'], pool, lambda *words: said.append(words))
    assert [(row['paper'], row['largest'], row['more']) for row in rows] == [
        (100.0, 150.0, False), (200.0, 150.0, False)]
    assert [largest_push.passes(row) for row in rows] == [True, False]
    assert largest_push.cells(rows[0])[-2:] == ['100 N', '150 N']
    assert ('trot 0.35 s: 100 N', 80, 80) in said
    assert {one.row[0] for one in begun} == {'trot'}


def test_more_than_three_times_the_force_is_not_tried(
        fall: Callable[[Fate], list[Trial]]) -> None:
    begun = fall(lambda asked: False)
    with ThreadPoolExecutor(1) as pool:
        rows = find_rows(['walk'], pool, lambda *words: None)
    assert largest_push.cells(rows[0])[-1] == 'at least 240 N'
    assert max(map(size, begun)) == 690.0


def test_a_probe_ends_at_its_first_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    found_it = Event()

    def run(asked: Trial) -> Metrics:
        begun.append(asked.scenario['name'])
        if len(begun) > 3:              # it may have been begun before the third was looked at
            assert found_it.wait(100.0)
        return {'fell': len(begun) == 3}

    monkeypatch.setattr(trial, 'run_trial', run)
    trials = pushes.make_row_trials('trot', 2.2, 100.0, 0.35)
    with ThreadPoolExecutor(1) as pool:
        found = find_first(trials, pool, lambda metrics: metrics['fell'], lambda done: None)
        found_it.set()
    assert found is trials[2]
    assert len(trials) == 80 and len(begun) <= 4


def test_what_failed_last_is_tried_first() -> None:
    trials = pushes.make_row_trials('trot', 2.2, 100.0, 0.35)
    names = [one.scenario['name'] for one in trials]
    failed = [names[70], names[30], names[70]]
    ordered = [one.scenario['name'] for one in order(trials, failed)]
    assert ordered[:3] == [names[70], names[30], names[0]]
    assert sorted(ordered) == sorted(names)


# Terrain


def test_highest_steps_are_those_with_enough_runs_standing() -> None:
    def row(gait: str, ground: str, through: int) -> dict[str, Any]:
        return {'gait': gait, 'ground': ground, 'stood': 20, 'through': through, 'of': 20}

    rows = [row('walk', 'steps 2 cm', 20), row('walk', 'steps 4 cm', 19),
            row('walk', 'steps 6 cm', 18), row('walk', 'rough 3 cm', 20),
            row('trot', 'steps 2 cm', 18), row('trot', 'friction 0.5', 20)]
    assert terrain.find_largest_steps(rows) == {'walk': 0.04, 'trot': None}


def test_who_stays_up_but_is_stuck_has_not_got_through() -> None:
    courses = {(course.gait, course.ground): course for course in terrain.list_courses(
        ['walk', 'trot'])}
    row = ('auto', 'stairs of 17 by 28 cm, 30 deg')
    ahead = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    outcomes: list[Outcome] = [
        (Trial(row, {}), {**GOOD, 'fell': False, 'displacement': list(way * ahead)})
        for way in (courses[row].way, 0.3 * courses[row].way)]
    (found,) = terrain.summarise(outcomes)
    assert (found['stood'], found['through'], found['of']) == (2, 1, 2)
    assert not terrain.passes(found)


def test_times_come_from_the_seed_by_chance() -> None:
    """Not from its number: neighbours do not follow each other, and large seeds are not late."""
    trials = terrain.make_trials(['trot'], range(1000, 1010))
    times = {one.scenario['seed']: one.scenario['commands'][0]['t'] for one in trials}
    begins = list(times.values())
    assert len(set(begins)) == 10 and begins != sorted(begins)
    assert all(0.3 <= begin <= 0.8 for begin in begins)
    nudges = gaits.make_nudges(10**6, 14.0)
    assert nudges == gaits.make_nudges(10**6, 14.0) != gaits.make_nudges(10**6 + 1, 14.0)
    assert all(2.0 <= nudge['t'] <= 9.0 for nudge in nudges)


# Transitions


def changes(*pairs: tuple[float, str]) -> Metrics:
    return {**GOOD, 'gaits': [{'t': t, 'gait': gait} for t, gait in pairs]}


def test_gaits_that_flicker_are_not_counted() -> None:
    metrics = changes((0.0, 'stand'), (0.5, 'walk'), (3.0, 'trot'), (3.2, 'walk'), (3.3, 'trot'),
                      (7.0, 'walk'), (9.8, 'stand'))
    assert transitions.list_gaits(metrics, 10.0) == ('stand', 'walk', 'trot', 'walk')
    assert transitions.list_gaits(metrics, 11.0)[-1] == 'stand'
    assert transitions.list_gaits(metrics, 11.0, 5.0) == ('trot', 'walk', 'stand')


@pytest.mark.parametrize(('seen', 'fits'), [
    ('stand pace stand', True), ('stand pace walk stand', True), ('stand pace', False),
    ('stand trot stand', False), ('stand pace walk', False), ('stand', False)])
def test_what_comes_between_may_be_left_open(seen: str, fits: bool) -> None:
    assert transitions.as_asked(tuple(seen.split()), ('stand', 'pace', '...', 'stand')) is fits


def test_the_rope_must_be_what_makes_the_dog_walk() -> None:
    """A dog that trots again while it is still held back does not follow the course."""
    course = transitions.rope()
    free = course.moments[-1][0]
    walked = changes((0.0, 'stand'), (0.5, 'trot'), (6.0, 'walk'), (free + 0.5, 'trot'))
    hurried = changes((0.0, 'stand'), (0.5, 'trot'), (6.0, 'walk'), (free - 0.5, 'trot'))
    assert transitions.follows(course, walked)
    assert not transitions.follows(course, hurried)


def test_a_course_holds_when_all_runs_follow_it_and_end_at_its_speed() -> None:
    course = transitions.ramp(*transitions.RAMPS[1])
    good = changes((0.0, 'stand'), (0.6, 'walk'), (5.0, 'trot'), (9.0, 'canter'),
                   (12.0, 'transverse_gallop'), (29.0, 'canter'), (33.0, 'trot'), (36.0, 'walk'),
                   (40.5, 'stand'))
    ran = Trial((course.what,), {})
    (row,) = transitions.summarise([(ran, good), (ran, good)])
    assert transitions.passes(row) and row['stood'] == row['as_asked'] == 2
    assert 'stand walk trot canter transverse_gallop canter trot walk stand (2)' in (
        transitions.cells(row))
    for change in ({'fell': True}, {'final_speed': 0.4}, {'top_speed': 3.6},
                   {'gaits': good['gaits'][:3]}):
        (row,) = transitions.summarise([(ran, good), (ran, {**good, **change})])
        assert not transitions.passes(row)


@pytest.mark.parametrize('row', transitions.RAMPS)
def test_a_ramp_goes_up_and_down_again(row: tuple[float, float, tuple[str, ...]]) -> None:
    top, duration, passed = row
    commands = transitions.ramp(*row).commands
    speeds = [command['vx'] for command in commands]
    assert speeds[0] == speeds[-1] == 0.0 and max(speeds) == top == speeds[len(speeds) // 2]
    assert commands[-1]['t'] - commands[0]['t'] == pytest.approx(duration)
    assert passed == passed[::-1] and passed[:3] == ('stand', 'walk', 'trot')


def test_a_chosen_gait_leaves_only_its_start_and_stop() -> None:
    rows = {one.row for one in transitions.make_trials(['pace'], [1])}
    assert rows == {('stand, pace at 1 m/s, stand',)}
    assert len({one.row for one in transitions.make_trials(list(gaits.RANGES), [1])}) == 13


def with_its_time(name: str) -> Any:
    """Allow a scenario 6 s of wall time for each of its own, on a busy machine."""
    path = share_folder() / 'config' / 'scenarios' / f'{name}.yaml'
    allowed = 60 + 6 * load_scenario(path).duration
    return pytest.param(path, id=name, marks=pytest.mark.timeout(allowed))


@pytest.mark.parametrize('path', [with_its_time('ramp'), with_its_time('rope')])
def test_scenario_holds(path: Path) -> None:
    scenario = load_scenario(path)
    assert 'fell' in scenario.expect and len(scenario.expect) >= 5
    assert apply_expectations(scenario.expect, run_scenario(scenario).metrics) == []


@pytest.mark.parametrize('path', [with_its_time('gallop'), with_its_time('leap_course')])
def test_scenario_of_the_readme_holds(path: Path) -> None:
    scenario = load_scenario(path)
    assert {'fell', 'displacement.0'} <= set(scenario.expect)
    assert apply_expectations(scenario.expect, run_scenario(scenario).metrics) == []


# Targets


def test_a_target_counts_that_was_reached_and_stayed_at() -> None:
    trials = pursuit.make_trials([1, 2], 'a1')
    (_, tolerance), commands = trials[0].row, trials[0].scenario['commands']
    assert 0.15 < float(str(tolerance)) < 0.3 and len(commands) == 10       # smaller than the dog
    assert commands != trials[1].scenario['commands']
    targets = list(GOOD['target'])
    targets[3], targets[7] = {**targets[3], 'reached_after': None}, {**targets[7], 'error': 0.5}
    bad, good = pursuit.summarise([(trials[0], {**GOOD, 'target': targets}), (trials[1], GOOD)])
    assert bad['reached'] == 8 and not pursuit.passes(bad)
    assert good['reached'] == 10 and pursuit.passes(good)
    assert not pursuit.passes({**good, 'stood': 0})


def test_controllers_are_asked_for_the_same_and_one_that_falls_shows() -> None:
    trials = controllers.make_trials([1000, 1001], ['dog', 'a1'])
    asked: dict[object, list[object]] = {}
    for one in trials:
        asked.setdefault(one.row[:2], []).append((one.row[2], one.scenario['seed']))
    assert {key[1] for key in asked if key[0] == 'dog'} == {
        'leg_frames', 'leg_frames, rigid spine', 'algorithm_2',
        'algorithm_2, rigid spine',
        'kokkevis', 'kokkevis_lp'}
    assert len({str(tasks) for tasks in asked.values()}) == 1
    fate = {'dog': False, 'a1': True}
    rows = controllers.summarise([(one, {**GOOD, 'fell': fate[str(one.row[0])]})
                                  for one in trials])
    level = [row for row in rows if row['what'] != controllers.CHANGED]
    assert all(controllers.passes(row) == (row['robot'] == 'dog') for row in level)
    assert not any(controllers.passes(row) for row in rows if row not in level)   # it only walked


# The command


@pytest.mark.parametrize('words', [
    *[[name] for name, matrix in evaluate.MATRICES.items() if matrix.run is None],
    ['pushes', '--largest']])
def test_every_matrix_prints_a_table_and_writes_json(
        words: list[str], fall: Callable[[Fate], list[Trial]], tmp_path: Path,
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terrain, 'THROUGH', 0.0)        # who stays up gets through
    fall(lambda asked: 'steps' in str(asked.row) and '8 cm' in str(asked.row))
    out = tmp_path / 'out.json'
    assert main(['evaluate', *words, '--json', str(out)]) == 0
    said = capsys.readouterr().out
    figures = json.loads(out.read_text(encoding='utf-8'))
    assert figures['matrix'] == words[0]
    held = sum(row['passes'] for row in figures['rows'])
    assert f'{held} of {len(figures["rows"])} rows hold' in said
    assert 'force distribution: 0 problems' not in said         # each run has one
    assert ('problems unsolved in' in said) == ('--largest' not in words)
    if words[0] == 'terrain':
        assert figures['largest_steps'] == dict.fromkeys(gaits.RANGES, 0.06)
        assert 'pace: highest steps with 95% of the runs standing: 6 cm' in said


def test_only_the_rows_of_a_speed_are_run(fall: Callable[[Fate], list[Trial]]) -> None:
    begun = fall(lambda asked: False)
    assert main(['evaluate', 'gaits', '--gait', 'canter', '--speed', '2.25']) == 0
    assert {asked.row for asked in begun[1:]} == {('canter', 2.25, 0.0)}


def test_another_robot_is_pushed_by_its_weight(fall: Callable[[Fate], list[Trial]]) -> None:
    """Force per weight is the dog's; the push lasts as long a part of a pendulum's swing."""
    begun = fall(lambda asked: False)
    for robot in ('dog', 'cat'):
        assert main(['evaluate', 'pushes', '--gait', 'trot', '--robot', robot]) == 0
    runs = {robot: [asked for asked in begun if asked.scenario['robot'] == robot][1:]
            for robot in ('dog', 'cat')}
    assert len(runs['cat']) == len(runs['dog']) == 160
    dog, cat = runs['dog'][0].scenario, runs['cat'][0].scenario
    assert size(runs['cat'][0]) == pytest.approx(size(runs['dog'][0]) * 4.0 / 34.0, rel=0.01)
    times = [one['pushes'][0]['duration'] / one['commands'][0]['vx'] for one in (dog, cat)]
    assert times[1] == pytest.approx(times[0], rel=0.01)
    assert cat['commands'][0]['vx'] < 0.8 * dog['commands'][0]['vx']


def test_help_names_every_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['evaluate', '--help']) == 0
    said = capsys.readouterr().out
    assert all(f'\n  {name} ' in said for name in evaluate.MATRICES)


@pytest.mark.parametrize(('words', 'part'), [
    (['terrain', '--largest'], 'the matrix pushes'), (['gaits', '--seeds', '0'], '1 to 1000'),
    (['gaits', '--controller', 'leg_frames'], 'the matrix pursuit'),
    (['pursuit', '--controller', 'none'], 'leg_frames'),
    (['terrain', '--speed', '1'], 'the matrix gaits or pushes'),
    (['pushes', '--gait', 'walk', '--speed', '2'], 'one of 1'),
    (['pushes', '--largest', '--speed', '1'], 'with --largest'),
    (['pushes', '--gait', 'rotary_gallop', '--speed', '5'], 'has rows of'),
    (['pushes', '--largest', '--robot', 'cat'], 'dog, with --largest'),
    (['terrain', '--robot', 'cat'], 'gaits, pursuit, pushes, wild are for all'),
    (['pushes', '--robot', 'a1', '--gait', 'canter'], 'trot'),
    (['gaits', '--workers', '0'], '1 to 1024'),
    (['pushes', '--json', 'none/out.json'], 'a folder that exists'),
    (['pushes', '--json', '/'], 'a file, not a folder')])
def test_evaluate_refuses_what_it_cannot_do(words: list[str], part: str,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['evaluate', *words]) == 2
    assert part in capsys.readouterr().err
