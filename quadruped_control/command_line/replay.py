"""
Let a graph repeat a recording: start ./quadruped up with the options of the recorded run, then
this. The simulation is set back to its start and gets the recorded commands at their times.
"""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLE = './quadruped replay out/run.mcap'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('file', type=Path, help='recording (.mcap, or a bag folder)')


def run(arguments: argparse.Namespace) -> int:
    """Replay the commands until the last is given."""
    from quadruped_control.nodes.replay import replay

    count = replay(arguments.file)
    print(f'{count} commands replayed')
    return 0
