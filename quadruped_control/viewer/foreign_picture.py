"""A foreign robot's skeleton in its standing pose, from the left and from above."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quadruped_control.model.foreign_robot import ForeignRobot
from quadruped_control.model.foreign_tree import Array

COLOURS = {'front_left': '#d1495b', 'front_right': '#edae49', 'rear_left': '#00798c',
           'rear_right': '#30638e'}
VIEWS = ((0, 2, 'from the left', 'forward, m', 'up, m'),
         (0, 1, 'from above', 'forward, m', 'left, m'))


def draw(robot: ForeignRobot, path: Path) -> None:
    """Write a PNG picture, legs with their names."""
    figure = Figure(figsize=(11, 5), layout='constrained')
    FigureCanvasAgg(figure)
    places = _place(robot)
    for number, (across, up, title, *labels) in enumerate(VIEWS):
        axes = figure.add_subplot(1, 2, number + 1)
        _draw_tree(axes, robot, places, across, up)
        _draw_legs(axes, robot, places, across, up)
        axes.set(title=title, xlabel=labels[0], ylabel=labels[1], aspect='equal')
        axes.margins(0.12)
        axes.grid(alpha=0.3)
    figure.suptitle(f'{robot.name}: {robot.mass:.1f} kg')
    figure.savefig(path, dpi=110)


def _place(robot: ForeignRobot) -> dict[str, Array]:
    """Return where the links' origins are in the standing pose, in which frames are parallel."""
    places: dict[str, Array] = {}
    for link in robot.links:
        parent = np.zeros(3) if link.parent is None else places[link.parent]
        places[link.name] = parent + link.origin
    return places


def _draw_tree(axes: Any, robot: ForeignRobot, places: dict[str, Array], across: int, up: int
               ) -> None:
    for link in robot.links:
        if link.parent is not None:
            ends = np.array([places[link.parent], places[link.name]])
            axes.plot(ends[:, across], ends[:, up], color='0.6', linewidth=1.5)
        centre = places[link.name] + link.centre_of_mass
        axes.scatter(centre[across], centre[up], s=40 * link.mass, color='0.85', zorder=0)


def _draw_legs(axes: Any, robot: ForeignRobot, places: dict[str, Array], across: int, up: int
               ) -> None:
    for leg in robot.legs:
        foot = places[leg.links[2]] + leg.foot.centre
        points = np.array([*(places[name] for name in leg.links), foot])
        axes.plot(points[:, across], points[:, up], 'o-', color=COLOURS[leg.name], linewidth=3,
                  markersize=4, label=leg.name, alpha=0.8)
        angles = np.linspace(0, 2 * np.pi, 60)
        axes.plot(foot[across] + leg.foot.radius * np.cos(angles),
                  foot[up] + leg.foot.radius * np.sin(angles), color=COLOURS[leg.name])
        if up == 1:
            axes.annotate(leg.name, (foot[across], foot[up]), textcoords='offset points',
                          xytext=(0, 12 if 'left' in leg.name else -18), ha='center')
    if up == 2:
        axes.legend(fontsize='small')
