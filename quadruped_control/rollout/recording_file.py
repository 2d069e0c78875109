"""A recording in a file, from the process that made it to the one that draws it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.rollout.recording import Recording

ROWS = ('samples', 'poses', 'velocities')


def save_recording(path: Path, recording: Recording) -> None:
    """Write all rows so far as a NumPy archive."""
    rows = {name: getattr(recording, name)[:len(recording)] for name in ROWS}
    with path.open('wb') as stream:
        np.savez(stream, time_step=recording.time_step, joint_names=recording.joint_names,
                 gait_names=recording.gait_names, robot=recording.robot, **rows)


def load_recording(path: Path) -> Recording:
    """Read what :func:`save_recording` wrote; files of before say no robot and mean the dog."""
    with np.load(path) as file:
        robot = str(file['robot']) if 'robot' in file else DEFAULT_ROBOT
        recording = Recording(0, float(file['time_step']), file['joint_names'].tolist(),
                              gait_names=file['gait_names'].tolist(), robot=robot)
        for name in ROWS:
            setattr(recording, name, file[name])
    recording.count = len(recording.samples)
    return recording
