"""What drives in the wild come to: falls a minute, and the share of each kind that was held."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quadruped_control.evaluation.failure_file import write_failure
from quadruped_control.evaluation.intervals import (
    describe_share,
    find_rate_interval,
    find_share_interval,
)
from quadruped_control.evaluation.wild import UP_AFTER, Ticket, draw_drive

ALLOWED = {'flat': 0.05, 'mixed': 0.2}      # falls a minute
KINDS = ('gait', 'command', 'turn', 'push', 'push from', 'posture', 'leap', 'ground', 'world',
         'dropped')
OFTEN = 3                   # times that a change from gait to gait must come to be a row
COLUMNS = ('kind', 'what', 'held', 'share')

Result = dict[str, Any]
Row = dict[str, Any]


def is_failure(result: Result) -> bool:
    """Say whether a robot fell while driven, or did not get up when it was dropped."""
    return bool(result['falls']) or result['got_up'] is False


def summarise(results: Sequence[Result]) -> list[Row]:
    """Return a row for each kind of thing that was tried."""
    counts: dict[tuple[str, str], list[bool]] = {}
    for result in results:
        for episode in result['episodes']:
            counts.setdefault((episode['kind'], episode['what']), []).append(episode['held'])
        counts.setdefault(('world', result['world']), []).append(not result['falls'])
        if result['got_up'] is not None:
            counts.setdefault(('dropped', 'got up'), []).append(result['got_up'])
        for fall in result['falls']:
            if fall['recovered_after'] is not None or fall['time'] + UP_AFTER <= result['ran']:
                counts.setdefault(('dropped', 'got up after a fall'), []).append(
                    fall['recovered_after'] is not None)
    ordered = sorted(counts, key=lambda key: (KINDS.index(key[0]), key[1]))
    return [_row(*key, counts[key]) for key in ordered]


def _row(kind: str, what: str, held: list[bool]) -> Row:
    return {'kind': kind, 'what': what, 'held': sum(held), 'of': len(held),
            'interval': find_share_interval(sum(held), len(held))}


def count_falls(results: Sequence[Result], ground: str) -> Row:
    """Return how often robots fell while they were driven, and the exact interval of the rate."""
    falls = sum(len(result['falls']) for result in results)
    minutes = sum(result['driven'] for result in results) / 60
    return {'drives': len(results), 'falls': falls, 'driven_minutes': round(minutes, 3),
            'falls_a_minute': falls / minutes if minutes else None,
            'interval': find_rate_interval(falls, minutes) if minutes else None,
            'allowed': ALLOWED[ground],
            'passes': bool(minutes) and falls / minutes <= ALLOWED[ground]}


def describe_rate(rate: Row) -> str:
    """Say it in a line."""
    if rate['falls_a_minute'] is None:
        return 'nothing was driven'
    low, high = rate['interval']
    return (f'{rate["falls"]} falls in {rate["driven_minutes"]:.1f} minutes driven: '
            f'{rate["falls_a_minute"]:.3f} a minute ({low:.3f} to {high:.3f}), allowed '
            f'{rate["allowed"]:g}: {"holds" if rate["passes"] else "does NOT hold"}')


def list_shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows worth a line: all but rare changes between gaits that were held."""
    return [row for row in rows if '>' not in row['what'] or row['of'] >= OFTEN
            or row['held'] < row['of']]


def cells(row: Row) -> list[str]:
    """Return the row as texts in the order of COLUMNS."""
    return [row['kind'], row['what'], f'{row["held"]}/{row["of"]}',
            describe_share(row['held'], row['of'])]


def describe_fall(fall: dict[str, Any]) -> str:
    """Say in a line when a robot fell, and what was under way."""
    rose = fall['recovered_after']
    after = 'down to the end' if rose is None else f'up after {rose:.1f} s'
    return (f't = {fall["time"]:.2f} s, {after}: asked {fall["asked"]}, in '
            f'{" > ".join(fall["gaits"])} at {fall["speed"]:.1f} m/s, '
            f'{", ".join([*dict.fromkeys(fall["deeds"]), *fall["under_way"]])}')


def write_failure_of(folder: Path, ticket: Ticket, result: Result) -> Path:
    """Write the drive of a ticket as a scenario file that repeats its falls."""
    drive = draw_drive(ticket)
    lines = [describe_fall(fall) for fall in result['falls']]
    lines += ['it did not get up after it was dropped'] if result['got_up'] is False else []
    times = [fall['time'] + (fall['recovered_after'] or 0.0) for fall in result['falls']]
    dropped = drive.start == 'drop'
    return write_failure(folder, ticket.name, drive.scenario,
                         until=drive.scenario['duration'] if dropped else max(times),
                         remarks=[f'evaluate wild --terrain {ticket.ground} --seed {ticket.seed}, '
                                  f'drive {ticket.number}: {result["world"]}', *lines],
                         expects=not dropped)
