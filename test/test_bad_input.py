"""Whatever a user writes wrongly: exit code 2 and one sentence that helps, never a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
import yaml

from quadruped_control import share
from quadruped_control.command_line.main import main

ROOT = Path(__file__).resolve().parents[1]
DESCRIPTION, GAINS = 'config/robots/dog/robot.yaml', 'config/robots/dog/gains.yaml'
URDF, RIGID = 'urdf/dog.urdf', 'urdf/dog_rigid_spine.urdf'


@pytest.fixture(name='folder')
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the program take a copy of the robot's files, to be spoilt, for its own."""
    for name in (URDF, RIGID, 'package.xml'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / 'config' / 'robots' / 'dog', tmp_path / 'config' / 'robots' / 'dog')
    monkeypatch.setattr(share, 'checkout_folder', lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    scenario = {'name': 'test', 'duration': 0.01}
    (tmp_path / 'scenario.yaml').write_text(json.dumps(scenario), encoding='utf-8')
    return tmp_path


def assert_refused(capsys: pytest.CaptureFixture[str], words: list[str], *parts: str) -> None:
    """Check for exit code 2 and a single sentence with the parts in it."""
    assert main(words) == 2
    message = capsys.readouterr().err.strip().splitlines()[-1]
    assert message.startswith('quadruped: ')
    assert '; accepted: ' in message and not message.endswith('accepted: ')
    for part in parts:
        assert part in message, f'{part!r} is not in {message!r}'


def test_the_copy_works(folder: Path) -> None:
    assert main(['run', 'scenario.yaml']) == 0


Change = Callable[[Any], None]


def at(*path: str | int, value: Any = None, remove: bool = False) -> Change:
    """Return a change of data that sets, or removes, what stands at a path."""
    def change(data: Any) -> None:
        for part in path[:-1]:
            data = data[part]
        if remove:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


def link(name: str, *path: str | int, value: Any = None, remove: bool = False) -> Change:
    """Return a change of the description of one link."""
    def change(data: Any) -> None:
        number = next(n for n, item in enumerate(data['links']) if item['name'] == name)
        at('links', number, *path, value=value, remove=remove)(data)

    return change


def spoil_yaml(path: Path, change: Change) -> None:
    data = yaml.safe_load(path.read_text(encoding='utf-8'))
    change(data)
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding='utf-8')


BAD_DESCRIPTIONS: dict[str, tuple[Change, str, str]] = {
    # what is changed; key and value as the message shows them
    'unknown key': (at('colour', value=1), "'colour'", '1'),
    'unknown key of a link': (link('head', 'weight', value=2.3), 'links[9].weight', '2.3'),
    'missing key': (at('total_mass', remove=True), 'total_mass', 'missing'),
    'text for a mass': (link('head', 'mass', value='2.3'), 'links[9].mass', "'2.3'"),
    'mass not a number': (link('head', 'mass', value=float('nan')), 'links[9].mass', 'nan'),
    'endless mass': (link('head', 'mass', value=float('inf')), 'links[9].mass', 'inf'),
    'negative mass': (link('head', 'mass', value=-2.3), 'links[9].mass', '-2.3'),
    'no mass': (link('head', 'mass', value=0), 'links[9].mass', '0'),
    'wrong total mass': (at('total_mass', value=35.0), 'total_mass', '35'),
    'heavier link': (link('head', 'mass', value=2.4), 'total_mass', '34'),
    'lighter than its joint': (link('tail_4', 'mass', value=0.001), 'links[13].mass', '0.001'),
    'two links of one name': (link('tail_2', 'name', value='tail_1'), 'links[11].name', 'tail_1'),
    'link on itself': (link('head', 'parent', value='head'), 'links[9].parent', 'head'),
    'parent later': (link('neck_1', 'parent', value='head'), 'links[6].parent', 'head'),
    'parent unknown': (link('head', 'parent', value='trunk'), 'links[9].parent', 'trunk'),
    'two roots': (link('head', 'parent', remove=True), 'links[9].parent', 'None'),
    'root with parent': (link('pelvis', 'parent', value='head'), 'links[0].parent', 'head'),
    'joint without link': (link('head', 'joint', remove=True), 'links[9].parent', 'neck_3'),
    'two joints of one name': (
        link('tail_2', 'joint', 'name', value='tail_1'), 'links[11].joint.name', 'tail_1'),
    'unknown joint': (link('head', 'joint', 'kind', value='screw'), 'joint.kind', 'screw'),
    'range upside down': (
        link('head', 'joint', 'pitch', value=[60, -60]), 'links[9].joint.pitch', '[60, -60]'),
    'range without zero': (
        link('head', 'joint', 'pitch', value=[10, 60]), 'links[9].joint.pitch', '[10, 60]'),
    'range of a hinge that rolls': (
        link('front_{side}_toe', 'joint', 'roll', value=[-1, 1]), 'joint.roll', '(-1.0, 1.0)'),
    'joint of a side on no side': (
        link('tail_1', 'joint', 'name', value='tail_{side}'), 'joint.name', 'tail_{side}'),
    'no bone': (link('neck_1', 'bone', remove=True), 'links[6].solid', 'None'),
    'bone of no length': (link('neck_1', 'bone', value=[0, 0, 0]), 'links[6].bone', '(0.0, 0.0'),
    'bone to the side': (link('neck_1', 'bone', value=[0, 0.1, 0]), 'links[6].bone', '0.1'),
    'bone and solid': (
        link('neck_1', 'solid', value={'box': [1, 1, 1], 'centre': [0, 0, 0]}),
        'links[6].solid', 'Solid('),
    'flat solid': (link('head', 'solid', 'box', 1, value=0), 'links[9].solid.box[1]', '0'),
    'two coordinates': (link('head', 'joint', 'at', value=[0, 0]), 'joint.at', '[0, 0]'),
    'kilometres': (link('head', 'joint', 'at', 0, value=1000), 'links[9].joint.at[0]', '1000'),
    'name that is a path': (
        link('tail_4', 'name', value='../tail'), 'links[13].name', '../tail'),
    'colour unknown': (
        link('head', 'visual', 0, 'colour', value='green'), 'visual[0].colour', 'green'),
    'colour too bright': (at('colours', 'coat', 0, value=255), 'colours.coat[0]', '255'),
    'cone without end': (link('neck_1', 'visual', 0, 'to', remove=True), 'visual[0]', 'start'),
    'negative radius': (
        link('pelvis', 'collision', 0, 'radius', value=-0.1), 'collision[0].radius', '-0.1'),
    'rod without end': (
        link('front_{side}_lower', 'collision', 0, 'to', remove=True), 'collision[0].to',
        'missing'),
    'spine unknown': (at('spine', 0, value='back_1'), 'spine[0]', 'back_1'),
    'spine of hinges': (at('tail', 0, value='front_left_knee'), 'tail[0]', 'front_left_knee'),
    'spine out of order': (
        at('spine', value=['spine_2', 'spine_1', 'spine_3', 'spine_4', 'spine_5']), 'spine[0]',
        'spine_2'),
    'no tail': (at('tail', value=[]), "'tail'", '[]'),
    'leg frame unknown': (at('leg_frames', 'front', value='chest'), 'leg_frames.front', 'chest'),
    'leg frame not the root': (
        at('leg_frames', 'rear', value='shoulders'), 'leg_frames.rear', 'shoulders'),
    'leg joint unknown': (
        at('legs', 'front', 'knee', value='front_{side}_elbow'), 'legs.front.knee', 'elbow'),
    'leg without foot': (link('front_{side}_toe', 'foot', remove=True), 'legs.front.toe', 'toe'),
    'name of another': (at('name', value='cat'), "'name'", 'cat'),
    'not a mapping': (lambda data: data.clear(), DESCRIPTION, ''),
}


@pytest.mark.parametrize('name', BAD_DESCRIPTIONS)
def test_bad_descriptions_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                                      name: str) -> None:
    change, key, value = BAD_DESCRIPTIONS[name]
    spoil_yaml(folder / DESCRIPTION, change)
    assert_refused(capsys, ['run', 'scenario.yaml'], DESCRIPTION, key, value)
    assert_refused(capsys, ['model', 'dog'], DESCRIPTION, key, value)


BAD_GAINS: dict[str, tuple[Change, str, str]] = {
    'unknown key': (at('integral', value=1), "'integral'", '1'),
    'unknown part': (at('joints', 'wing', value={'kp': 1, 'kd': 1}), 'joints.wing', 'kp'),
    'missing part': (at('joints', 'knee', remove=True), 'joints.knee', 'missing'),
    'missing gain': (at('joints', 'knee', 'kd', remove=True), 'joints.knee.kd', 'missing'),
    'text': (at('joints', 'knee', 'kp', value='strong'), 'joints.knee.kp', "'strong'"),
    'true': (at('joints', 'knee', 'kp', value=True), 'joints.knee.kp', 'True'),
    'not a number': (at('joints', 'knee', 'kp', value=float('nan')), 'joints.knee.kp', 'nan'),
    'endless': (at('joints', 'knee', 'kd', value=float('inf')), 'joints.knee.kd', 'inf'),
    'negative': (at('joints', 'knee', 'kp', value=-1), 'joints.knee.kp', '-1'),
    'share above one': (at('stance_shape', value=1.5), 'stance_shape', '1.5'),
    'list': (at('leg_frames', value=[1, 2]), 'leg_frames', '[1, 2]'),
}


@pytest.mark.parametrize('name', BAD_GAINS)
def test_bad_gains_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                               name: str) -> None:
    change, key, value = BAD_GAINS[name]
    spoil_yaml(folder / GAINS, change)
    assert_refused(capsys, ['run', 'scenario.yaml'], GAINS, key, value)


def find(robot: Xml.Element, tag: str, name: str) -> Xml.Element:
    """Return a link or joint by its name."""
    return next(item for item in robot.iter(tag) if item.get('name') == name)


def set_in(tag: str, name: str, path: str, attribute: str, value: str) -> Change:
    """Return a change of an attribute of an element inside a link or joint."""
    def change(robot: Xml.Element) -> None:
        element = find(robot, tag, name)
        inner = element if path == '.' else element.find(path)
        assert inner is not None
        inner.set(attribute, value)

    return change


def drop(tag: str, name: str, path: str) -> Change:
    """Return a change that takes an element out of a link or joint."""
    def change(robot: Xml.Element) -> None:
        *outer, last = path.split('/')
        holder = find(robot, tag, name)
        for step in outer:
            inner = holder.find(step)
            assert inner is not None
            holder = inner
        for element in holder.findall(last):
            holder.remove(element)

    return change


def add(tag: str, name: str, text: str) -> Change:
    """Return a change that puts an element into a link or joint, or into the robot."""
    def change(robot: Xml.Element) -> None:
        (find(robot, tag, name) if tag else robot).append(Xml.fromstring(text))

    return change


KNEE, HEAD, TOE = 'front_left_knee', 'head', 'front_left_toe'
BOX = ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
       '</inertial>')
INERTIA = 'link head.inertial.inertia'

BAD_URDFS: dict[str, tuple[Change, str, str]] = {
    'unknown tag': (add('', '', '<sensor name="nose"/>'), "'robot'", 'sensor'),
    'unknown tag in a link': (add('link', HEAD, '<smell/>'), 'link head', 'smell'),
    'unknown tag in a joint': (add('joint', KNEE, '<mimic joint="x"/>'), KNEE, 'mimic'),
    'unknown tag in an inertia': (
        lambda robot: find(robot, 'link', HEAD).find('inertial').append(Xml.Element('density')),
        'link head.inertial', 'density'),
    'two inertials': (add('link', HEAD, BOX), 'link head.inertial', 'twice'),
    'two axes': (add('joint', KNEE, '<axis xyz="0 1 0"/>'), f'joint {KNEE}.axis', 'twice'),
    'two links of one name': (
        lambda robot: robot.append(find(robot, 'link', HEAD)), 'link head', 'head'),
    'two joints of one name': (
        lambda robot: robot.append(find(robot, 'joint', KNEE)), f'joint {KNEE}', KNEE),
    'link without name': (add('', '', f'<link>{BOX}</link>'), 'link.name', 'None'),
    'no inertia': (drop('link', HEAD, 'inertial'), 'link head.inertial', 'None'),
    'no mass': (drop('link', HEAD, 'inertial/mass'), 'link head.inertial.mass', 'None'),
    'negative mass': (set_in('link', HEAD, 'inertial/mass', 'value', '-2'), 'mass', '-2'),
    'mass not a number': (set_in('link', HEAD, 'inertial/mass', 'value', 'nan'), 'mass', 'nan'),
    'mass in words': (set_in('link', HEAD, 'inertial/mass', 'value', 'two'), 'mass', "'two'"),
    'negative inertia': (
        set_in('link', HEAD, 'inertial/inertia', 'ixx', '-0.01'), INERTIA, '-0.01'),
    'triangle inequality': (set_in('link', HEAD, 'inertial/inertia', 'izz', '9'), INERTIA, '9.0'),
    'not positive definite': (
        set_in('link', HEAD, 'inertial/inertia', 'ixy', '0.5'), INERTIA, '0.5'),
    'inertia missing': (
        lambda robot: find(robot, 'link', HEAD).find('inertial/inertia').attrib.pop('iyy'),
        f'{INERTIA}.iyy', 'None'),
    'turned frame': (set_in('joint', KNEE, 'origin', 'rpy', '0 0.1 0'), 'origin.rpy', '0.1'),
    'two coordinates': (set_in('joint', KNEE, 'origin', 'xyz', '1 2'), 'origin.xyz', "'1 2'"),
    'skew axis': (set_in('joint', KNEE, 'axis', 'xyz', '0 0.7 0.7'), 'axis.xyz', '0 0.7 0.7'),
    'backward axis': (set_in('joint', KNEE, 'axis', 'xyz', '0 -1 0'), 'axis.xyz', '0 -1 0'),
    'other axis': (set_in('joint', KNEE, 'axis', 'xyz', '1 0 0'), 'front_left_lower.axis', '0'),
    'slider': (set_in('joint', KNEE, '.', 'type', 'prismatic'), f'{KNEE}.type', 'prismatic'),
    'no type': (lambda robot: find(robot, 'joint', KNEE).attrib.pop('type'), 'type', 'None'),
    'no limits': (drop('joint', KNEE, 'limit'), f'joint {KNEE}.limit.lower', 'None'),
    'limits upside down': (
        set_in('joint', KNEE, 'limit', 'lower', '3'), f'joint {KNEE}.limit', '(3.0'),
    'damped': (add('joint', KNEE, '<dynamics damping="0.1"/>'), 'dynamics.damping', '0.1'),
    'parent unknown': (set_in('joint', KNEE, 'parent', 'link', 'x'), f'{KNEE}.parent', "'x'"),
    'child unknown': (set_in('joint', KNEE, 'child', 'link', 'x'), f'{KNEE}.child', "'x'"),
    'child held twice': (
        set_in('joint', KNEE, 'child', 'link', 'front_right_lower'), '.child', 'front_right'),
    'circle': (
        set_in('joint', 'neck_1_pitch', 'parent', 'link', HEAD), 'joints', 'neck_1_pitch_link'),
    'all in a circle': (
        add('', '', '<joint name="j" type="fixed"><parent link="head"/><child link="pelvis"/>'
                    '</joint>'), 'links without a parent joint', '[]'),
    'two roots': (
        add('', '', f'<link name="other">{BOX}</link>'), 'links without a parent', "'other'"),
    'link missing': (
        lambda robot: [robot.remove(find(robot, 'link', TOE)),
                       robot.remove(find(robot, 'joint', TOE))], f'link {TOE}', 'missing'),
    'link too many': (
        lambda robot: [robot.append(Xml.fromstring(f'<link name="hat">{BOX}</link>')),
                       robot.append(Xml.fromstring('<joint name="hat" type="fixed"><parent '
                                                   'link="head"/><child link="hat"/></joint>'))],
        'link hat', 'one too many'),
    'joint renamed': (set_in('joint', KNEE, '.', 'name', 'elbow'), 'joint_name', 'elbow'),
    'other parent': (
        set_in('joint', 'neck_1_pitch', 'parent', 'link', 'pelvis'), '.parent', "'pelvis'"),
    'shape that the engine does not know': (
        lambda robot: find(robot, 'link', HEAD).find('collision/geometry').clear(), URDF, ''),
}


@pytest.mark.parametrize('name', BAD_URDFS)
def test_bad_urdfs_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                               name: str) -> None:
    change, key, value = BAD_URDFS[name]
    tree = Xml.parse(folder / URDF)
    change(tree.getroot())
    tree.write(folder / URDF)
    assert_refused(capsys, ['run', 'scenario.yaml'], URDF, key, value)


@pytest.mark.parametrize('file', [DESCRIPTION, GAINS, URDF])
@pytest.mark.parametrize(
    'content',
    [b'', b'\x00\x01\x02\xff\xfe', b'<robot', b'<html></html>', b'[1, 2', b'- 1\n- 2\n',
     b'\xff\xfe<\x00r\x00', b'<?xml version="1.0" encoding="klingon"?><robot/>', b'a: &a [*a]'],
)
def test_files_of_another_kind_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                                           file: str, content: bytes) -> None:
    (folder / file).write_bytes(content)
    assert_refused(capsys, ['run', 'scenario.yaml'], file)


@pytest.mark.parametrize('file', [DESCRIPTION, GAINS, URDF, 'scenario.yaml'])
def test_folders_and_missing_files_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                                               file: str) -> None:
    # without a description there is no robot of that name
    named = ('scenario.yaml', "'robot'", "'dog'") if file == DESCRIPTION else (file,)
    missing = () if file == DESCRIPTION else ('missing',)
    (folder / file).unlink()
    assert_refused(capsys, ['run', 'scenario.yaml'], *named, *missing)
    (folder / file).mkdir()
    assert_refused(capsys, ['run', 'scenario.yaml'], *named)


def test_huge_files_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / URDF).open('a') as stream:
        stream.write(' ' * 2_000_000)
    assert_refused(capsys, ['run', 'scenario.yaml'], URDF, 'bytes')


@pytest.mark.parametrize('robot', ['cat', 'dogs', '../robots/dog', 'dog.yaml', '/etc/passwd',
                                   'dog\x00', '*', '.'])
def test_unknown_robots_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                                    robot: str) -> None:
    scenario = {'duration': 0.01, 'robot': robot}
    (folder / 'other.yaml').write_text(json.dumps(scenario), encoding='utf-8')
    assert_refused(capsys, ['run', 'other.yaml'], 'other.yaml', "'robot'", repr(robot), 'dog')
    assert_refused(capsys, ['model', robot], "'robot'", repr(robot), 'dog')


def test_the_rigid_urdf_is_checked_when_it_is_used(folder: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copyfile(folder / URDF, folder / RIGID)
    assert main(['run', 'scenario.yaml']) == 0
    scenario = {'duration': 0.01, 'spine': 'rigid'}
    (folder / 'rigid.yaml').write_text(json.dumps(scenario), encoding='utf-8')
    capsys.readouterr()
    assert_refused(capsys, ['run', 'rigid.yaml'], RIGID, 'axis', '-1')


def test_error_of_one_of_many_comes_back_whole(folder: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    """Scenarios run in processes of their own; what they refuse is said here."""
    rigid = {'duration': 0.02, 'spine': 'rigid'}
    (folder / 'rigid.yaml').write_text(json.dumps(rigid), encoding='utf-8')
    (folder / RIGID).write_bytes(b'')
    assert_refused(capsys, ['run', 'rigid.yaml', 'rigid.yaml'], RIGID)


@pytest.mark.parametrize(
    'shapes',
    [
        [{'from': [0, 0, 0], 'to': [9, 9, 9], 'radius': [0.001, 0.001]}],
        [{'centre': [0, 0, 0], 'radii': [0.1, 0.1, 0.1]},
         {'centre': [0, 0, 0], 'radii': [1, 1, 1], 'colour': 'saddle', 'paint': True}],
        [{'centre': [0, 0, 0], 'radii': [0.1, 0.1, 0.1], 'paint': True}],
    ],
    ids=['endless wire', 'painted over', 'paint alone'],
)
def test_looks_that_cannot_be_made_are_refused(folder: Path, capsys: pytest.CaptureFixture[str],
                                               shapes: list[dict[str, Any]]) -> None:
    spoil_yaml(folder / DESCRIPTION, link('head', 'visual', value=shapes))
    assert_refused(capsys, ['model', 'dog'], DESCRIPTION, 'visual of head')
