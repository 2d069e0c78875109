"""Scenario files load as the contract says, and whatever else they say is explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quadruped_control.control.offers import Offers
from quadruped_control.errors import InputError
from quadruped_control.expectation import apply_expectations
from quadruped_control.loading import validate
from quadruped_control.scenario import (
    Scenario,
    find_footprint,
    load_scenario,
    refuse_unavailable,
)

EXAMPLE = """
name: trot over low steps
seed: 1
duration: 12.0                     # s of simulated time
robot: dog                         # a folder or file of config/ and urdf/
torque_limit: 100.0                # N m on every joint
spine: flexible                    # or rigid
terrain:
  - {kind: box,  x: [3.0, 3.5], y: [-2, 2], height: 0.05, friction: 1.0}
  - {kind: gap,  x: [6.0, 7.2]}
  - {kind: ramp, x: [8.0, 10.0], y: [-2, 2], height: [0.0, 0.3]}
  - {kind: steps, x: [11.0, 15.0], y: [-2, 2], depth: 0.3, height: [0.0, 0.06]}
  - {kind: rough, x: [16.0, 20.0], y: [-2, 2], amplitude: 0.03, cell: 0.15}
  - {kind: patch, x: [21.0, 23.0], y: [-2, 2], friction: 0.3}
  - {kind: barrier, x: [25.0, 25.1], y: [-2, 2], height: 0.4}
start: {posture: stand, position: [0, 0], heading: 0.0}
commands:
  - {t: 0.0, vx: 1.0, vy: 0.0, wz: 0.0}
  - {t: 5.0, gait: pace}
  - {t: 8.0, skill: sit}
  - {t: 9.0, target: [4.0, 2.0]}
pushes:
  - {t: 3.0, at: front, force: [0, 100, 0], duration: 0.35}
leap_planner: false
recover: true
expect: {fell: false, mean_speed: [0.9, 1.1]}
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / 'hill.yaml'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder: Path, text: str) -> Scenario:
    return load_scenario(write(folder, text))


def build(**keys: Any) -> Scenario:
    return validate({'duration': 5.0, **keys}, Scenario, 'test')


def test_the_example_of_the_contract_loads(tmp_path: Path) -> None:
    scenario = read(tmp_path, EXAMPLE)
    assert scenario.name == 'trot over low steps'
    assert [feature.kind for feature in scenario.terrain] == [
        'box', 'gap', 'ramp', 'steps', 'rough', 'patch', 'barrier'
    ]  # fmt: skip
    assert scenario.terrain[1].y == (-100.0, 100.0)
    assert scenario.commands[0].vx == 1.0 and scenario.commands[1].vx is None
    assert scenario.pushes[0].force == (0.0, 100.0, 0.0)
    assert scenario.expect == {'fell': False, 'mean_speed': (0.9, 1.1)}


def test_defaults(tmp_path: Path) -> None:
    scenario = read(tmp_path, 'duration: 3')
    assert (scenario.name, scenario.seed, scenario.robot) == ('hill', 0, 'dog')
    assert (scenario.torque_limit, scenario.spine) == (None, 'flexible')
    assert (scenario.terrain, scenario.commands, scenario.pushes) == ((), (), ())
    assert (scenario.leap_planner, scenario.recover, scenario.expect) == (False, True, {})
    start = scenario.start
    assert (start.posture, start.position, start.heading) == ('stand', (0.0, 0.0), 0.0)
    assert (start.rpy, start.drop) == (None, 0.0)


@pytest.mark.parametrize(
    'text',
    [
        'start: {rpy: [1.57, 0, 0], drop: 0.1}',
        'start: {posture: lie, drop: 0.1}',
        'pushes: [{t: 1, phase: 0.25, at: rear, force: [1e1, 0, -5], duration: 5}]',
        'commands: [{t: 0, gait: auto}, {t: 0, vx: 0.5}, {t: 5, skill: get_up}]',
        'expect: {height.front.mean: [0.3, 0.5], falls.0.recovered_after: null, fall_time: null}',
        'terrain: [{kind: box, x: [-1, 2], y: [-1, 1], height: 1.0}]',
        'terrain: [{kind: gap, x: [0, 1]}, {kind: box, x: [-1, 2], y: [-1, 1], height: 0}]',
        'terrain: [{kind: barrier, x: [1, 1.1], y: [-1, 1], height: 0.4}]\n'
        'start: {heading: 3.1416}',
    ],
)
def test_good_scenarios_load(tmp_path: Path, text: str) -> None:
    read(tmp_path, f'duration: 5\n{text}')


def test_a_seed_can_take_the_place_of_the_one_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'duration: 5\nseed: 3')
    assert load_scenario(path).seed == 3
    assert load_scenario(path, seed=7).seed == 7
    with pytest.raises(InputError, match="'seed' is -1; accepted: a whole number >= 0"):
        load_scenario(path, seed=-1)


BAD: list[tuple[str, str, str]] = [
    # text after "duration: 5", key, value as shown
    ('sede: 3', 'sede', '3'),
    ('Duration: 3', 'Duration', '3'),
    ('seed: -1', 'seed', '-1'),
    ('seed: 1.5', 'seed', '1.5'),
    ('seed: true', 'seed', 'True'),
    ('name: 3', 'name', '3'),
    ('name: ""', 'name', "''"),
    ('robot: [dog]', 'robot', "['dog']"),
    ('torque_limit: 0', 'torque_limit', '0'),
    ('torque_limit: "100"', 'torque_limit', "'100'"),
    ('torque_limit: .nan', 'torque_limit', 'nan'),
    ('torque_limit: .inf', 'torque_limit', 'inf'),
    ('spine: soft', 'spine', "'soft'"),
    ('leap_planner: 1', 'leap_planner', '1'),
    ('recover: yes', 'recover', "'yes'"),
    ('terrain: {kind: box}', 'terrain', "{'kind': 'box'}"),
    ('terrain: [{x: [1, 2]}]', 'terrain[0].kind', 'missing'),
    ('terrain: [{kind: hill, x: [1, 2]}]', 'terrain[0].kind', "'hill'"),
    ('terrain: [{kind: box, x: [1, 2]}]', 'terrain[0].height', 'missing'),
    ('terrain: [{kind: box, x: [2, 1], height: 1}]', 'terrain[0].x', '[2, 1]'),
    ('terrain: [{kind: box, x: [1, 2], y: [1, 1], height: 1}]', 'terrain[0].y', '[1, 1]'),
    ('terrain: [{kind: box, x: [1, 2, 3], height: 1}]', 'terrain[0].x', '[1, 2, 3]'),
    ('terrain: [{kind: box, x: [1, 200], height: 1}]', 'terrain[0].x[1]', '200'),
    ('terrain: [{kind: box, x: [1, 2], height: 9}]', 'terrain[0].height', '9'),
    ('terrain: [{kind: box, x: [1, 2], height: [0, 1]}]', 'terrain[0].height', '[0, 1]'),
    ('terrain: [{kind: gap, x: [1, 2], height: 1}]', 'terrain[0].height', '1'),
    ('terrain: [{kind: patch, x: [1, 2], friction: 0}]', 'terrain[0].friction', '0'),
    ('terrain: [{kind: patch, x: [1, 2]}]', 'terrain[0].friction', 'missing'),
    ('terrain: [{kind: ramp, x: [1, 2], height: 0.3}]', 'terrain[0].height', '0.3'),
    (
        'terrain: [{kind: steps, x: [1, 2], depth: 0.3, height: [0.1, 0]}]',
        'terrain[0].height',
        '[0.1, 0]',
    ),
    (
        'terrain: [{kind: steps, x: [1, 2], depth: 1e-9, height: [0, 0.1]}]',
        'terrain[0].depth',
        '1e-09',
    ),
    (
        'terrain: [{kind: rough, x: [-99, 99], amplitude: 0.1, cell: 0.05}]',
        'terrain[0].cell',
        '0.05',
    ),
    (
        'terrain: [{kind: rough, x: [1, 2], amplitude: 0, cell: 0.1}]',
        'terrain[0].amplitude',
        '0',
    ),
    (
        'terrain:' + '\n- {kind: rough, x: [2, 9], amplitude: 0.1, cell: 0.1}' * 2,
        'terrain[1]',
        "{'kind': 'rough'",
    ),
    ('terrain: [{kind: barrier, x: [1, 2], height: -1}]', 'terrain[0].height', '-1'),
    ('start: {posture: sleep}', 'start.posture', "'sleep'"),
    ('start: {posture: sit, rpy: [0, 0, 0]}', 'start.rpy', '[0, 0, 0]'),
    ('start: {position: [0, 0, 0]}', 'start.position', '[0, 0, 0]'),
    ('start: {drop: -1}', 'start.drop', '-1'),
    ('start: {heading: north}', 'start.heading', "'north'"),
    ('start: {headng: 1}', 'start.headng', '1'),
    ('terrain: [{kind: gap, x: [0.2, 0.5]}]', 'start.position', '[0.0, 0.0]'),
    ('terrain: [{kind: gap, x: [-5, 5]}]', 'start.position', '[0.0, 0.0]'),
    ('terrain: [{kind: barrier, x: [0.6, 0.61], height: 0.1}]', 'start.position', '[0.0, 0.0]'),
    ('terrain: [{kind: box, x: [0, 1], height: 0.3}]', 'start.position', '[0.0, 0.0]'),
    ('commands: [{t: 0}]', 'commands[0]', "{'t': 0}"),
    ('commands: [{vx: 1}]', 'commands[0].t', 'missing'),
    ('commands: [{t: -1, vx: 1}]', 'commands[0].t', '-1'),
    ('commands: [{t: 6, vx: 1}]', 'commands[0].t', '6'),
    ('commands: [{t: 2, vx: 1}, {t: 1, vx: 1}]', 'commands[1].t', '1'),
    ('commands: [{t: 1, vx: 100}]', 'commands[0].vx', '100'),
    ('commands: [{t: 1, vx: true}]', 'commands[0].vx', 'True'),
    ('commands: [{t: 1, wz: .inf}]', 'commands[0].wz', 'inf'),
    ('commands: [{t: 1, gait: hop}]', 'commands[0].gait', "'hop'"),
    ('commands: [{t: 1, skill: roll}]', 'commands[0].skill', "'roll'"),
    ('commands: [{t: 1, target: 4}]', 'commands[0].target', '4'),
    ('pushes: [{t: 1, at: left, force: [0, 0, 0], duration: 1}]', 'pushes[0].at', "'left'"),
    ('pushes: [{t: 1, at: rear, force: [0, x, 0], duration: 1}]', 'pushes[0].force[1]', "'x'"),
    ('pushes: [{t: 1, at: rear, force: [0, 0], duration: 1}]', 'pushes[0].force', '[0, 0]'),
    ('pushes: [{t: 1, at: rear, force: [0, 0, 0], duration: 0}]', 'pushes[0].duration', '0'),
    ('pushes: [{t: 5, at: rear, force: [0, 0, 0], duration: 1}]', 'pushes[0].t', '5'),
    (
        'pushes: [{t: 1, phase: 1, at: rear, force: [0, 0, 0], duration: 1}]',
        'pushes[0].phase',
        '1',
    ),
    ('expect: {speed: 1}', 'expect.speed', '1'),
    ('expect: {mean_sped: 1}', 'expect.mean_sped', '1'),
    ('expect: {height..mean: 1}', 'expect.height..mean', '1'),
    ('expect: {mean_speed: [2, 1]}', 'expect.mean_speed', '[2, 1]'),
    ('expect: {mean_speed: [1, 2, 3]}', 'expect.mean_speed', '[1, 2, 3]'),
    ('expect: {mean_speed: .nan}', 'expect.mean_speed', 'nan'),
    ('expect: [fell]', 'expect', "['fell']"),
    ('duration: 6', 'line 2', "'duration: 6'"),
    ('start: &a {drop: 1}', 'line 2', "'start: &a {drop: 1}'"),
    ('start: {drop: 1', 'line 2', "'start: {drop: 1'"),
    ('\tseed: 1', 'line 2', "'seed: 1'"),
]


@pytest.mark.parametrize(('text', 'key', 'value'), BAD)
def test_bad_scenarios_are_explained(tmp_path: Path, text: str, key: str, value: str) -> None:
    path = write(tmp_path, f'duration: 5\n{text}')
    with pytest.raises(InputError) as caught:
        load_scenario(path)
    message = str(caught.value)
    assert f"{path}: '{key}' is {value}" in message
    assert '; accepted: ' in message
    assert caught.value.accepted


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', 'is empty'),
        (b'\x89PNG\r\n\x1a\n\xff', 'UTF-8'),
        ('seed: 1', "'duration' is missing; accepted: a number > 0 and <= 3600 s"),
        ('duration: -1', "'duration' is -1; accepted: a number > 0"),
        ('duration: 0', "'duration' is 0;"),
        ('duration: 4000', "'duration' is 4000;"),
        ('duration: 12 s', "'duration' is '12 s';"),
        ('- 1', 'is [1]; accepted: a mapping with keys out of name, seed, duration'),
        ('durration: 5', "(did you mean 'duration'?)"),
        ('{duration: 5, expect: {mean_sped: 1}}', "(did you mean 'mean_speed'?)"),
        ('{duration: 5, start: {hedding: 1}}', 'the keys posture, position, heading, rpy, drop'),
        ('{duration: 5, commands: [{t: 0, gait: hop}]}', 'available: auto, canter'),
    ],
)
def test_the_message_says_what_helps(tmp_path: Path, text: str | bytes, expected: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_scenario(path)
    assert str(path) in str(caught.value) and '; accepted: ' in str(caught.value)
    assert expected in str(caught.value)


def test_the_footprint_decides_where_the_dog_can_start(tmp_path: Path) -> None:
    path = write(tmp_path, 'duration: 5\nterrain: [{kind: gap, x: [0.72, 0.8]}]')
    load_scenario(path)
    with pytest.raises(InputError, match=r'1\.2 m x 0\.4 m'):
        load_scenario(path, footprint=replace(find_footprint('dog'), length=1.2))


@pytest.mark.parametrize(
    ('keys', 'key'),
    [
        ({'start': {'posture': 'sit'}}, 'start.posture'),
        ({'leap_planner': True}, 'leap_planner'),
        ({'commands': [{'t': 0, 'gait': 'auto'}, {'t': 0, 'vx': 0.5}]}, 'commands[1].vx'),
        ({'commands': [{'t': 0, 'vx': 0.0, 'wz': -1}]}, 'commands[0].wz'),
        ({'commands': [{'t': 0, 'gait': 'trot'}]}, 'commands[0].gait'),
        ({'commands': [{'t': 0, 'skill': 'sit'}]}, 'commands[0].skill'),
        ({'commands': [{'t': 0, 'target': [1, 2]}]}, 'commands[0].target'),
        (
            {'pushes': [{'t': 0, 'phase': 0, 'at': 'rear', 'force': [0, 0, 0], 'duration': 1}]},
            'pushes[0].phase',
        ),
    ],
)
def test_what_this_version_cannot_do_is_refused(keys: dict[str, Any], key: str) -> None:
    none: frozenset[str] = frozenset()
    with pytest.raises(InputError) as caught:
        refuse_unavailable(build(**keys), 'file', Offers(none, none, frozenset({'stand'})))
    assert caught.value.key == key
    refuse_unavailable(build(**keys), 'file', Offers(
        frozenset({'trot'}), frozenset({'sit', 'leap'}), frozenset({'stand', 'sit'})))


def test_standing_still_needs_no_gait() -> None:
    commands = [{'t': 0, 'gait': 'auto', 'vx': 0, 'vy': 0.0}, {'t': 1, 'skill': 'stand'}]
    stand = frozenset({'stand'})
    scenario = build(commands=commands, start={'rpy': [1, 0, 0]})
    refuse_unavailable(scenario, 'file', Offers(frozenset(), stand, frozenset()))


METRICS: dict[str, Any] = {
    'fell': False,
    'mean_speed': 1.0,
    'slip': float('nan'),
    'fall_time': None,
    'height': {'front': {'mean': 0.4}},
    'falls': [{'time': 1.5}],
    'state_hash': 'ab',
}


@pytest.mark.parametrize(
    ('expect', 'holds'),
    [
        ({'fell': False}, True),
        ({'fell': True}, False),
        ({'fell': 0}, False),
        ({'mean_speed': 1}, True),
        ({'mean_speed': 1.0 + 1e-10}, True),
        ({'mean_speed': 1.001}, False),
        ({'mean_speed': True}, False),
        ({'mean_speed': [1, 1.1]}, True),
        ({'mean_speed': [1.05, 1.1]}, False),
        ({'slip': [-1e9, 1e9]}, False),
        ({'slip': 0}, False),
        ({'fall_time': None}, True),
        ({'fall_time': [0, 5]}, False),
        ({'fell': [0, 1]}, False),
        ({'height.front.mean': [0.3, 0.5]}, True),
        ({'height.rear.mean': [0.3, 0.5]}, False),
        ({'height.front.mean.deep': 1}, False),
        ({'falls.0.time': 1.5}, True),
        ({'falls.1.time': 1.5}, False),
        ({'state_hash': 'ab'}, True),
        ({'distance': None}, False),
    ],
)
def test_expectations(expect: dict[str, Any], holds: bool) -> None:
    failures = apply_expectations(build(expect=expect).expect, METRICS)
    assert len(failures) == (0 if holds else 1)
    assert all(next(iter(expect)) in failure for failure in failures)
