"""The gait scheduler, the leg-frame controller and the leap planner."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from quadruped_control.nodes.launch_actions import declare, start_nodes
from quadruped_control.nodes.launch_arguments import CONTROL


def generate_launch_description():
    """Start the nodes; `ros2 launch quadruped_control control.launch.py -s` lists arguments."""
    return LaunchDescription([
        *declare('terrain', 'scenario', 'robot', 'controller', 'gait', 'leap_planner', 'rate',
                 'composed'),
        OpaqueFunction(function=start_nodes, args=[CONTROL]),
    ])
