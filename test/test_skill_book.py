"""What a robot offers follows from its files: postures without code, none, and no leaps."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from quadruped_control.control.offers import list_offers
from quadruped_control.control.skill_book import load_book, read_book
from quadruped_control.control.skill_numbers import CODED, NONE, Activity, Part, Player
from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.control.skill_registry import ROWS
from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import SEARCH_PATH, Spine, robot_folder
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout import rollout
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario, refuse_unavailable

CROUCH = """
name: crouch
skill: {request: crouch, from: [stand], activity: crouching, goal: crouch, key: c}
phases:
- {name: down, duration: 0.6, standing: 1.0, front: {height: 0.42, pitch: 0.0, twist: 0.0},
   rear: {height: 0.40, pitch: 0.0, twist: 0.0}}
"""
STAND_FROM_CROUCH = """
name: stand_from_crouch
skill: {request: stand, from: [crouch], activity: rising_from_crouch, goal: stand}
phases:
- {name: up, duration: 0.6, standing: 1.0, front: {height: 0.47, pitch: 0.0, twist: 0.0},
   rear: {height: 0.45, pitch: 0.0, twist: 0.0}}
"""
NOD = """
name: nod
skill: {request: nod, from: [stand], activity: nodding, goal: stand, key: n}
phases:
- {name: down, duration: 0.4, standing: 1.0, front: {height: 0.42}}
- {name: up, duration: 0.4, front: {height: 0.47}}
"""
TOPPLED = {'t': 0.2, 'at': 'front', 'force': [0, 900, 0], 'duration': 0.3}


@pytest.fixture(name='pup')
def _pup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a robot with the dog's body and files of its own."""
    folder = tmp_path / tmp_path.name.replace('-', '_')
    shutil.copytree(robot_folder('dog'), folder)
    monkeypatch.setenv(SEARCH_PATH, str(tmp_path))

    def load(name: str, spine: Spine) -> Robot:
        return replace(load_robot('dog', spine), name=name)

    monkeypatch.setattr(rollout, 'load_robot', load)
    return folder


def make_loop(folder: Path, **keys: object) -> Loop:
    return Loop(validate({'name': 'pup', 'robot': folder.name, **keys}, Scenario, 'pup'))


def leave_postures(folder: Path, *names: str) -> None:
    for path in (folder / 'postures').glob('*.yaml'):
        if path.stem not in names:
            path.unlink()


def test_numbers_of_what_every_robot_knows_come_first() -> None:
    book = load_book()
    assert book.activities[:len(Activity)] == tuple(number.name.lower() for number in Activity)
    assert book.motions[:len(Part)] == tuple(number.name.lower() for number in Part)
    players = dict(zip(book.activities, book.number_players().tolist(), strict=True))
    assert players['sit'] == players['fallen'] == Player.REST
    assert players['sitting_down'] == players['falling'] == Player.MOTION


@pytest.mark.timeout(240)
def test_a_new_posture_is_files_and_no_code(pup: Path) -> None:
    (pup / 'postures' / 'crouch.yaml').write_text(CROUCH)
    (pup / 'postures' / 'stand_from_crouch.yaml').write_text(STAND_FROM_CROUCH)
    skills = {skill.name: skill for skill in load_book(pup.name).skills}
    assert (skills['crouch'].key, skills['crouch'].label) == ('c', 'crouch')
    start = validate({'duration': 1.0, 'robot': pup.name, 'start': {'posture': 'crouch'}},
                     Scenario, 'start')
    with pytest.raises(InputError, match='end in a pose'):
        refuse_unavailable(start, 'start', list_offers(pup.name))
    loop = make_loop(pup, duration=3.0, commands=[{'t': 0.2, 'skill': 'crouch'},
                                                  {'t': 1.2, 'skill': 'stand'}])
    loop.run(500)
    assert loop.scheduler.skills.activity == 'crouching'
    loop.run(600)
    assert loop.scheduler.skills.activity == 'crouch'
    assert loop.recording.leg_frame_position[-1, :, 2].max() < 0.44
    loop.run(1900)
    assert loop.scheduler.skills.activity == 'stand'
    assert loop.recording.leg_frame_position[-1, :, 2].min() > 0.44
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_motion_may_end_where_it_began(pup: Path) -> None:
    (pup / 'postures' / 'nod.yaml').write_text(NOD)
    loop = make_loop(pup, duration=3.0, commands=[{'t': 0.2, 'skill': 'nod'}])
    loop.run(500)
    assert loop.scheduler.skills.activity == 'nodding'
    loop.run(2500)
    assert loop.scheduler.skills.activity == 'stand'
    assert loop.recording.leg_frame_position[:, 0, 2].min() < 0.44
    loop.world.close()


def test_a_skill_in_code_begins_in_the_states_that_its_row_names(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ROWS[-1]._replace(begins_in=('stand', 'sit'), goal='stand', guard=None)
    monkeypatch.setattr('quadruped_control.control.skill_book.ROWS', (*ROWS[:-1], row))
    book = read_book.__wrapped__(robot_folder('dog'))
    table, leap = book.number_transitions(), book.requests.index(row.skill.name)
    for state in range(len(book.activities)):
        begins = book.activities[state] in row.begins_in
        assert table[state, leap].tolist() == (
            [CODED, Activity.LEAPING, Activity.STAND] if begins else [NONE] * 3)
    assert not load_book().number_transitions()[:, leap, 0].max() > NONE


@pytest.mark.timeout(240)
@pytest.mark.parametrize('files', [('fall',), ()])
def test_robot_that_cannot_get_up_goes_limp_and_says_that_it_lies(
    pup: Path, files: tuple[str, ...]
) -> None:
    leave_postures(pup, *files)
    assert list_offers(pup.name).skills == {'stand', 'leap'}
    loop = make_loop(pup, duration=4.0, pushes=[TOPPLED])
    loop.run(4000)
    skills = loop.scheduler.skills
    assert skills.activity == 'fallen'
    assert loop.scheduler.target['posed'] == 1.0
    end = loop.recording.tail(300)
    assert abs(end.joint_velocity).mean() < 0.5
    with pytest.raises(SkillRefusedError, match='roll_over'):
        skills.request('get_up', 4.0)
    loop.world.close()


def test_robot_without_leaps_refuses_to_leap_and_says_why(pup: Path) -> None:
    shutil.rmtree(pup / 'leaps')
    loop = make_loop(pup, duration=1.0)
    with pytest.raises(SkillRefusedError, match=r'leaps/seed\.yaml'):
        loop.scheduler.skills.request('leap', 0.0)
    leaping = validate({'duration': 2.0, 'robot': pup.name,
                        'commands': [{'t': 1.0, 'skill': 'leap'}]}, Scenario, 'leaping')
    with pytest.raises(InputError) as caught:
        refuse_unavailable(leaping, 'leaping', list_offers(pup.name))
    assert caught.value.key == 'commands[0].skill'
    loop.world.close()


@pytest.mark.parametrize(('key', 'said'), [('x', 'one of b c f h i'), ('w', 'bcfghijk')])
def test_a_key_that_is_taken_is_refused_by_those_that_are_free(
    pup: Path, key: str, said: str
) -> None:
    (pup / 'postures' / 'crouch.yaml').write_text(CROUCH.replace('key: c', f'key: {key}'))
    with pytest.raises(InputError, match=said):
        load_book(pup.name)


@pytest.mark.parametrize(('wrong', 'key'), [
    (CROUCH.replace('[stand]', '[stnd]'), 'skill.from'),
    (CROUCH.replace('key: c', 'key: x'), 'skill.key'),
    (CROUCH.replace('key: c', 'key: w'), 'skill.key'),
    (CROUCH.replace('activity: crouching', 'activity: sitting_down'), 'skill.activity'),
    (CROUCH.replace('activity: crouching', 'activity: leaping'), 'skill.activity'),
    (CROUCH.replace('activity: crouching', 'activity: sit'), 'skill.activity'),
    (CROUCH.replace('request: crouch', 'request: Crouch!'), 'skill.request'),
])
def test_wrong_header_of_a_posture_is_refused_by_its_key(
    pup: Path, wrong: str, key: str
) -> None:
    (pup / 'postures' / 'crouch.yaml').write_text(wrong)
    with pytest.raises(InputError) as caught:
        load_book(pup.name)
    assert caught.value.key == key
