"""A video of a run: mp4, or gif for a README."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import imageio.v2 as imageio

from quadruped_control.errors import InputError
from quadruped_control.rollout.rollout import Rollout
from quadruped_control.simulation.camera import Camera
from quadruped_control.viewer.replay import Replay

RATE = 25.0                 # pictures a simulated second
SUFFIXES = ('.mp4', '.gif')


def check_video_path(path: Path) -> None:
    """Refuse a name that is no video's before anything is simulated."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError('--video', '', str(path), f'a name that ends in {" or ".join(SUFFIXES)}')


def write_video(path: Path, rollout: Rollout, *, rate: float = RATE, camera: Camera | None = None,
                progress: Callable[[float], None] | None = None) -> None:
    """
    Write a video in real time of the simulated seconds.

    :param progress: called with the share done after each picture.
    """
    check_video_path(path)
    total = max(1.0, len(rollout.recording) * rollout.recording.time_step * rate)
    options = {'fps': rate} if path.suffix.lower() == '.mp4' else {'duration': 1000 / rate,
                                                                    'loop': 0}
    with (Replay(rollout.robot, rollout.ground, rollout.recording, camera) as replay,
          imageio.get_writer(path, **options) as writer):
        for n, picture in enumerate(replay.pictures(rate)):
            writer.append_data(picture)
            if progress is not None:
                progress(min(1.0, (n + 1) / total))
