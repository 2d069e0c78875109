"""The server of a page: where it listens, and how it looks."""

from __future__ import annotations

import io
import socket
from contextlib import redirect_stdout
from typing import Any

import viser

from quadruped_control.errors import QuadrupedError

LOCAL = ('127.0.0.1', 'localhost', '::1')
TITLE = 'quadruped'
BRAND = (29, 79, 140)
PANEL_WIDTH, WATCH_WIDTH = 330, 350             # pixels


def open_server(address: str, port: int) -> Any:
    """Listen on an address, at the first free port from the given one; or raise QuadrupedError."""
    try:
        with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET) as probe:
            probe.bind((address, 0))
    except OSError as error:
        raise QuadrupedError(f'the page cannot listen on {address}: {error.strerror or error}; '
                             'name an address of this machine, as 127.0.0.1') from None
    with redirect_stdout(io.StringIO()):        # it would print a box of its own
        server = viser.ViserServer(host=address, port=port, label=TITLE, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
    server.gui.main_panel.dock_right()
    server.gui.main_panel.set_width(PANEL_WIDTH)
    return server


def describe_address(server: Any, address: str) -> str:
    """Say where the page is, and who can reach it."""
    port = server.get_port()
    if address in LOCAL:
        return f'the page: http://{address}:{port}'
    shown = socket.gethostname() if address in ('0.0.0.0', '::') else address
    return (f'the page: http://{shown}:{port} - it listens on {address}, so that everybody who '
            'can reach this machine there can drive the dog')


def open_watch_panel(server: Any) -> Any:
    """Return the container at the left for what is only to be looked at."""
    panel = server.gui.add_panel()
    tab = panel.add_tab('What it does', viser.Icon.ACTIVITY)
    panel.dock_left()
    panel.set_width(WATCH_WIDTH)
    return tab
