"""All nodes of a graph in one process, with one executor: for weak machines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from rclpy.node import Node

from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.graph_node import run_nodes

NAME = 'composed'


def find_makers(names: Sequence[str]) -> list[Callable[[], Node]]:
    """Return what makes each node."""
    known = {node.name: node for node in list_nodes(GraphOptions(record='-'))}
    return [cast(Callable[[], Node],
                 getattr(import_module(known[name].module), known[name].maker))
            for name in names]


def main() -> int:
    """Run the nodes that the first words name; ROS arguments follow."""
    words = sys.argv[1:]
    split = words.index('--ros-args') if '--ros-args' in words else len(words)
    names = words[:split] or [node.name for node in list_nodes(GraphOptions())]
    return run_nodes(find_makers(names), [sys.argv[0], *words[split:]])


if __name__ == '__main__':
    raise SystemExit(main())
