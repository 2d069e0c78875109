"""Random worlds and drivers: the same for the same seed, counted rightly, repeated by files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ros_processes import wait_until

from quadruped_control.command_line.figures_file import FiguresFile
from quadruped_control.command_line.main import main
from quadruped_control.control.offers import list_offers
from quadruped_control.evaluation import wild_pushes, wild_report
from quadruped_control.evaluation.gaits import RANGES
from quadruped_control.evaluation.intervals import find_rate_interval, find_share_interval
from quadruped_control.evaluation.trial import Trial
from quadruped_control.evaluation.wild import DURATIONS, Ticket, draw_drive, list_tickets
from quadruped_control.evaluation.wild_body import load_body
from quadruped_control.evaluation.wild_driver import find_likely_gaits
from quadruped_control.evaluation.wild_run import run_drive
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.scenario import (
    Scenario,
    find_footprint,
    load_scenario,
    refuse_obstructed_start,
    refuse_unavailable,
)
from quadruped_control.share import share_folder

SEED = 1_000_000            # and more: those that may be learnt from


# What is drawn


@pytest.mark.parametrize('ground', ['flat', 'mixed'])
def test_the_same_seed_gives_the_same_drives(ground: str) -> None:
    tickets = list_tickets(SEED, 5.0, ground)
    assert tickets == list_tickets(SEED, 5.0, ground)
    drives = [draw_drive(ticket) for ticket in tickets]
    assert [drive.scenario for drive in drives] == [
        draw_drive(ticket).scenario for ticket in tickets]
    others = [draw_drive(replace(ticket, seed=SEED + 1)).scenario for ticket in tickets]
    assert all(drive.scenario['commands'] != other['commands']
               for drive, other in zip(drives, others, strict=True))
    lasts = [drive.scenario['duration'] for drive in drives]
    assert all(DURATIONS[0] <= one <= DURATIONS[1] for one in lasts)
    assert sum(lasts) >= 300.0 > sum(lasts[:-1])


@pytest.mark.parametrize('ground', ['flat', 'mixed'])
@pytest.mark.parametrize('robot', ['dog', 'a1', 'horse'])
def test_every_drive_is_a_scenario_that_can_be_run(robot: str, ground: str) -> None:
    offers = list_offers(robot)
    for number in range(25):
        drive = draw_drive(Ticket(SEED, number, ground, robot))
        scenario = validate(drive.scenario, Scenario, drive.ticket.name)
        refuse_unavailable(scenario, drive.ticket.name, offers)
        if scenario.start.rpy is None:
            refuse_obstructed_start(scenario, drive.ticket.name, find_footprint(robot))
        assert len(scenario.terrain) == len(drive.world.features)
        assert bool(scenario.terrain) == (ground == 'mixed')


def test_all_kinds_of_things_are_met() -> None:
    drives = [draw_drive(Ticket(SEED, number, ground)) for ground in ('flat', 'mixed')
              for number in range(150)]
    labels = {element.label.split()[0] for drive in drives for element in drive.world.elements}
    assert labels >= {'stairs', 'ramp', 'random', 'rough', 'slippery', 'block', 'trench', 'wall',
                      'gap', 'barrier', 'platform', 'pyramid', 'hillside'}
    assert {drive.start for drive in drives} == {'stand', 'drop', 'sit', 'lie'}
    commands = [command for drive in drives for command in drive.scenario['commands']]
    assert {command.get('gait') for command in commands} >= {'auto', *RANGES}
    assert {command.get('skill') for command in commands} >= {'sit', 'lie_down', 'leap'}
    angles = [np.arctan2(*push['force'][1::-1]) for drive in drives
              for push in drive.scenario['pushes']]
    assert all(counted > 0 for counted in np.histogram(angles, 8, (-np.pi, np.pi))[0])


def test_a_push_is_what_the_likely_gait_must_take() -> None:
    body = load_body()
    commands = [{'t': 1.0, 'vx': 5.0, 'gait': 'auto'}, {'t': 20.0, 'vx': 0.0},
                {'t': 30.0, 'skill': 'sit'}, {'t': 40.0, 'vx': 1.8, 'gait': 'trot'}]
    found = {t: find_likely_gaits(body, commands, t) for t in (0.5, 15.0, 22.0, 29.0, 35.0, 45.0)}
    assert found == {0.5: {'stand', 'walk'}, 15.0: {'transverse_gallop'},
                     22.0: {'canter', 'trot', 'walk', 'stand'}, 29.0: {'stand', 'walk'},
                     35.0: set(), 45.0: {'trot'}}
    assert body.pushes_of('rotary_gallop') == body.pushes_of('transverse_gallop')
    small = load_body('a1')
    for force, dogs in zip(small.pushes_of('trot'), body.pushes_of('trot'), strict=True):
        assert force[0] / dogs[0] == pytest.approx(12.5 / 34.0, rel=0.05)


# Rates and shares


@pytest.mark.parametrize(('held', 'of', 'low', 'high'), [
    (8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (200, 200, 0.9812, 1.0), (0, 0, 0.0, 1.0)])
def test_wilson_intervals_are_known(held: int, of: int, low: float, high: float) -> None:
    assert find_share_interval(held, of) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(('count', 'over', 'low', 'high'), [
    (0, 1.0, 0.0, 3.6889), (5, 1.0, 1.6235, 11.6683), (10, 2.0, 2.3977, 9.1952)])
def test_poisson_intervals_are_known(count: int, over: float, low: float, high: float) -> None:
    assert find_rate_interval(count, over) == pytest.approx((low, high), abs=1e-3)


def test_falls_a_minute_and_shares_are_counted() -> None:
    fall = {'time': 12.0, 'recovered_after': 4.0}
    drive = {'drive': 'a', 'ran': 60.0, 'world': 'flat', 'driven': 56.0, 'got_up': None,
             'falls': [fall],
             'episodes': [{'kind': 'push', 'what': 'trot', 'held': False},
                          {'kind': 'push', 'what': 'trot', 'held': True}]}
    good: dict[str, Any] = {**drive, 'driven': 64.0, 'got_up': True, 'falls': []}
    rate = wild_report.count_falls([drive, good], 'flat')
    assert (rate['falls'], rate['driven_minutes'], rate['falls_a_minute']) == (1, 2.0, 0.5)
    assert not rate['passes'] and 'does NOT hold' in wild_report.describe_rate(rate)
    rows = {(row['kind'], row['what']): (row['held'], row['of'])
            for row in wild_report.summarise([drive, good])}
    assert rows == {('push', 'trot'): (2, 4), ('world', 'flat'): (1, 2),
                    ('dropped', 'got up'): (1, 1), ('dropped', 'got up after a fall'): (1, 1)}
    assert [wild_report.is_failure(one) for one in (drive, good, {**good, 'got_up': False})] == [
        True, False, True]


# Runs


@pytest.mark.timeout(240)
def test_a_failure_file_repeats_the_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A push beyond all measure throws the dog over; the file ends sooner, and it falls alike."""
    drive = draw_drive(Ticket(SEED, 0, 'flat'))
    drive.scenario.update(
        start={'heading': 1.0}, duration=20.0, pushes=[
            {'t': 4.0, 'at': 'front', 'force': [0.0, 1500.0, 0.0], 'duration': 0.3}],
        commands=[{'t': 0.5, 'vx': 1.0, 'gait': 'trot'}, {'t': 19.0, 'vx': 0.0}])
    drive = replace(drive, start='stand', deeds=())
    result = run_drive(drive)
    (fall,) = result['falls']
    assert 4.0 < fall['time'] < 6.0 and fall['recovered_after'] is not None
    assert 'trot' in fall['gaits'] and 'push from front left' in fall['under_way']
    assert [(one['what'], one['held']) for one in result['episodes'] if one['kind'] == 'push'] == [
        ('trot', False)]
    assert result['driven'] == pytest.approx(20.0 - fall['recovered_after'], abs=0.01)

    monkeypatch.setattr(wild_report, 'draw_drive', lambda ticket: drive)
    path = wild_report.write_failure_of(tmp_path / 'new', drive.ticket, result)
    scenario = load_scenario(path)
    assert scenario.duration < 20.0 and scenario.expect == {'fell': False}
    again = run_scenario(scenario).metrics
    assert again['fall_time'] == fall['time']


def test_trials_of_pushes_are_around_their_row() -> None:
    trials = wild_pushes.make_trials(list(RANGES), SEED, 40)
    assert trials == wild_pushes.make_trials(list(RANGES), SEED, 40)
    assert len(trials) == 12 * 40 and len({trial.row for trial in trials}) == 12
    for trial in trials:
        gait, speed, force, lasts = trial.row
        asked, push = trial.scenario['commands'][0]['vx'], trial.scenario['pushes'][0]
        low, high = RANGES[str(gait)]
        assert max(low, float(str(speed)) - 0.5) <= asked <= min(high, float(str(speed)) + 0.5)
        assert np.linalg.norm(push['force']) == pytest.approx(force, abs=0.05)
        assert push['duration'] == lasts and trial.scenario['duration'] - push['t'] <= 6.001
    scenarios = [str(trial.scenario['pushes']) for trial in trials]
    assert len(set(scenarios)) == len(scenarios)


def test_a_push_that_throws_the_dog_over_ends_the_run() -> None:
    trial = wild_pushes.make_trials(['walk'], SEED, 1)[0]
    push = {**trial.scenario['pushes'][0], 'force': [0.0, 1500.0, 0.0], 'duration': 0.3}
    hard = Trial(trial.row, {**trial.scenario, 'pushes': [push]})
    metrics = wild_pushes.run_push(hard)
    assert metrics['fell'] and metrics['fall_time'] > push['t']
    (row,) = wild_pushes.summarise([(hard, metrics), (trial, {**metrics, 'fell': False})])
    assert (row['recovered'], row['of']) == (1, 2) and not wild_pushes.passes(row)
    assert wild_pushes.cells(row)[4] == '1/2'


# The command


@pytest.mark.parametrize(('words', 'part'), [
    (['gaits', '--wild'], 'the matrix pushes'), (['terrain', '--seed', '1'], 'pushes or wild'),
    (['pushes', '--seed', '1'], 'with --wild'), (['wild', '--seed', '-1'], 'from 0'),
    (['wild', '--minutes', '0'], 'more than 0'), (['wild', '--gait', 'trot'], 'draws it'),
    (['pushes', '--minutes', '1'], 'wild'),
    (['pushes', '--wild', '--largest'], 'with --largest'),
    (['wild', '--cluster', 'nonsense://somewhere', '--out', '.'], '--cluster is')])
def test_what_the_wild_does_not_know_is_refused(words: list[str], part: str,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['evaluate', *words]) == 2
    assert part in capsys.readouterr().err


def test_figures_are_whole_whenever_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / 'figures.json'
    file = FiguresFile(path)
    file.update(lambda: {'rows': [1]})
    assert json.loads(path.read_text(encoding='utf-8')) == {'rows': [1], 'complete': False}
    file.update(lambda: {'rows': [1, 2]})               # too soon after the first
    assert json.loads(path.read_text(encoding='utf-8'))['rows'] == [1]
    file.finish({'rows': [1, 2, 3]})
    assert json.loads(path.read_text(encoding='utf-8')) == {'rows': [1, 2, 3], 'complete': True}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.timeout(240)
def test_a_killed_evaluation_leaves_what_it_found(tmp_path: Path) -> None:
    out = tmp_path / 'figures.json'
    words = ['evaluate', 'turning', '--gait', 'walk', '--workers', '1', '--json', str(out)]
    process = subprocess.Popen([str(share_folder() / 'quadruped'), *words],
                               stdout=subprocess.DEVNULL, start_new_session=True)
    wait_until(out.exists, 'the first figures')
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    figures = json.loads(out.read_text(encoding='utf-8'))
    assert figures['matrix'] == 'turning' and not figures['complete']
    assert 1 <= len(figures['rows']) < 20 and figures['rows'][0]['gait'] == 'walk'


@pytest.mark.timeout(300)
def test_on_a_cluster_it_is_the_same(tmp_path: Path) -> None:
    from distributed import LocalCluster
    words = ['evaluate', 'wild', '--seed', str(SEED), '--minutes', '0.1', '--terrain', 'flat',
             '--out', str(tmp_path)]
    assert main([*words, '--workers', '1', '--json', str(tmp_path / 'here.json')]) == 0
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=True,
                      dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert main([*words, '--cluster', address, '--json', str(tmp_path / 'there.json')]) == 0
    here, there = (json.loads((tmp_path / f'{place}.json').read_text(encoding='utf-8'))
                   for place in ('here', 'there'))
    assert here == there and len(here['drives']) == 1 and here['complete']
