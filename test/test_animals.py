"""Bodies made from the dog's by size, proportions and mass: what they are, and that they move."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.derived_files import Derivation
from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.gait_fields import list_places
from quadruped_control.errors import InputError
from quadruped_control.evaluation.pushes import pushes_of
from quadruped_control.evaluation.trial import Trial, run_trial
from quadruped_control.loading import load, validate
from quadruped_control.model.description import RobotDescription
from quadruped_control.model.links import expand_links
from quadruped_control.model.proportions import SimilarBody, make_similar
from quadruped_control.model.robot import Robot, build_robot
from quadruped_control.model.robot_files import BODY, robot_folder
from quadruped_control.model.robot_loading import load_model, load_robot
from quadruped_control.model.roles import describe_roles
from quadruped_control.rollout.recording import BASE_POSE_SIZE
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario
from quadruped_control.tuning.parameters import free_parameters
from quadruped_control.tuning.task import measure_robot
from quadruped_control.viewer.replay import Replay

ANIMALS = {'cat': 4.0, 'horse': 450.0}      # kg
PARTS = ('trunk', 'legs', 'neck', 'head', 'tail', 'girth', 'neck_girth', 'tail_girth')


def make_body(size: float = 1.0, mass: float = 34.0, **proportions: float) -> Robot:
    """Return a robot made from the dog's description."""
    body = validate({'name': 'other', 'like': 'dog', 'size': size, 'total_mass': mass,
                     'proportions': proportions}, SimilarBody, 'test')
    model = load(robot_folder('dog') / BODY, RobotDescription)
    description = make_similar(body, model, 'test')
    links = tuple(expand_links(description, rigid_spine=False))
    return build_robot('other', Path('none.urdf'), links, links, describe_roles(description),
                       description.measures)


def find_soles(robot: Robot) -> np.ndarray:
    """Return the heights of all soles of the robot that stands, m."""
    soles: np.ndarray = robot.standing_feet()[:, 2] - robot.anatomy['foot_radius']
    return soles


def random_proportions(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return dict(zip(PARTS, rng.uniform(0.7, 1.4, len(PARTS)).round(3).tolist(), strict=True))


def test_a_body_that_is_only_larger_is_similar() -> None:
    """Without dimensions its places, masses and inertias are the dog's."""
    length, mass = 2.5, 13.0
    dog, other = make_body(), make_body(length, 34.0 * mass)
    for one, two in zip(dog.links, other.links, strict=True):
        assert two.mass == pytest.approx(one.mass * mass)
        np.testing.assert_allclose(two.origin, np.array(one.origin) * length, atol=1e-12)
        np.testing.assert_allclose(two.centre_of_mass, np.array(one.centre_of_mass) * length,
                                   atol=1e-12)
        np.testing.assert_allclose(two.inertia, np.array(one.inertia) * mass * length**2)
    ratio = other.similarity_to(dog)
    assert (ratio.length, ratio.mass) == pytest.approx((length, mass))
    assert other.torque_limits() == pytest.approx(dog.torque_limits() * mass * length)
    assert other.measures.speed_lead == pytest.approx(dog.measures.speed_lead * sqrt(length),
                                                      rel=1e-4)


@pytest.mark.parametrize('seed', range(5))
def test_all_soles_are_on_one_level_and_the_mass_is_the_one_asked_for(seed: int) -> None:
    body = make_body(0.8, 20.0, **random_proportions(seed))
    soles = find_soles(body)
    np.testing.assert_allclose(soles, soles[0], atol=1e-9)
    assert body.tree['total_mass'] == pytest.approx(20.0)


def test_longer_legs_carry_the_leg_frames_higher() -> None:
    usual, longer = make_body(), make_body(legs=1.2)
    assert longer.standing_height()[1] == pytest.approx(1.2 * usual.standing_height()[1])
    assert longer.standing_height()[0] > usual.standing_height()[0]
    assert longer.leg_frame_distance() == pytest.approx(usual.leg_frame_distance())


@pytest.mark.parametrize(('part', 'link'), [('girth', 'thoracic_1'), ('neck_girth', 'neck_2'),
                                            ('tail_girth', 'tail_2'), ('head', 'head')])
def test_a_thicker_or_longer_part_has_more_of_the_mass(part: str, link: str) -> None:
    usual, more = make_body(), make_body(**{part: 1.3})
    n = usual.index(link)
    assert more.tree['mass'][n] > usual.tree['mass'][n]


def test_looks_of_a_link_that_there_is_not_are_refused() -> None:
    model = load(robot_folder('dog') / BODY, RobotDescription)
    for key, shape in (('visual', []), ('collision', []), ('bones', [0.1, 0, 0])):
        body = validate({'name': 'other', 'like': 'dog', 'size': 1.0, 'total_mass': 34.0,
                         key: {'wing': shape}}, SimilarBody, 'test')
        with pytest.raises(InputError, match=r'wing.*a link of dog: pelvis'):
            make_similar(body, model, 'test')


def test_a_joint_stays_at_the_end_of_a_bone_that_was_turned() -> None:
    body = validate({'name': 'other', 'like': 'dog', 'size': 2.0, 'total_mass': 34.0,
                     'bones': {'tail_2': [-0.08, 0, 0]}}, SimilarBody, 'test')
    model = load(robot_folder('dog') / BODY, RobotDescription)
    links = {link.name: link for link in make_similar(body, model, 'test').links}
    assert links['tail_2'].bone == pytest.approx((-0.16, 0, 0))
    joint, usual = links['tail_3'].joint, next(
        link.joint for link in model.links if link.name == 'tail_4')
    assert joint is not None and joint.at == pytest.approx((-0.16, 0, 0))
    other = links['tail_4'].joint
    assert other is not None and usual is not None
    assert other.at == pytest.approx(2.0 * np.array(usual.at))


@pytest.mark.parametrize('name', ANIMALS)
def test_the_animals_have_their_mass_and_stand_level(name: str) -> None:
    robot = load_robot(name)
    assert robot.tree['total_mass'] == pytest.approx(ANIMALS[name], rel=1e-6)
    soles = find_soles(robot)
    np.testing.assert_allclose(soles, soles[0], rtol=1e-6)


@pytest.mark.parametrize('name', ANIMALS)
def test_a_search_sees_a_scaled_gait_as_the_one_it_was_scaled_from(name: str) -> None:
    """Bounds are scaled as the gait is, so that both have the same place between them."""
    derived = GaitTable.of(Derivation(load_model(), load_robot(name)).scale_gait('trot'))
    own = free_parameters(similarity=measure_robot(name)).extract(derived.rows[1])
    usual = free_parameters()
    heights = set(list_places()['height'].ravel().tolist())
    like = [n for n, place in enumerate(usual.places) if not heights & set(place)]
    dog = usual.extract(GaitTable.of(load_gait('trot')).rows[1])
    np.testing.assert_allclose(own[like], dog[like], atol=1e-4)


@pytest.mark.parametrize('name', ANIMALS)
def test_pushes_of_a_search_change_the_speed_alike(name: str) -> None:
    """Impulse per mass, as a share of the speed at the same Froude number, is the dog's."""
    ratio = measure_robot(name)
    for (force, time), (usual, usual_time) in zip(pushes_of('trot', 1.0, ratio),
                                                  pushes_of('trot', 1.0), strict=True):
        change, dogs = force * time / ANIMALS[name], usual * usual_time / 34.0
        assert change == pytest.approx(dogs * ratio.factor('m/s'))


def go(name: str, speed: float, gait: str, duration: float, **more: Any) -> dict[str, Any]:
    """Run an animal at the speed of a dog, brought to its size (m/s, s)."""
    ratio = measure_robot(name)
    wanted = speed * ratio.factor('m/s')
    metrics = run_trial(Trial((name,), {
        'robot': name, 'duration': duration * max(1.0, ratio.factor('s')), 'recover': False,
        'commands': [{'t': 0.5, 'vx': wanted, 'gait': gait}], **more}))
    return {**metrics, 'reached': metrics['final_speed'] / wanted}


@pytest.mark.timeout(240)
@pytest.mark.parametrize('name', ANIMALS)
@pytest.mark.parametrize(('gait', 'speed', 'duration'), [('walk', 0.8, 4.0), ('trot', 1.5, 4.0),
                                                         ('canter', 2.6, 6.0)])
def test_an_animal_goes(name: str, gait: str, speed: float, duration: float) -> None:
    metrics = go(name, speed, gait, duration)
    assert not metrics['fell']
    assert metrics['reached'] == pytest.approx(1.0, abs=0.1)
    assert metrics['torque_saturation'] < 0.02


@pytest.mark.timeout(240)
@pytest.mark.parametrize('name', ANIMALS)
def test_an_animal_bears_a_push_of_its_size(name: str) -> None:
    """The trot's push of the paper, by the weight."""
    force, time = pushes_of('trot', 1.0, measure_robot(name))[1]
    metrics = go(name, 1.5, 'trot', 7.0, pushes=[
        {'t': 3.5, 'at': 'front', 'duration': round(time, 3), 'force': [0.0, force, 0.0]}])
    assert not metrics['fell']


@pytest.mark.timeout(240)
@pytest.mark.parametrize('name', ANIMALS)
def test_an_animal_that_was_dropped_on_its_side_gets_up(name: str) -> None:
    """The dog's motions, scaled."""
    rollout = run_scenario(validate({
        'name': name, 'robot': name, 'duration': 8.0,
        'start': {'rpy': [1.5, 0.0, 0.0], 'drop': 0.05 * measure_robot(name).length}},
        Scenario, 'test'))
    heights = rollout.recording.leg_frame_position[:, :, 2].min(axis=1)
    measures = rollout.robot.measures
    assert heights[:500].min() < measures.fallen_height
    assert heights[-500:].min() > measures.recovered_height


def find_tail(rollout: Rollout, step: int) -> np.ndarray:
    """Return the heights of the joints of the tail and of its tip, m."""
    robot, pose = rollout.robot, rollout.recording.pose[step]
    angles = np.zeros(len(robot.links))
    angles[list(robot.movable)] = pose[BASE_POSE_SIZE:]
    motion, joints = robot.pose(angles), [robot.index(f'tail_{n}') for n in (1, 2, 3, 4)]
    last = motion['position'][joints[-1]]
    tip = last + 2.0 * (motion['centre'][joints[-1]] - last)        # the centre is halfway
    x, y, z, w = pose[3:BASE_POSE_SIZE]
    upwards = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    found: np.ndarray = pose[2] + np.vstack([motion['position'][joints], tip]) @ upwards
    return found


@pytest.mark.timeout(240)
@pytest.mark.parametrize('name', ANIMALS)
def test_an_animal_that_sits_keeps_still(name: str) -> None:
    metrics = run_trial(Trial((name,), {'robot': name, 'duration': 6.0, 'commands': [
        {'t': 0.5, 'skill': 'sit'}]}))
    assert metrics['postures'][0]['held']


@pytest.mark.timeout(240)
@pytest.mark.parametrize(('what', 'least'), [({'skill': 'sit'}, 0.0),
                                             ({'vx': 3.1, 'gait': 'auto'}, 0.01)])
def test_the_tail_of_the_cat_stays_over_the_ground(what: dict[str, Any], least: float) -> None:
    """It is long: it lies on the ground behind a cat that sits, and is carried in a gallop."""
    rollout = run_scenario(validate({'name': 'tail', 'robot': 'cat', 'duration': 8.0, 'commands': [
        {'t': 0.5, **what}]}, Scenario, 'test'))
    steps = range(500, len(rollout.recording), 10)
    assert min(find_tail(rollout, step).min() for step in steps) > least


@pytest.mark.timeout(240)
def test_pictures_show_small_and_large_robots_alike() -> None:
    """The robot fills as much of a picture whatever its size, and lies inside."""
    shares = {}
    for name in ('dog', *ANIMALS):
        rollout = run_scenario(validate({'name': name, 'robot': name, 'duration': 0.02}, Scenario,
                                        'test'))
        with Replay(rollout.robot, rollout.ground, rollout.recording) as replay:
            seen = _find_coloured(replay.picture(0))
        shares[name] = float(seen.mean())
        assert not (seen[0].any() or seen[-1].any() or seen[:, 0].any() or seen[:, -1].any())
    assert min(shares.values()) > 0.6 * max(shares.values())


def _find_coloured(picture: np.ndarray) -> np.ndarray:
    """Return where a picture is neither white nor the bluish grey of the ground."""
    colours = picture.astype(int)
    found: np.ndarray = colours[..., 0] > colours[..., 2] + 8
    return found
