"""The dog beside one with a rigid spine, in the canter that was tuned for each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.evaluation import spine
from quadruped_control.viewer.spine_plot import find_strides, write_spine_plot


@pytest.mark.parametrize('name', spine.SPINES)
def test_both_dogs_canter_at_their_speed(name: str) -> None:
    found = spine.measure(name)             # type: ignore[arg-type]
    assert not found['fell']
    assert found['speed'] == pytest.approx(spine.SPEED, rel=0.05)
    if name == 'rigid':
        assert found['bending'] < 1e-6      # shoulders and hips are one piece
    else:
        assert found['bending'] > np.radians(2.0)


def test_a_picture_shows_a_stride_of_both(tmp_path: Path) -> None:
    rollouts = [(name, spine.run_canter(name)) for name in spine.SPINES]
    for _, rollout in rollouts:
        begin, end = find_strides(rollout.recording, 1)
        assert (end - begin) * rollout.recording.time_step == pytest.approx(0.35, abs=0.05)
    path = tmp_path / 'spine.png'
    write_spine_plot(path, rollouts)
    assert path.stat().st_size > 50_000


def test_a_push_that_none_can_take_is_not_the_largest() -> None:
    assert spine._falls('rigid', {'t': spine.push_time(), 'phase': 0.0, 'at': 'rear',
                                  'duration': 0.35, 'force': [0.0, 600.0, 0.0]})
