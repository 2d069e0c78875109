"""Gait graphs: target stances are recorded, and drawn beside the footfalls that came of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from quadruped_control.loading import validate
from quadruped_control.rollout.footfalls import (
    compute_duty_factor,
    compute_phase,
    find_footfalls,
    find_target_footfalls,
)
from quadruped_control.rollout.rollout import Rollout, run_scenario
from quadruped_control.scenario import Scenario
from quadruped_control.viewer.gait_graph import MEASURED, TARGET, describe, write_gait_graph


@pytest.fixture(name='trot', scope='module')
def _trot() -> Rollout:
    commands = [{'t': 0.3, 'vx': 1.0, 'gait': 'trot'}]
    scenario = {'name': 'a trot', 'duration': 3.5, 'commands': commands}
    return run_scenario(validate(scenario, Scenario, 'test'))


def count(picture: np.ndarray, colour: str) -> int:
    """Count the pixels of a colour."""
    wanted = np.round(255 * np.array(to_rgb(colour)))
    return int((abs(picture - wanted).max(axis=-1) <= 2).sum())


def draw(path: Path, rollout: Rollout, **options: tuple[float, float]) -> np.ndarray:
    write_gait_graph(path, rollout, **options)
    return np.asarray(Image.open(path).convert('RGB')).astype(int)


@pytest.mark.timeout(200)
def test_target_stances_are_those_of_the_gait_graph(trot: Rollout) -> None:
    last = trot.recording.tail(2000)
    asked, seen = find_target_footfalls(last), find_footfalls(last)
    for leg, phase in (('front_left', 0.5), ('front_right', 0.0), ('rear_right', 0.5)):
        assert compute_phase(asked[leg], asked['rear_left']) == pytest.approx(phase, abs=0.01)
        assert compute_duty_factor(asked[leg]) == pytest.approx(
            compute_duty_factor(asked['rear_left']), abs=0.01)
        assert np.abs(seen[leg].lift_offs[:, None] - asked[leg].lift_offs).min(axis=1).max() < 0.1
    still = trot.recording.between(0, 250)
    assert (still.target_stance == 1.0).all()


@pytest.mark.timeout(200)
def test_graph_shows_both_kinds_of_bars(trot: Rollout, tmp_path: Path) -> None:
    gait, speed = describe(trot.recording.tail(2000)).split(' at ')
    assert gait == 'trot' and float(speed.removesuffix(' m/s')) == pytest.approx(1.0, abs=0.15)
    picture = draw(tmp_path / 'graph.png', trot)
    assert picture.shape == (432, 1200, 3)
    assert count(picture, TARGET) > 10_000 and count(picture, MEASURED) > 10_000


@pytest.mark.timeout(200)
def test_graph_of_a_window_in_which_the_dog_stands_is_full(trot: Rollout, tmp_path: Path) -> None:
    standing = draw(tmp_path / 'still.png', trot, window=(0.1, 0.3))
    trotting = draw(tmp_path / 'trot.png', trot, window=(2.0, 3.0))
    assert count(standing, MEASURED) > 1.5 * count(trotting, MEASURED)
    assert describe(trot.recording.between(100, 300)).startswith('stand at 0.0')


@pytest.mark.timeout(200)
@pytest.mark.parametrize('window', [(-1.0, 99.0), (50.0, 60.0), (2.0, 2.0)])
def test_window_may_reach_out_of_the_run(window: tuple[float, float], trot: Rollout,
                                         tmp_path: Path) -> None:
    assert draw(tmp_path / 'graph.png', trot, window=window).any()
