"""The planner of leaps in another process: questions to it, orders from it, by their steps."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import numpy as np
from std_msgs.msg import Float64MultiArray

from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.scouting import LOOK, SCAN_EVERY, Order
from quadruped_control.nodes.graph_node import GraphNode
from quadruped_control.nodes.layout import OrderLayout, QuestionLayout, read_numbers
from quadruped_control.nodes.qos import RECENT
from quadruped_control.rollout.leap_driver import LeapDriver

LOOK_AGAIN = 0.1                # s
COMES_UP = 30.0                 # s for the planner to be there at the beginning


class LeapLink:
    """
    Lets a scheduler be led by the planner, in lock-step the same as in one process.

    :param resume: called when a step that had to wait may go on.
    """

    def __init__(self, node: GraphNode, scheduler: SkillScheduler, resume: Callable[[], None],
                 *, lock_step: bool) -> None:
        self._node, self._scheduler, self._resume = node, scheduler, resume
        self._lock_step = lock_step
        self._question_layout, self._order_layout = QuestionLayout(), OrderLayout()
        self._message = self._question_layout.bind(Float64MultiArray())
        self._questions = node.create_publisher(Float64MultiArray, '/leap_question', RECENT)
        node.create_subscription(Float64MultiArray, '/leap_order', self._on_order, RECENT,
                                 raw=True)
        self._begun = monotonic()
        self.missed = 0
        self.reset()
        node.every(LOOK_AGAIN, resume)

    def reset(self) -> None:
        """Begin a run."""
        self.driver = LeapDriver(self._scheduler)
        self._asked: tuple[int, float] | None = None        # step and run of an open question
        self._since = 0.0
        self._order: Order | None = None

    def is_ready(self, step: int, run: float) -> bool:
        """Say whether a step has all that it needs."""
        if not self._lock_step or step % LOOK != 0:
            return True
        if step < SCAN_EVERY and self._questions.get_subscription_count() == 0:
            return monotonic() - self._begun > COMES_UP
        if self._asked is None or self._asked[1] != run or self._order is not None:
            return True
        if monotonic() - self._since < self._node.setting('leap_timeout'):
            return False
        self.missed += 1
        self._asked = None
        self._node.get_logger().warning('the planner of leaps does not answer: going on without')
        return True

    def update(self, state: np.record, step: int, run: float) -> None:
        """Obey an order that came, and ask where a gait cycle begins."""
        self.driver.heed()
        if step % LOOK != 0 or step < SCAN_EVERY:
            return
        if self._order is not None:
            self.driver.obey(self._order)
            self._asked = self._order = None
        question = self.driver.ask(state)
        if question is not None:
            self._asked, self._since = (step, run), monotonic()
            self._question_layout.pack(step, run, question)
            self._questions.publish(self._message)

    def _on_order(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._order_layout.fits(numbers):
            self._node.refuse('/leap_order: not of this version, or not finite')
        elif self._asked == (int(numbers[0]), float(numbers[1])):
            self._order = OrderLayout.unpack(numbers)
            self._resume()
