"""Small charts as SVG: the gait graph of Figure 4, and lines over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
WIDTH, MARGIN = 320, 38         # of all charts; left of the axis
ROW, BAR, GAP = 22, 8, 1        # of the gait graph: a leg, a bar, between the bars
HEIGHT, FOOT = 84, 14           # of a chart of lines; below its axis
LEG_NAMES = ('FL', 'FR', 'RL', 'RR')
TARGET, MEASURED = '#9ec3ea', '#1d4f8c'
COLOURS = ('#1d4f8c', '#c2571a', '#2f8f4e', '#8b3fa8', '#b8901a', '#117f8c', '#a03050')
STYLE = 'font-family:system-ui,sans-serif;font-size:10px'
INK = '#777'


class Line(NamedTuple):
    """A line of a chart: its name, values, and whether it is what is asked for."""

    name: str
    values: Floats
    is_target: bool = False


def draw_gait_graph(times: Floats, stance: Floats, contact: Floats, span: float) -> str:
    """
    Draw when legs should stand (light) and do (dark), over the last span (s), the newest right.

    :param stance: (n, 4) true where a leg should carry weight.
    :param contact: (n, 4) true where a foot carries weight.
    """
    height = 4 * ROW + FOOT
    parts = [_axis(span, 4 * ROW)]
    for leg, name in enumerate(LEG_NAMES):
        top = leg * ROW + 2
        parts.append(_text(MARGIN - 6, top + ROW / 2 + 2, name, 'end'))
        for k, (flags, colour) in enumerate(((stance, TARGET), (contact, MEASURED))):
            y = top + k * (BAR + GAP)
            parts += [f'<rect x="{a:.1f}" y="{y}" width="{b - a:.1f}" height="{BAR}" '
                      f'fill="{colour}" rx="1"/>' for a, b in _bars(times, flags, leg, span)]
    return _frame(height, parts)


def _bars(times: Floats, flags: Floats, leg: int, span: float) -> list[tuple[float, float]]:
    """Return from and to where each stretch of true flags goes, in the picture."""
    if len(times) < 2:
        return []
    now = times[-1]
    padded = np.concatenate(([False], flags[:, leg] > 0.5, [False])).astype(int)
    edges = np.diff(padded)
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    x = MARGIN + (WIDTH - MARGIN) * np.clip(1.0 + (times - now) / span, 0.0, 1.0)
    return [(float(x[a]), float(x[b])) for a, b in zip(begins, ends, strict=True) if x[b] > x[a]]


def draw_lines(times: Floats, lines: Sequence[Line], span: float,
               least: tuple[float, float]) -> str:
    """
    Draw values over the last span (s), the newest right.

    :param least: range of values that is shown at least.
    """
    height = HEIGHT + FOOT
    known = [line.values[np.isfinite(line.values)] for line in lines]
    low = min([least[0], *(float(values.min()) for values in known if len(values))])
    high = max([least[1], *(float(values.max()) for values in known if len(values))])
    parts = [_axis(span, HEIGHT)]
    for value in (low, high):
        parts.append(_text(MARGIN - 4, _at(value, low, high) + 4, f'{value:.3g}', 'end'))
    colours = iter(COLOURS)
    x = MARGIN + 4.0
    for line in lines:
        colour = TARGET if line.is_target else next(colours)
        parts.append(_polyline(times, line.values, span, (low, high), colour))
        parts.append(f'<text x="{x:.0f}" y="9" style="{STYLE}" fill="{colour}">'
                     f'{line.name}</text>')
        x += 5.6 * len(line.name) + 6 if line.name else 0.0
    return _frame(height, parts)


def _polyline(times: Floats, values: Floats, span: float, limits: tuple[float, float],
              colour: str) -> str:
    if len(times) < 2:
        return ''
    x = MARGIN + (WIDTH - MARGIN) * (1.0 + (times - times[-1]) / span)
    inside = (x >= MARGIN) & np.isfinite(values)
    pixels = np.column_stack((x[inside], _at(values[inside], *limits)))
    points = ' '.join(['%.1f,%.1f'] * len(pixels)) % tuple(pixels.ravel().tolist())
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def _at(value: Any, low: float, high: float) -> Any:
    """Return where a value, or an array of them, is in the height of a chart."""
    return 12.0 + (HEIGHT - 16.0) * (1.0 - (value - low) / max(high - low, 1e-9))


@cache
def _axis(span: float, bottom: float) -> str:
    marks = ''.join(
        f'<line x1="{x:.0f}" y1="0" x2="{x:.0f}" y2="{bottom}" stroke="#8884" '
        'stroke-width="1"/>'
        + _text(min(x, WIDTH - 8), bottom + 11, f'{second - span:g} s' if second < span else '0',
                'middle')
        for second in np.linspace(0.0, span, 5)
        for x in [MARGIN + (WIDTH - MARGIN) * second / span])
    return (f'<rect x="{MARGIN}" y="0" width="{WIDTH - MARGIN}" height="{bottom}" '
            f'fill="#8881"/>{marks}')


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (f'<text x="{x:.0f}" y="{y:.0f}" style="{STYLE}" fill="{INK}" '
            f'text-anchor="{anchor}">{words}</text>')


def _frame(height: float, parts: Sequence[str]) -> str:
    return (f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" '
            f'style="display:block;padding:2px 8px">{"".join(parts)}</svg>')
