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
    parts = [_axis(span, 4 * ROW), _leg_names()]
    for k, (flags, colour) in enumerate(((stance, TARGET), (contact, MEASURED))):
        shape = f'height="{BAR}" fill="{colour}" rx="1"/>'
        parts += [f'<rect x="{a:.1f}" y="{leg * ROW + 2 + k * (BAR + GAP)}" width="{b - a:.1f}" '
                  + shape for leg, a, b in _bars(times, flags, span)]
    return _frame(4 * ROW + FOOT, parts)


@cache
def _leg_names() -> str:
    return ''.join(_text(MARGIN - 6, leg * ROW + 2 + ROW / 2 + 2, name, 'end')
                   for leg, name in enumerate(LEG_NAMES))


def _bars(times: Floats, flags: Floats, span: float) -> list[tuple[int, float, float]]:
    """Return for each stretch of true flags its leg, and from and to where it goes."""
    if len(times) < 2:
        return []
    padded = np.zeros((len(LEG_NAMES), len(times) + 2), np.int8)
    padded[:, 1:-1] = flags.T > 0.5
    edges = np.diff(padded, axis=1)
    legs, begins = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1] - 1
    x = MARGIN + (WIDTH - MARGIN) * np.clip(1.0 + (times - times[-1]) / span, 0.0, 1.0)
    bars = zip(legs.tolist(), x[begins].tolist(), x[ends].tolist(), strict=True)
    return [bar for bar in bars if bar[2] > bar[1]]


def draw_lines(times: Floats, lines: Sequence[Line], span: float,
               least: tuple[float, float]) -> str:
    """
    Draw values over the last span (s), the newest right.

    :param least: range of values that is shown at least.
    """
    values = np.array([line.values for line in lines]).reshape(len(lines), len(times))
    known = values[np.isfinite(values)]
    low, high = least
    if len(known):
        low, high = min(low, float(known.min())), max(high, float(known.max()))
    parts = [_axis(span, HEIGHT)]
    for value in (low, high):
        parts.append(_text(MARGIN - 4, _at(value, low, high) + 4, f'{value:.3g}', 'end'))
    colours = iter(COLOURS)
    at = MARGIN + 4.0
    x = MARGIN + (WIDTH - MARGIN) * (1.0 + (times - times[-1:]) / span)
    heights = _at(values, low, high)
    for line, y in zip(lines, heights, strict=True):
        colour = TARGET if line.is_target else next(colours)
        parts.append(_polyline(x, y, colour))
        parts.append(f'<text x="{at:.0f}" y="9" style="{STYLE}" fill="{colour}">'
                     f'{line.name}</text>')
        at += 5.6 * len(line.name) + 6 if line.name else 0.0
    return _frame(HEIGHT + FOOT, parts)


def _polyline(x: Floats, y: Floats, colour: str) -> str:
    """Draw a line through places that are in the picture, and known."""
    inside = (x >= MARGIN) & np.isfinite(y)
    if np.count_nonzero(inside) < 2:
        return ''
    pixels = np.empty(2 * np.count_nonzero(inside))
    pixels[::2], pixels[1::2] = x[inside], y[inside]
    points = ' '.join(['%.1f,%.1f'] * (len(pixels) // 2)) % tuple(pixels.tolist())
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
