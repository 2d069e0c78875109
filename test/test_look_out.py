"""What is seen of the ground ahead, and what `auto` makes of it: how fast, in which gait."""

from __future__ import annotations

import numpy as np
import pytest

from quadruped_control.control.leap_measures import load_leap_measures
from quadruped_control.control.skill_numbers import Activity
from quadruped_control.evaluation.mixed_courses import make_mixed_course
from quadruped_control.evaluation.terrain import make_slope, make_stairs
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.look_out import Eyes, Hindrance
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.terrain.ground import Ground

SPACING = 0.02
PLACES = np.arange(801) * SPACING


def see(terrain: list[dict[str, object]], *, leaps: bool = False) -> list[Hindrance]:
    scenario = validate({'name': 'seen', 'duration': 1.0, 'terrain': terrain}, Scenario, 'seen')
    ground = Ground.from_features(scenario.terrain, 0)
    eyes = Eyes(load_robot('dog'), load_leap_measures())
    return eyes.find(ground.height(PLACES, 0.0 * PLACES), SPACING, leaps=leaps)


def strictest(found: list[Hindrance]) -> Hindrance:
    return min(found, key=lambda item: item.most)


def make_loop(terrain: list[dict[str, object]], speed: float, **keys: object) -> Loop:
    scenario = {'name': 'ahead', 'duration': 30.0, 'recover': False, 'terrain': terrain,
                'commands': [{'t': 0.5, 'vx': speed}], **keys}
    return Loop(validate(scenario, Scenario, 'ahead'))


def fell(loop: Loop) -> bool:
    return bool((loop.recording.skill == Activity.FALLING).any())


def test_level_ground_asks_for_nothing() -> None:
    assert see([]) == []
    assert see([{'kind': 'patch', 'x': [1, 9], 'y': [-5, 5], 'friction': 0.3}]) == []


@pytest.mark.parametrize('way', [1, -1])
def test_the_steeper_a_slope_the_slower(way: int) -> None:
    limits = [strictest([item for item in see(make_slope(angle, way, 2.0, 4.0))
                         if 'slope' in item.words]).most
              for angle in (10.0, 17.0, 22.0, 28.0, 40.0)]
    assert limits == sorted(limits, reverse=True)
    assert limits[0] > 2.0 and limits[-1] == 0.0


def test_a_gentle_slope_asks_for_nothing() -> None:
    rise = round(10.0 * float(np.tan(np.radians(5.0))), 3)
    assert see([{'kind': 'ramp', 'x': [2, 12], 'y': [-5, 5], 'height': [0.0, rise]},
                {'kind': 'box', 'x': [12, 20], 'y': [-5, 5], 'height': rise}]) == []


def test_stairs_are_steps_and_no_slope_and_are_trotted_on() -> None:
    found = see(make_stairs(0.17, 0.28, 3.0))
    assert not any('slope' in item.words for item in found)
    worst = strictest(found)
    assert (worst.gait, worst.most) == ('trot', 0.5)
    assert worst.begin == pytest.approx(3.0, abs=2 * SPACING)
    assert not any(item.leapt for item in see(make_stairs(0.17, 0.28, 3.0), leaps=True))


def test_what_will_be_leapt_over_does_not_stop_the_dog() -> None:
    wall: list[dict[str, object]] = [{'kind': 'barrier', 'x': [3.0, 3.1], 'height': 0.3}]
    stops = strictest(see(wall))
    assert stops.most == 0.0 and 'stops before a step of 30 cm' in stops.describe()
    leapt = see(wall, leaps=True)
    assert [item.leapt for item in leapt] == [True] and leapt[0].most > 1.0


def test_mixed_courses_have_every_kind() -> None:
    kinds = {hurdle.kind for seed in range(20) for hurdle in make_mixed_course(seed)[1]}
    assert kinds == {'gap', 'barrier', 'up', 'down', 'stairs up', 'stairs down', 'ramp up',
                     'ramp down'}
    assert make_mixed_course(3) == make_mixed_course(3)


@pytest.mark.timeout(240)
@pytest.mark.parametrize(('gait', 'speed'), [
    ('auto', 4.0), ('trot', 2.5), ('pace', 2.2), ('transverse_gallop', 5.0)])
def test_every_gait_stops_before_a_wall(gait: str, speed: float) -> None:
    loop = make_loop([{'kind': 'box', 'x': [16.0, 17.0], 'height': 1.0}], speed,
                     commands=[{'t': 0.5, 'vx': speed, 'gait': gait}])
    loop.run(14000)
    hips = loop.recording.leg_frame_position[:, 1, 0]
    assert not fell(loop)
    assert 14.0 < hips[-1] < 15.6 and np.ptp(hips[-1000:]) < 0.1
    assert loop.guide is not None and loop.guide.look_out.words.startswith('stops before a step')
    loop.world.close()


@pytest.mark.timeout(240)
@pytest.mark.parametrize('leap_planner', [False, True])
def test_before_a_wall_it_keeps_room_to_turn_however_often_it_is_driven_on(
        leap_planner: bool) -> None:
    again = [command for n in range(5) for command in (
        {'t': 10.0 + 2.0 * n, 'vx': 1.2 + 0.1 * n, 'wz': 0.0},
        {'t': 11.0 + 2.0 * n, 'wz': 0.7 * (-1)**n})]
    loop = make_loop([{'kind': 'box', 'x': [8.0, 8.8], 'height': 1.1}], 1.3,
                     commands=[{'t': 0.5, 'vx': 1.3}, *again], leap_planner=leap_planner,
                     start={'heading': 0.5})
    loop.run(21000)
    assert not (loop.recording.body_contact != 0.0).any()
    assert loop.recording.leg_frame_position[:, 1, 0].max() > 6.0
    loop.world.close()


@pytest.mark.timeout(240)
def test_auto_trots_slowly_on_stairs_and_goes_on_as_before() -> None:
    loop = make_loop(make_stairs(0.15, 0.30, 4.0), 1.6)
    loop.run(22000)
    recording = loop.recording
    hips = recording.leg_frame_position[:, 1, 0]
    on = (hips > 4.2) & (hips < 6.0)
    assert not fell(loop) and hips[-1] > 13.0
    speeds = np.gradient(hips, 0.001)
    assert speeds[on].mean() == pytest.approx(0.5, abs=0.12)
    names = [loop.scheduler.gait_names[int(number)] for number in np.unique(recording.gait[on])]
    assert names == ['trot']
    assert speeds[-1000:].mean() > 1.3 and loop.scheduler.clock.top > 1.6
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_gait_that_is_named_is_kept() -> None:
    loop = make_loop(make_slope(17.0, 1, 2.0, 3.0), 0.8,
                     commands=[{'t': 0.5, 'vx': 0.8, 'gait': 'walk'}])
    loop.run(5000)
    assert set(loop.recording.gait[1000:].tolist()) == {loop.scheduler.gait_names.index('walk')}
    loop.world.close()


@pytest.mark.timeout(240)
def test_a_change_of_gait_begins_from_where_the_blend_is() -> None:
    loop = make_loop([], 1.2, commands=[{'t': 0.5, 'vx': 1.2, 'gait': 'trot'},
                                        {'t': 3.0, 'gait': 'walk'}, {'t': 3.4, 'gait': 'pace'}])
    numbers = loop.scheduler.planning.numbers
    loop.run(3380)
    before, most = numbers.copy(), 0.0
    for _ in range(60):
        loop.run(1)
        now = loop.scheduler.planning.numbers
        most = max(most, float(np.abs(now - before).max()))
        before = now.copy()
    span = np.abs(loop.scheduler.tables()[1][1][0] - loop.scheduler.tables()[0][1][0]).max()
    assert most < 0.02 * span
    loop.world.close()
