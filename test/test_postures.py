"""Sit, lie down, stand up: the table of transitions, posture files, and the dog doing it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.posture import Posture, load_posture
from quadruped_control.control.posture_table import tabulate_postures
from quadruped_control.control.skill_book import load_book
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.errors import InputError
from quadruped_control.evaluation import getup, postures
from quadruped_control.expectation import apply_expectations
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop, run_scenario
from quadruped_control.scenario import Scenario, Start, load_scenario
from quadruped_control.simulation.start_pose import compute_start_pose

ROOT = Path(__file__).resolve().parents[1]
LYING = {'duration': 3.0, 'recover': False, 'commands': [{'t': 0.1, 'skill': 'lie_down'}]}


def make_loop(**keys: object) -> Loop:
    return Loop(validate({'name': 'test', **keys}, Scenario, 'test'))


def test_readme_shows_every_legal_transition() -> None:
    text = (ROOT / 'README.md').read_text()
    rows = text[text.index('| state | request |'):].splitlines()[2:]
    shown = []
    for row in rows:
        if not row.startswith('|'):
            break
        shown.append(tuple(cell.strip().strip('`') for cell in row.strip('|').split('|')))
    assert sorted(shown) == sorted(tuple(row) for row in load_book().transitions)


def test_every_file_is_a_skill_or_a_part_of_one() -> None:
    book = load_book()
    files = {path.stem for path in (ROOT / 'config/robots/dog/postures').glob('*.yaml')}
    assert files == set(book.motions)
    assert files - {row.motion for row in book.transitions} == {
        'fall', 'roll_off_back', 'roll_over', 'push_up'}


@pytest.mark.parametrize(('state', 'request_', 'way'), [
    ('lie', 'leap', ('stand', 'leap')),
    ('lie', 'sit', ('stand', 'sit')),
    ('fallen', 'lie_down', ('get_up', 'lie_down')),
    ('stand', 'sit', ('sit',)),
    ('fallen', 'leap', ('get_up', 'leap')),
])
def test_way_to_a_skill(state: str, request_: str, way: tuple[str, ...]) -> None:
    assert load_book().find_way(state, request_) == way


def test_mirrored_motion_is_the_motion_of_the_other_side() -> None:
    robot = load_robot()
    table = tabulate_postures([load_posture(name) for name in load_book().motions],
                              robot.anatomy)
    half = len(table) // 2
    there, back = table[:half], table[half:]
    assert np.array_equal(there['steps'][:, [1, 0, 3, 2]], back['steps'])
    mirrored = there['foot_place'][:, [1, 0, 3, 2]] * (1.0, -1.0)
    assert np.array_equal(mirrored, back['foot_place'], equal_nan=True)
    assert np.array_equal(there['duration'], back['duration'])


def test_posture_file_with_a_wrong_key_is_refused_by_name() -> None:
    bad = {'name': 'bad', 'phases': [{'name': 'down', 'duration': 0.5, 'rear': {'hight': 0.2}}]}
    with pytest.raises(InputError, match=r'phases\[0\]\.rear\.hight'):
        validate(bad, Posture, 'bad.yaml')


def test_steps_and_pose_exclude_each_other() -> None:
    bad = {'name': 'bad', 'phases': [{'name': 'down', 'duration': 0.5, 'pose': {},
                                      'steps': ['rear_left']}]}
    with pytest.raises(InputError, match='steps'):
        validate(bad, Posture, 'bad.yaml')


def test_request_while_lying_down_waits_and_an_impossible_one_names_the_way() -> None:
    loop = make_loop(**LYING)
    loop.run(400)
    skills = loop.scheduler.skills
    assert skills.activity == 'lying_down'
    assert 'waits' in skills.request('stand', 0.4)
    with pytest.raises(SkillRefusedError, match='stand, then sit'):
        skills.request('sit', 0.4)
    loop.run(2600)
    assert skills.activity == 'stand'
    assert loop.observation.record['leg_frame_point'][:, 2].min() > 0.4


def test_dog_with_its_hind_feet_on_a_block_lies_down_and_stands_up_without_a_jerk() -> None:
    block = {'kind': 'box', 'x': [-0.6, 0.4], 'y': [-1.0, 1.0], 'height': 0.08}
    loop = make_loop(duration=7.0, recover=False, terrain=[block], commands=[
        {'t': 0.2, 'skill': 'lie_down'}, {'t': 3.0, 'skill': 'stand'}])
    loop.run(7000)
    assert loop.scheduler.skills.activity == 'stand'
    rising = loop.recording.between(3600, 7000)         # the legs have pushed it up by then
    assert np.abs(rising.leg_frame_rpy[:, :, :2]).max() < 0.4
    assert loop.recording.leg_frame_rpy[-1, :, 1] == pytest.approx(0.15, abs=0.1)


@pytest.mark.parametrize(('posture', 'lowest'), [('sit', (0.40, 0.18)), ('lie', (0.18, 0.12))])
def test_dog_that_starts_in_a_posture_rests_there_and_stands_up(
    posture: str, lowest: tuple[float, float]
) -> None:
    loop = make_loop(duration=5.0, recover=False, start={'posture': posture, 'heading': 0.5},
                     commands=[{'t': 2.0, 'skill': 'stand'}])
    heights = loop.observation.record['leg_frame_point'][:, 2]
    loop.run(1000)
    assert loop.scheduler.skills.activity == posture
    resting = loop.recording.joint_velocity[500:1000]
    assert np.sqrt(np.mean(resting**2)) < 0.1
    assert heights[1] < lowest[1] and abs(heights[0] - lowest[0]) < 0.08
    loop.run(4000)
    assert loop.scheduler.skills.activity == 'stand'
    assert heights.min() > 0.4
    assert loop.recording.leg_frame_rpy[-1, :, 2] == pytest.approx(0.5, abs=0.15)


def test_dog_that_lies_on_its_belly_gets_up_when_asked_to() -> None:
    loop = make_loop(duration=4.0, recover=False, start={'posture': 'lie', 'drop': 0.3},
                     commands=[{'t': 1.5, 'skill': 'get_up'}])
    loop.run(1600)
    assert loop.scheduler.skills.activity == 'getting_up'
    loop.run(2400)
    assert loop.scheduler.skills.activity == 'stand'
    assert loop.observation.record['leg_frame_point'][:, 2].min() > 0.4


def test_a_dog_with_its_front_feet_too_close_steps_until_they_are_apart() -> None:
    loop = make_loop(duration=4.0, recover=False)
    pose = compute_start_pose(loop.robot, loop.ground, Start())
    left, right = loop.robot.anatomy['hip'][:2, 1]
    pose.joint_position[left] -= 0.18               # rad of roll
    pose.joint_position[right] += 0.18
    loop.world.reset(pose)
    loop.run(100)
    apart = loop.scheduler.skills.record['apart']
    assert apart[0] < 0.4 < apart[1] and loop.scheduler.gait == 'walk'
    loop.run(3900)
    assert loop.scheduler.gait == 'stand' and apart.min() > 0.5
    assert np.abs(loop.recording.leg_frame_rpy[:, :, :2]).max() < 0.2


def test_a_dog_that_stands_up_from_lying_does_not_jump() -> None:
    loop = make_loop(duration=3.4, recover=False, commands=[
        {'t': 0.1, 'skill': 'lie_down'}, {'t': 1.8, 'skill': 'stand'}])
    loop.run(3400)
    rising = loop.recording.between(1800, 3400)
    assert loop.scheduler.skills.activity == 'stand'
    assert (rising.foot_contact == 0).all(axis=1).sum() < 60        # ms in the air
    assert rising.leg_frame_velocity[:, :, 2].max() < 1.2


def test_a_dog_goes_down_by_algorithm_2_and_up_by_the_forces_of_its_feet() -> None:
    loop = make_loop(duration=3.0, recover=False, commands=[
        {'t': 0.2, 'skill': 'sit'}, {'t': 2.0, 'skill': 'stand'}])
    rules = []
    for ticks in (100, 300, 1800):
        loop.run(ticks)
        rules.append(float(loop.scheduler.target['by_hips']))
    assert rules == [0.0, 1.0, 0.0]


def test_dog_on_its_feet_need_not_get_up() -> None:
    skills = make_loop(duration=1.0).scheduler.skills
    assert skills.request('get_up', 0.0) == 'get_up: already stand'


def test_scenario_that_asks_for_the_impossible_tells_so_and_goes_on() -> None:
    loop = make_loop(duration=2.5, commands=[{'t': 0.1, 'skill': 'lie_down'},
                                             {'t': 2.0, 'skill': 'sit'}])
    loop.run(2500)
    (_, skill, why), = loop.commands.refusals
    assert skill == 'sit' and 'the way: stand, then sit' in why
    assert loop.scheduler.skills.activity == 'lie'


@pytest.mark.timeout(240)
@pytest.mark.parametrize('name', ['sit', 'lie_down', 'get_up'])
def test_scenario_holds(name: str) -> None:
    scenario = load_scenario(ROOT / 'config' / 'scenarios' / f'{name}.yaml')
    metrics = run_scenario(scenario).metrics
    assert apply_expectations(scenario.expect, metrics) == []


def test_dog_that_should_not_recover_stays_down() -> None:
    loop = make_loop(duration=3.0, recover=False, start={'rpy': [-1.6, 0.0, 0.0], 'drop': 0.05})
    loop.run(3000)
    assert loop.scheduler.skills.activity == 'fallen'


def test_matrices_ask_what_they_say() -> None:
    trials = postures.make_trials(['trot'], range(1000, 1020))
    assert len(trials) == 20 * len(postures.COURSES)
    falls = getup.make_trials(['trot'], range(1000, 1100))
    drops = [trial.scenario['start'] for trial in falls if 'start' in trial.scenario]
    assert len(falls) == 120 and {start['drop'] for start in drops} == {0.6}
    assert sum(start.get('posture') == 'lie' for start in drops) == 20
    assert sum(bool(trial.scenario.get('pushes')) for trial in falls) == 30


@pytest.mark.parametrize(('roll', 'side'), [
    (0.1, 'belly'), (-1.6, 'left side'), (1.6, 'right side'), (3.0, 'back')])
def test_name_of_the_side(roll: float, side: str) -> None:
    assert getup.name_side(roll, 0.0) == side


@pytest.mark.timeout(240)
def test_a_limp_dog_that_is_set_back_stands() -> None:
    loop = Loop(validate({'name': 'limp', 'duration': 6.0, 'recover': False, 'pushes': [
        {'t': 0.2, 'at': 'front', 'force': [0, 900, 0], 'duration': 0.3}]}, Scenario, 'limp'))
    loop.run(1500)
    assert loop.scheduler.target['posed'] == 1.0            # it fell, and lies limp
    loop.reset()
    loop.run(150)
    assert loop.scheduler.target['posed'] == 0.0
    assert loop.recording.leg_frame_position[-1, :, 2].min() > 0.4
    loop.world.close()
