"""The simulated dog, its description and, if asked, the recorder and the page."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from quadruped_control.nodes.launch_actions import declare, start_nodes
from quadruped_control.nodes.launch_arguments import SIMULATION


def generate_launch_description():
    """Start the nodes; `ros2 launch quadruped_control simulation.launch.py -s` lists arguments."""
    return LaunchDescription([
        *declare('terrain', 'scenario', 'robot', 'controller', 'real_time_factor', 'rate',
                 'record', 'page', 'composed'),
        OpaqueFunction(function=start_nodes, args=[SIMULATION]),
    ])
