"""The dog over stairs and slopes, in real PyBullet: up, down, and with feet away from edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadruped_control.evaluation.terrain import make_slope, make_stairs
from quadruped_control.loading import validate
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario


def run(terrain: list[dict[str, Any]], gait: str, speed: float, duration: float) -> Loop:
    loop = Loop(validate({'name': 'test', 'duration': duration, 'recover': False,
                          'terrain': terrain,
                          'commands': [{'t': 0.4, 'vx': speed, 'gait': gait}]}, Scenario, 'test'))
    loop.run(round(1000 * duration))
    return loop


@pytest.mark.parametrize(('gait', 'rise', 'tread', 'speed'), [
    ('auto', 0.17, 0.28, 0.5), ('trot', 0.13, 0.30, 1.0)])
def test_the_dog_goes_up_and_down_stairs(gait: str, rise: float, tread: float,
                                         speed: float) -> None:
    way = 1.5 + 16 * tread + 1.5
    loop = run(make_stairs(rise, tread), gait, speed, 2.5 + way / speed)
    place = loop.recording.leg_frame_position[:, :, 0]
    height = loop.recording.leg_frame_position[:, :, 2]
    assert place[-1].min() > 0.9 * way
    assert height.max() > 8 * rise + 0.4 and height[-1].max() < 0.6
    pitch = loop.recording.leg_frame_rpy[:, :, 1]
    assert np.abs(loop.recording.leg_frame_rpy[:, :, 0]).max() < 0.8
    assert pitch.min() < -0.3 and pitch.max() > 0.3     # the body goes along the stairs


@pytest.mark.parametrize(('gait', 'angle', 'speed'), [
    ('walk', 25.0, 0.5), ('trot', 20.0, 1.0)])
@pytest.mark.parametrize('way', [1, -1])
def test_the_dog_goes_up_and_down_slopes(gait: str, angle: float, speed: float, way: int) -> None:
    loop = run(make_slope(angle, way, 1.0, 3.0), gait, speed, 1.5 + 5.0 / speed)
    position = loop.recording.leg_frame_position
    assert position[-1, :, 0].min() > 3.7
    rise = 3.0 * np.tan(np.radians(angle))
    assert position[-1, 0, 2] - position[0, 0, 2] == pytest.approx(way * rise, abs=0.1)


def test_footprints_on_stairs_keep_away_from_edges() -> None:
    loop = run(make_stairs(0.13, 0.30), 'trot', 0.8, 6.0)
    contact = loop.recording.foot_contact > 0
    stood = [loop.recording.foot_position[landed + 60, leg]
             for leg in range(4)
             for landed in np.flatnonzero(np.diff(contact[:, leg].astype(int)) == 1)
             if landed + 60 < len(contact) and contact[landed + 1:landed + 60, leg].all()]
    on_stairs = np.array([foot for foot in stood if 1.55 < foot[0] < 3.8])
    assert len(on_stairs) > 15
    into = (on_stairs[:, 0] - 1.5) % 0.30
    assert (np.minimum(into, 0.30 - into) > 0.02).mean() > 0.9
