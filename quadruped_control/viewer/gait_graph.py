"""A gait graph: when each leg should stand and when it did, as in figure 4 of the paper."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from quadruped_control.kinematics.records import LEGS
from quadruped_control.rollout.footfalls import (
    REFERENCE_LEG,
    Footfalls,
    compute_duty_factor,
    compute_phase,
    find_footfalls,
    find_target_footfalls,
)
from quadruped_control.rollout.metrics import find_gait_changes
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.rollout import Rollout
from quadruped_control.rollout.travel import compute_distance

SHOWN = 2.0                 # s at the end of a run
TARGET, MEASURED = '#b9cde5', '#1f3b5c'
TEXTS = ('#6b8fb8', MEASURED)                   # of the figures in the margin
TARGET_WIDTH, MEASURED_WIDTH = 0.72, 0.34       # of the bars, where legs are 1 apart
DUTY_AT, PHASE_AT, ASIDE = 1.085, 1.235, 0.035  # columns of the margin, in widths of the plot
HEADER_AT = -0.72                               # above the first leg


def write_gait_graph(path: Path, rollout: Rollout, *,
                     window: tuple[float, float] | None = None) -> None:
    """
    Write a PNG of the stances of the four legs: wide and light as asked, narrow and dark as seen.

    The bars are stances where the paper draws swings. Duty factors and phases are of the window.

    :param window: s, from when to when; the last two seconds if not given.
    """
    shown = _cut(rollout.recording, window)
    figure = Figure(figsize=(10.0, 3.6), dpi=120)
    axes = figure.add_axes((0.09, 0.17, 0.675, 0.63))
    asked, seen = find_target_footfalls(shown), find_footfalls(shown)
    for row, leg in enumerate(LEGS):
        _draw_leg(axes, row, asked[leg], seen[leg])
        _write_figures(axes, row, (asked[leg], asked[REFERENCE_LEG]),
                       (seen[leg], seen[REFERENCE_LEG]))
    _dress(axes, shown)
    axes.set_title(f'{describe(shown)}\n', fontsize=13, fontweight='bold', loc='left')
    axes.text(0.0, 1.03, rollout.scenario.name, transform=axes.transAxes, color='0.35')
    figure.savefig(path)


def _cut(recording: Recording, window: tuple[float, float] | None) -> Recording:
    """Return the steps of a window (s), at least one."""
    if window is None:
        return recording.tail(min(len(recording), round(SHOWN / recording.time_step)))
    first, last = (round(t / recording.time_step) for t in window)
    first = min(max(first, 0), len(recording) - 1)
    return recording.between(first, min(max(last, first + 1), len(recording)))


def describe(recording: Recording) -> str:
    """Say which gaits the dog was in, one after the other, and how fast it went."""
    names = [name for name, _ in groupby(c.gait for c in find_gait_changes(recording))]
    speed = compute_distance(recording) / (len(recording) * recording.time_step)
    return f'{", ".join(names) or "no gait"} at {speed:.2f} m/s'


def _draw_leg(axes: Axes, row: int, asked: Footfalls, seen: Footfalls) -> None:
    for stances, width, colour in ((asked, TARGET_WIDTH, TARGET),
                                   (seen, MEASURED_WIDTH, MEASURED)):
        spans = [(stances.time[start], stances.time[end - 1] - stances.time[start])
                 for start, end in zip(stances.starts, stances.ends, strict=True)]
        axes.broken_barh(spans, (row - width / 2, width), color=colour, linewidth=0)


def _write_figures(axes: Axes, row: int, asked: tuple[Footfalls, Footfalls],
                   seen: tuple[Footfalls, Footfalls]) -> None:
    """Write duty factor and phase of a leg in the margin, as asked and as seen."""
    for at, pair in ((DUTY_AT, [compute_duty_factor(legs[0]) for legs in (asked, seen)]),
                     (PHASE_AT, [compute_phase(*legs) for legs in (asked, seen)])):
        for value, aside, colour in zip(pair, (-ASIDE, ASIDE), TEXTS, strict=True):
            axes.text(at + aside, row, _number(value), transform=axes.get_yaxis_transform(),
                      color=colour, ha='center', va='center')


def _number(value: float | None) -> str:
    return '-' if value is None else f'{value:.2f}'


def _dress(axes: Axes, recording: Recording) -> None:
    """Name legs, axes, margin and colours."""
    time = recording.time
    axes.set_xlim(float(time[0]), float(time[-1]) + recording.time_step)
    axes.set_ylim(len(LEGS) - 0.5, -0.5)
    axes.set_yticks(np.arange(len(LEGS)), [leg.replace('_', ' ') for leg in LEGS])
    axes.tick_params(axis='y', length=0)
    axes.set_xlabel('time (s)')
    axes.grid(axis='x', color='0.85', linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ('top', 'right', 'left'):
        axes.spines[side].set_visible(False)
    for at, text in ((DUTY_AT, 'duty factor'), (PHASE_AT, 'phase')):
        axes.text(at, HEADER_AT, text, transform=axes.get_yaxis_transform(), ha='center')
    axes.legend(handles=[Patch(color=TARGET, label='stance, target'),
                         Patch(color=MEASURED, label='stance, measured')],
                loc='upper left', bbox_to_anchor=(1.035, -0.06), frameon=False, borderpad=0.0)
