"""Foreign URDFs: what is found in them, and that the rewritten robot moves as the original."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient
from quadruped_urdf import LEGS, RANGES, Design, place_of, write
from transforms3d.euler import euler2mat

from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.model.foreign_robot import ForeignRobot
from quadruped_control.model.foreign_table import HEADER, describe
from quadruped_control.model.inertia_repair import Inertial, is_possible, lump
from quadruped_control.model.role_map import RoleMap, load_role_map, write_role_map
from quadruped_control.model.urdf_import import import_urdf, load_foreign_robot
from quadruped_control.model.urdf_place import find_file
from quadruped_control.model.urdf_reader import read_urdf
from quadruped_control.viewer.foreign_picture import draw

DATA = Path(str(next(iter(find_spec('pybullet_data').submodule_search_locations))))  # type: ignore
UNITREE = ('FL_hip_joint', 'FL_upper_joint', 'FL_lower_joint')
LAIKAGO = ('FL_hip_motor_2_chassis_joint', 'FL_upper_leg_2_hip_motor_joint',
           'FL_lower_leg_2_upper_leg_joint')
GHOST = ('8', '0', '1')
# the joints of the front left leg
ROBOTS = {
    'a1/a1.urdf': UNITREE, 'aliengo/aliengo.urdf': UNITREE,
    'quadruped/spirit40newer.urdf': UNITREE,
    'laikago/laikago.urdf': LAIKAGO, 'laikago/laikago_toes.urdf': LAIKAGO,
    'laikago/laikago_toes_limits.urdf': LAIKAGO, 'laikago/laikago_toes_zup.urdf': LAIKAGO,
    'laikago/laikago_toes_zup_lores.urdf': LAIKAGO,
    'quadruped/vision60.urdf': GHOST, 'quadruped/spirit40.urdf': GHOST,
    'mini_cheetah/mini_cheetah.urdf': ('torso_to_abduct_fl_j', 'abduct_fl_to_thigh_fl_j',
                                       'thigh_fl_to_knee_fl_j'),
}
NO_ROBOTS = {
    'kuka_iiwa/model.urdf': 'one chain of seven', 'franka_panda/panda.urdf': 'one chain of seven',
    'xarm/xarm6_robot.urdf': 'one chain of six', 'r2d2.urdf': 'chains of one',
    'quadruped/minitaur.urdf': 'eight chains of two', 'racecar/racecar.urdf': 'chains of',
    'plane.urdf': 'without hinges', 'husky/husky.urdf': 'xacro',
    'humanoid/humanoid.urdf': 'spherical', 'biped/biped2d_pybullet.urdf': '7 hinges in all',
}


def write_design(folder: Path, design: Design, name: str = 'made.urdf') -> Path:
    from xml.etree import ElementTree

    path = folder / name
    ElementTree.ElementTree(write(design)).write(path)
    return path


class Kinematics:
    """A URDF as yourdfpy moves it."""

    def __init__(self, path: Path) -> None:
        from yourdfpy import URDF

        self.model: Any = URDF.load(str(path), load_meshes=False, build_scene_graph=True)

    def place(self, angles: dict[str, float]) -> dict[str, np.ndarray]:
        """Return the pose of every link in the root's frame."""
        self.model.update_cfg({name: angles[name] for name in self.model.actuated_joint_names})
        return {name: np.array(self.model.get_transform(name, self.model.base_link))
                for name in self.model.link_map}

    def weigh(self, angles: dict[str, float]) -> Inertial:
        """Return mass, centre and inertia of the whole in the root's frame."""
        poses, parts = self.place(angles), []
        for name, link in self.model.link_map.items():
            if link.inertial is not None and link.inertial.mass:
                local = np.eye(4) if link.inertial.origin is None else link.inertial.origin
                parts.append(Inertial(link.inertial.mass, np.zeros(3), link.inertial.inertia)
                             .placed(poses[name] @ local))
        return lump(parts)


def random_angles(robot: ForeignRobot, seed: int) -> dict[str, float]:
    """Return angles of ours within the limits."""
    random = np.random.default_rng(seed)
    return {link.joint_name: float(random.uniform(*(link.position_range or (-1.0, 1.0))))
            for link in robot.links if link.joint_name}


def check_motion(robot: ForeignRobot, folder: Path) -> None:
    """Assert that links and feet of the rewritten URDF move as those of the original do."""
    rewritten = folder / 'rewritten.urdf'
    rewritten.write_text(robot.urdf, encoding='utf-8')
    original, ours = Kinematics(robot.source), Kinematics(rewritten)
    turn = robot.root_rotation
    rest = original.place(robot.user_angles({}))
    size = sum(robot.legs[0].lengths)
    tolerance = (1e-9 + 4 * robot.tilt) * size
    for seed in range(5):
        angles = random_angles(robot, seed)
        theirs, mine = original.place(robot.user_angles(angles)), ours.place(angles)
        for name in mine:
            place = turn.T @ mine[name][:3, 3] + robot.root_offset
            assert np.allclose(place, theirs[name][:3, 3], atol=tolerance, rtol=0)
            turned = turn.T @ mine[name][:3, :3] @ turn @ rest[name][:3, :3]
            assert np.allclose(turned, theirs[name][:3, :3], atol=1e-9 + 4 * robot.tilt)
        for leg in robot.legs:
            shank, contact = leg.links[2], leg.contact
            foot = np.linalg.inv(rest[contact]) @ [
                *(rest[shank][:3, 3] + turn.T @ leg.foot.centre), 1.0]
            sole = (mine[shank] @ [*leg.foot.centre, 1.0])[:3]
            assert np.allclose(turn.T @ sole + robot.root_offset, (theirs[contact] @ foot)[:3],
                               atol=tolerance, rtol=0)


def check_inertia(robot: ForeignRobot, folder: Path) -> None:
    """Assert that mass, centre and inertia of the whole are those of the original."""
    rewritten = folder / 'rewritten.urdf'
    rewritten.write_text(robot.urdf, encoding='utf-8')
    original, ours = Kinematics(robot.source), Kinematics(rewritten)
    for seed in range(3):
        angles = random_angles(robot, seed)
        theirs = original.weigh(robot.user_angles(angles))
        mine = ours.weigh(angles)
        turn = robot.root_rotation
        scale = float(np.trace(theirs.inertia))
        tolerance = 1e-9 + 10 * robot.tilt
        assert mine.mass == pytest.approx(theirs.mass, rel=1e-12)
        assert np.allclose(turn.T @ mine.centre + robot.root_offset, theirs.centre,
                           atol=tolerance)
        assert np.allclose(turn.T @ mine.inertia @ turn, theirs.inertia, rtol=0,
                           atol=tolerance * scale)


def check_convention(robot: ForeignRobot, folder: Path) -> None:
    """Assert what the rest of the project relies on."""
    path = folder / 'rewritten.urdf'
    path.write_text(robot.urdf, encoding='utf-8')
    read = read_urdf(path)                  # refuses turned frames and skew axes
    for link, made in zip(read, robot.links, strict=True):
        assert (link.name, link.parent, link.joint_name) == (
            made.name, made.parent, made.joint_name)
        assert (link.axis, link.origin, link.effort) == (made.axis, made.origin, made.effort)
        assert link.position_range == made.position_range
        assert np.allclose(link.inertia, made.inertia, rtol=1e-9, atol=1e-15)
        assert is_possible(Inertial(made.mass, np.zeros(3), made.inertia))
        assert made.position_range is None or made.position_range[0] < 0 < made.position_range[1]
    by_joint = {link.joint_name: link for link in robot.links}
    assert [by_joint[joint].axis for leg in robot.legs for joint in leg.joints] == [0, 1, 1] * 4


def feet(robot: ForeignRobot) -> np.ndarray:
    """Return the centres of the feet in the standing pose, from the root."""
    places = {}
    for link in robot.links:
        places[link.name] = (places[link.parent] if link.parent else np.zeros(3)) + link.origin
    return np.array([places[leg.links[2]] + leg.foot.centre for leg in robot.legs])


@pytest.mark.parametrize('file', ROBOTS)
def test_quadrupeds_of_pybullet_are_known_and_move_as_they_did(file: str, tmp_path: Path) -> None:
    robot = import_urdf(DATA / file)
    assert robot.legs[0].joints == ROBOTS[file]
    assert [leg.name for leg in robot.legs] == list(LEGS)
    assert len(robot.links) == 13
    assert np.array_equal(np.sign(feet(robot)[:, :2]), [[1, 1], [1, -1], [-1, 1], [-1, -1]])
    heights = feet(robot)[:, 2] - [leg.foot.radius for leg in robot.legs]
    assert np.ptp(heights) < 1e-5 and heights[0] < -0.2
    check_convention(robot, tmp_path)
    check_motion(robot, tmp_path)
    if not any('inertia' in remark for remark in robot.remarks):
        check_inertia(robot, tmp_path)
    links = Kinematics(DATA / file).model.link_map.values()
    total = sum(link.inertial.mass for link in links if link.inertial)
    assert robot.mass == pytest.approx(total, rel=1e-12)


def test_what_was_mended_is_said() -> None:
    cheetah = import_urdf(DATA / 'mini_cheetah' / 'mini_cheetah.urdf')
    said = ' '.join(cheetah.remarks)
    assert 'thigh_fr is impossible' in said and 'knees bend backward' in said
    assert 'effort' in said and 10 < cheetah.efforts['torso_to_abduct_fl_j'] < 30
    assert any('chassis' in remark and 'no inertia' in remark
               for remark in import_urdf(DATA / 'laikago' / 'laikago.urdf').remarks)


def test_a_fourth_number_that_is_zero_changes_nothing(tmp_path: Path) -> None:
    file = DATA / 'quadruped' / 'microtaur' / 'microtaur.urdf'
    robot = import_urdf(file)
    assert any('fourth number' in remark for remark in robot.remarks)
    shutil.copytree(file.parent, tmp_path / 'mended')
    mended = tmp_path / 'mended' / file.name
    mended.write_text(re.sub(r'rpy="(\S+ \S+ \S+) 0"', r'rpy="\1"', file.read_text('utf-8')),
                      encoding='utf-8')
    same = import_urdf(mended)
    assert np.array_equal(feet(same), feet(robot)) and same.offsets == robot.offsets
    assert not any('fourth' in remark for remark in same.remarks)
    check_motion(same, tmp_path)
    mended.write_text(file.read_text('utf-8').replace('1.57079 0 0"', '1.57079 0 1"'), 'utf-8')
    with pytest.raises(InputError, match='3 finite numbers'):
        import_urdf(mended)


def test_legs_that_lie_sideways_at_zero_hang_and_made_up_inertias_are_mended() -> None:
    robot = import_urdf(DATA / 'quadruped' / 'microtaur' / 'microtaur.urdf')
    links = {link.name: link for link in robot.links}
    assert all(links[leg.links[1]].origin[2] < -0.01 for leg in robot.legs)
    assert np.ptp(feet(robot)[:, 2]) < 1e-5
    # the file says 1 kg m^2 of links of 0.1 kg and 0.1 m
    assert all(np.trace(link.inertia) < link.mass * 0.5**2 for link in robot.links)
    assert any('taken to be boxes' in remark for remark in robot.remarks)


@pytest.mark.parametrize('file', NO_ROBOTS)
def test_other_robots_of_pybullet_are_refused_with_the_reason(file: str) -> None:
    with pytest.raises(InputError) as caught:
        import_urdf(DATA / file)
    assert file in str(caught.value) and NO_ROBOTS[file] in str(caught.value)


# ---- made robots ----

def number_name(leg: str, part: str) -> str:
    return f'j{LEGS.index(leg) * 7 % 5}{part[-2:]}'


def corner_name(leg: str, part: str) -> str:
    end, side = leg.split('_')
    return {'hip': 'Abad', 'thigh': 'Femur', 'shank': 'Tibia', 'foot': 'Paw'}[part] + (
        ('L' if side == 'left' else 'R') + ('F' if end == 'front' else 'H'))


def camel_name(leg: str, part: str) -> str:
    end, side = leg.split('_')
    return f'{part}{side.title()}{"Fore" if end == "front" else "Hind"}'


def check_design(robot: ForeignRobot, design: Design) -> None:
    """Assert that every leg is the one that it was made as."""
    for leg in robot.legs:
        assert leg.joints == tuple(f'{design.name(leg.name, part)}_joint'
                                   for part in ('hip', 'thigh', 'shank'))
        assert leg.contact == design.name(leg.name, 'foot')
        assert leg.lengths == pytest.approx((0.2, 0.2), abs=0.011)
        knee = next(link for link in robot.links if link.name == leg.links[2]).origin
        assert knee[0] < -0.05, 'knees bend backward by their limits'
        hip = next(link for link in robot.links if link.name == leg.links[0]).origin
        assert np.allclose(hip, place_of(leg.name, 'hip'), atol=1e-12)


@pytest.mark.parametrize('name', [number_name, corner_name, camel_name])
@pytest.mark.parametrize('seed', [1, 2, 3])
def test_names_frames_senses_and_order_are_arbitrary(name: Any, seed: int, tmp_path: Path
                                                     ) -> None:
    design = Design(name=name, seed=seed, with_brackets=seed != 2, shuffled=True)
    robot = import_urdf(write_design(tmp_path, design))
    assert len(robot.links) == 13 and len(robot.bodies['trunk']) == (5 if seed != 2 else 1)
    check_design(robot, design)
    check_convention(robot, tmp_path)
    check_motion(robot, tmp_path)
    check_inertia(robot, tmp_path)


@pytest.mark.parametrize('turn', [(np.pi / 2, 0, 0), (np.pi / 2, 0, np.pi / 2), (0, 0, 2.0),
                                  (0, 0, np.pi), (-np.pi / 2, 0.0, -np.pi / 2),
                                  (np.pi, 0, 0), (1.0, -0.4, 2.0), (-2.5, 1.1, 0.3)])
def test_root_may_be_turned_where_names_tell(turn: tuple[float, ...], tmp_path: Path) -> None:
    rotation = np.asarray(euler2mat(*turn, axes='sxyz'))
    design = Design(name=corner_name, seed=4, root_turn=rotation)
    robot = import_urdf(write_design(tmp_path, design))
    assert np.allclose(robot.root_rotation, rotation, atol=1e-9)
    check_design(robot, design)
    check_motion(robot, tmp_path)


@pytest.mark.parametrize('foot', ['box', 'cylinder'])
def test_foot_is_a_sphere_at_the_end_of_its_shape(foot: str, tmp_path: Path) -> None:
    robot = import_urdf(write_design(tmp_path, Design(foot=foot)))
    for leg in robot.legs:
        assert leg.foot.radius == pytest.approx(0.02, abs=0.006)
        assert np.linalg.norm(leg.foot.centre) == pytest.approx(0.2, abs=0.01)


def test_all_that_is_missing_is_asked_for_in_one_message(tmp_path: Path) -> None:
    rotation = np.asarray(euler2mat(0, 0, np.pi / 2, axes='sxyz'))
    design = Design(name=number_name, root_turn=rotation, foot='none')
    path = write_design(tmp_path, design)
    with pytest.raises(InputError) as caught:
        import_urdf(path)
    for key in ('forward', *(f'legs.{leg}.foot' for leg in LEGS)):
        assert f"'{key}'" in str(caught.value)
    legs = {leg: {'joints': [f'{number_name(leg, part)}_joint'
                             for part in ('hip', 'thigh', 'shank')],
                  'contact': number_name(leg, 'foot'),
                  'foot': {'centre': [0.0, 0.0, 0.0], 'radius': 0.02}} for leg in LEGS}
    told = validate({'name': 'told', 'urdf': str(path), 'forward': '-y', 'legs': legs}, RoleMap,
                    'robot.yaml')
    check_design(import_urdf(path, told), design)


def test_knee_direction_follows_from_limits_from_zero_pose_or_from_the_role_map(tmp_path: Path
                                                                               ) -> None:
    def knees(robot: ForeignRobot) -> np.ndarray:
        return np.sign([next(link for link in robot.links if link.name == leg.links[2]).origin[0]
                        for leg in robot.legs])

    ahead = import_urdf(write_design(tmp_path, Design(ranges={**RANGES, 'shank': (0.2, 2.5)})))
    assert np.array_equal(knees(ahead), [1, 1, 1, 1])
    free = Design(ranges=dict.fromkeys(RANGES))
    path = write_design(tmp_path, free)
    usual = import_urdf(path)
    assert np.array_equal(knees(usual), [-1, -1, -1, -1])
    assert sum('bend backward' in remark for remark in usual.remarks) == 2
    standing = {f'{leg}_{part}_joint': angle for leg in LEGS[2:]
                for part, angle in (('thigh', -0.7), ('shank', 1.4))}
    told = import_urdf(path, RoleMap(name='told', urdf=str(path), standing=standing))
    assert np.array_equal(knees(told), [-1, -1, 1, 1])


def test_role_map_comes_back_from_yaml_and_gives_the_same_robot(tmp_path: Path) -> None:
    path = write_design(tmp_path, Design(name=corner_name, seed=6, shuffled=True))
    robot = import_urdf(path, name='mine')
    file = tmp_path / 'robot.yaml'
    file.write_text(write_role_map(robot.role_map), encoding='utf-8')
    again = load_foreign_robot(load_role_map(file), tmp_path)
    assert again.role_map == robot.role_map and again.name == 'mine'
    assert np.allclose([link.origin for link in again.links],
                       [link.origin for link in robot.links], atol=1e-8)


def test_joints_without_a_role_are_held(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    robot = write(Design())
    ElementTree.SubElement(robot, 'link', name='lidar').extend(
        ElementTree.fromstring('<x><inertial><mass value="0.3"/><inertia ixx="1e-4" ixy="0" '
                               'ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></x>'))
    robot.append(ElementTree.fromstring(
        '<joint name="lift" type="prismatic"><origin xyz="0 0 0.1"/><parent link="trunk"/>'
        '<child link="lidar"/><axis xyz="0 0 1"/><limit lower="0.1" upper="0.3" effort="1" '
        'velocity="1"/></joint>'))
    path = tmp_path / 'made.urdf'
    ElementTree.ElementTree(robot).write(path)
    held = import_urdf(path)
    assert held.held == {'lift': pytest.approx(0.2)} and len(held.links) == 13
    assert held.user_angles({})['lift'] == pytest.approx(0.2)
    assert any('lift' in remark for remark in held.remarks)
    check_inertia(held, tmp_path)
    low = import_urdf(path, RoleMap(name='low', urdf=str(path), held={'lift': 0.1}))
    assert low.links[0].centre_of_mass[2] < held.links[0].centre_of_mass[2]


def test_flexible_spine_is_found_between_the_legs(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    robot = write(Design())
    for joint in robot.iter('joint'):
        if str(joint.get('name')).startswith('front') and 'hip' in str(joint.get('name')):
            joint.find('parent').set('link', 'chest')       # type: ignore[union-attr]
    chest = ElementTree.SubElement(robot, 'link', name='chest')
    chest.append(robot.find("link[@name='trunk']/inertial"))    # type: ignore[arg-type]
    robot.append(ElementTree.fromstring(
        '<joint name="waist" type="revolute"><parent link="trunk"/><child link="chest"/>'
        '<axis xyz="0 0 -1"/><limit lower="-0.5" upper="0.5" effort="50" velocity="5"/></joint>'))
    path = tmp_path / 'made.urdf'
    ElementTree.ElementTree(robot).write(path)
    found = import_urdf(path)
    assert found.spine == ('waist',) and len(found.links) == 14 and found.signs['waist'] == -1
    assert [frame.link for frame in found.leg_frames] == ['chest', 'trunk']
    check_motion(found, tmp_path)
    stiff = import_urdf(path, RoleMap(name='stiff', urdf=str(path), spine=()))
    assert len(stiff.links) == 13 and stiff.held == {'waist': 0.0}


def test_small_tilts_of_axes_are_straightened_and_large_ones_refused(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    for tilt, accepted in ((0.03, True), (0.3, False)):
        robot = write(Design())
        robot.find("joint[@name='rear_left_shank_joint']/axis").set(    # type: ignore
            'xyz', f'{tilt} 1 0')
        path = tmp_path / 'made.urdf'
        ElementTree.ElementTree(robot).write(path)
        if accepted:
            straight = import_urdf(path)
            assert straight.tilt == pytest.approx(tilt, rel=0.01)
            assert any('rear_left_shank_joint' in remark for remark in straight.remarks)
        else:
            with pytest.raises(InputError, match='rear_left_shank_joint'):
                import_urdf(path)


def test_places_of_urdfs() -> None:
    assert find_file('python://pybullet_data/a1/a1.urdf', Path('.'), 'x', 'urdf').is_file()
    assert import_urdf(DATA / 'a1' / 'a1.urdf').role_map.urdf == (
        'python://pybullet_data/a1/a1.urdf')
    with pytest.raises(InputError, match='urdf'):
        find_file('package://no_such_package/a.urdf', Path('.'), 'robot.yaml', 'urdf')


def test_table_and_picture_show_all_legs(tmp_path: Path) -> None:
    robot = import_urdf(write_design(tmp_path, Design()))
    rows = describe(robot)
    assert len(rows) == 12 and {len(row) for row in rows} == {len(HEADER)}
    assert [row[0] for row in rows if row[0]] == list(LEGS)
    draw(robot, tmp_path / 'made.png')
    assert (tmp_path / 'made.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize('file', ROBOTS)
def test_rewritten_robot_stands_in_bullet_at_its_zero_pose(file: str, tmp_path: Path) -> None:
    robot = import_urdf(DATA / file)
    path = tmp_path / 'robot.urdf'
    path.write_text(robot.urdf, encoding='utf-8')
    client = BulletClient(pybullet.DIRECT)
    client.setGravity(0, 0, -9.81)
    client.createMultiBody(0, client.createCollisionShape(pybullet.GEOM_PLANE))
    soles = feet(robot)[:, 2] - [leg.foot.radius for leg in robot.legs]
    body = client.loadURDF(str(path), [0, 0, -soles.min() + 0.002],
                           flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
    mass = sum(client.getDynamicsInfo(body, number)[0] for number in range(-1, 12))
    assert mass == pytest.approx(robot.mass, rel=1e-6)
    moments = [client.getDynamicsInfo(body, number)[2] for number in range(-1, 12)]
    assert np.min(moments) > 0, 'Bullet sets what it finds impossible to zero'
    for number in range(12):
        name = client.getJointInfo(body, number)[1].decode()
        client.setJointMotorControl2(body, number, pybullet.POSITION_CONTROL, 0.0,
                                     positionGain=0.3, velocityGain=1.0,
                                     force=robot.efforts[name])
    before, start = (np.array(part) for part in client.getBasePositionAndOrientation(body))
    for _ in range(480):
        client.stepSimulation()
    after, end = (np.array(part) for part in client.getBasePositionAndOrientation(body))
    assert abs(start @ end) > np.cos(np.radians(3.0))           # half the angle between them
    assert abs(after[2] - before[2]) < 0.05 * before[2]
    touching = {point[3] for point in client.getContactPoints(body)}
    shanks = {link.joint_name for link in robot.links if link.foot}
    assert {client.getJointInfo(body, number)[1].decode() for number in touching} == shanks
    client.disconnect()
