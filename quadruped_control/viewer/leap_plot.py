"""Plots of a leap dictionary, like figure 11 of the paper: coverage, and the arcs of the feet."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quadruped_control.leaps.dictionary import ARC, LeapDictionary


def write_leap_plot(path: Path, dictionary: LeapDictionary) -> None:
    """Write a picture of all leaps: height and distance by speed, and the way of their feet."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4.5))
    speeds = dictionary.column('speed')
    shown = left.scatter(dictionary.column('distance'), dictionary.column('height'), c=speeds,
                         s=18)
    figure.colorbar(shown, ax=left, label='approach speed (m/s)')
    left.set_xlabel('distance d (m)')
    left.set_ylabel('height h (m)')
    left.set_title(f'{len(dictionary)} leaps')
    order = np.argsort(dictionary.column('distance'))
    for n in order[:: max(1, len(order) // 20)]:
        places = np.linspace(dictionary.column('take_off')[n], dictionary.column('landing')[n],
                             ARC)
        right.plot(places, dictionary.arcs[n], color=pyplot.cm.viridis(speeds[n] / 1.8))
    right.set_xlabel('from the hips at the begin (m)')
    right.set_ylabel('lowest foot (m)')
    right.set_title('arcs of the feet')
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
