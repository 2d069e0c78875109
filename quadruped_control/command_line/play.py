"""
Show a recording on the page, with a time slider and a speed, until Ctrl-C.

It takes what `./quadruped up --record`, `./quadruped run --record` and the page itself record.
"""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from quadruped_control.command_line.page_option import (
    NO_VISER,
    add_page_arguments,
    has_viser,
    read_page_options,
)
from quadruped_control.errors import QuadrupedError
from quadruped_control.rollout.playback import load_playback

EXAMPLE = './quadruped play out/run.mcap'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('file', type=Path, help='recording (.mcap, or a bag folder)')
    add_page_arguments(parser, can_leave_out=False)


def run(arguments: argparse.Namespace) -> int:
    """Show the recording until Ctrl-C or SIGTERM."""
    if not has_viser():
        raise QuadrupedError(NO_VISER)
    options = read_page_options(arguments)
    from quadruped_control.page.play_page import PlayPage

    playback = load_playback(arguments.file)
    page = PlayPage(playback, arguments.file.name, options['page_address'], options['page_port'])
    print(f'{arguments.file}: {playback.duration:g} s', flush=True)
    print(page.description, flush=True)
    ended = threading.Event()
    before = {number: signal.signal(number, lambda *_: ended.set())
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        page.run(ended)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0
