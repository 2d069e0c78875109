"""Maps of the ground around the robot, as they come to the controller."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from std_msgs.msg import Float64MultiArray

from quadruped_control.leaps.scouting import LOOK, SCAN_EVERY
from quadruped_control.nodes.graph_node import GraphNode, Setting
from quadruped_control.nodes.layout import read_numbers
from quadruped_control.nodes.map_message import Measured, read_map
from quadruped_control.nodes.qos import LATCHED
from quadruped_control.terrain.local_map import LocalMap

MOST_RUNS = 4                   # of which a map is kept, for those that are not followed yet
MAP_SETTINGS = {
    'map_timeout': Setting(0.4, 'wall s without a map of the ground until the robot goes on by '
                                'the last one', 0.05, 60.0),
}


class MapLink:
    """
    Lets a controller know the ground around it, in lock-step the same as in one process.

    A map takes effect ``LOOK`` steps after it was measured, the first of a run at once.

    :param resume: called when a step that had to wait may go on.
    """

    def __init__(self, node: GraphNode, resume: Callable[[], None], *, lock_step: bool) -> None:
        self._node, self._resume, self._lock_step = node, resume, lock_step
        self._maps: dict[float, Measured] = {}              # the newest of each run
        self._entered: Measured | None = None
        self._awaited, self._since = (-1, 0.0), monotonic()
        self._waits = True              # not after a miss, until the next map
        self.missed = 0
        node.create_subscription(Float64MultiArray, '/height_map', self._on_map, LATCHED,
                                 raw=True)

    def has(self, run: float) -> bool:
        """Say whether any map of a run has come."""
        return run in self._maps

    def is_ready(self, step: int, run: float) -> bool:
        """Say whether the map that a step goes by has come, or is not waited for any more."""
        newest = self._maps.get(run)
        if newest is None:
            return False
        due = self._lock_step and self._waits and _takes_effect(step)
        if not due or newest.step >= step - LOOK:
            return True
        if self._awaited != (step, run):
            self._awaited, self._since = (step, run), monotonic()
        if monotonic() - self._since < self._node.setting('map_timeout'):
            return False
        self.missed, self._waits = self.missed + 1, False
        self._node.get_logger().warning('no map of the ground: going on by the last one')
        return True

    def find_new(self, step: int, run: float) -> LocalMap | None:
        """Return the map that takes effect at a step that is ready, if one does."""
        newest, entered = self._maps[run], self._entered
        is_first = entered is None or entered.run != run
        if newest is entered or not (is_first or not self._lock_step or _takes_effect(step)):
            return None
        self._entered = newest
        return newest.map

    def _on_map(self, raw: bytes) -> None:
        measured = read_map(read_numbers(raw))
        if measured is None:
            self._node.refuse('/height_map: not of this version, or not finite')
            return
        self._maps[measured.run] = measured
        while len(self._maps) > MOST_RUNS:
            del self._maps[min(self._maps)]
        self._waits = True
        self._resume()


def _takes_effect(step: int) -> bool:
    return step > SCAN_EVERY and step % SCAN_EVERY == LOOK
