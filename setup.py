"""Installation of the package, for colcon (ament_python) as well as for pip."""

import os
from collections.abc import Sequence
from glob import glob

from setuptools import find_packages, setup

PACKAGE = 'quadruped_control'
# each its own executable, for `ros2 run` and launch files
NODES = ('simulation', 'gait_scheduler', 'leg_frame_controller', 'leap_planner', 'description',
         'recorder', 'teleop', 'page', 'composed', 'demo_driver')
SHARED_FOLDERS = ('urdf', 'config', 'launch', 'rviz')

REQUIREMENTS = [
    'numpy>=1.26,<3',
    'scipy>=1.11,<2',
    'pybullet>=3.2.6,<3.3',
    'numba>=0.59,<1',
    'transforms3d>=0.4.2,<0.5',
    'pydantic>=2.7,<3',
    'PyYAML>=6,<7',
    'typing_extensions>=4.6',
    'pillow>=10',
    'imageio>=2.31,<3',
    'imageio-ffmpeg>=0.4.9,<1',
    'matplotlib>=3.8,<4',
    'rich>=13',
    'rosbags>=0.10,<0.12',
    'viser>=1.1.1,<2',
    'yourdfpy>=0.0.56,<0.1',
    'trimesh>=4.0,<6',
]

# ROS 2 from wheels, for a machine without a ROS 2 installation; one release, not to be mixed
ROS = [
    'ros-rclpy[fastrtps]~=9.1',
    'ros-std-msgs~=5.5',
    'ros-geometry-msgs~=5.5',
    'ros-sensor-msgs~=5.5',
    'ros-nav-msgs~=5.5',
    'ros-visualization-msgs~=5.5',
    'ros-diagnostic-msgs~=5.5',
    'ros-rosgraph-msgs~=2.3',
    'ros-std-srvs~=5.5',
    'ros-ament-index-python~=1.11',
]

TUNE = ['mujoco>=3.2,<5', 'cma>=3.3,<5', 'distributed>=2024.1']

TEST = [
    'setuptools>=64',
    'pytest>=8',
    'pytest-xdist>=3.5',
    'pytest-timeout>=2.3',
    'hypothesis>=6.100,<7',
    'quadprog>=0.1.11,<0.2',
    'ruff>=0.6,<1',
    'mypy>=1.11',
    'types-PyYAML>=6,<7',
    'urdf-parser-py>=0.0.4,<0.1',
    'playwright>=1.40,<2',
    *TUNE,
]


def shared_files(folders: Sequence[str] = SHARED_FOLDERS) -> list[tuple[str, list[str]]]:
    """List (installed folder, files) of all files in the folders, which may be absent."""
    found: dict[str, list[str]] = {}
    for folder in folders:
        for path in sorted(glob(os.path.join(folder, '**', '*'), recursive=True)):
            if os.path.isfile(path) and '__pycache__' not in path:
                target = os.path.join('share', PACKAGE, os.path.dirname(path))
                found.setdefault(target, []).append(path)
    return sorted(found.items())


def data_files() -> list[tuple[str, list[str]]]:
    """List (installed folder, files) of all that is not Python."""
    return [
        (
            os.path.join('share', 'ament_index', 'resource_index', 'packages'),
            [os.path.join('resource', PACKAGE)],
        ),
        (os.path.join('share', PACKAGE), ['package.xml']),
        *shared_files(),
    ]


setup(
    name=PACKAGE,
    version='0.1.0',
    packages=find_packages(exclude=['test', 'test.*']),
    data_files=data_files(),
    python_requires='>=3.10,<3.13',
    install_requires=REQUIREMENTS,
    extras_require={'ros': ROS, 'tune': TUNE, 'test': TEST},
    zip_safe=False,
    maintainer='quadruped_control maintainers',
    maintainer_email='quadruped_control@example.org',
    description='Locomotion skills for a simulated quadruped with a flexible spine',
    license='Apache-2.0',
    entry_points={
        'console_scripts': [
            'quadruped = quadruped_control.command_line.main:main',
            *(f'quadruped_{node} = {PACKAGE}.nodes.{node}:main' for node in NODES),
        ],
    },
)
