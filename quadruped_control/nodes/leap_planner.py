"""Node: the terrain ahead in, leaps out; until there are leaps it says so."""

from __future__ import annotations

from std_msgs.msg import Float64MultiArray, String

from quadruped_control.nodes.graph_node import OK, GraphNode, run_nodes
from quadruped_control.nodes.layout import read_numbers
from quadruped_control.nodes.qos import RELIABLE

NAME = 'leap_planner'
NO_LEAPS = 'no leaps yet'


class LeapPlannerNode(GraphNode):
    """Looks at the terrain scan and answers requests."""

    def __init__(self) -> None:
        super().__init__(NAME, {})
        self._scans, self._highest = 0, 0.0
        self._status = self.create_publisher(String, '/leap_status', RELIABLE)
        self.create_subscription(Float64MultiArray, '/terrain_scan', self._on_scan, RELIABLE,
                                 raw=True)
        self.create_subscription(String, '/leap_request', self._on_request, RELIABLE)
        self.every(1.0, self._tell)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell what is ahead."""
        return OK, NO_LEAPS, {'scans': self._scans, 'highest ground ahead (m)': self._highest}

    def _on_scan(self, raw: bytes) -> None:
        heights = read_numbers(raw)[4:]
        self._scans += 1
        self._highest = float(heights.max()) if len(heights) else 0.0

    def _on_request(self, message: String) -> None:
        self.refuse(f'/leap_request: {message.data!r}: {NO_LEAPS}')
        self._tell()

    def _tell(self) -> None:
        self._status.publish(String(data=NO_LEAPS))


def main() -> int:
    """Run the node as a process."""
    return run_nodes([LeapPlannerNode])


if __name__ == '__main__':
    raise SystemExit(main())
