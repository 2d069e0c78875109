"""A node as a process of its own: from the command line to the exit code."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.task import Future

from quadruped_control.errors import QuadrupedError

try:
    from rclpy.experimental import EventsExecutor as Executor  # type: ignore[attr-defined]
except ImportError:  # older distributions
    from rclpy.executors import SingleThreadedExecutor as Executor

FOREVER = 1e6  # s; a spin without a limit runs no callback in some versions


def run_node(make: Callable[[], Node]) -> int:
    """Run a node until SIGINT, SIGTERM or a shutdown, and return the exit code."""
    rclpy.init()
    try:
        node = make()
    except QuadrupedError as error:
        print(f'quadruped: {error}', file=sys.stderr)
        rclpy.try_shutdown()
        return 2
    executor = Executor()
    executor.add_node(node)
    try:
        executor.spin_until_future_complete(Future(), timeout_sec=FOREVER)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
