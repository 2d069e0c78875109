"""What the page asks of other nodes by services: pause, reset, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter, parameter_value_to_python
from std_srvs.srv import SetBool, Trigger

from quadruped_control.nodes.graph_node import GraphNode, Value

TERRAIN_NODES = ('gait_scheduler', 'simulation')
Tell = Callable[[str], None]


class Requests:
    """
    Calls that answer later.

    :param tell: told in words what became of them.
    """

    def __init__(self, node: GraphNode, tell: Tell) -> None:
        self._tell = tell
        self._pause: Any = node.create_client(SetBool, '/simulation/pause')
        self._reset: Any = node.create_client(Trigger, '/simulation/reset')
        self._ball: Any = node.create_client(Trigger, '/gait_scheduler/ball')
        self._setters: dict[str, Any] = {
            name: node.create_client(SetParametersAtomically, f'/{name}/set_parameters_atomically')
            for name in TERRAIN_NODES}
        self._getter: Any = node.create_client(GetParameters, '/gait_scheduler/get_parameters')

    def pause(self, paused: bool) -> None:
        """Hold the simulation, or let it go on."""
        self._call(self._pause, SetBool.Request(data=paused), lambda a: self._tell(a.message))

    def reset(self) -> None:
        """Set the simulation back."""
        self._call(self._reset, Trigger.Request(), lambda a: self._tell(a.message))

    def throw_ball(self) -> None:
        """Let a ball lie ahead of the robot."""
        self._call(self._ball, Trigger.Request(), lambda a: self._tell(a.message))

    def set(self, name: str, values: Mapping[str, Value],
            then: Callable[[bool, str], None]) -> None:
        """Set parameters of a node; then is told whether it took them, or why not."""
        request = SetParametersAtomically.Request(parameters=[
            Parameter(key, value=value).to_parameter_msg() for key, value in values.items()])
        self._call(self._setters[name], request,
                   lambda answer: then(answer.result.successful, answer.result.reason))

    def read_gait_parameters(self, names: Sequence[str],
                             then: Callable[[dict[str, float]], None]) -> bool:
        """Ask the gait scheduler for parameters; False where it is not there yet."""
        if not self._getter.service_is_ready():
            return False

        def take(answer: Any) -> None:
            values = map(parameter_value_to_python, answer.values)
            then({name: value for name, value in zip(names, values, strict=False)
                  if isinstance(value, float)})

        self._call(self._getter, GetParameters.Request(names=list(names)), take)
        return True

    def choose_terrain(self, terrain: str, before: str) -> None:
        """Set the terrain of all nodes that know one, and begin anew; all or none of them."""
        waiting, refusals = list(TERRAIN_NODES), []

        def take(name: str, took: bool, reason: str) -> None:
            waiting.remove(name)
            if not took:
                refusals.append(reason)
            if waiting:
                return
            if not refusals:
                self.reset()
                return
            self._tell(f'refused: {refusals[0]}')
            for other in TERRAIN_NODES:
                self.set(other, {'terrain': before}, lambda *_: None)

        for name in TERRAIN_NODES:
            self.set(name, {'terrain': terrain},
                     partial(take, name))

    def _call(self, client: Any, request: Any, then: Callable[[Any], None]) -> None:
        if not client.service_is_ready():
            self._tell(f'nobody answers at {client.srv_name}')
            return

        def take(future: Any) -> None:
            if future.result() is not None:
                then(future.result())

        client.call_async(request).add_done_callback(take)
