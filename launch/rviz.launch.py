"""RViz with the view of the dog: model, terrain, leg frames, forces, gait."""

from launch import LaunchDescription
from launch_ros.actions import Node

from quadruped_control.share import share_folder


def generate_launch_description():
    """Start RViz, by simulated time."""
    return LaunchDescription([
        Node(
            package='rviz2',
            executable='rviz2',
            arguments=['-d', str(share_folder() / 'rviz' / 'quadruped.rviz')],
            parameters=[{'use_sim_time': True}],
        ),
    ])
