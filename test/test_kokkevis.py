"""The controller of Kokkevis et al. 1995 in the real engine, and what its parts say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.controllers import list_controllers
from quadruped_control.control.kokkevis_body import compute_wrench, observe_body
from quadruped_control.control.kokkevis_controller import make_kokkevis_controller
from quadruped_control.control.kokkevis_records import LegState
from quadruped_control.control.observation import Observation
from quadruped_control.control.offers import list_offers
from quadruped_control.control.records import TargetRecord
from quadruped_control.errors import InputError
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import GRAVITY, as_block
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop, Rollout, run_scenario
from quadruped_control.scenario import Scenario, load_scenario
from quadruped_control.share import share_folder

RAMP = [{'kind': 'ramp', 'x': [1.5, 4.5], 'y': [-3, 3], 'height': [0.0, 1.092]},
        {'kind': 'box', 'x': [4.5, 12.0], 'y': [-3, 3], 'height': 1.092}]


def run(**parts: Any) -> Rollout:
    data = {'name': 'test', 'controller': 'kokkevis', 'recover': False, **parts}
    return run_scenario(validate(data, Scenario, 'test'))


def test_who_has_its_file_offers_it_and_what_it_cannot_play_is_not_offered() -> None:
    assert list_controllers('dog') == ['leg_frames', 'algorithm_2', 'kokkevis', 'kokkevis_lp']
    offers = list_offers('dog', 'kokkevis')
    assert offers.gaits == {'walk', 'trot'} and 'leap' not in offers.skills
    assert 'sit' in offers.skills and 'leap' in list_offers('dog').skills


def test_the_body_is_rigid(tmp_path: Path) -> None:
    scenario = validate({'duration': 1.0, 'controller': 'kokkevis'}, Scenario, 'test')
    assert scenario.spine == 'rigid'
    with pytest.raises(InputError, match='rigid'):
        validate({'duration': 1.0, 'controller': 'kokkevis', 'spine': 'flexible'}, Scenario, 't')
    file = tmp_path / 'canter.yaml'
    file.write_text('duration: 1\ncommands: [{t: 0, vx: 3, gait: canter}]\n', encoding='utf-8')
    assert load_scenario(file).spine == 'flexible'
    with pytest.raises(InputError, match='canter'):
        load_scenario(file, controller='kokkevis')


@pytest.mark.timeout(240)
def test_a_standing_robot_wants_its_weight_and_no_torque() -> None:
    """At rest at its height and heading, the six controllers ask for m g alone."""
    loop = Loop(validate({'duration': 1.0, 'controller': 'kokkevis'}, Scenario, 'test'))
    loop.run(900)
    parts = loop.controller.parts
    wanted, mass = parts.problem[0]['wanted'], float(loop.robot.tree['total_mass'])
    assert wanted[2] == pytest.approx(mass * GRAVITY, rel=0.02)
    assert np.abs(wanted[[0, 1, 3, 4, 5]]).max() < 2.0
    forces = parts.problem[0]['force']
    assert forces[:, 2].min() > 40.0
    assert forces[:, 2].sum() == pytest.approx(mass * GRAVITY, rel=0.02)
    assert (parts.memory[0]['state'] == LegState.PUSHING).all()
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_position_answers_as_its_natural_frequency_and_damping_say() -> None:
    """The height's acceleration is w^2 (s_d - s) - 2 u w s' (equation 3)."""
    robot = load_robot('dog', 'rigid')
    controller = make_kokkevis_controller(robot)
    observation, target = Observation(robot), make_record(TargetRecord)
    observation.state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
    observation.state['base_position'] = 0.0, 0.0, 0.40
    observation.state['base_velocity'] = 0.0, 0.0, 0.1
    observation.update()
    target.height[:] = observation.record['leg_frame_point'][:, 2] + 0.05
    numbers, memory = controller.parts.numbers[0], controller.parts.memory[0]
    memory['friction'], memory['begun'] = 0.6, 1.0
    blocks, wanted = observation.blocks, np.zeros(6)
    observe_body(blocks.tree[0], blocks.motion[0], numbers, memory, 0.001)
    compute_wrench(blocks.anatomy[0], numbers, as_block(target)[0], blocks.motion[0],
                   blocks.seen[0], memory, 1.0, 0.001, 1.0, wanted)
    w, u = numbers['w'][3], numbers['u'][3]
    assert wanted[2] - GRAVITY == pytest.approx(w * w * 0.05 - 2 * u * w * 0.1, abs=1e-6)


@pytest.mark.timeout(240)
@pytest.mark.parametrize('gait, speed', [('walk', 0.7), ('trot', 1.6)])
def test_it_walks_and_trots_at_the_speed_asked_for(gait: str, speed: float) -> None:
    metrics = run(duration=7.0, commands=[{'t': 0.3, 'vx': speed, 'gait': gait}]).metrics
    assert not metrics['fell']
    assert metrics['mean_speed'] == pytest.approx(speed, abs=0.1)
    assert metrics['unsolved'] == 0 and metrics['jams'] == 0


@pytest.mark.timeout(240)
def test_walk_and_trot_follow_the_speed_by_themselves() -> None:
    metrics = run(duration=13.0, commands=[
        {'t': 0.3, 'vx': 0.5}, {'t': 4.0, 'vx': 1.8}, {'t': 8.5, 'vx': 0.5}]).metrics
    names = [change['gait'] for change in metrics['gaits']]          # type: ignore[attr-defined]
    assert not metrics['fell']
    assert names == ['stand', 'walk', 'trot', 'walk']


@pytest.mark.timeout(240)
@pytest.mark.parametrize('controller', ['kokkevis', 'kokkevis_lp'])
def test_it_takes_its_posture_from_a_ramp_of_twenty_degrees(controller: str) -> None:
    rollout = run(duration=8.0, terrain=RAMP, controller=controller,
                  commands=[{'t': 0.3, 'vx': 0.7, 'gait': 'walk'}])
    recording = rollout.recording
    assert not rollout.metrics['fell']
    x, pitch = recording.leg_frame_position[:, 1, 0], recording.leg_frame_rpy[:, 1, 1]
    on_ramp = (x > 2.0) & (x < 3.3)
    assert np.degrees(pitch[on_ramp].mean()) == pytest.approx(-20.0, abs=3.0)


@pytest.mark.timeout(240)
def test_slipping_is_noticed_and_lessens_the_friction_believed_in() -> None:
    ice = [{'kind': 'patch', 'x': [-5, 60], 'y': [-10, 10], 'friction': 0.15}]
    slippery = run(duration=6.0, terrain=ice,
                   commands=[{'t': 0.3, 'vx': 1.6, 'gait': 'trot'}])
    assert slippery.metrics['slips'] > 0                             # type: ignore[operator]
    assert slippery.recording.notices[:, 3].min() < 0.5


def test_a_leap_is_refused_with_the_reason() -> None:
    rollout = run(duration=0.5, commands=[{'t': 0.1, 'skill': 'sit'}])
    assert not rollout.refusals
    loop = Loop(validate({'duration': 1.0, 'controller': 'kokkevis'}, Scenario, 'test'))
    with pytest.raises(Exception, match='leap is not possible with the controller kokkevis'):
        loop.scheduler.skills.foresee('leap')
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_leg_that_left_its_range_is_jammed_and_freed() -> None:
    """On rough and slippery ground, as in the scenario of that name."""
    folder = share_folder() / 'config' / 'scenarios'
    loop = Loop(load_scenario(folder / 'slippery_rough.yaml'))
    states = []
    for _ in range(round(loop.scenario.duration / 0.01)):
        loop.run(10)
        states.append(loop.controller.parts.memory[0]['state'].copy())
    loop.world.close()
    jammed = np.array(states) == LegState.JAMMED
    assert loop.recording.notices[-1, 1] >= 1
    freed = np.diff(jammed.astype(int), axis=0) == -1
    assert freed.sum() >= 1
    assert jammed.mean(axis=0).max() < 0.05              # for short periods only
