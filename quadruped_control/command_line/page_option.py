"""The options of commands that show the page."""

from __future__ import annotations

import argparse
import importlib.util
from typing import TypedDict

from quadruped_control.errors import InputError
from quadruped_control.nodes.graph import LOCAL, GraphOptions

NO_VISER = ('there is no page to watch and drive it, for viser is not installed: start by '
            './quadruped, or pip install viser')


class PageOptions(TypedDict):
    """The page in the options of a graph."""

    page: bool
    page_address: str
    page_port: int


def add_page_arguments(parser: argparse.ArgumentParser, *, can_leave_out: bool = True) -> None:
    """Declare the arguments."""
    if can_leave_out:
        parser.add_argument('--no-page', action='store_true',
                            help='without the page to watch and drive it in a browser')
    parser.add_argument('--page-address', default=LOCAL, metavar='ADDRESS',
                        help='on which the page is served (default: %(default)s, for this machine '
                             'only; 0.0.0.0: for all that can reach it)')
    parser.add_argument('--page-port', type=int, default=GraphOptions().page_port, metavar='PORT',
                        help='the first free one from here on (default: %(default)s)')


def has_viser() -> bool:
    """Say whether viser is there."""
    return importlib.util.find_spec('viser') is not None


def read_page_options(arguments: argparse.Namespace) -> PageOptions:
    """Return what is asked for, and say so where it cannot be had; or raise InputError."""
    if not 1 <= arguments.page_port <= 65535:
        raise InputError('--page-port', '', arguments.page_port, 'a number from 1 to 65535')
    wanted = not getattr(arguments, 'no_page', False)
    if wanted and not has_viser():
        print(NO_VISER, flush=True)
    return {'page': wanted and has_viser(), 'page_address': arguments.page_address,
            'page_port': arguments.page_port}
