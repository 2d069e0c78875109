"""What the launch files are made of; needs the packages launch and launch_ros."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ament_index_python.packages import get_package_prefix
from launch.actions import DeclareLaunchArgument, EmitEvent, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from quadruped_control.nodes.graph import PACKAGE, NodeSpec
from quadruped_control.nodes.launch_arguments import (
    ARGUMENTS,
    choose_nodes,
    find_command,
    is_true,
    read_options,
    refuse_unknown,
)
from quadruped_control.nodes.parent import PARENT


def declare(*names: str) -> list[DeclareLaunchArgument]:
    """Declare arguments of the launch files; all where none is named."""
    return [
        DeclareLaunchArgument(
            name,
            default_value=ARGUMENTS[name].default,
            description=ARGUMENTS[name].description,
            choices=list(ARGUMENTS[name].choices) or None,
        )
        for name in names or ARGUMENTS
    ]


def start_nodes(context: LaunchContext, names: Sequence[str]) -> list[Any]:
    """Return the actions that start some nodes of the graph that the arguments ask for."""
    values = {name: LaunchConfiguration(name, default=argument.default).perform(context)
              for name, argument in ARGUMENTS.items()}  # fmt: skip
    refuse_unknown(context.argv)
    nodes = choose_nodes(read_options(values), names)
    together = [node for node in nodes if is_true(values['composed']) and not node.apart]
    apart = [action for node in nodes if node not in together for action in _start(node)]
    return [*(_start_composed(together) if together else ()), *apart]


def _start(node: NodeSpec) -> list[Any]:
    program, *words = find_command(node.executable, node.module, _find_prefix())
    process = Node(
        name=node.name, executable=program, arguments=words, output='screen',
        additional_env=_name_parent(),
        parameters=[node.parameters] if node.parameters else [],
    )  # fmt: skip
    return [process, *_end_with(process, [node])]


def _start_composed(nodes: Sequence[NodeSpec]) -> list[Any]:
    program, *words = find_command(
        'quadruped_composed', f'{PACKAGE}.nodes.composed', _find_prefix()
    )
    names = [node.name for node in nodes]
    settings = [word for node in nodes for word in node.arguments()]
    process = Node(
        executable=program, arguments=[*words, *names], ros_arguments=settings, output='screen',
        additional_env=_name_parent(),
    )  # fmt: skip
    return [process, *_end_with(process, nodes)]


def _name_parent() -> dict[str, str]:
    """Return what lets a node end with this process, however that ends."""
    return {PARENT: str(os.getpid())}


def _end_with(process: Node, nodes: Sequence[NodeSpec]) -> list[Any]:
    """End all when a process ends without which the graph is of no use."""
    needed = [node.name for node in nodes if node.needed]
    if not needed:
        return []
    end = EmitEvent(event=Shutdown(reason=f'{needed[0]} has ended'))
    return [RegisterEventHandler(OnProcessExit(target_action=process, on_exit=[end]))]


def _find_prefix() -> str | None:
    try:
        return str(get_package_prefix(PACKAGE))
    except (LookupError, OSError):  # not in the index; no index at all
        return None
