"""Broken URDFs: one message each, which names the file, the element and what is accepted."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from xml.etree import ElementTree as Xml

import pytest
from quadruped_urdf import LEGS, Design, write

from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.model.role_map import RoleMap
from quadruped_control.model.urdf_import import import_urdf
from quadruped_control.model.urdf_reader import read_urdf

Change = Callable[[Xml.Element], None]
LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" ' \
       'iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
JOINT = ('<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>'
         '<axis xyz="1 0 0"/></joint>')
SHANK, KNEE = "link[@name='rear_left_shank']", "joint[@name='rear_left_shank_joint']"


def find(robot: Xml.Element, path: str) -> Xml.Element:
    found = robot.find(path)
    assert found is not None, path
    return found


def setting(path: str, name: str, value: str) -> Change:
    return lambda robot: find(robot, path).set(name, value)


def removing(path: str, tag: str) -> Change:
    return lambda robot: find(robot, path).remove(find(robot, f'{path}/{tag}'))


def adding(*texts: str) -> Change:
    return lambda robot: robot.extend(Xml.fromstring(text) for text in texts)


def remove_inertia(robot: Xml.Element) -> None:
    for part in ('shank', 'foot'):
        link = find(robot, f"link[@name='rear_left_{part}']")
        link.remove(find(link, 'inertial'))


def make_ring(robot: Xml.Element) -> None:
    robot.extend(Xml.fromstring(text) for text in (
        LINK.format('a'), LINK.format('b'), JOINT.format('ab', 'revolute', 'a', 'b'),
        JOINT.format('ba', 'revolute', 'b', 'a')))


def mirror_names(robot: Xml.Element) -> None:
    for element in robot.iter():
        for key, value in element.attrib.items():
            swapped = value.replace('left', '@').replace('right', 'left').replace('@', 'right')
            element.set(key, swapped)


def add_mesh(robot: Xml.Element) -> None:
    geometry = find(robot, "link[@name='trunk']/collision/geometry")
    geometry[:] = [Xml.Element('mesh', filename='meshes/nowhere.stl')]


def shorten(robot: Xml.Element) -> None:
    for leg in LEGS:
        find(robot, f"joint[@name='{leg}_shank_joint']/origin").set('xyz', '0 0 0')


def put_in_one_plane(robot: Xml.Element) -> None:
    for leg in LEGS:
        for part in ('hip', 'thigh'):
            origin = find(robot, f"joint[@name='{leg}_{part}_joint']/origin")
            origin.set('xyz', '0.2 0 0' if (leg, part) in (
                ('front_left', 'hip'), ('front_right', 'hip')) else '0 0 0')


def pitch_first(robot: Xml.Element) -> None:
    for leg in LEGS:
        find(robot, f"joint[@name='{leg}_hip_joint']/axis").set('xyz', '0 1 0')
        find(robot, f"joint[@name='{leg}_thigh_joint']/axis").set('xyz', '1 0 0')


def yaw_first(robot: Xml.Element) -> None:
    for leg in LEGS:
        find(robot, f"joint[@name='{leg}_hip_joint']/axis").set('xyz', '0 0 1')


# by what is wrong: the change, and what the message must name
BROKEN: dict[str, tuple[Change, tuple[str, ...]]] = {
    'a shank without inertia': (remove_inertia, ('rear_left_shank', 'inertia')),
    'two roots': (adding(LINK.format('lost')), ('lost', 'trunk', 'root')),
    'a link held twice': (adding(JOINT.format('second', 'fixed', 'trunk', 'rear_left_shank')),
                          ('second', 'rear_left_shank', 'loop')),
    'a ring': (make_ring, ("'a'", "'b'", 'loop')),
    'an unknown joint type': (setting(KNEE, 'type', 'ball'), ('rear_left_shank_joint', 'ball')),
    'a planar joint': (setting(KNEE, 'type', 'planar'), ('rear_left_shank_joint', 'planar')),
    'a floating joint inside': (setting(KNEE, 'type', 'floating'),
                                ('rear_left_shank_joint', 'floating')),
    'a missing mesh': (add_mesh, ('trunk', 'meshes/nowhere.stl')),
    'a number that is none': (setting(f'{KNEE}/origin', 'xyz', '0 nan 0'),
                              ('rear_left_shank_joint', '0 nan 0', '3 finite numbers')),
    'words for a number': (setting(f'{SHANK}/inertial/mass', 'value', 'heavy'),
                           ('rear_left_shank', 'heavy')),
    'two numbers of three': (setting(f'{KNEE}/axis', 'xyz', '0 1'),
                             ('rear_left_shank_joint', "'0 1'")),
    'an unknown parent': (setting(f'{KNEE}/parent', 'link', 'nobody'),
                          ('rear_left_shank_joint', 'nobody')),
    'a joint without child': (removing(KNEE, 'child'), ('rear_left_shank_joint', 'child')),
    'equal link names': (adding(LINK.format('trunk')), ('link trunk', 'no other')),
    'equal joint names': (adding(JOINT.format('rear_left_shank_joint', 'fixed', 'trunk', 'trunk')),
                          ('rear_left_shank_joint', 'no other')),
    'a link without name': (adding('<link/>'), ('name', 'link')),
    'a negative mass': (setting(f'{SHANK}/inertial/mass', 'value', '-1'),
                        ('rear_left_shank', '-1')),
    'a negative moment': (setting(f'{SHANK}/inertial/inertia', 'iyy', '-0.1'),
                          ('rear_left_shank', 'iyy', '-0.1')),
    'a mass without moments': (removing(f'{SHANK}/inertial', 'inertia'),
                               ('rear_left_shank', 'inertia')),
    'limits reversed': (setting(f'{KNEE}/limit', 'lower', '3'),
                        ('rear_left_shank_joint', 'limit', 'less than')),
    'no axis': (setting(f'{KNEE}/axis', 'xyz', '0 0 0'), ('rear_left_shank_joint', '0 0 0')),
    'a negative size': (setting("link[@name='trunk']/collision/geometry/box", 'size', '1 -1 1'),
                        ('trunk', '1 -1 1')),
    'an unknown shape': (lambda robot: setattr(find(
        robot, "link[@name='trunk']/collision/geometry/box"), 'tag', 'cone'), ('trunk', 'cone')),
    'mirrored names': (mirror_names, ('front_left is named front right', 'legs')),
    'legs of no length': (shorten, ('thigh', '0 m')),
    'legs in one plane': (put_in_one_plane, ('left', 'right')),
    'legs that pitch first': (pitch_first, ('roll',)),
    'legs that yaw first': (yaw_first, ('roll', 'along the body')),
    'a knee that cannot bend': (setting(f'{KNEE}/limit', 'upper', '-2.4'),
                                ('standing.rear_left_shank_joint',)),
    'xacro': (setting(f'{KNEE}/origin', 'xyz', '${length} 0 0'), ('xacro',)),
}


@pytest.mark.parametrize('what', BROKEN)
def test_broken_urdf_is_refused_by_name(what: str, tmp_path: Path) -> None:
    robot = write()
    change, named = BROKEN[what]
    change(robot)
    refuse(robot, tmp_path, named)


def refuse(robot: Xml.Element, folder: Path, named: tuple[str, ...]) -> None:
    path = folder / 'broken.urdf'
    Xml.ElementTree(robot).write(path)
    with pytest.raises(InputError) as caught:
        import_urdf(path)
    message = str(caught.value)
    assert 'broken.urdf' in message and 'accepted: ' in message and '\n' not in message
    for word in named:
        assert word in message, message


@pytest.mark.parametrize(('legs', 'said'), [
    ((), 'without hinges'), (LEGS[:1], 'one chain of three'), (LEGS[:2], 'two chains of three'),
    (LEGS[:3], 'three chains of three'), ((*LEGS, 'middle_left', 'middle_right'), 'six chains'),
])
def test_other_numbers_of_legs_are_refused(legs: tuple[str, ...], said: str, tmp_path: Path
                                           ) -> None:
    refuse(write(Design(legs=legs)), tmp_path, (said, 'four legs'))


@pytest.mark.parametrize('text', ['', '   \n', 'legs: 4', '<robot name="x">', '<sdf></sdf>',
                                  '<robot name="x"/>', '\x00\x01\x02'])
def test_what_is_no_urdf_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / 'broken.urdf'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(InputError, match=r'broken\.urdf.*accepted'):
        import_urdf(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'none\.urdf'):
        import_urdf(tmp_path / 'none.urdf')


def test_visual_mesh_that_is_missing_is_only_remarked(tmp_path: Path) -> None:
    robot = write()
    find(robot, "link[@name='trunk']").append(Xml.fromstring(
        '<visual><geometry><mesh filename="package://nobody/nowhere.stl"/></geometry></visual>'))
    Xml.ElementTree(robot).write(tmp_path / 'made.urdf')
    assert any('nowhere.stl' in remark for remark in import_urdf(tmp_path / 'made.urdf').remarks)


def test_mesh_that_is_none_is_refused(tmp_path: Path) -> None:
    robot = write()
    add_mesh(robot)
    (tmp_path / 'meshes').mkdir()
    (tmp_path / 'meshes' / 'nowhere.stl').write_bytes(b'no mesh')
    Xml.ElementTree(robot).write(tmp_path / 'broken.urdf')
    with pytest.raises(InputError, match=r'nowhere\.stl'):
        import_urdf(tmp_path / 'broken.urdf')


WORDS = ('', '0', '-1', 'nan', 'abc', '1e400', '0 0 0', '1 2', '0 1 0', 'trunk', '10 10 10')


@pytest.mark.parametrize('seed', range(40))
def test_urdf_changed_at_random_is_refused_or_understood(seed: int, tmp_path: Path) -> None:
    random, robot = Random(seed), write(Design(seed=3))
    for _ in range(random.choice((1, 2, 3))):
        parent, child = random.choice([(outer, inner) for outer in robot.iter()
                                       for inner in outer])
        change = random.choice(('remove', 'repeat', 'set', 'forget'))
        if change == 'remove':
            parent.remove(child)
        elif change == 'repeat':
            parent.append(deepcopy(child))
        elif child.attrib and change == 'set':
            child.set(random.choice(list(child.attrib)), random.choice(WORDS))
        elif child.attrib:
            child.attrib.pop(random.choice(list(child.attrib)))
    path = tmp_path / 'random.urdf'
    Xml.ElementTree(robot).write(path)
    try:
        found = import_urdf(path)
    except InputError as error:
        assert 'random.urdf' in str(error)
        return
    path.write_text(found.urdf, encoding='utf-8')
    assert len(read_urdf(path)) == 13


def legs_as(names: tuple[str, ...]) -> dict[str, object]:
    return {leg: {'joints': [f'{name}_{part}_joint' for part in ('hip', 'thigh', 'shank')]}
            for leg, name in zip(LEGS, names, strict=True)}


@pytest.mark.parametrize(('roles', 'named'), [
    ({'legs': legs_as((LEGS[1], LEGS[0], LEGS[3], LEGS[2]))}, ('legs', 'front_right')),
    ({'legs': legs_as((LEGS[0], LEGS[0], LEGS[2], LEGS[3]))}, ('one leg only',)),
    ({'neck': ['no_such_joint']}, ('neck', 'no_such_joint')),
    ({'standing': {'rear_left_shank_joint': 1.0, 'rear_left_thigh_joint': 0.0}},
     ('standing.rear_left_shank_joint', 'limits')),
    ({'standing': {'rear_left_shank_joint': -1.0}}, ('standing.rear_left_thigh_joint',)),
    ({'forward': 'x', 'up': 'x'}, ('forward', 'up')),
    ({'leg_frames': [{'link': 'nothing', 'legs': list(LEGS)}]}, ('leg_frames[0].link', 'nothing')),
])
def test_role_map_that_does_not_fit_is_refused_by_key(roles: dict[str, object],
                                                      named: tuple[str, ...], tmp_path: Path
                                                      ) -> None:
    path = tmp_path / 'made.urdf'
    Xml.ElementTree(write()).write(path)
    told = validate({'name': 'told', 'urdf': 'made.urdf', **roles}, RoleMap, 'robot.yaml')
    with pytest.raises(InputError) as caught:
        import_urdf(path, told)
    for word in named:
        assert word in str(caught.value), str(caught.value)


def test_role_map_with_legs_stands_above_their_names(tmp_path: Path) -> None:
    robot = write()
    mirror_names(robot)
    path = tmp_path / 'made.urdf'
    Xml.ElementTree(robot).write(path)
    legs = legs_as((LEGS[1], LEGS[0], LEGS[3], LEGS[2]))
    told = validate({'name': 'told', 'urdf': 'made.urdf', 'legs': legs}, RoleMap, 'robot.yaml')
    assert import_urdf(path, told).legs[0].joints[0] == 'front_right_hip_joint'


def test_role_map_has_each_leg_in_one_leg_frame() -> None:
    frames = [{'link': 'trunk', 'legs': ['front_left']}]
    with pytest.raises(InputError, match='leg_frames'):
        validate({'name': 'told', 'urdf': 'x.urdf', 'leg_frames': frames}, RoleMap, 'robot.yaml')
