"""What several test modules need."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pybullet
import pytest
from pybullet_utils.bullet_client import BulletClient

from quadruped_control.model.robot import Robot
from quadruped_control.simulation.engine_urdf import write_engine_urdf

Loaded = tuple[Any, int, dict[str, int]]
# A shell's background job ignores interrupts, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

LENIENCE = 5                    # times as long as a test needs: others work here, too


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the limit of each test be far above what it needs: it is there to end what hangs."""
    usual = float(config.getini('timeout') or 0)
    for item in items:
        mark = item.get_closest_marker('timeout')
        needed = float(mark.args[0]) if mark is not None else usual
        item.add_marker(pytest.mark.timeout(LENIENCE * needed), append=False)


@pytest.fixture
def load_in_pybullet(tmp_path: Path) -> Iterator[Callable[[Robot], Loaded]]:
    """Load a robot in an engine of its own; give engine, body and joint numbers by link names."""
    engine = BulletClient(connection_mode=pybullet.DIRECT)

    def load(robot: Robot) -> Loaded:
        copy = tmp_path / 'robot.urdf'
        write_engine_urdf(robot.urdf, copy, with_meshes=False)
        body = engine.loadURDF(str(copy), flags=pybullet.URDF_USE_INERTIA_FROM_FILE)
        joints = range(engine.getNumJoints(body))
        return engine, body, {engine.getJointInfo(body, j)[12].decode(): j for j in joints}

    yield load
    engine.disconnect()
