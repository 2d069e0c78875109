"""Postures as the compiled scheduler reads them: a row for each phase, and the mirrored rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait import as_numbers
from quadruped_control.control.posture import BallPose, FramePhase, LegPose, Phase, Pose, Posture
from quadruped_control.control.records import TargetRecord, target_type
from quadruped_control.control.skill_numbers import Condition
from quadruped_control.kinematics.record_class import make_record
from quadruped_control.kinematics.records import FRONT, LEGS, OTHER_SIDE, REAR

Array = NDArray[np.float64]
LEG_KEYS = ('pitch', 'out', 'turn', 'knee', 'ankle')
BALL_KEYS = ('pitch', 'roll', 'yaw')
SIDEWAYS = (1, 2)                   # of a leg's pose: out and turn


@cache
def phase_type() -> np.dtype:
    """One phase; ``end`` are the numbers of a target, not a number where it says nothing."""
    return np.dtype((np.record, np.dtype([
        ('duration', 'f8'),
        ('until', 'f8'),                              # of Condition
        ('last', 'f8'),                               # 1: the motion ends with it
        ('steps', 'f8', (4,)),                        # 1: the leg steps
        ('lift', 'f8'),
        ('posed', 'f8'),                              # 1: joint angles, 0: leg frames and feet
        ('standing', 'f8'),
        ('speed', 'f8', (2,)),                        # forward, of the leg frames, m/s
        ('foot_place', 'f8', (4, 2)),
        ('end', 'f8', (target_type().itemsize // 8,)),
    ], align=True)))


def tabulate_postures(postures: Sequence[Posture], anatomy: np.record) -> NDArray[np.record]:
    """
    Return the phases of all motions one after the other, then all of them mirrored.

    :param anatomy: of the body whose feet they place.
    """
    rows = [row for posture in postures for row in _flatten(posture, anatomy)]
    every = [*rows, *(_mirror(row) for row in rows)]
    table: NDArray[np.record] = np.zeros(len(every), phase_type())
    for n, row in enumerate(every):
        table[n] = row
    return table


def find_first_phases(postures: Sequence[Posture | None]) -> NDArray[np.int64]:
    """Return the row of each motion's first phase; -1 of one that there is not."""
    counts = [0 if posture is None else len(posture.phases) for posture in postures]
    first = np.cumsum([0, *counts[:-1]], dtype=np.int64)
    return np.where(np.array(counts) > 0, first, -1)


def write_end(phases: NDArray[np.record], target: TargetRecord) -> None:
    """Write the target that a motion leaves behind, given its phases and maybe more after them."""
    numbers = as_numbers(target)
    for phase in phases:
        end = phase['end']
        numbers[:] = np.where(np.isnan(end), numbers, end)
        target['posed'] = phase['posed']
        if phase['last'] == 1.0:
            break
    target['stance'] = 1.0


def _flatten(posture: Posture, anatomy: np.record) -> list[np.record]:
    rows = []
    for n, phase in enumerate(posture.phases):
        row: np.record = np.zeros(1, phase_type())[0]
        row['duration'], row['until'] = phase.duration, Condition[phase.until.upper()]
        row['last'], row['lift'] = float(n == len(posture.phases) - 1), phase.lift
        row['steps'] = [float(leg in phase.steps) for leg in LEGS]
        target = _make_target(phase, anatomy)
        row['posed'], row['standing'] = float(phase.pose is not None), target['standing']
        row['speed'] = phase.front.speed or 0.0, phase.rear.speed or 0.0
        row['foot_place'] = target['foot_place']
        row['end'] = as_numbers(target)
        rows.append(row)
    return rows


def _make_target(phase: Phase, anatomy: np.record) -> TargetRecord:
    target = make_record(TargetRecord)
    as_numbers(target)[:] = np.nan
    for frame, said in ((FRONT, phase.front), (REAR, phase.rear)):
        _write_frame(target, frame, said)
    for leg, name in enumerate(LEGS):
        if name in phase.feet:
            place, out = phase.feet[name], 1.0 if leg % 2 == 0 else -1.0
            target['foot_place'][leg] = anatomy['foot_place'][leg] + (
                place.ahead, out * place.outward)
    target['placement'], target['tracking'] = 0.0, anatomy['step_tracking']
    target['yaw_rate'] = 0.0
    for key, value in (('standing', phase.standing), ('head_pitch', phase.head_pitch)):
        if value is not None:
            target[key] = value
    if phase.pose is not None:
        _write_pose(target, phase.pose)
    return target


def _set(target: TargetRecord, key: str, place: object, value: object) -> None:
    if value is not None:
        target[key][place] = value


def _write_frame(target: TargetRecord, frame: int, said: FramePhase) -> None:
    for key in ('height', 'weight_share', 'height_gain', 'velocity_gain'):
        _set(target, key, frame, getattr(said, key))
    _set(target, 'rpy', (frame, 0), said.twist)
    _set(target, 'rpy', (frame, 1), said.pitch)
    for leg in (2 * frame, 2 * frame + 1):
        _set(target, 'pastern_pitch', leg, said.pastern_pitch)
        target['leg_force'][leg, :, 0] = (said.forward or 0.0) / 2
        target['leg_force'][leg, :, 1] = (said.up or 0.0) / 2


def _write_pose(target: TargetRecord, pose: Pose) -> None:
    target['stiffness'], target['damping'] = pose.stiffness, pose.damping
    for leg, name in enumerate(LEGS):
        pair: LegPose = pose.front if leg < 2 else pose.rear
        for said in (pair, getattr(pose, name)):
            for n, key in enumerate(LEG_KEYS):
                value, sign = getattr(said, key), -1.0 if leg % 2 and n in SIDEWAYS else 1.0
                _set(target, 'leg_pose', (leg, n), None if value is None else sign * value)
    for part in ('spine', 'neck', 'tail'):
        ball: BallPose = getattr(pose, part)
        for n, key in enumerate(BALL_KEYS):
            _set(target, f'{part}_pose', n, getattr(ball, key))


def _mirror(row: np.record) -> np.record:
    """Return the phase with left and right exchanged."""
    other = row.copy()
    other['steps'] = row['steps'][OTHER_SIDE]
    target = make_record(TargetRecord)
    as_numbers(target)[:] = row['end']
    for key in ('foot_place', 'pastern_pitch', 'leg_force', 'leg_pose'):
        target[key] = target[key][OTHER_SIDE]
    target['foot_place'][:, 1] *= -1
    target['rpy'][:, 0] *= -1
    target['leg_pose'][:, SIDEWAYS] *= -1
    for part in ('spine', 'neck', 'tail'):
        target[f'{part}_pose'][1:] *= -1
    other['foot_place'] = target['foot_place']
    other['end'] = as_numbers(target)
    return other
