"""Robots other than the dog: their folders, what they offer, and that they walk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.command_line.main import main
from quadruped_control.control.controllers import list_controllers, make_controller
from quadruped_control.control.derived_files import Derivation
from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.offers import list_offers
from quadruped_control.errors import InputError
from quadruped_control.kinematics.leg_kinds import solve_leg
from quadruped_control.kinematics.records import LEGS
from quadruped_control.loading import validate
from quadruped_control.model.robot_files import SEARCH_PATH, list_robots
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.similarity import Similarity, find_exponents
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.scenario import Scenario

FOREIGN = ('a1', 'mini_cheetah')
LEG = pytest.mark.parametrize('leg', range(4), ids=LEGS)


def data_file(name: str) -> Path:
    pybullet_data = pytest.importorskip('pybullet_data')
    return Path(pybullet_data.getDataPath()) / name


def test_units_scale_as_similar_bodies_move() -> None:
    """The same Froude number, and forces as weights: a stiffness bends by the same share."""
    other = Similarity(length=0.25, mass=0.1)
    assert other.factor('m/s')**2 / other.factor('m') == pytest.approx(1.0)
    assert other.factor('N/m') * other.factor('m') == pytest.approx(other.factor('N'))
    assert other.factor('N s/m') * other.factor('m/s') == pytest.approx(other.factor('N'))
    assert other.factor('N m s/rad') * other.factor('rad/s') == pytest.approx(other.factor('N m'))
    assert other.factor('1/s') * other.factor('s') == pytest.approx(1.0)
    assert other.factor('') == other.factor('rad') == 1.0
    assert find_exponents('kg m^2') == (2.0, 1.0)
    with pytest.raises(ValueError, match='furlong'):
        find_exponents('furlong/s')


def test_a_robot_scaled_to_its_own_size_has_the_same_gaits() -> None:
    dog = load_model()
    same = Derivation(dog, dog)
    for name in ('walk', 'trot', 'stand'):
        ours, scaled = GaitTable.of(load_gait(name)), GaitTable.of(same.scale_gait(name))
        np.testing.assert_allclose(scaled.rows, ours.rows, rtol=1e-4, atol=1e-9)
        np.testing.assert_allclose(scaled.speeds, ours.speeds)
    assert same.scale_gains().joints == same.scale_gains().joints.model_copy()


@pytest.mark.parametrize('name', FOREIGN)
def test_its_torque_limits_and_weight_are_those_of_the_urdf(name: str) -> None:
    robot = load_robot(name)
    limits = robot.torque_limits()[list(robot.movable)]
    assert len(limits) == 12 and np.isfinite(limits).all() and limits.min() > 1.0
    assert sum(robot.standing_weight()) == pytest.approx(9.81 * robot.tree['total_mass'])
    assert min(robot.standing_weight()) > 0.3 * sum(robot.standing_weight())


@LEG
@pytest.mark.parametrize('name', FOREIGN)
def test_inverse_kinematics_of_a_point_foot_inverts_the_forward_kinematics(name: str,
                                                                           leg: int) -> None:
    robot, random = load_robot(name), np.random.default_rng(leg)
    anatomy = robot.anatomy
    for _ in range(20):
        wanted = np.zeros(len(robot.links))
        roll, pitch, knee = anatomy['hip'][leg, 1], anatomy['hip'][leg, 0], anatomy['knee'][leg]
        wanted[[roll, pitch, knee]] = random.uniform(-0.4, 0.4, 3)
        hip = robot.pose(np.zeros(len(robot.links)))['position'][roll]
        motion = robot.pose(wanted)
        toe = anatomy['toe'][leg]
        foot = motion['position'][toe] + motion['rotation'][toe] @ anatomy['foot_centre'][leg]
        found = np.zeros(len(robot.links))
        assert solve_leg(anatomy, leg, np.eye(3), hip, foot, 0.0, 0.0, 0.0, found)
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_what_a_robot_has_no_file_for_it_does_not_offer() -> None:
    assert list_offers('a1').gaits == {'walk', 'trot'}
    assert 'leap' not in list_offers('a1').skills and 'leap' in list_offers('dog').skills
    run = run_scenario(validate({'duration': 0.05, 'robot': 'a1', 'commands': [
        {'t': 0.01, 'skill': 'leap'}]}, Scenario, 'test'))
    assert 'leaps/' in run.refusals[0]


def test_a_controller_that_is_not_there_is_refused_by_what_is() -> None:
    assert list_controllers('a1') == ['leg_frames', 'algorithm_2', 'kokkevis', 'kokkevis_lp']
    with pytest.raises(InputError, match='leg_frames'):
        make_controller(load_robot('a1'), 'telepathy')


@pytest.mark.timeout(300)
@pytest.mark.parametrize('name', FOREIGN)
def test_it_walks_and_trots(name: str) -> None:
    for gait, speed in (('walk', 0.4), ('trot', 1.0)):
        metrics = run_scenario(validate({'duration': 6.0, 'robot': name, 'commands': [
            {'t': 0.5, 'vx': speed, 'gait': gait}]}, Scenario, 'test')).metrics
        assert not metrics['fell']
        assert abs(float(str(metrics['mean_speed'])) - speed) < 0.1


@pytest.mark.timeout(300)
def test_a_urdf_that_nobody_has_seen_is_added_and_trots(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(SEARCH_PATH, str(tmp_path))
    assert main(['robot', 'add', str(data_file('aliengo/aliengo.urdf')), '--name', 'ali']) == 0
    assert 'FL_upper_joint' in capsys.readouterr().out
    assert (tmp_path / 'ali' / 'skeleton.png').stat().st_size > 1000 and 'ali' in list_robots()
    metrics = run_scenario(validate({'duration': 6.0, 'robot': 'ali', 'commands': [
        {'t': 0.5, 'vx': 0.5, 'gait': 'trot'}]}, Scenario, 'test')).metrics
    assert not metrics['fell'] and float(str(metrics['mean_speed'])) > 0.4
    assert main(['robot', 'add', str(data_file('aliengo/aliengo.urdf')), '--name', 'ali']) == 2
    assert '--force' in capsys.readouterr().err


def test_an_arm_is_refused_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['robot', 'add', str(data_file('kuka_iiwa/model.urdf'))]) == 2
    assert 'one chain of seven hinges' in capsys.readouterr().err
