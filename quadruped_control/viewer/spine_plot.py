"""Two dogs in the same gait, one of them with a rigid spine: a stride in pictures and curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quadruped_control.kinematics.records import FRONT, REAR
from quadruped_control.rollout.footfalls import REFERENCE_LEG, find_footfalls
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Rollout
from quadruped_control.simulation.camera import Camera
from quadruped_control.viewer.replay import Replay

PICTURES = 6                # of a stride
SHOWN = 2                   # strides in the curves
CAMERA = Camera((0.0, 0.0, 0.0), distance=1.8, width=360, height=240)
COLOURS = ('#1f3b5c', '#c2571a')
FRAMES = ((FRONT, 'shoulders', '-'), (REAR, 'hips', '--'))


def write_spine_plot(path: Path, rollouts: Sequence[tuple[str, Rollout]]) -> None:
    """Write a PNG: a row of pictures for each dog, then pitch and height over two strides."""
    figure = Figure(figsize=(12.0, 2.1 * len(rollouts) + 3.4), dpi=110)
    grid = figure.add_gridspec(len(rollouts) + 1, 1, height_ratios=[1.0] * len(rollouts) + [1.3],
                               left=0.06, right=0.99, top=0.97, bottom=0.08, hspace=0.12)
    for n, (name, rollout) in enumerate(rollouts):
        begin, end = find_strides(rollout.recording, 1)
        steps = np.linspace(begin, end, PICTURES, endpoint=False).astype(int)
        with Replay(rollout.robot, rollout.ground, rollout.recording, CAMERA) as replay:
            row = np.concatenate([replay.picture(step) for step in steps], axis=1)
        axes = figure.add_subplot(grid[n])
        axes.imshow(row)
        axes.set_axis_off()
        axes.set_title(f'{name} spine: one stride', loc='left', fontsize=11, color=COLOURS[n])
    halves = grid[len(rollouts)].subgridspec(1, 2, wspace=0.16)
    pitch, height = (figure.add_subplot(halves[k]) for k in range(2))
    for n, (name, rollout) in enumerate(rollouts):
        recording = rollout.recording
        begin, end = find_strides(recording, SHOWN)
        for frame, part, style in FRAMES:
            look: dict[str, Any] = {'color': COLOURS[n], 'linestyle': style,
                                    'label': f'{name}: {part}'}
            _draw(pitch, np.degrees(recording.leg_frame_rpy[begin:end, frame, 1]), look)
            _draw(height, recording.leg_frame_position[begin:end, frame, 2], look)
    pitch.set_ylabel('pitch, degrees')
    height.set_ylabel('height, m')
    height.legend(fontsize=8, ncols=2, loc='upper right')
    for axes in (pitch, height):
        axes.set_xlabel('strides')
        axes.grid(alpha=0.3)
    figure.savefig(path)


def _draw(axes: Axes, values: NDArray[np.float64], look: dict[str, Any]) -> None:
    axes.plot(np.linspace(0.0, SHOWN, len(values)), values, linewidth=1.6, **look)


def find_strides(recording: Recording, count: int) -> tuple[int, int]:
    """Return the steps between which the last whole strides are, from touchdown to touchdown."""
    starts = find_footfalls(recording)[REFERENCE_LEG].starts
    return int(starts[-2 - count]), int(starts[-2])
