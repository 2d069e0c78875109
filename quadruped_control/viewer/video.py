"""A video of a run: mp4, or gif for a README."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import imageio.v2 as imageio

from quadruped_control.errors import InputError
from quadruped_control.rollout.rollout import Rollout
from quadruped_control.rollout.target_events import follow_ball
from quadruped_control.simulation.camera import Camera
from quadruped_control.viewer.cut import WHOLE, Cut
from quadruped_control.viewer.replay import Replay

RATE = 25.0                 # pictures a second
SUFFIXES = ('.mp4', '.gif')


def check_video_path(path: Path) -> None:
    """Refuse a name that is no video's before anything is simulated."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError('--video', '', str(path), f'a name that ends in {" or ".join(SUFFIXES)}')


def write_video(path: Path, rollout: Rollout, *, cut: Cut = WHOLE, camera: Camera | None = None,
                progress: Callable[[float], None] | None = None) -> None:
    """
    Write a video of a run, or of a part of it.

    :param progress: called with the share done after each picture.
    """
    check_video_path(path)
    rate = RATE * cut.slower
    length = len(rollout.recording) * rollout.recording.time_step
    total = max(1.0, (min(length, cut.end) - cut.begin) * rate)
    options = {'fps': RATE} if path.suffix.lower() == '.mp4' else {'duration': 1000 / RATE,
                                                                    'loop': 0}
    ball = follow_ball(rollout.recording, rollout.scenario)
    with (Replay(rollout.robot, rollout.ground, rollout.recording, camera, ball) as replay,
          imageio.get_writer(path, **options) as writer):
        for n, picture in enumerate(replay.pictures(rate, cut.begin, cut.end)):
            writer.append_data(picture)
            if progress is not None:
                progress(min(1.0, (n + 1) / total))
