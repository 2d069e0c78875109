"""A recording in a file, from the process that made it to the one that draws it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quadruped_control.rollout.recording import Recording

ROWS = ('samples', 'poses', 'velocities')


def save_recording(path: Path, recording: Recording) -> None:
    """Write all rows so far as a NumPy archive."""
    rows = {name: getattr(recording, name)[:len(recording)] for name in ROWS}
    with path.open('wb') as stream:
        np.savez(stream, time_step=recording.time_step, joint_names=recording.joint_names,
                 gait_names=recording.gait_names, **rows)


def load_recording(path: Path) -> Recording:
    """Read what :func:`save_recording` wrote."""
    with np.load(path) as file:
        recording = Recording(0, float(file['time_step']), file['joint_names'].tolist(),
                              gait_names=file['gait_names'].tolist())
        for name in ROWS:
            setattr(recording, name, file[name])
    recording.count = len(recording.samples)
    return recording
