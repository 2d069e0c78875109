"""Where the head looks besides ahead: smoothly to what is asked for, and back."""

from __future__ import annotations

from quadruped_control.compiled import compiled
from quadruped_control.control.records import ClockRecord, TargetRecord

FILTER = 0.15               # s, of each of two low-passes
UNSEEN = 1e-6               # rad


@compiled
def turn_head(now: ClockRecord, goal: TargetRecord, dt: float) -> None:
    """Write the turn of the head; exactly 0 while nothing is looked at."""
    share = dt / FILTER
    for k in range(2):
        now.glance[k] += share * (now.look[k] - now.glance[k])
        now.gaze[k] += share * (now.glance[k] - now.gaze[k])
        if now.look[k] == 0.0 and abs(now.glance[k]) < UNSEEN and abs(now.gaze[k]) < UNSEEN:
            now.glance[k] = now.gaze[k] = 0.0
        goal.look[k] = now.gaze[k]
