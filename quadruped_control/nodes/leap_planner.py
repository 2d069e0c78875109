"""Node: the terrain ahead and a question at each gait cycle in, orders and leaps out."""

from __future__ import annotations

from collections import deque
from math import isfinite
from typing import Any

from geometry_msgs.msg import PointStamped
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from quadruped_control.control.offers import explain_missing, list_offers
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.errors import InputError
from quadruped_control.leaps.dictionary import load_dictionary
from quadruped_control.leaps.models import MODELS, NEAREST
from quadruped_control.leaps.planner import Planner
from quadruped_control.leaps.scouting import (
    LEAD,
    SCAN_EVERY,
    Question,
    Scan,
    find_plan,
    write_order,
)
from quadruped_control.nodes.common_settings import WHO, read_who
from quadruped_control.nodes.graph_node import OK, GraphNode, Setting, run_nodes
from quadruped_control.nodes.layout import (
    OrderLayout,
    QuestionLayout,
    ScanLayout,
    read_numbers,
)
from quadruped_control.nodes.leap_markers import LeapMarkers
from quadruped_control.nodes.qos import LATCHED, RECENT, RELIABLE

NAME = 'leap_planner'
SETTINGS = {
    **WHO,
    'model': Setting(NEAREST, 'of the dictionary: nearest, its nearest leap, or pca, the '
                              'principal components of its leaps near a speed', fixed=True),
}
SCANS = 20                      # that are kept: the question may come before or after its scan
IDLE = 'nobody asks'
FRAME = 'odom'                  # in which a target is given


class LeapPlannerNode(GraphNode):
    """Answers every question with the order of the same step."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        model = self.setting('model')
        if model not in MODELS:
            raise InputError('model', '', model, ', '.join(MODELS))
        self._missing = ''                  # why there is nothing to plan
        self._planner = self._make_planner(model)
        self._scans: deque[tuple[tuple[int, float], Scan]] = deque(maxlen=SCANS)
        self._open: tuple[int, float, Question] | None = None
        self._target: tuple[float, float] | None = None
        self._answered = 0
        self._kept, self._kept_run = -1, 0.0    # row of the leap planned last, and of which run
        self._words = IDLE
        self._scan_layout, self._question_layout = ScanLayout(), QuestionLayout()
        self._order_layout = OrderLayout()
        self._message = self._order_layout.bind(Float64MultiArray())
        self._orders = self.create_publisher(Float64MultiArray, '/leap_order', RECENT)
        self._status = self.create_publisher(String, '/leap_status', LATCHED)
        self._markers = self.create_publisher(MarkerArray, '/leap_markers', LATCHED)
        self._drawing = LeapMarkers(self._planner.dictionary) if self._planner else None
        self._leap: Any = self.create_client(Trigger, '/gait_scheduler/leap')
        self.create_subscription(Float64MultiArray, '/terrain_scan', self._on_scan, RECENT,
                                 raw=True)
        self.create_subscription(Float64MultiArray, '/leap_question', self._on_question, RECENT,
                                 raw=True)
        self.create_subscription(String, '/leap_request', self._on_request, RELIABLE)
        self.create_subscription(PointStamped, '/leap_target', self._on_target, RELIABLE)
        self._tell(self._missing or IDLE)

    def _make_planner(self, model: str) -> Planner | None:
        """Return the planner of the robot; None where it has no leaps."""
        scene = read_who(self)
        robot, controller = scene.robot, scene.controller
        if LEAP not in list_offers(robot, controller).skills:
            self._missing = explain_missing(robot, LEAP, controller)
            return None
        return Planner(load_dictionary(robot=robot), model=model)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell what was ordered last."""
        leaps = len(self._planner.dictionary) if self._planner else 0
        return OK, self._words, {'answered': self._answered, 'leaps in the dictionary': leaps}

    def _on_scan(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._scan_layout.fits(numbers):
            self.refuse('/terrain_scan: not of this version, or not finite')
            return
        key = int(numbers[0]), float(numbers[1])
        self._scans.append((key, ScanLayout.unpack(numbers)))
        self._answer()

    def _on_question(self, raw: bytes) -> None:
        numbers = read_numbers(raw)
        if not self._question_layout.fits(numbers):
            self.refuse('/leap_question: not of this version, or not finite')
            return
        self._open = int(numbers[0]), float(numbers[1]), QuestionLayout.unpack(numbers)
        self._answer()

    def _answer(self) -> None:
        """Answer the open question if its scan is there."""
        if self._open is None or self._planner is None or self._drawing is None:
            return
        step, run, question = self._open
        scan = dict(self._scans).get((step - step % SCAN_EVERY, run))
        if scan is None:
            return
        self._open = None
        kept = self._kept if run == self._kept_run else -1
        plan = find_plan(self._planner, question, scan, self._target, kept)
        self._kept, self._kept_run = -1 if plan is None else plan.leap, run
        if plan is not None and plan.reaches_target(LEAD):
            self._target = None
        order = write_order(self._planner, plan)
        self._order_layout.pack(step, run, order)
        self._orders.publish(self._message)
        self._answered += 1
        self._tell(order.describe())
        if self._markers.get_subscription_count():
            self._markers.publish(self._drawing.draw(question, scan, plan))

    def _on_target(self, message: PointStamped) -> None:
        """Leap to a place once it is ahead and near enough."""
        place = message.point.x, message.point.y
        if message.header.frame_id not in ('', FRAME) or not all(map(isfinite, place)):
            self.refuse(f'/leap_target: not a place in {FRAME}')
            return
        self._target = place

    def _on_request(self, message: String) -> None:
        """Leap at once, whatever is ahead: the scheduler says whether it can."""
        if self._missing:
            self.refuse(f'/leap_request: {self._missing}')
        elif message.data != 'leap':
            self.refuse(f'/leap_request: {message.data!r}, not leap')
        elif not self._leap.service_is_ready():
            self.refuse('/leap_request: the gait scheduler is not there')
        else:
            self._leap.call_async(Trigger.Request()).add_done_callback(
                lambda future: self._tell(future.result().message, again=True))

    def _tell(self, words: str, *, again: bool = False) -> None:
        if again or words != self._words:
            self._words = words
            self._status.publish(String(data=words))


def main() -> int:
    """Run the node as a process."""
    return run_nodes([LeapPlannerNode])


if __name__ == '__main__':
    raise SystemExit(main())
