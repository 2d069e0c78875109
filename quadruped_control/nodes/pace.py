"""How fast simulated time goes against the wall clock."""

from __future__ import annotations

from time import monotonic, sleep

MOST_BEHIND = 0.1               # s that are caught up; what is more is given up


class Pace:
    """
    Steps at a rate of the wall clock.

    :param rate: steps per s; 0 for no limit.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.given_up = 0
        self.restart()

    def restart(self) -> None:
        """Begin to count now."""
        self._begin, self._steps = monotonic(), 0

    def count_due(self, most: int) -> int:
        """Return how many steps are due, and count them as done; more than most are given up."""
        due = int((monotonic() - self._begin) * self.rate) - self._steps
        if due > most:
            self.given_up += due - most
            self.restart()
            due = most
        else:
            self._steps += due
        return due

    def wait(self) -> None:
        """Wait until the next step is due."""
        if self.rate == 0.0:
            return
        self._steps += 1
        ahead = self._begin + self._steps / self.rate - monotonic()
        if ahead > 0.0:
            sleep(ahead)
        elif ahead < -MOST_BEHIND:
            self.restart()
