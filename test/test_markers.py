"""What is shown in RViz says what the controller does."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from quadruped_control.nodes.markers import write_gait


def test_gait_is_written_with_the_legs_that_stand() -> None:
    assert write_gait('trot', np.array([1.0, 0.0, 0.0, 1.0])) == 'trot  FL .. .. RR'
    assert write_gait('stand', np.ones(4)) == 'stand  FL FR RL RR'
