"""Leaps in a recording: when each was asked for, when it flew and landed, how high and far."""

from __future__ import annotations

from quadruped_control.control.skill_numbers import Activity
from quadruped_control.rollout.events import LeapEvent
from quadruped_control.rollout.leap_outcome import find_leaps, measure_leap
from quadruped_control.rollout.recording import Recording

RECOVERY_TIME = 1.0         # s after a leap in which the dog may not fall


def find_leap_events(recording: Recording) -> list[LeapEvent]:
    """Return all leaps; what did not come about stays None."""
    return [_describe(recording, begin, end) for begin, end in find_leaps(recording)]


def _describe(recording: Recording, begin: int, end: int) -> LeapEvent:
    asked, time = float(recording.asked_at[begin]), recording.time
    outcome = measure_leap(recording, begin, end)
    if outcome is None:
        return LeapEvent(asked)
    later = min(end + round(RECOVERY_TIME / recording.time_step), len(recording))
    rise = recording.centre_of_mass[outcome.lift_off:outcome.touch + 1, 2]
    return LeapEvent(asked, takeoff=float(time[outcome.lift_off]),
                     landing=float(time[outcome.touch]), height=float(rise.max() - rise[0]),
                     distance=outcome.distance,
                     recovered=bool((recording.skill[end:later] == Activity.STAND).all()))
