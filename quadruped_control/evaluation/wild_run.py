"""A drive run to its end, its falls, and what was held and what not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import atan2, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.skill_numbers import Activity, Mode
from quadruped_control.evaluation.trial import measure
from quadruped_control.evaluation.wild import UP_AFTER, Drive, Ticket, draw_drive
from quadruped_control.evaluation.wild_body import POSTURES, load_body
from quadruped_control.evaluation.wild_things import WALL
from quadruped_control.loading import validate
from quadruped_control.rollout.recording import Recording, find_spans
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

LOOK = 200                              # ticks after which is looked whether to go on
DOWN_TOO_LONG, IN_PIT = 15.0, 3.0       # s after which a run ends
PIT = -1.0                              # m: the bottom of a gap
BEFORE = 3.0                            # s before a fall that are under way when it happens
BLENDED = 1.0                           # s in which a gait counts as changing
AFTER_PUSH, AFTER_LEAP, AFTER_GROUND, AFTER_DEED = 3.0, 2.0, 1.0, 0.5   # s
RISE = 2.5                              # s after a posture
SHORTEST_SPELL = 1.0                    # s of a gait that counts
NEAR = 0.35                             # m around a thing on the ground that count as on it
BEFORE_WALL = 1.5                       # m, likewise: it stops before it
APART = 1.0                             # s between two visits to the same thing

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Episode:
    """Something that was tried from ``begin`` to ``end`` (s), and in which the robot held."""

    kind: str
    what: str
    begin: float
    end: float
    held: bool = True


def run_ticket(ticket: Ticket) -> dict[str, Any]:
    """Draw and run a drive; what a worker process does."""
    return run_drive(draw_drive(ticket))


def run_drive(drive: Drive) -> dict[str, Any]:
    """
    Run a drive until its end, or until the robot lies for too long or is down in a gap.

    The answer has plain values: ``falls`` while driven, each with what was under way, ``start``
    (None unless the robot was dropped: whether it got up), ``episodes``, seconds ``driven``.
    """
    scenario = validate(drive.scenario, Scenario, drive.ticket.name)
    loop = Loop(scenario)
    _run(loop)
    recording = loop.recording
    metrics = measure(loop)
    loop.world.close()
    return judge(drive, recording, metrics)


def _run(loop: Loop) -> None:
    steps = round(loop.scenario.duration / TIME_STEP)
    down = sunk = 0.0
    while loop.recording.count < steps:
        loop.run(min(LOOK, steps - loop.recording.count))
        row = loop.recording.tail(1)
        is_down = int(row.skill[0]) in (Activity.FALLEN, Activity.FALLING, Activity.GETTING_UP)
        down = down + LOOK * TIME_STEP if is_down else 0.0
        is_sunk = float(row.leg_frame_position[0, :, 2].min()) < PIT
        sunk = sunk + LOOK * TIME_STEP if is_sunk else 0.0
        if down > DOWN_TOO_LONG or sunk > IN_PIT:
            break


def judge(drive: Drive, recording: Recording, metrics: dict[str, Any]) -> dict[str, Any]:
    """Return what happened in a drive, see :func:`run_drive`."""
    every = metrics['falls']
    dropped = drive.start == 'drop'
    limit = UP_AFTER * load_body(drive.ticket.robot).similarity.factor('s')
    first = [fall for fall in every if dropped and fall['time'] < limit]
    rose = _find_rise(first, limit) if dropped else None
    falls = [fall for fall in every if fall not in first]
    end = float(recording.time[-1]) + recording.time_step
    spans = [(fall['time'], end if fall['recovered_after'] is None
              else fall['time'] + fall['recovered_after']) for fall in every]
    times = [fall['time'] for fall in falls]
    episodes = [_judge_episode(episode, times) for episode in list_episodes(drive, recording)
                if not any(down <= episode.begin < up for down, up in spans)]
    found = [{**fall, **describe_fall(drive, recording, fall['time'])} for fall in falls]
    return {
        'drive': drive.ticket.name, 'ran': end, 'world': drive.world.kind,
        'driven': end - sum(up - down for down, up in spans), 'start': drive.start,
        'got_up': rose, 'falls': found, 'state_hash': metrics['state_hash'],
        'top_speed': float(np.linalg.norm(
            recording.leg_frame_velocity[:, :, :2].mean(axis=1), axis=1).max()),
        'episodes': [asdict(episode) for episode in episodes]}


def _find_rise(falls: list[dict[str, Any]], limit: float) -> bool:
    """Say whether a robot that was dropped was up in time; it may have landed on its feet."""
    return all(fall['recovered_after'] is not None
               and fall['time'] + fall['recovered_after'] <= limit for fall in falls)


def _judge_episode(episode: Episode, falls: list[float]) -> Episode:
    held = not any(episode.begin <= fall <= episode.end for fall in falls)
    return Episode(episode.kind, episode.what, round(episode.begin, 3), round(episode.end, 3),
                   held)


def list_episodes(drive: Drive, recording: Recording) -> Iterator[Episode]:
    """Give all that was tried in a drive."""
    end = float(recording.time[-1])
    for deed, later in zip(drive.deeds, [*drive.deeds[1:], None], strict=False):
        if deed.begin >= end:
            break
        until = min(deed.end, end) + AFTER_DEED
        yield Episode('command', deed.what, deed.begin, until)
        if deed.what == 'turn':
            yield Episode('turn', name_gait(recording, deed.begin), deed.begin, until)
        if deed.what in POSTURES:
            yield Episode('posture', deed.what, deed.begin, until)
            if later is not None:
                yield Episode('posture', f'up from {deed.what}', later.begin,
                              later.begin + RISE)
    for what, begin, until in _list_gait_spells(recording):
        yield Episode('gait', what, begin, until + AFTER_DEED)
    for push in drive.scenario['pushes']:
        if push['t'] < end:
            until = push['t'] + push['duration'] + AFTER_PUSH
            yield Episode('push', name_gait(recording, push['t']), push['t'], until)
            yield Episode('push from', name_side(push), push['t'], until)
    for begin, until in _list_spans(recording, recording.skill == Activity.LEAPING):
        yield Episode('leap', 'planned' if drive.scenario['leap_planner'] else 'asked for',
                      begin, until + AFTER_LEAP)
    for label, begin, until in _list_visits(drive, recording):
        yield Episode('ground', label, begin, until + AFTER_GROUND)


def _list_spans(recording: Recording, flags: Flags) -> Iterator[tuple[float, float]]:
    for first, last in zip(*find_spans(flags), strict=True):
        yield float(recording.time[first]), float(recording.time[last - 1])


def _list_gait_spells(recording: Recording) -> Iterator[tuple[str, float, float]]:
    """Give gait, begin and end (s) of what lasted, while no posture or leap was played."""
    gait = np.where(recording.mode == Mode.LOCOMOTION, recording.gait, -1)
    changes = np.flatnonzero(np.diff(gait, prepend=-2, append=-2))
    for first, last in pairwise(changes.tolist()):
        spell = (last - first) * recording.time_step
        if 0 <= gait[first] < len(recording.gait_names) and spell >= SHORTEST_SPELL:
            yield (recording.gait_names[gait[first]], float(recording.time[first]),
                   float(recording.time[last - 1]))


def _list_visits(drive: Drive, recording: Recording) -> Iterator[tuple[str, float, float]]:
    """Give label, begin and end (s) of each time that the robot was on a thing or near it."""
    every = 20                          # ticks: a foot does not pass a thing in less
    time = recording.time[::every]
    points = recording.foot_position[::every, :, :2]
    gap = round(APART / (every * recording.time_step))
    for element in drive.world.elements:
        near = np.zeros(len(time), bool)
        around = BEFORE_WALL if element.label == WALL else NEAR
        for feature in element.features:
            inside = np.ones(points.shape[:2], bool)
            for axis, name in enumerate('xy'):
                low, high = feature.get(name, (-np.inf, np.inf))
                at = points[:, :, axis]
                inside &= (at >= low - around) & (at < high + around)
            near |= inside.any(axis=1)
        for first, last in _join(find_spans(near), gap):
            yield element.label, float(time[first]), float(time[last - 1])


def _join(spans: tuple[Any, Any], gap: int) -> Iterator[tuple[int, int]]:
    """Give spans, those as one that are less than so many steps apart."""
    joined: list[list[int]] = []
    for first, last in zip(*spans, strict=True):
        if joined and first - joined[-1][1] < gap:
            joined[-1][1] = int(last)
        else:
            joined.append([int(first), int(last)])
    for first, last in joined:
        yield first, last


def name_gait(recording: Recording, time: float) -> str:
    """Return in which gait the robot was at a time, or between which ones."""
    step = min(round(time / recording.time_step), len(recording) - 1)
    begin = max(step - round(BLENDED / recording.time_step), 0)
    names = [recording.gait_names[gait] for gait in recording.gait[begin:step + 1]
             if 0 <= gait < len(recording.gait_names)]
    found = list(dict.fromkeys(names))
    return ' > '.join(found) if found else 'none'


def name_side(push: dict[str, Any]) -> str:
    """Return towards where a push goes, and at which leg frame."""
    angle = atan2(push['force'][1], push['force'][0])
    sides = ('forward', 'left', 'back', 'right')
    return f'{push["at"]} {sides[round(angle / (pi / 2)) % 4]}'


def describe_fall(drive: Drive, recording: Recording, time: float) -> dict[str, Any]:
    """Return what was under way when a robot fell."""
    step = min(round(time / recording.time_step), len(recording) - 1)
    begin = max(step - round(BEFORE / recording.time_step), 0)
    gaits = [recording.gait_names[gait] for gait in recording.gait[begin:step + 1]
             if 0 <= gait < len(recording.gait_names)]
    part = recording.between(begin, step + 1)
    velocity = part.leg_frame_velocity[-300:, :, :2].mean(axis=(0, 1))
    under_way = sorted({f'{episode.kind} {episode.what}' for episode in
                        list_episodes(drive, recording)
                        if episode.kind in ('push', 'push from', 'ground', 'leap', 'posture')
                        and time - BEFORE <= episode.end and episode.begin <= time})
    x, y, z = recording.leg_frame_position[step].mean(axis=0).tolist()
    asked = ''
    for command in drive.scenario['commands']:
        if command['t'] <= time:
            asked = command.get('gait', asked)
    return {'asked': asked, 'gaits': list(dict.fromkeys(gaits)),
            'speed': round(float(np.linalg.norm(velocity)), 2),
            'command': [round(value, 3) for value in recording.command[max(step - 1, 0)].tolist()],
            'deeds': [deed.what for deed in drive.deeds
                      if deed.begin <= time and deed.end >= time - BEFORE],
            'heading': round(float(recording.leg_frame_rpy[begin, 1, 2]), 2),
            'place': [round(x, 2), round(y, 2), round(z, 2)], 'under_way': under_way}
