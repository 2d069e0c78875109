"""Everything: simulation, control and RViz."""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PythonExpression

from quadruped_control.nodes.launch_actions import declare, start_nodes
from quadruped_control.nodes.launch_arguments import CONTROL, SIMULATION
from quadruped_control.share import share_folder


def generate_launch_description():
    """Start all; `ros2 launch quadruped_control quadruped.launch.py -s` lists the arguments."""
    composed, folder = LaunchConfiguration('composed'), share_folder() / 'launch'

    def include(name, condition):
        source = PythonLaunchDescriptionSource(str(folder / f'{name}.launch.py'))
        return IncludeLaunchDescription(source, condition=IfCondition(condition))

    def is_true(*names):
        texts = [part for name in names for part in ("'", LaunchConfiguration(name), "',")]
        return PythonExpression(['all(x.lower() == "true" for x in (', *texts, '))'])

    apart = PythonExpression(["'", composed, "'.lower() != 'true'"])
    return LaunchDescription([
        *declare(),
        include('simulation', apart),
        include('control', apart),
        OpaqueFunction(
            function=start_nodes, args=[SIMULATION + CONTROL], condition=IfCondition(composed)
        ),
        include('rviz', is_true('gui', 'rviz')),
    ])
