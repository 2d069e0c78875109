"""How all nodes are, from what they say on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray

from quadruped_control.page.actions import NodeState, Status

SILENT, GONE = 3.0, 20.0        # s without a word


class NodeStates:
    """
    The last words of all nodes.

    :param tell: told what a node refused, when it does.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._heard: dict[str, tuple[float, int, str, dict[str, str]]] = {}

    def take(self, message: DiagnosticArray) -> None:
        """Take what a node says."""
        for status in message.status:
            name = status.name.split(':')[0]
            values = {pair.key: pair.value for pair in status.values}
            level = status.level
            number = level[0] if isinstance(level, bytes) else int(level)
            before = self._heard.get(name)
            if before is not None and values.get('refused') != before[3].get('refused'):
                self._tell(f'refused: {values.get("last refusal", "")}')
            self._heard[name] = (monotonic(), number, status.message, values)

    def value(self, node: str, key: str) -> str:
        """Return one of the values that a node told, empty where there is none."""
        heard = self._heard.get(node)
        return heard[3].get(key, '') if heard else ''

    def describe(self, status: Status) -> None:
        """Write what is known into a status."""
        now = monotonic()
        self._heard = {name: heard for name, heard in self._heard.items() if now - heard[0] < GONE}
        status.nodes = tuple(_describe(name, now, *heard)
                             for name, heard in sorted(self._heard.items()))
        status.paused = any(node.name == 'simulation' and node.words.startswith('is paused')
                            for node in status.nodes)
        status.terrain = self.value('simulation', 'terrain') or status.terrain
        status.gaits = _split(self.value('gait_scheduler', 'gaits'))
        status.skills = _split(self.value('gait_scheduler', 'skills'))


def _describe(name: str, now: float, heard: float, level: int, words: str,
              values: dict[str, Any]) -> NodeState:
    if now - heard > SILENT:
        return NodeState(name, 2, f'has said nothing for {now - heard:.0f} s')
    refused = values.get('refused', '0')
    if refused != '0':
        words += f' (refused {refused}, the last: {values.get("last refusal", "")})'
    return NodeState(name, level, words)


def _split(names: str) -> tuple[str, ...]:
    return tuple(name for name in names.split(', ') if name)
