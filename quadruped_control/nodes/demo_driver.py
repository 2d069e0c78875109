"""Node: drives the dog through the demonstration, until somebody else drives."""

from __future__ import annotations

from geometry_msgs.msg import Twist, WrenchStamped
from rosgraph_msgs.msg import Clock

from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.nodes.graph_node import OK, GraphNode, Setting, run_nodes
from quadruped_control.nodes.qos import CLOCK, RELIABLE
from quadruped_control.rollout.demonstration import make_demonstration
from quadruped_control.scenario import Push

NAME = 'demo_driver'
LONGEST = 3600.0                # s
SETTINGS = {'robot': Setting(DEFAULT_ROBOT, 'robot of config/robots, for its speeds', fixed=True)}
PERIOD = 0.05                   # simulated s between two messages


class DemoDriverNode(GraphNode):
    """Publishes /cmd_vel and /push by the simulated time, as any user may."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        demonstration = make_demonstration(LONGEST, self.setting('robot'))
        self._commands = list(demonstration.commands)
        self._pushes = list(demonstration.pushes)
        self._twist = Twist()
        self._last = -PERIOD
        self._drives = True
        self._velocity = self.create_publisher(Twist, '/cmd_vel', RELIABLE)
        self._push = self.create_publisher(WrenchStamped, '/push', RELIABLE)
        self.create_subscription(Clock, '/clock', self._on_clock, CLOCK)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell who drives."""
        return OK, 'drives' if self._drives else 'leaves the driving to another', {}

    def _on_clock(self, message: Clock) -> None:
        time = message.clock.sec + 1e-9 * message.clock.nanosec
        if not self._drives or time < self._last + PERIOD:
            return
        self._last = time
        if self.count_publishers('/cmd_vel') > 1 or self.count_publishers('/cmd_vel_stamped') > 0:
            self._drives = False
            self.get_logger().info('somebody else drives: the demonstration leaves it to them')
            return
        while self._commands and self._commands[0].t <= time:
            command = self._commands.pop(0)
            self._twist.linear.x = self._twist.linear.x if command.vx is None else command.vx
            self._twist.angular.z = self._twist.angular.z if command.wz is None else command.wz
        self._velocity.publish(self._twist)
        while self._pushes and self._pushes[0].t <= time:
            self._publish_push(self._pushes.pop(0))

    def _publish_push(self, push: Push) -> None:
        message = WrenchStamped()
        message.header.frame_id = push.at
        force = message.wrench.force
        force.x, force.y, force.z = push.force
        self._push.publish(message)


def main() -> int:
    """Run the node as a process."""
    return run_nodes([DemoDriverNode])


if __name__ == '__main__':
    raise SystemExit(main())
