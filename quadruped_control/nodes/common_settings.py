"""Parameters that several nodes have."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import SetParametersResult

from quadruped_control.errors import InputError
from quadruped_control.nodes.graph_node import GraphNode, Setting
from quadruped_control.nodes.setting import FLAT, choose_scenario
from quadruped_control.scenario import Scenario

SCENE = {
    'scenario': Setting('', 'file of the scenario that the graph runs; empty: none', fixed=True),
    'terrain': Setting(FLAT, 'where there is no scenario: flat, a file of terrain features, or a '
                             'name in config/scenarios; a change takes effect at a reset, and is '
                             'for all nodes that have this parameter'),
    'duration': Setting(0.0, 'simulated s after which it ends; 0: the end of the scenario, or '
                             'never', 0.0, 3600.0, fixed=True),
    'lock_step': Setting(True, 'wait for the others in every step, so that the outcome does not '
                               'depend on their speed; else the newest message wins', fixed=True),
}


def read_scene(node: GraphNode) -> Scenario:
    """Return the scenario that a node's parameters ask for, or raise InputError."""
    return choose_scenario(node.setting('scenario'), node.setting('terrain'),
                           node.setting('duration'))


class SceneFollower:
    """
    The scene that a node is in; another terrain is entered at a reset.

    A terrain that cannot be entered is refused when the parameter is set.
    """

    def __init__(self, node: GraphNode) -> None:
        self._node = node
        self.scene = read_scene(node)
        self._terrain = node.setting('terrain')
        node.add_on_set_parameters_callback(self._judge)

    def follow(self) -> bool:
        """Enter the terrain that was chosen; say whether it is another one."""
        if self._node.setting('terrain') == self._terrain:
            return False
        self.scene, self._terrain = read_scene(self._node), self._node.setting('terrain')
        return True

    def _judge(self, parameters: list[Any]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == 'terrain':
                try:
                    self._refuse(str(parameter.value))
                except InputError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _refuse(self, terrain: str) -> None:
        if self._node.setting('scenario'):
            raise InputError('terrain', '', terrain, 'none beside a scenario, which has its own')
        other = choose_scenario(terrain=terrain)
        if (other.robot, other.spine) != (self.scene.robot, self.scene.spine):
            raise InputError('terrain', '', terrain, 'a terrain with the same robot and spine')
