"""Tuning: searches on known functions, the objective on known motions, both engines."""

from __future__ import annotations

import argparse
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.command_line.main import main
from quadruped_control.command_line.tune import accept_speeds, change_speeds, list_speeds
from quadruped_control.control.fall import find_low
from quadruped_control.control.gait import Gait, GaitTable, flatten, load_gait
from quadruped_control.control.gait_fields import list_places
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.model.robot_files import Spine
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.recording import (
    FOOT_CONTACT,
    HEAD_VELOCITY,
    LEG_FRAME_VELOCITY,
    SOLE_VELOCITY,
    Recording,
)
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.mujoco_world import MujocoWorld
from quadruped_control.tuning.acceptance import keep_better
from quadruped_control.tuning.bullet_evaluation import BulletEvaluator
from quadruped_control.tuning.engines import compare, measure
from quadruped_control.tuning.evaluation import Evaluator
from quadruped_control.tuning.objective import Weights, compute_cost, compute_terms
from quadruped_control.tuning.parameters import Detail, Parameters, free_parameters
from quadruped_control.tuning.reference import load_reference
from quadruped_control.tuning.search import CmaSearch, GreedySearch
from quadruped_control.tuning.session import Session, Setup, load_start
from quadruped_control.tuning.task import Engine, Task


def bowl(vector: np.ndarray) -> float:
    return float(((vector - 0.3)**2).sum())


@pytest.mark.parametrize('kind', ['greedy', 'cma'])
def test_a_search_finds_the_bottom_of_a_bowl(kind: str) -> None:
    start, rng = np.full(10, 0.8), np.random.default_rng(0)
    search = GreedySearch(start, rng) if kind == 'greedy' else CmaSearch(start, rng)
    for _ in range(400):
        vectors = search.ask()
        search.tell(vectors, [bowl(vector) for vector in vectors])
    assert search.cost < 0.01 * bowl(start)
    assert (search.best >= 0).all() and (search.best <= 1).all()


def test_a_search_never_gets_worse() -> None:
    search = GreedySearch(np.full(5, 0.5), np.random.default_rng(1))
    costs = []
    for _ in range(50):
        vectors = search.ask()
        search.tell(vectors, [bowl(vector) for vector in vectors])
        costs.append(search.cost)
    assert (np.diff(costs) <= 0).all()


def test_parameters_go_in_and_out() -> None:
    numbers = flatten(load_gait('trot').speeds[1])
    parameters = free_parameters()
    again = parameters.insert(parameters.extract(numbers), numbers)
    np.testing.assert_allclose(again, numbers, atol=1e-9)
    changed = parameters.insert(np.ones(parameters.count), numbers)
    assert (changed != numbers).any()
    assert changed[0] == numbers[0]         # the period is not searched


def test_a_search_leaves_alone_what_it_does_not_move() -> None:
    numbers = flatten(load_gait('canter').speeds[0])
    parameters = free_parameters(symmetric=False, detail=Detail.BALANCE)
    reach = set(list_places()['reach'].ravel().tolist())
    places = [place for free in parameters.places for place in free if place in reach]
    numbers[places] = 10.0                                          # beyond the bounds of a search
    np.testing.assert_allclose(parameters.insert(parameters.extract(numbers), numbers), numbers)
    moved = parameters.insert(np.full(parameters.count, 0.5), numbers)
    assert places and (moved[places] == 10.0).all() and (moved != numbers).any()


def steady(speed: float = 1.0, steps: int = 2000) -> Recording:
    """Return a recording of a dog that glides forward."""
    recording = Recording(steps, 1e-3, ['a', 'b'])
    recording.count = steps
    recording.samples[:, LEG_FRAME_VELOCITY] = [speed, 0, 0, speed, 0, 0]
    recording.samples[:, HEAD_VELOCITY] = [speed, 0, 0]
    return recording


def test_a_perfect_motion_costs_nothing() -> None:
    assert compute_cost(steady(), 2000, 1.0, 0.0, Weights()) == pytest.approx(0.0, abs=1e-9)


def test_the_terms_measure_what_they_say() -> None:
    recording = steady(1.5)
    time = np.arange(2000) * 1e-3
    recording.samples[:, HEAD_VELOCITY.start + 2] = np.sin(2 * np.pi * time) / (2 * np.pi)
    recording.samples[:, FOOT_CONTACT.start] = 1.0
    recording.samples[:, SOLE_VELOCITY.start] = 0.2
    terms = compute_terms(recording, 1.0, 0.0)
    assert terms['speed'] == pytest.approx(0.5)
    assert terms['head'] == pytest.approx(np.sqrt(0.5), rel=0.02)      # rms of a unit sine
    assert terms['slip'] == pytest.approx(0.2, rel=0.01)
    assert terms['rotation'] == pytest.approx(0.0, abs=1e-6)


def test_a_fall_costs_more_the_sooner_it_comes() -> None:
    late, soon = steady(steps=1900), steady(steps=500)
    weights = Weights()
    fell_late = compute_cost(late, 2000, 1.0, 0.0, weights)
    assert 0 < fell_late < compute_cost(soon, 2000, 1.0, 0.0, weights)


def test_a_row_that_is_not_between_its_neighbours_costs_more(tmp_path: Path) -> None:
    table = GaitTable.of(load_gait('trot'))
    between = table.interpolate_neighbours(float(table.speeds[1]))
    assert between is not None and table.interpolate_neighbours(float(table.speeds[0])) is None
    setup = Setup('trot', Task(1.0, ((100.0, 0.1),)), 'greedy', 1, (1,), Weights())
    session = Session(setup, free_parameters(), table.rows[1], tmp_path / 'log', between)
    vector = session.parameters.extract(between)
    assert session.cost_of_roughness(vector) == 0.0
    off = np.where(vector < 0.5, vector + 0.1, vector - 0.1)        # a tenth of each span
    assert session.cost_of_roughness(off) == pytest.approx(0.1 * Weights().roughness)


class Inline:
    """An executor that evaluates a bowl at once."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, function: Any, task: Task, numbers: np.ndarray,
               *others: Any) -> Future[float]:
        self.calls += 1
        future: Future[float] = Future()
        future.set_result(float(np.square(numbers[1:]).mean()))
        return future


def test_a_session_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    numbers = flatten(load_gait('trot').speeds[1])
    setup = Setup('trot', Task(1.0, ((100.0, 0.1),)), 'greedy', 1, (1,), Weights())
    parameters = free_parameters()

    def fresh(path: Path) -> Session:
        return Session(setup, parameters, numbers, path)

    whole = fresh(tmp_path / 'whole')
    whole.begin()
    whole.run(41, Inline(), lambda done, cost: None)        # type: ignore[arg-type]
    first = fresh(tmp_path / 'cut')
    first.begin()
    first.run(17, Inline(), lambda done, cost: None)        # type: ignore[arg-type]
    with (tmp_path / 'cut').open('a') as log:
        log.write('[1.0, 2.')                               # killed while writing
    second = fresh(tmp_path / 'cut')
    second.resume()
    assert second.done == 17
    pool = Inline()
    second.run(41, pool, lambda done, cost: None)           # type: ignore[arg-type]
    assert pool.calls == 24
    assert second.search.cost == whole.search.cost
    np.testing.assert_array_equal(second.search.best, whole.search.best)
    np.testing.assert_array_equal(load_start(tmp_path / 'cut'), numbers)
    other = Session(setup, free_parameters(detail=Detail.BALANCE), numbers, tmp_path / 'cut')
    with pytest.raises(InputError, match=f'parameters.*{other.parameters.count}'):
        other.resume()                                      # of a version that searches others
    places, count = parameters.places[::-1], (False,) * parameters.count
    other = Session(setup, Parameters(places, count, parameters.least, parameters.most), numbers,
                    tmp_path / 'cut')
    with pytest.raises(InputError, match='in their order'):
        other.resume()                                      # or in another order


@pytest.mark.timeout(240)
def test_the_engines_agree() -> None:
    """Walk, trot, fast trot and pace: speed within 5 %, heights within 1.5 cm, like effort."""
    for row in compare():
        slow, fast = row.pybullet, row.mujoco
        assert slow is not None and fast is not None, f'{row.gait} {row.speed} fell'
        assert fast['speed'] == pytest.approx(slow['speed'], rel=0.05)
        assert fast['front_height'] == pytest.approx(slow['front_height'], abs=0.015)
        assert fast['rear_height'] == pytest.approx(slow['rear_height'], abs=0.015)
        assert fast['duty_factor'] == pytest.approx(slow['duty_factor'], abs=0.05)
        assert fast['mean_torque'] == pytest.approx(slow['mean_torque'], rel=0.1)
        assert fast['peak_torque'] == pytest.approx(slow['peak_torque'], rel=0.3)
        assert fast['power'] == pytest.approx(slow['power'], rel=0.15)


def test_a_run_that_fell_has_no_figures() -> None:
    assert measure(steady(steps=500)) is None


@pytest.mark.timeout(240)
def test_an_evaluation_in_pybullet_repeats_exactly_and_tells_a_fall() -> None:
    task = Task(1.0, ((60.0, 0.1),), settle=2.0, duration=0.6, gait='trot', engine=Engine.BULLET)
    numbers = GaitTable.of(load_gait('trot')).interpolate(1.0)
    evaluator, weights = BulletEvaluator(task), Weights()
    cost = evaluator.cost(numbers, 1, weights)
    assert cost < weights.fall / 2
    parameters = free_parameters(detail=Detail.COARSE)
    limp = parameters.insert(np.zeros(parameters.count), numbers)
    assert evaluator.cost(limp, 1, weights) > weights.fall
    assert evaluator.cost(numbers, 1, weights) == cost      # what was tried left no trace
    assert evaluator.cost(numbers, 2, weights) != cost


@pytest.mark.timeout(240)
def test_steps_make_an_evaluation_harder_and_roads_differ() -> None:
    pushes = ((60.0, 0.1),)
    flat, low, high = (Task(1.5, pushes, settle=2.0, duration=2.5, gait='trot',
                            engine=Engine.BULLET, steps=steps) for steps in (0.0, 0.05, 0.2))
    numbers, weights = GaitTable.of(load_gait('trot')).interpolate(1.5), Weights()
    costs = [BulletEvaluator(task).cost(numbers, 1, weights) for task in (flat, low, high)]
    assert costs[0] < costs[1] < costs[2]
    assert BulletEvaluator(low, 7).cost(numbers, 1, weights) != costs[1]


def test_a_search_does_not_begin_from_a_dog_that_has_fallen(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('quadruped_control.tuning.bullet_evaluation.find_low',
                        lambda heights, _: find_low(heights, 0.5))
    task = Task(1.0, ((60.0, 0.1),), settle=1.0, gait='trot', engine=Engine.BULLET)
    with pytest.raises(QuadrupedError, match=r'trot at 1 m/s: the dog fell after 0\.1 s'):
        BulletEvaluator(task)


def test_a_climb_goes_up_in_steps_and_ends_where_it_is_asked_to() -> None:
    assert list_speeds(None, 1.5, 0.25) == [1.5]
    assert list_speeds(2.0, 3.0, 0.25) == [2.0, 2.25, 2.5, 2.75, 3.0]
    assert list_speeds(2.0, 2.6, 0.25) == [2.0, 2.25, 2.5, 2.6]
    assert list_speeds(2.0, 2.0, 0.25) == [2.0]
    with pytest.raises(InputError, match=r'--from.*0 to 1.5 m/s'):
        list_speeds(2.0, 1.5, 0.25)
    with pytest.raises(InputError, match='--increment'):
        list_speeds(1.0, 1.5, 0.0)


@pytest.mark.timeout(240)
def test_a_climb_tunes_each_speed_from_the_one_before(tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    tuned: list[tuple[float, Path | None]] = []

    def pretend(arguments: argparse.Namespace) -> None:
        tuned.append((arguments.speed, arguments.file))
        arguments.out.write_text('a gait', encoding='utf-8')

    monkeypatch.setattr('quadruped_control.command_line.tune.tune_speed', pretend)
    out = tmp_path / 'trot.yaml'
    assert main(['tune', 'trot', '--from', '1.0', '--speed', '1.5', '--out', str(out)]) == 0
    assert tuned == [(1.0, None), (1.25, out), (1.5, out)]


@pytest.mark.timeout(240)
def test_a_search_in_pybullet_heeds_the_reference() -> None:
    plain = Task(1.0, ((60.0, 0.1),), settle=2.0, duration=0.5, gait='trot', engine=Engine.BULLET)
    task = replace(plain, reference=load_reference('trot_1', load_robot()))
    numbers = GaitTable.of(load_gait('trot')).interpolate(1.0)
    evaluator = BulletEvaluator(task)
    near, far = (evaluator.cost(numbers, 1, Weights(distance=weight)) for weight in (0.0, 100.0))
    assert near == BulletEvaluator(plain).cost(numbers, 1, Weights())
    assert 0.01 < far - near < 20.0                 # 0.1 mm to 20 cm from it


@pytest.mark.parametrize('spine', ['flexible', 'rigid'])
def test_the_dog_of_rigid_spine_has_one_in_mujoco_too(spine: Spine) -> None:
    robot = load_robot('dog', spine)
    world = MujocoWorld(robot, ContactModel(), time_step=1e-3)
    assert len(world.engine.speeds) == 6 + len(robot.joint_names)


def test_only_speeds_at_which_a_change_is_better_are_changed() -> None:
    gait = load_gait('canter')
    changed = change_all(gait)
    worse = gait.speeds[1].speed

    def judge(entry: GaitAtSpeed) -> float:
        return entry.turning if entry.speed == worse else -entry.turning

    tuned, better = keep_better(gait, changed, judge)
    assert better == [at.speed for at in gait.speeds if at.speed != worse]
    assert tuned.speeds[1] == gait.speeds[1]
    assert tuned.speeds[0] == changed.speeds[0] and tuned.speeds[2:] == changed.speeds[2:]


def test_each_speed_of_all_speeds_is_run_at_that_speed(monkeypatch: pytest.MonkeyPatch,
                                                       tmp_path: Path) -> None:
    gait = load_gait('canter')
    run: list[float] = []

    def pretend(name: str, numbers: Any, task: Task, *_: object) -> float:
        run.append(task.speed)
        return -float(numbers[list_places()['turning']])

    monkeypatch.setattr('quadruped_control.command_line.tune.accept_cost', pretend)
    parameters = free_parameters(symmetric=False, detail=Detail.BALANCE)
    start = flatten(gait.speeds[1])
    setup = Setup('canter', Task(gait.speeds[1].speed, ()), 'greedy', 1, (1,), Weights())
    session = Session(setup, parameters, start, tmp_path / 'log')
    session.search.best = np.clip(parameters.extract(start) + 0.05, 0.0, 1.0)
    tuned, said = accept_speeds(gait, session, start, 1)
    assert set(run) == {at.speed for at in gait.speeds}
    assert tuned == change_all(gait)
    assert all(f'{at.speed:g}' in said for at in gait.speeds)


def change_all(gait: Gait) -> Gait:
    """Return a gait with what helps a pushed dog changed at all speeds."""
    parameters = free_parameters(symmetric=False, detail=Detail.BALANCE)
    start = flatten(gait.speeds[1])
    best = np.clip(parameters.extract(start) + 0.05, 0.0, 1.0)
    return change_speeds(gait, parameters, start, best)


def test_all_speeds_are_changed_alike_and_within_bounds() -> None:
    gait = load_gait('canter')
    parameters = free_parameters(symmetric=False, detail=Detail.BALANCE)
    start = flatten(gait.speeds[1])
    best = np.clip(parameters.extract(start) + 0.05, 0.0, 1.0)
    changed = change_speeds(gait, parameters, start, best)
    assert [at.speed for at in changed.speeds] == [at.speed for at in gait.speeds]
    for before, after in zip(gait.speeds, changed.speeds, strict=True):
        assert after.turning == pytest.approx(before.turning + 0.05 * 15.0, rel=1e-3)
        assert after.front.height == before.front.height


@pytest.mark.timeout(200)
def test_an_evaluation_repeats_exactly() -> None:
    task = Task(1.0, ((100.0, 0.1),), settle=1.0, duration=0.5)
    numbers = flatten(load_gait('trot').speeds[1])
    evaluator = Evaluator(task)
    first = evaluator.cost(numbers, 1, Weights())
    assert evaluator.cost(numbers, 1, Weights()) == first
    assert Evaluator(task).cost(numbers, 1, Weights()) == first
