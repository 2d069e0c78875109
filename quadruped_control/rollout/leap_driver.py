"""The planner's orders in the closed loop: asked for at each gait cycle, then speeds and leaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.skill_refusal import SkillRefusedError
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.leaps.planner import Planner
from quadruped_control.leaps.scouting import (
    APPROACH,
    GO,
    LEAD,
    REFUSE,
    SLOWER,
    TOO_NEAR,
    Order,
    Question,
    Scan,
    find_plan,
    write_order,
)

Array = NDArray[np.float64]
LEAPING_GAIT = 'trot'
TROTS_ON = 6                    # cycles after the last order to leap


@dataclass(frozen=True)
class GivenOrder:
    """An order that was carried out, and when (s) it was asked for."""

    time: float
    order: Order


class LeapDriver:
    """Asks where a gait cycle begins, and gives what is ordered to a scheduler."""

    def __init__(self, scheduler: SkillScheduler) -> None:
        self._scheduler = scheduler
        self._cycles = -1.0
        self._wanted = 0.0
        self._given = 0.0
        self._asked = 0.0
        self._until = 0.0               # cycle up to which the gait is held
        self.gait = ''                  # that is to be held: leaps begin from the trot
        self.words = ''                 # the order in force, unless it is to go on
        self.refuses = False            # what is ahead: then it is like any other hindrance
        self.leaps: list[GivenOrder] = []
        self.refused: list[GivenOrder] = []

    def ask(self, state: np.record) -> Question | None:
        """Return a question where a gait cycle has begun since the last look."""
        scheduler = self._scheduler
        clock, leap = scheduler.clock, scheduler.skills.leap
        self.heed()
        busy = leap['waits'] == 1.0 or leap['stage'] != 0.0
        if clock['cycles'] == self._cycles or busy or clock['stands'] == 1.0:
            return None
        self._cycles, self._asked = float(clock['cycles']), float(state['time'])
        x, y, _ = state['base_position'].tolist()
        return Question(x, y, float(clock['heading']), float(clock['speed'][0]),
                        scheduler.stride_time, scheduler.find_delay(LEAPING_GAIT))

    def obey(self, order: Order) -> None:
        """Take the speed of an order, and leap where it is due; one who is to stop does not."""
        self.heed()
        if self._wanted <= 0.0 and order.kind in (APPROACH, SLOWER):
            order = Order()
        given = GivenOrder(self._asked, order)
        speed = {GO: self._wanted, APPROACH: order.speed}.get(
            order.kind, min(order.speed, self._wanted))
        self._scheduler.command[0] = self._given = speed
        self.words = '' if order.kind == GO else order.describe()
        self.refuses = order.kind in (REFUSE, TOO_NEAR)
        cycles = float(self._scheduler.clock['cycles'])
        if order.kind in (APPROACH, SLOWER):
            self.gait, self._until = LEAPING_GAIT, cycles + TROTS_ON
        elif cycles >= self._until:
            self.gait = ''
        if order.kind == APPROACH and order.half_strides <= LEAD:
            self._leap(given)
        elif order.kind not in (GO, APPROACH):
            self.refused.append(given)

    def heed(self) -> None:
        """
        Take a speed that is newly asked for; one that is only repeated does not undo an order.

        To be called after commands and before the scheduler: who drives by hand asks again and
        again, and the dog shall still stop before what it refuses.
        """
        command = self._scheduler.command
        asked = float(command[0])
        if asked == self._wanted:
            command[0] = self._given
        elif asked != self._given:
            self._wanted = self._given = asked

    def _leap(self, given: GivenOrder) -> None:
        try:
            self._scheduler.skills.leap_by(np.array(given.order.parameters), given.time,
                                           half_strides=int(given.order.half_strides))
        except SkillRefusedError:
            return                      # the dog is down: getting up comes first
        self.leaps.append(given)


class LeapScout:
    """The planner in the same process as the dog."""

    def __init__(self, planner: Planner, driver: LeapDriver) -> None:
        self._planner, self._driver = planner, driver
        self._kept = -1                                     # row of the leap planned last
        self._order: Order | None = None
        self.target: tuple[float, float] | None = None      # x, y in the world to leap to

    def update(self, state: np.record, scan: Scan) -> None:
        """Do what is due at a tick that is a multiple of LOOK."""
        if self._order is not None:
            self._driver.obey(self._order)
            self._order = None
        question = self._driver.ask(state)
        if question is not None:
            plan = find_plan(self._planner, question, scan, self.target, self._kept)
            self._kept = -1 if plan is None else plan.leap
            self._order = write_order(self._planner, plan)
            if plan is not None and plan.reaches_target(LEAD):
                self.target = None
