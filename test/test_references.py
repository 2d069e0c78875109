"""Reference motions: f_d is a distance, files are strictly read, a run makes one."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from quadruped_control.command_line.main import main
from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.errors import InputError
from quadruped_control.kinematics.records import LEGS
from quadruped_control.loading import validate
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.recording import (
    LEG_FRAME_POSITION,
    LEG_FRAME_RPY,
    Recording,
)
from quadruped_control.tuning.evaluation import Evaluator
from quadruped_control.tuning.marker_motion import (
    compute_marker_distance,
    compute_markers,
    make_reference,
)
from quadruped_control.tuning.objective import Weights, compute_steady_cost
from quadruped_control.tuning.parameters import period_of
from quadruped_control.tuning.reference import FOOT_WEIGHT, Reference, load_reference
from quadruped_control.tuning.task import Task

FEET = [f'{leg}_foot' for leg in LEGS]


@pytest.fixture(scope='module', name='robot')
def _robot() -> Robot:
    return load_robot()


class Run(NamedTuple):
    """Two seconds of a steady gait, and its period in s."""

    recording: Recording
    period: float


@pytest.fixture(scope='module', name='trots')
def _trots() -> dict[float, Run]:
    """Give a trot at each of two speeds."""
    evaluator, gait = Evaluator(Task(1.0, (), settle=4.0)), load_gait('trot')
    found = {}
    for speed in (1.0, 1.6):
        numbers = GaitTable.of(gait).interpolate(speed)
        evaluator.settle(numbers, speed)
        found[speed] = Run(evaluator.last.tail(2000), period_of(numbers))
    return found


def measure(run: Run, robot: Robot, reference: Reference) -> float:
    return compute_marker_distance(run.recording, robot, reference, run.period)


def changed(reference: Reference, **keys: Any) -> Reference:
    return validate({**reference.model_dump(mode='json'), **keys}, Reference, 'test')


def with_paths(reference: Reference, change: Any) -> Reference:
    """Return a reference whose paths (n, 3) are changed, given the name of the marker."""
    markers = reference.model_dump(mode='json')['markers']
    for marker in markers:
        marker['path'] = change(marker['name'], np.array(marker['path'])).tolist()
    return changed(reference, markers=markers)


def turned(recording: Recording, angle: float) -> Recording:
    """Return the same run begun elsewhere in another direction."""
    other = deepcopy(recording)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    other.poses[:, :3] = recording.poses[:, :3] @ turn.T + (3.0, -2.0, 0.5)
    x, y, z, w = recording.poses[:, 3:7].T
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    other.poses[:, 3:7] = np.column_stack((c*x - s*y, c*y + s*x, c*z + s*w, c*w - s*z))
    for frame in range(2):
        place = LEG_FRAME_POSITION.start + 3 * frame
        points = recording.samples[:, place:place + 3] @ turn.T + (3.0, -2.0, 0.5)
        other.samples[:, place:place + 3] = points
        other.samples[:, LEG_FRAME_RPY.start + 3 * frame + 2] += angle
    return other


@pytest.mark.timeout(300)
def test_a_run_resembles_itself_more_than_another_speed(
        trots: dict[float, Run], robot: Robot) -> None:
    reference, period = make_reference(trots[1.0].recording, robot)
    assert period == pytest.approx(trots[1.0].period, abs=0.001)
    same = measure(trots[1.0], robot, reference)
    other = measure(trots[1.6], robot, reference)
    assert same < 0.004
    assert other > 4 * same


@pytest.mark.timeout(300)
def test_distance_does_not_depend_on_place_heading_and_first_moment(
        trots: dict[float, Run], robot: Robot) -> None:
    reference, _ = make_reference(trots[1.0].recording, robot)
    run = trots[1.6]
    distance = measure(run, robot, reference)
    elsewhere = Run(turned(run.recording, 2.5), run.period)
    later = with_paths(reference, lambda name, path: np.roll(path, 13, axis=0))
    assert measure(elsewhere, robot, reference) == pytest.approx(distance, abs=1e-9)
    assert measure(run, robot, later) == pytest.approx(distance)


@pytest.mark.timeout(300)
def test_distance_is_a_weighted_root_mean_square(
        trots: dict[float, Run], robot: Robot) -> None:
    reference, _ = make_reference(trots[1.0].recording, robot)

    def distance(other: Reference) -> float:
        return measure(trots[1.0], robot, other)

    higher = with_paths(reference, lambda name, path: path + (0.0, 0.0, 0.1))
    aside = with_paths(reference, lambda name, path: path + (0.0, 0.1, 0.0))
    feet = with_paths(reference, lambda name, path: path + (0.0, 0.0, 0.1 * (name in FEET)))
    share = 4 * FOOT_WEIGHT / (4 * FOOT_WEIGHT + 3)
    assert distance(higher) == pytest.approx(0.1, abs=0.002)
    assert distance(aside) == pytest.approx(0.1, abs=0.002)
    assert distance(feet) == pytest.approx(0.1 * np.sqrt(share), abs=0.003)
    flat = [{**marker, 'path': np.array(marker['path'])[:, [0, 2]].tolist()}
            for marker in aside.model_dump(mode='json')['markers']]
    assert distance(changed(aside, axes='xz', markers=flat)) < 0.004     # seen from the side


@pytest.mark.timeout(300)
def test_the_objective_has_the_distance_with_the_weight_of_the_paper(
        trots: dict[float, Run]) -> None:
    trot = trots[1.0].recording
    without = compute_steady_cost(trot, 1.0, Weights())
    assert compute_steady_cost(trot, 1.0, Weights(), 0.02) == pytest.approx(without + 2.0)


@pytest.mark.timeout(300)
def test_markers_are_where_the_recording_says(
        trots: dict[float, Run], robot: Robot) -> None:
    anatomy, trot = robot.anatomy, trots[1.0].recording
    frames = compute_markers(trot, robot, anatomy['leg_frame'].tolist(),
                             anatomy['leg_frame_point'])
    feet = compute_markers(trot, robot, anatomy['toe'].tolist(), anatomy['foot_centre'])
    np.testing.assert_allclose(frames, trot.leg_frame_position, atol=1e-9)
    np.testing.assert_allclose(feet[..., :2], trot.foot_position[..., :2], atol=1e-9)


def test_the_reference_of_the_package_is_a_trot(robot: Robot) -> None:
    reference = load_reference('trot_1', robot)
    names = [marker.name for marker in reference.markers]
    assert names == ['shoulders', 'hips', 'head', *FEET]
    forward = reference.sample(100)[:, 3:, 0]
    alike = np.corrcoef(forward.T)
    assert alike[0, 3] > 0.8 and alike[1, 2] > 0.8              # diagonal feet go together
    assert alike[0, 1] < -0.5 and alike[2, 3] < -0.5            # left and right by turns


def good_marker(**keys: Any) -> dict[str, Any]:
    return {'name': 'head', 'link': 'head', 'path': [[0.1, 0.0, 0.2]] * 8, **keys}


@pytest.mark.parametrize(('data', 'key', 'accepted'), [
    ({'markers': []}, 'markers', 'a list'),
    ({'markers': [good_marker(link='haed')]}, 'markers[0].link', "did you mean 'head'?"),
    ({'markers': [good_marker(path=[[0.1, 0.0, 0.2]] * 3)]}, 'markers[0].path', 'a list'),
    ({'markers': [good_marker(path=[[0.1, 0.2]] * 8)]}, 'markers[0].path[0]', '3 numbers'),
    ({'markers': [good_marker()], 'axes': 'xz'}, 'markers[0].path[0]', '2 numbers'),
    ({'markers': [good_marker()], 'axes': 'yz'}, 'axes', 'xyz, xz'),
    ({'markers': [good_marker(), good_marker()]}, 'markers[1].name', 'no marker before'),
    ({'markers': [good_marker(weight=-1.0)]}, 'markers[0].weight', '> 0'),
    ({'markers': [good_marker(path=[[9.0, 0.0, 0.2]] * 8)]}, 'markers[0].path[0][0]', '<= 5'),
    ({'markers': [good_marker(colour='red')]}, 'markers[0].colour', 'the keys'),
])
def test_bad_files_are_refused(tmp_path: Path, robot: Robot, data: dict[str, Any], key: str,
                               accepted: str) -> None:
    path = tmp_path / 'reference.yaml'
    path.write_text(json.dumps(data), encoding='utf-8')
    with pytest.raises(InputError) as caught:
        load_reference(path, robot)
    assert caught.value.source == str(path)
    assert caught.value.key == key
    assert accepted in caught.value.accepted


def test_tune_refuses_what_it_cannot_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(['tune', 'trot', '--reference', 'no.yaml']) == 2
    assert 'no.yaml is missing' in capsys.readouterr().err
    assert main(['tune', 'walk', '--speed', '0.5', '--settle', '1', '--reference', 'trot_1']) == 2
    assert '--settle is 1.0; accepted: ' in capsys.readouterr().err
    assert main(['tune', 'trot', '--duration', '0.1']) == 2
    assert '--duration is 0.1; accepted: 0.5 to 60 s' in capsys.readouterr().err


def scenario(path: Path, *commands: dict[str, Any]) -> str:
    path.write_text(json.dumps({'name': 'short', 'duration': 3.0, 'commands': commands}),
                    encoding='utf-8')
    return str(path)


@pytest.mark.timeout(300)
def test_a_run_makes_a_reference(tmp_path: Path, robot: Robot,
                                 capsys: pytest.CaptureFixture[str]) -> None:
    trot = scenario(tmp_path / 'trot.yaml', {'t': 0.0, 'vx': 1.0, 'gait': 'trot'})
    out = tmp_path / 'out.yaml'
    assert main(['reference', trot, '--from', '1.4', '--out', str(out)]) == 0
    assert 'wrote' in capsys.readouterr().out
    text = out.read_text(encoding='utf-8')
    assert f'# ./quadruped reference {trot} --from 1.4 --out {out}' in text
    assert len(load_reference(out, robot).markers) == 7


@pytest.mark.timeout(300)
def test_a_stand_makes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / 'out.yaml'
    assert main(['reference', scenario(tmp_path / 'stand.yaml'), '--out', str(out)]) == 1
    assert 'a reference needs 3' in capsys.readouterr().err
    assert not out.exists()
    assert main(['reference', str(tmp_path / 'stand.yaml'), '--from', '7', '--out',
                 str(out)]) == 2
    assert '--from is 7.0' in capsys.readouterr().err
