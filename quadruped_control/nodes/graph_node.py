"""What all nodes share: parameters, refusals, diagnostics, and how they begin and end."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.clock import Clock, ClockType  # type: ignore[attr-defined]
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterException,
)
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.task import Future

from quadruped_control.errors import QuadrupedError
from quadruped_control.nodes.parent import watch_parent
from quadruped_control.nodes.qos import RELIABLE
from quadruped_control.priority import stay_together

STEADY = ClockType.STEADY_TIME
Value = float | int | bool | str
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
FOREVER = 1e6                   # s: spinning without a timeout runs nothing in some versions
DIAGNOSTICS_PERIOD = 1.0        # s
STAMPED = 'stamped commands'    # of the gait scheduler: how many it has got since the start
WRONG_USE = 2


@dataclass(frozen=True)
class Setting:
    """
    A parameter: its value (and by that its type), what it means, and its range.

    :param fixed: only read at the start; a change at run time is refused.
    """

    default: Value
    description: str
    least: float | None = None
    most: float | None = None
    fixed: bool = False

    def describe(self, name: str) -> ParameterDescriptor:
        """Return what ROS tools show of the parameter, and hold values to."""
        shown = ParameterDescriptor(name=name, description=self.description,
                                    read_only=self.fixed)
        if self.least is None or self.most is None:
            return shown
        if isinstance(self.default, int):
            shown.integer_range = [IntegerRange(from_value=int(self.least),
                                                to_value=int(self.most))]
        else:
            shown.floating_point_range = [FloatingPointRange(from_value=float(self.least),
                                                             to_value=float(self.most))]
        return shown


class GraphNode(Node):
    """
    A node of the graph.

    :ivar done: set when the node has nothing more to do; then its process ends.
    """

    def __init__(self, name: str, settings: Mapping[str, Setting]) -> None:
        super().__init__(name)
        self.done: Any = Future()
        self.exit_code = 0
        self.refused = 0
        self._values: dict[str, Any] = {}
        self._last_refusal = ''
        self._steady = Clock(clock_type=STEADY)
        for key, setting in settings.items():
            self.declare_setting(key, setting)
        self._follow_changes()
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', RELIABLE)
        self.every(DIAGNOSTICS_PERIOD, self._publish_diagnostics)

    def declare_setting(self, key: str, setting: Setting) -> None:
        """Declare a parameter, or raise QuadrupedError for a value that does not fit."""
        try:
            declared: Any = self.declare_parameter(key, setting.default, setting.describe(key))
            self._values[key] = declared.value
        except InvalidParameterTypeException as error:
            kind = type(setting.default).__name__
            raise QuadrupedError(f'{self.get_name()}: parameter {key} must be a {kind}, as in '
                                 f'{setting.default!r} ({error})') from None
        except (InvalidParameterValueException, ParameterException) as error:
            raise QuadrupedError(f'{self.get_name()}: parameter {key}: {error}') from None

    @property
    def takes_turns(self) -> bool:
        """Say whether it works in lock-step with others."""
        return bool(self._values.get('lock_step'))

    def setting(self, key: str) -> Any:
        """Return a parameter's value; fast enough for every step."""
        return self._values[key]

    def _follow_changes(self) -> None:
        def keep(parameters: list[Any]) -> None:
            self._values.update({parameter.name: parameter.value for parameter in parameters})

        def accept(parameters: list[Any]) -> SetParametersResult:
            keep(parameters)
            return SetParametersResult(successful=True)

        if hasattr(self, 'add_post_set_parameters_callback'):
            self.add_post_set_parameters_callback(keep)
        else:                                   # before ROS 2 Iron
            self.add_on_set_parameters_callback(accept)

    def create_subscription(self, msg_type: Any, topic: str, callback: Callable[..., None],
                            *arguments: Any, **options: Any) -> Any:
        """Listen to a topic, quietly at the end: a signal may come while a message is used."""
        return super().create_subscription(msg_type, topic, _until_the_end(callback), *arguments,
                                           **options)

    def every(self, period: float, act: Callable[[], None]) -> Any:
        """Call a function every so many seconds of the wall clock; return the timer."""
        return self.create_timer(period, _until_the_end(act), clock=self._steady)

    def refuse(self, what: str) -> None:
        """Count and report a message that is not used."""
        self.refused += 1
        self._last_refusal = what
        self.get_logger().warning(f'refused: {what}', throttle_duration_sec=1.0)

    def end(self, code: int = 0, words: str = '') -> None:
        """Let the process end; a code other than 0 is a failure, told in words."""
        self.exit_code = code
        if words:
            self.get_logger().error(words)
        if not self.done.done():
            self.done.set_result(None)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Return level, message and values for /diagnostics."""
        return OK, 'works', {}

    def close(self) -> None:
        """Free what the node holds besides ROS."""

    def _publish_diagnostics(self) -> None:
        level, message, values = self.diagnose()
        values = {**values, 'refused': self.refused}
        if self.refused:
            values['last refusal'] = self._last_refusal
        status = DiagnosticStatus(name=f'{self.get_name()}: {self.get_name()}', level=level,
                                  message=message, hardware_id='quadruped')
        status.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def _until_the_end(act: Callable[..., None]) -> Callable[..., None]:
    """Return a callback that may be broken off once ROS is shut down under it."""
    @wraps(act)
    def guarded(*arguments: Any) -> None:
        try:
            act(*arguments)
        except KeyboardInterrupt:
            rclpy.try_shutdown()
        except Exception:
            if rclpy.ok():
                raise

    return guarded


def make_executor() -> Any:
    """Return the fastest executor that this version has."""
    try:
        from rclpy.experimental import EventsExecutor  # type: ignore[attr-defined]
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor()
    return EventsExecutor()


def run_nodes(makers: Sequence[Callable[[], Node]], words: Sequence[str] | None = None) -> int:
    """
    Make nodes and let them work in one executor until one is done or a signal comes.

    For the main function of a process, which it ends: taking the interpreter apart would take
    longer than all else.
    """
    watch_parent()
    rclpy.init(args=list(sys.argv if words is None else words))
    nodes: list[Node] = []
    code = 1
    try:
        for make in makers:
            nodes.append(make())
        if len(nodes) == 1 and isinstance(nodes[0], GraphNode) and nodes[0].takes_turns:
            stay_together()
        code = _spin(nodes)
    except QuadrupedError as error:
        print(f'quadruped: {error}', file=sys.stderr)
        code = WRONG_USE
    except (KeyboardInterrupt, ExternalShutdownException):
        code = 0
    except Exception:
        if rclpy.ok():
            traceback.print_exc()
        else:                                           # a signal came while it published
            code = 0
    _take_down(nodes)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _take_down(nodes: Sequence[Node]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)           # the end is not to be interrupted
    for node in nodes:
        if isinstance(node, GraphNode):
            node.close()
        node.destroy_node()                             # so that others see it go
    if rclpy.ok():
        rclpy.shutdown()


def _spin(nodes: Sequence[Node]) -> int:
    """
    Spin until a node that can be done is done, or a signal comes.

    What was made to begin with is never looked at again for garbage: with all libraries it is
    170,000 objects, and a look at them would take a tenth of a second in the middle of a step.
    """
    gc.freeze()
    executor = make_executor()
    finished: Any = Future(executor=executor)
    graph_nodes = [node for node in nodes if isinstance(node, GraphNode)]
    for node in nodes:
        executor.add_node(node)
    for node in graph_nodes:
        node.done.add_done_callback(lambda _: finished.set_result(None))
    try:
        while rclpy.ok() and not any(node.done.done() for node in graph_nodes):
            executor.spin_until_future_complete(finished, timeout_sec=FOREVER)
    finally:
        executor.shutdown()
    return max((node.exit_code for node in graph_nodes), default=0)
