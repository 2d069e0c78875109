"""Parameters that several nodes have."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import SetParametersResult

from quadruped_control.errors import InputError
from quadruped_control.nodes.graph_node import GraphNode, Setting
from quadruped_control.nodes.setting import FLAT, choose_scenario
from quadruped_control.scenario import Scenario

# which robot it is: of all nodes that must know the body, and no more of the scene
WHO = {
    'scenario': Setting('', 'file of the scenario that the graph runs; empty: none', fixed=True),
    'terrain': Setting(FLAT, 'where there is no scenario: the ground at the start, whose file may '
                             'name a robot', fixed=True),
    'robot': Setting('', 'robot of config/robots; empty: that of the scenario or the terrain, '
                         'else the dog', fixed=True),
    'controller': Setting('', 'controller of the robot; empty: that of the scenario, else the '
                              'first that the robot has', fixed=True),
}
LOCK_STEP = Setting(True, 'wait for the others in every step, so that the outcome does not '
                          'depend on their speed; else the newest message wins', fixed=True)
SCENE = {
    **WHO,
    'terrain': Setting(FLAT, 'where there is no scenario: flat, a file of terrain features, or a '
                             'name in config/scenarios; a change takes effect at a reset, and is '
                             'for all nodes that have this parameter'),
    'duration': Setting(0.0, 'simulated s after which it ends; 0: the end of the scenario, or '
                             'never', 0.0, 3600.0, fixed=True),
    'lock_step': LOCK_STEP,
}


def read_scene(node: GraphNode) -> Scenario:
    """Return the scenario that a node's parameters ask for, or raise InputError."""
    return choose_scenario(node.setting('scenario'), node.setting('terrain'),
                           node.setting('duration'), node.setting('robot'),
                           node.setting('controller'))


def read_who(node: GraphNode) -> Scenario:
    """Return the scenario that names a node's robot, of which its length is not known."""
    return choose_scenario(node.setting('scenario'), node.setting('terrain'),
                           robot=node.setting('robot'), controller=node.setting('controller'))


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
        other = choose_scenario(terrain=terrain, robot=self._node.setting('robot'),
                                controller=self._node.setting('controller'))
        if (other.robot, other.spine) != (self.scene.robot, self.scene.spine):
            raise InputError('terrain', '', terrain, 'a terrain with the same robot and spine')
