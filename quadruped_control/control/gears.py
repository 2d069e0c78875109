"""
From speed to parameters: interpolation within a gear, and the timed shift between two of them.

Walk and trot interpolate well over speed, and so do canter and gallop; from the trot to the canter
they do not (section 4), so that a shift takes its time, whatever the speed does. Nor do two gaits
whose feet land in another order, as the canter and the rotary gallop: half-way both feet of a pair
land at once. There the feet are exchanged while they swing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.control.records import ClockRecord

Array = NDArray[np.float64]
Table = tuple[Array, Array, Array, Array]       # speeds, rows, gears and shift of a GaitTable
SHIFT = 0.3                 # s from one gear to the other, the trot to the canter (section 4)
EXCHANGE = 0.05             # s in which the order changes in which the feet of a pair land
TRIM_RATE = 0.5             # m/s a second that a fast gait asks for more, per m/s it is slower
TRIM_RATE_BEHIND = 0.1      # the same while the aim is held near the speed of a dog far behind


@compiled
def shift_gear(gears: Array, now: ClockRecord, dt: float) -> None:
    """
    Choose the gear by the speed aimed for, and move towards it.

    A table without gears is slow, once what came before it is not blended in any more.

    The fast gear is left where the gait graphs of both match (section 4). Unlike there the shift
    then takes its time: done at once it rolled the dog by a third more.
    """
    if gears[0] == 0.0:
        if now.fade == 1.0:
            now.fast = now.gear = 0.0
        return
    if now.aim[0] > gears[1]:
        now.fast = 1.0
    elif now.aim[0] < gears[2]:
        now.fast = 0.0
    gear: float = now.gear
    if gear == 1.0 and now.fast == 0.0 and not _match(gears, now.phase):
        return
    most = dt / SHIFT
    now.gear = gear + min(max(now.fast - gear, -most), most)


@compiled
def exchange_feet(speeds: Array, gears: Array, swings: float, now: ClockRecord, dt: float) -> None:
    """
    Choose by the speed aimed for in which order the feet land, and change it while they swing.

    It is changed in the fast gear alone; in another one, and as long as two tables are blended, it
    is what it will be.

    :param swings: s until one of the front feet lands; 0 while one stands.
    """
    row = int(gears[5])
    if row == 0:
        return
    if now.aim[0] >= speeds[row]:
        now.exchanged = 1.0
    elif now.aim[0] <= speeds[row - 1]:
        now.exchanged = 0.0
    if now.gear < 1.0 or now.fade == 0.0:
        now.exchange = now.exchanged
    elif now.fade == 1.0 and (0.0 < now.exchange < 1.0 or swings > EXCHANGE):
        most = dt / EXCHANGE
        exchange: float = now.exchange
        now.exchange = exchange + min(max(now.exchanged - exchange, -most), most)


@compiled
def _match(gears: Array, phase: float) -> bool:
    """Say whether both gears stand on the same legs at a phase; if they never do, at any."""
    begin, length = gears[3], gears[4]
    return length == 0.0 or (phase - begin) % 1.0 <= length


@compiled
def trim_speed(anatomy: np.record, gears: Array, commanded: float, now: ClockRecord,
               dt: float) -> None:
    """
    Ask a dog in the fast gear for more than the aim while it is slower, and for less while faster.

    F_v alone leaves an error that grows with speed, as feet brake when they land. Nothing is added
    up while the speed asked for still changes.
    """
    if gears[0] == 0.0 or now.fast == 0.0:
        now.trim = max(abs(now.trim) - dt * TRIM_RATE, 0.0) * np.sign(now.trim)
    elif now.asked == commanded:
        rate = TRIM_RATE if now.aim[0] == commanded else TRIM_RATE_BEHIND
        trim: float = now.trim + dt * rate * (now.aim[0] - now.speed[0])
        now.trim = min(max(trim, -anatomy.most_trim), anatomy.most_trim)


@compiled
def mix_gears(table: Table, weight: float, now: ClockRecord, numbers: Array) -> None:
    """
    Write the parameters of a table for the speed aimed for, its gears mixed during a shift.

    On the way to the fast gear they are changed by the transition controller, most in the middle.
    """
    speeds, rows, gears, shift = table
    first, count = int(gears[0]), speeds.shape[0]
    if first == 0:
        _interpolate(speeds, rows, 0, count, weight, now, numbers)
        return
    if now.gear < 1.0:
        _interpolate(speeds, rows, 0, first, weight, now, numbers)
    row: float = now.row
    _mix_orders(table, weight * now.gear, now, numbers)
    if now.gear < 0.5:
        now.row = row
    if now.fast == 1.0 and now.gear < 1.0:
        share = weight * 4 * now.gear * (1 - now.gear)
        for n in range(shift.shape[0]):
            numbers[n] += share * shift[n]


@compiled
def _mix_orders(table: Table, weight: float, now: ClockRecord, numbers: Array) -> None:
    """Write the parameters of the fast gear for the order in which the feet land."""
    speeds, rows, gears, _ = table
    first, changed, count = int(gears[0]), int(gears[5]), speeds.shape[0]
    if changed == 0:
        _interpolate(speeds, rows, first, count, weight, now, numbers)
    elif now.exchange == 1.0:
        _interpolate(speeds, rows, changed, count, weight, now, numbers)
    else:
        _interpolate(speeds, rows, first, changed, weight, now, numbers)
        row: float = now.row
        if now.exchange > 0.0:          # nothing else is blended meanwhile
            _interpolate(speeds, rows, changed, count, now.exchange, now, numbers)
        if now.exchange < 0.5:
            now.row = row


@compiled
def _interpolate(speeds: Array, rows: Array, first: int, end: int, weight: float, now: ClockRecord,
                 numbers: Array) -> None:
    """
    Write P = (1 - alpha) P_slow + alpha P_fast for the speed aimed for (section 4).

    :param first: row of the table to begin with, and one past the last.
    :param weight: 1 writes it, less adds so much of it to the rest of what is there.
    """
    speed = abs(now.aim[0])
    last = end - 1
    fast = first
    while fast < last and speeds[fast] < speed:
        fast += 1
    slow = max(fast - 1, first)
    part = 0.0
    if speeds[fast] > speeds[slow]:
        part = min(max((speed - speeds[slow]) / (speeds[fast] - speeds[slow]), 0.0), 1.0)
    now.row = fast if part >= 0.5 else slow
    if weight == 0.0:
        return
    for n in range(numbers.shape[0]):
        value = (1 - part) * rows[slow, n] + part * rows[fast, n]
        numbers[n] = value if weight == 1.0 else (1 - weight) * numbers[n] + weight * value
