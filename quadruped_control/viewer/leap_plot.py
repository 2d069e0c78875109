"""Plots of a leap dictionary: what it covers, and what the planner chooses (figure 11)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import ARC, LeapDictionary
from quadruped_control.leaps.obstacles import Obstacle, find_obstacles
from quadruped_control.leaps.planner import Planner

Array = NDArray[np.float64]
SPACING = 0.05              # m of the profile
STRIDE_TIME = 0.4           # s
FASTEST = 1.8               # m/s, the end of the colours
LOOK_AHEAD = 3.0            # m before an obstacle at which the plan is made


def write_leap_plot(path: Path, dictionary: LeapDictionary) -> None:
    """Write a PNG of height, distance and speed of all leaps, and of choices on a profile."""
    figure = Figure(figsize=(11.0, 7.5), dpi=110)
    above, below = figure.subplots(2, 1)
    _draw_coverage(figure, above, dictionary)
    _draw_choices(below, dictionary)
    figure.tight_layout()
    figure.savefig(path)


def _draw_coverage(figure: Figure, axes: Axes, dictionary: LeapDictionary) -> None:
    shown = axes.scatter(dictionary.column('distance'), dictionary.column('height'), s=20,
                         c=dictionary.column('speed'), vmin=0.0, vmax=FASTEST)
    figure.colorbar(shown, ax=axes, label='approach speed v (m/s)')
    axes.set_xlabel('distance d (m)')
    axes.set_ylabel('height h (m)')
    axes.set_title(f'{len(dictionary)} leaps')


def make_profile() -> tuple[Array, Array]:
    """Return places and heights of a profile with a gap, a barrier, a platform up and down."""
    x = np.arange(0.0, 20.0, SPACING)
    z = np.zeros(len(x))
    z[(x > 4.0) & (x < 4.4)] = -0.6
    z[(x > 8.5) & (x < 8.6)] = 0.15
    z[(x > 12.5) & (x < 16.5)] = 0.2
    return x, z


def _draw_choices(axes: Axes, dictionary: LeapDictionary) -> None:
    x, z = make_profile()
    axes.fill_between(x, z, -0.8, color='0.8', step='post')
    planner = Planner(dictionary)
    speed = float(np.median(dictionary.column('speed')))
    for obstacle in find_obstacles(z, SPACING, dictionary.measures.obstacles):
        _draw_plan(axes, planner, obstacle, float(np.interp(obstacle.begin, x, z)), speed)
    axes.set_ylim(-0.8, 1.2)
    axes.set_xlabel('m')
    axes.set_title('choices of the planner: arcs of the lowest foot; refused: red')


def _draw_plan(axes: Axes, planner: Planner, obstacle: Obstacle, level: float,
               speed: float) -> None:
    """Draw the leap over an obstacle, planned some way before it."""
    hips = obstacle.begin - LOOK_AHEAD
    plan = planner.plan_over(obstacle.moved(-hips), speed=speed, stride_time=STRIDE_TIME)
    if plan.is_refusal:
        axes.axvline(obstacle.begin, color='tab:red')
        return
    rows = planner.dictionary
    places = hips + plan.start + np.linspace(rows.column('take_off')[plan.leap],
                                             rows.column('landing')[plan.leap], ARC)
    axes.plot(places, level + rows.arcs[plan.leap], color='tab:blue')
    axes.plot(places[[0, -1]], level + rows.arcs[plan.leap][[0, -1]], 'o', color='tab:blue')
    axes.text(float(places[0]), level + 0.5, f'{obstacle.kind}\nv {plan.speed:.2f} m/s')
