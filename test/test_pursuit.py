"""Target pursuit: pure, on a stand-in without legs; then robots that walk to their targets."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from math import cos, hypot, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.command_line.main import main
from quadruped_control.control.ball import Ball
from quadruped_control.control.controllers import make_controller
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.pursuit import (
    ALIGNED,
    Drive,
    Goal,
    Pace,
    Place,
    Pursuit,
    find_pace,
    head_for,
    look_at,
    wrap,
)
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.model.robot_files import list_robots
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.live_commands import LiveCommands
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.rollout.target_events import follow_ball
from quadruped_control.rollout.world_half import WorldHalf
from quadruped_control.scenario import Scenario, load_scenario
from quadruped_control.share import share_folder
from quadruped_control.simulation.looks import make_sphere
from quadruped_control.simulation.world import TIME_STEP

STEP = 0.02                     # s, of the stand-in
LAG = 0.3                       # s by which a robot's speed follows the command
PATIENCE = 200.0                # s of its time
SCENARIOS = share_folder() / 'config' / 'scenarios'


@cache
def pace_of(robot: str = 'dog') -> Pace:
    return find_pace(load_robot(robot))


class Unicycle:
    """Goes where it faces, a little later than it is told."""

    def __init__(self) -> None:
        self.place, self.speed, self.turned, self.time = Place(0.0, 0.0, 0.0), 0.0, 0.0, 0.0

    def move(self, drive: Drive) -> None:
        x, y, yaw = self.place
        self.speed += STEP / LAG * (drive.vx - self.speed)
        self.turned += abs(drive.wz) * STEP
        self.time += STEP
        self.place = Place(x + self.speed * cos(yaw) * STEP, y + self.speed * sin(yaw) * STEP,
                           wrap(yaw + drive.wz * STEP))

    def pursue(self, pursuit: Pursuit) -> list[Drive]:
        drives: list[Drive] = []
        while not pursuit.is_done:
            assert self.time < PATIENCE, f'{pursuit.goal} not reached from {self.place}'
            drives.append(pursuit.update(self.time, self.place, self.place.yaw))
            self.move(drives[-1])
        return drives


@pytest.mark.parametrize('robot', list_robots())
def test_all_of_200_random_targets_are_reached_without_circling(robot: str) -> None:
    pace, random = pace_of(robot), np.random.default_rng(7)
    for number in range(200):
        distance, course = random.uniform(0.0, 60.0) * pace.arrived, random.uniform(-pi, pi)
        heading = float(random.uniform(-pi, pi)) if number % 2 else None
        goal = Goal(distance * cos(course), distance * sin(course), heading)
        robot_there = Unicycle()
        drives = robot_there.pursue(Pursuit(goal, pace))
        place = robot_there.place
        assert hypot(goal.x - place.x, goal.y - place.y) < 2 * pace.arrived
        assert heading is None or abs(wrap(heading - place.yaw)) < ALIGNED + 0.05
        turns = abs(course) + (0.0 if heading is None else abs(wrap(heading - course)))
        assert robot_there.turned < turns + 1.0         # not once around
        assert all(0.0 <= drive.vx <= pace.speed and abs(drive.wz) <= pace.turn
                   for drive in drives)


def test_speed_is_proportional_to_distance_within_what_is_asked_for() -> None:
    pace = pace_of()
    one, two = (head_for(distance, 0.0, pace, 9.0).vx for distance in (1.0, 2.0))
    assert two == pytest.approx(2 * one)
    assert head_for(50.0, 0.0, pace, 0.8).vx == 0.8
    assert head_for(1.0, 0.5, pace, 9.0).vx < one
    assert head_for(1.0, 1.6, pace, 9.0).vx == 0.0      # beside it: it turns first


def test_measures_are_those_of_the_size() -> None:
    dog, horse = pace_of(), pace_of('horse')
    ratio = (float(load_robot('horse').standing_height().mean())
             / float(load_robot('dog').standing_height().mean()))
    assert horse.arrived == pytest.approx(ratio * dog.arrived)
    assert horse.speed == pytest.approx(ratio**0.5 * dog.speed)
    assert horse.approach == pytest.approx(ratio**-0.5 * dog.approach)
    assert pace_of('a1').look == (0.0, 0.0) and min(dog.look) > 0.3    # the a1 has no neck


def test_a_target_that_moves_is_followed_and_one_at_hand_is_stood_by() -> None:
    pace, robot = pace_of(), Unicycle()
    pursuit = Pursuit(Goal(1.0, 0.0), pace)
    robot.pursue(pursuit)
    assert pursuit.update(robot.time, robot.place, robot.place.yaw) == Drive()
    pursuit.aim(robot.place.x + 1.5 * pace.arrived, robot.place.y)
    assert pursuit.update(robot.time, robot.place, robot.place.yaw) == Drive()      # no fidgeting
    pursuit.aim(robot.place.x, robot.place.y + 3.0)
    assert pursuit.update(robot.time, robot.place, robot.place.yaw).wz > 0.0
    assert not pursuit.is_done
    robot.pursue(pursuit)
    assert robot.place.y > 2.0


def test_the_head_turns_to_what_is_ahead_and_not_to_what_is_behind() -> None:
    pace, here = pace_of(), Place(1.0, 2.0, 0.5)

    def look(distance: float, aside: float) -> tuple[float, float]:
        return look_at(here, here.x + distance * cos(here.yaw + aside),
                       here.y + distance * sin(here.yaw + aside), pace.ball, pace)

    assert look(5.0, 0.0)[0] == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < look(5.0, 0.0)[1] < look(2.0, 0.0)[1]          # down, more for what is near
    assert look(5.0, 0.6)[0] > 0.5 and look(5.0, -0.6)[0] < -0.5
    assert abs(look(5.0, 1.5)[0]) <= pace.look[0]
    assert abs(look(5.0, pi - 1e-3)[0]) < 0.01


def roll_ball(seed: int) -> tuple[Ball, list[tuple[float, float]], float]:
    """Let the stand-in catch a ball; return it, where it was, and how long that took."""
    pace, robot, rolled = pace_of(), Unicycle(), [(2.0, 1.0)]
    ball = Ball(rolled[0], 0.8, (1.5, 3.0), 3, seed=seed, speed=2.0)
    pursuit = Pursuit(Goal(*ball.place), pace, stay=0.7)
    while not ball.is_caught:
        assert robot.time < PATIENCE
        ball.update(robot.time, robot.place)
        pursuit.aim(*ball.place)
        robot.move(pursuit.update(robot.time, robot.place, robot.place.yaw))
        rolled.append(ball.place)
    return ball, rolled, robot.time


def test_a_ball_rolls_as_often_as_it_should_and_is_then_caught() -> None:
    ball, places, _ = roll_ball(3)
    assert ball.rolls == 3
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert 0.0 < steps.max() <= 2.0 * STEP + 1e-9               # it rolls, and does not jump
    assert 3 * 1.5 <= steps.sum() <= 3 * 3.0
    assert roll_ball(3)[1] == places
    assert roll_ball(4)[1] != places


def test_a_sphere_is_closed_and_faces_outwards() -> None:
    vertices, triangles = make_sphere(0.5)
    a, b, c = (vertices[triangles[:, n]] for n in range(3))
    volume = float(np.einsum('ij,ij->i', a, np.cross(b, c)).sum()) / 6
    assert volume == pytest.approx(4 / 3 * pi * 0.5**3, rel=0.1)


# Scenarios


def make_scenario(**keys: object) -> Scenario:
    return validate({'name': 'test', 'duration': 8.0, **keys}, Scenario, 'test')


@pytest.mark.parametrize(('keys', 'words'), [
    ({'commands': [{'t': 0.0, 'target_heading': 1.0}]}, 'target_heading'),
    ({'commands': [{'t': 0.0, 'target': [1.0]}]}, 'target'),
    ({'commands': [{'t': 0.0, 'target': [1.0, float('nan')]}]}, 'target'),
    ({'ball': {'position': [1.0, 0.0], 'near': 0.5, 'away': [2.0, 1.0], 'times': 1}}, 'away'),
    ({'ball': {'position': [1.0, 0.0], 'near': 0.0, 'away': [1.0, 2.0], 'times': 1}}, 'near'),
    ({'ball': {'position': [1.0, 0.0], 'near': 0.5, 'away': [1.0, 2.0]}}, 'times')])
def test_what_cannot_be_pursued_is_refused(keys: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make_scenario(**keys)


@cache
def run_file(name: str) -> Rollout:
    return run_scenario(load_scenario(SCENARIOS / f'{name}.yaml'))


@pytest.mark.timeout(400)
def test_run_tells_of_three_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'out.json'
    assert main(['run', str(SCENARIOS / 'pursuit.yaml'), '--json', str(out)]) == 0
    targets = json.loads(out.read_text(encoding='utf-8'))['target']
    assert [target['t'] for target in targets] == [0.5, 9.0, 19.0]
    printed = capsys.readouterr().out
    assert printed.count('was reached after') == 3


@pytest.mark.timeout(400)
def test_the_head_looks_at_the_target_and_back_ahead() -> None:
    rollout = run_scenario(make_scenario(commands=[{'t': 0.5, 'target': [1.5, 2.0]}]))
    names = list(rollout.recording.joint_names)
    turns = [n for n, name in enumerate(names)
             if ('neck' in name or 'head' in name) and 'yaw' in name]
    assert len(turns) == 4
    yaw = rollout.recording.pose[:, 7:][:, turns].sum(axis=1)
    assert yaw[:400].max() < 0.1                        # before it knows of the target
    assert yaw[600:1600].max() > 0.5                    # to the left
    assert rollout.metrics['target'][0]['reached_after'] is not None    # type: ignore[index]
    assert abs(float(yaw[-1])) < 0.1


@pytest.mark.timeout(400)
def test_a_target_ends_with_a_velocity_and_with_a_skill() -> None:
    rollout = run_scenario(make_scenario(duration=9.0, commands=[
        {'t': 0.5, 'target': [20.0, 0.0]}, {'t': 3.0, 'vx': 0.0},
        {'t': 4.0, 'target': [20.0, 0.0]}, {'t': 6.0, 'skill': 'sit'}]))
    command, time = rollout.recording.command, rollout.recording.time
    assert command[(time > 2.0) & (time < 2.9), 0].min() > 1.0
    assert (command[(time > 3.01) & (time < 3.99)] == 0.0).all()
    assert command[(time > 5.0) & (time < 5.9), 0].min() > 1.0
    assert (command[time > 6.01] == 0.0).all()
    first, second = rollout.metrics['target']           # type: ignore[misc]
    assert first['reached_after'] is None and second['reached_after'] is None
    assert 10.0 < second['error'] < first['error'] < 20.0
    assert rollout.metrics['postures'][0]['skill'] == 'sit'     # type: ignore[index]


@pytest.mark.timeout(400)
def test_speed_asked_for_and_gait_asked_for_stay() -> None:
    rollout = run_scenario(make_scenario(duration=6.0, commands=[
        {'t': 0.5, 'vx': 0.4, 'gait': 'trot', 'target': [10.0, 0.0]}]))
    assert rollout.recording.command[:, 0].max() == pytest.approx(0.4)
    assert {change['gait'] for change in rollout.metrics['gaits']} == {     # type: ignore[index,attr-defined]
        'stand', 'trot'}
    assert rollout.metrics['speed_error'] is None       # it is no command of a velocity


@pytest.mark.timeout(600)
@pytest.mark.parametrize('robot', ['a1', 'cat'])
def test_other_robots_reach_their_targets(robot: str) -> None:
    pace = pace_of(robot)
    place = 6 * pace.arrived, -9 * pace.arrived
    rollout = run_scenario(make_scenario(robot=robot, duration=9.0, commands=[
        {'t': 0.2, 'target': list(place)}]))
    assert not rollout.metrics['fell']
    found: dict[str, Any] = rollout.metrics['target'][0]        # type: ignore[index]
    assert found['reached_after'] is not None and found['error'] < 1.5 * pace.arrived


@pytest.mark.timeout(600)
def test_the_ball_is_caught_after_its_rolls_and_every_picture_can_show_it() -> None:
    rollout = run_file('ball')
    ball: dict[str, Any] = rollout.metrics['ball']      # type: ignore[assignment]
    assert ball['rolls'] == 3 and ball['caught_after'] is not None
    followed = follow_ball(rollout.recording, rollout.scenario)
    assert followed is not None
    places, radius = followed
    assert len(places) == len(rollout.recording) and 0.05 < radius < 0.2
    moved = np.linalg.norm(places[-1] - places[0])
    assert moved > 1.0
    caught = round(ball['caught_after'] / rollout.recording.time_step)
    middle = rollout.recording.leg_frame_position[caught, :, :2].mean(axis=0)
    assert float(np.linalg.norm(middle - places[caught])) == pytest.approx(0.8, abs=0.1)
    assert (rollout.recording.command[-1000:] == 0.0).all()


# Over topics


def run_in_two_halves(scenario: Scenario, ticks: int, also: Callable[[LiveCommands, int], None]
                      ) -> WorldHalf:
    """Run as the nodes do, one after the other in each tick."""
    half, library = WorldHalf(scenario, steps=ticks), GaitLibrary(scenario.robot)
    scheduler = SkillScheduler(half.robot, library.stand, library.tables, time_step=TIME_STEP)
    controller = make_controller(half.robot)
    commands = LiveCommands(scheduler, scenario.commands, ball=scenario.ball, seed=scenario.seed)
    for tick in range(ticks):
        also(commands, tick)
        commands.apply(half.state)
        scheduler.update(half.state)
        half.torques[:] = controller.update(half.observation, scheduler.target, TIME_STEP)
        half.act()
    half.world.close()
    return half


@pytest.mark.timeout(400)
@pytest.mark.parametrize('what', ['target', 'ball'])
def test_nodes_pursue_bit_for_bit_as_one_process(what: str) -> None:
    keys: dict[str, object] = {
        'target': {'commands': [{'t': 0.333, 'target': [0.5, 1.0], 'target_heading': 2.0}]},
        'ball': {'ball': {'position': [1.2, 0.2], 'near': 0.9, 'away': [0.5, 1.0], 'times': 2}},
    }[what]
    scenario = make_scenario(duration=2.5, **keys)      # type: ignore[arg-type]
    whole = run_scenario(scenario)
    half = run_in_two_halves(scenario, len(whole.recording), lambda commands, tick: None)
    assert half.recording.state_hash == whole.recording.state_hash
    found = half.compute_metrics(None)
    assert found['target'] == whole.metrics['target'] and found['ball'] == whole.metrics['ball']
    assert what == 'target' or found['ball']['rolls'] >= 1      # type: ignore[index]


class Ticks:
    """A scheduler and its commands, told the time, of a robot that stays where it is."""

    def __init__(self) -> None:
        self.half = WorldHalf(make_scenario())
        library = GaitLibrary()
        self.scheduler = SkillScheduler(self.half.robot, library.stand, library.tables,
                                        time_step=TIME_STEP)
        self.commands = LiveCommands(self.scheduler)

    def at(self, step: int) -> list[float]:
        self.half.state['time'] = step * TIME_STEP
        self.commands.apply(self.half.state)
        return [float(value) for value in self.scheduler.command]


@pytest.fixture(name='ticks')
def _ticks() -> Any:
    ticks = Ticks()
    yield ticks
    ticks.half.world.close()


def test_a_driver_at_rest_lets_pursuit_go_on_and_one_that_drives_ends_it(ticks: Ticks) -> None:
    ticks.commands.receive_goal(4.0, 0.0)
    assert ticks.at(3)[0] > 1.0
    ticks.commands.receive(0.0, 0.0, 0.0)
    assert ticks.at(4)[0] > 1.0 and ticks.at(2000)[0] > 1.0     # no silence ends it
    assert ticks.scheduler.clock.look[1] > 0.0
    ticks.commands.receive(0.0, 0.2, 0.0)
    assert ticks.at(2001)[:3] == [0.0, 0.2, 0.0]
    assert ticks.commands.chase is None and not ticks.scheduler.clock.look.any()


def test_a_point_is_followed_at_its_newest_place_once_nobody_drives(ticks: Ticks) -> None:
    ticks.commands.receive(0.5, 0.0, 0.0)
    ticks.commands.receive_point(0.0, 5.0)
    assert ticks.at(0)[0] == 0.5 and ticks.commands.chase is None
    ticks.commands.receive_point(0.0, 5.0)
    assert ticks.at(500)[2] == 0.0                      # still driven
    ticks.at(501)                                       # silence
    ticks.commands.receive_point(0.0, 5.0)
    assert ticks.at(503)[2] > 0.0
    ticks.commands.receive_point(0.0, -5.0)
    ticks.at(504)
    assert ticks.at(520)[2] < 0.0


def test_stand_ends_pursuit_and_absurd_places_are_refused(ticks: Ticks) -> None:
    ticks.commands.receive_goal(4.0, 0.0, 1.0)
    ticks.at(0)
    ticks.commands.request_skill('stand')
    assert ticks.at(1) == [0.0, 0.0, 0.0, 0.0] and ticks.commands.chase is None
    for place in ((float('nan'), 0.0), (0.0, 1e9)):
        with pytest.raises(InputError):
            ticks.commands.receive_goal(*place)
        with pytest.raises(InputError):
            ticks.commands.receive_point(*place)
    assert ticks.at(2) == [0.0, 0.0, 0.0, 0.0]


def test_a_thrown_ball_lies_ahead(ticks: Ticks) -> None:
    ticks.commands.throw_ball()
    ticks.at(0)
    chase = ticks.commands.chase
    assert chase is not None and chase.ball is not None
    assert chase.place[0] > 0.5
