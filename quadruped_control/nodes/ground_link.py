"""Scans of the ground ahead, as they come to the scheduler, and what it says of them."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from std_msgs.msg import Float64MultiArray, String

from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.scouting import LOOK, PLAIN, SCAN_EVERY, Scan
from quadruped_control.model.robot import Robot
from quadruped_control.nodes.graph_node import GraphNode
from quadruped_control.nodes.layout import ScanLayout, read_numbers
from quadruped_control.nodes.qos import LATCHED, RECENT
from quadruped_control.rollout.leap_driver import LeapDriver
from quadruped_control.rollout.look_out import LookOut, hold_gait

TELL_EVERY = 5 * SCAN_EVERY     # ticks


class GroundLink:
    """
    Lets a scheduler look ahead, in lock-step the same as in one process.

    :param resume: called when a step that had to wait may go on.
    """

    def __init__(self, node: GraphNode, scheduler: SkillScheduler, robot: Robot,
                 resume: Callable[[], None], *, lock_step: bool) -> None:
        self._node, self._scheduler = node, scheduler
        self._resume, self._lock_step = resume, lock_step
        self._layout = ScanLayout()
        self._look_out = LookOut(scheduler, robot)
        self._scan: tuple[tuple[int, float], Scan] | None = None
        self._awaited, self._since = (-1, 0.0), monotonic()
        self._waits = True              # not after a miss, until the next scan
        self.missed = 0
        self.words = PLAIN
        self._publisher = node.create_publisher(String, '/ground_ahead', LATCHED)
        node.create_subscription(Float64MultiArray, '/terrain_scan', self._on_scan, RECENT,
                                 raw=True)

    def reset(self) -> None:
        """Begin a run."""
        self._look_out.reset()

    def is_ready(self, step: int, run: float) -> bool:
        """Say whether the scan that a step looks at has come, or is not waited for any more."""
        if not (self._lock_step and self._waits and _looks(step)):
            return True
        if self._scan is not None and self._scan[0] == (step - LOOK, run):
            return True
        if self._awaited != (step, run):
            self._awaited, self._since = (step, run), monotonic()
        if monotonic() - self._since < self._node.setting('scan_timeout'):
            return False
        self.missed, self._waits = self.missed + 1, False
        self._node.get_logger().warning('no scan of the ground ahead: going on without')
        return True

    def update(self, step: int, run: float, driver: LeapDriver | None) -> None:
        """
        Look at the newest scan where that is due.

        :param driver: by the planner of leaps, if it leads.
        """
        if not _looks(step) or self._scan is None or self._scan[0][1] != run:
            return
        if self._lock_step and self._scan[0][0] != step - LOOK:
            return
        leaps = driver is not None and not driver.refuses
        self._look_out.update(self._scan[1], leaps=leaps)
        hold_gait(self._scheduler, ('' if driver is None else driver.gait, self._look_out.gait))
        if step % TELL_EVERY == LOOK:
            self._tell(driver.words if driver is not None and driver.words else
                       self._look_out.words)

    def _tell(self, words: str) -> None:
        if words != self.words:
            self.words = words
            self._publisher.publish(String(data=words))

    def _on_scan(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._layout.fits(numbers):
            self._node.refuse('/terrain_scan: not of this version, or not finite')
            return
        self._scan = (int(numbers[0]), float(numbers[1])), ScanLayout.unpack(numbers)
        self._waits = True
        self._resume()


def _looks(step: int) -> bool:
    return step > SCAN_EVERY and step % SCAN_EVERY == LOOK
