"""List the versions and places that a bug report needs."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import sys
from importlib import metadata
from pathlib import Path

from quadruped_control import __version__
from quadruped_control.errors import QuadrupedError
from quadruped_control.share import share_folder

EXAMPLE = './quadruped info'

DISTRIBUTIONS = ('numpy', 'scipy', 'numba', 'pybullet', 'mujoco', 'pydantic', 'rosbags')
ABSENT = 'not installed'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options."""


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each fact."""
    facts = collect()
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f'{name:{width}}  {value}')
    return 0


def collect() -> dict[str, str]:
    """Find out all facts, without importing any package."""
    return {
        'quadruped_control': __version__,
        'python': f'{platform.python_version()} ({sys.executable})',
        'system': f'{platform.platform()}, {os.cpu_count()} cores',
        **{name: describe_version(name) for name in DISTRIBUTIONS},
        'rclpy': describe_rclpy(),
        'share folder': _describe_share(),
    }


def describe_version(distribution: str) -> str:
    """Give the version of an installed package."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ABSENT


def describe_rclpy() -> str:
    """Give the version of rclpy and say where it comes from: a sourced ROS 2, or wheels."""
    spec = importlib.util.find_spec('rclpy')
    if spec is None or spec.origin is None:
        return ABSENT
    folder = Path(spec.origin).parent
    if folder.is_relative_to(sys.prefix):
        return f'{describe_version("ros-rclpy")}, from wheels ({folder})'
    distribution = os.environ.get('ROS_DISTRO', 'unknown')
    return f'{describe_version("rclpy")}, from the sourced ROS 2 {distribution} ({folder})'


def _describe_share() -> str:
    try:
        return str(share_folder())
    except QuadrupedError as error:
        return f'missing: {error}'
