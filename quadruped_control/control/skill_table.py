"""
Every legal transition between skills in one table, and the way from any state to any other.

The README shows the same table; a test compares them.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

STAND, SIT, LIE, FALLEN = 0, 1, 2, 3
STATES = ('stand', 'sit', 'lie', 'fallen')
REQUESTS = ('stand', 'sit', 'lie_down', 'get_up', 'leap')
NONE = -1

# What the dog is doing: at rest in a state, or on the way from one to another.
ACTIVITIES = (*STATES, 'sitting_down', 'lying_down', 'standing_up', 'falling', 'getting_up',
              'leaping')
FALLING, GETTING_UP, LEAPING = (ACTIVITIES.index(name)
                                for name in ('falling', 'getting_up', 'leaping'))

# Files of a robot's postures/: those of the table, then what falling and getting up consist of.
MOTIONS = ('sit', 'lie_down', 'lie_down_from_sit', 'stand_from_sit', 'stand_from_lie',
           'fall', 'roll_off_back', 'roll_over', 'gather', 'push_up')
FALL, ROLL_OFF_BACK, ROLL_OVER, GATHER, PUSH_UP = range(MOTIONS.index('fall'), len(MOTIONS))


LEAP = 'leap'


class Transition(NamedTuple):
    """From a state by a request to another state, played by a motion."""

    state: str
    request: str
    motion: str
    activity: str
    goal: str


TRANSITIONS = (
    Transition('stand', 'sit', 'sit', 'sitting_down', 'sit'),
    Transition('stand', 'lie_down', 'lie_down', 'lying_down', 'lie'),
    Transition('sit', 'lie_down', 'lie_down_from_sit', 'lying_down', 'lie'),
    Transition('sit', 'stand', 'stand_from_sit', 'standing_up', 'stand'),
    Transition('lie', 'stand', 'stand_from_lie', 'standing_up', 'stand'),
    Transition('lie', 'get_up', 'gather', 'getting_up', 'stand'),
    Transition('fallen', 'get_up', 'gather', 'getting_up', 'stand'),
)
# requests that ask for what is there already, by state
SAME = {'stand': 'stand', 'sit': 'sit', 'lie_down': 'lie', 'get_up': 'stand'}


# what falling, and getting up from however the dog lies, consist of
GET_UP_PARTS = frozenset({'roll_off_back', 'roll_over', 'gather', 'push_up'})


def motions_of(transition: Transition) -> frozenset[str]:
    """Return the motions that a transition may play."""
    return GET_UP_PARTS if transition.activity == 'getting_up' else frozenset({transition.motion})


def find_transition(state: str, request: str) -> Transition | None:
    """Return what a request does in a state, or None where it is not legal."""
    for transition in TRANSITIONS:
        if (transition.state, transition.request) == (state, request):
            return transition
    return None


def name_motion_to(state: str) -> str:
    """Return the motion by which a standing dog takes a posture."""
    return next(row.motion for row in TRANSITIONS if (row.state, row.goal) == ('stand', state))


def find_way(state: str, request: str) -> tuple[str, ...]:
    """Return the shortest row of requests that ends with this one; empty if there is none."""
    waiting: deque[tuple[str, tuple[str, ...]]] = deque([(state, ())])
    seen = {state}
    while waiting:
        here, way = waiting.popleft()
        if find_transition(here, request) or (request == 'leap' and here == 'stand'):
            return (*way, request)
        for transition in TRANSITIONS:
            if transition.state == here and transition.goal not in seen:
                seen.add(transition.goal)
                waiting.append((transition.goal, (*way, transition.request)))
    return ()
