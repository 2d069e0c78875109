"""Parameters that several nodes have."""

from __future__ import annotations

from quadruped_control.nodes.graph_node import GraphNode, Setting
from quadruped_control.nodes.setting import FLAT, choose_scenario
from quadruped_control.scenario import Scenario

SCENE = {
    'scenario': Setting('', 'file of the scenario that the graph runs; empty: none', fixed=True),
    'terrain': Setting(FLAT, 'where there is no scenario: flat, a file of terrain features, or a '
                             'name in config/scenarios', fixed=True),
    'duration': Setting(0.0, 'simulated s after which it ends; 0: the end of the scenario, or '
                             'never', 0.0, 3600.0, fixed=True),
    'lock_step': Setting(True, 'wait for the others in every step, so that the outcome does not '
                               'depend on their speed; else the newest message wins', fixed=True),
}


def read_scene(node: GraphNode) -> Scenario:
    """Return the scenario that a node's parameters ask for, or raise InputError."""
    return choose_scenario(node.setting('scenario'), node.setting('terrain'),
                           node.setting('duration'))
