"""
Opens a page as a browser does, takes all that it sends, and shows nothing.

For measuring what a page costs where no browser, or one on another machine, looks at it:
``python -m quadruped_control.page.reader http://127.0.0.1:8080 5``
"""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

import msgspec
import viser
from websockets.sync.client import connect

from quadruped_control.priority import give_way

CAMERA = {
    'type': 'ViewerCameraMessage', 'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': (0.0, -2.0, 1.0),
    'fov': 0.75, 'near': 0.01, 'far': 1000.0, 'image_height': 800, 'image_width': 1200,
    'look_at': (0.0, 0.0, 0.4), 'up_direction': (0.0, 0.0, 1.0),
}  # fmt: skip


def read_page(address: str, seconds: float) -> tuple[int, int]:
    """Have a page open for so many s; return how many messages and bytes came."""
    end, messages, size = monotonic() + seconds, 0, 0
    with connect(address.replace('http://', 'ws://'), subprotocols=[protocol()],
                 compression=None, max_size=None) as socket:
        socket.send(msgspec.msgpack.encode(CAMERA))
        while monotonic() < end:
            try:
                data = socket.recv(timeout=max(0.0, end - monotonic()))
            except TimeoutError:
                break
            messages, size = messages + 1, size + len(data)
    return messages, size


def protocol() -> Any:
    """Name the protocol of the installed viser, which takes no other."""
    return f'viser-v{viser.__version__}'


if __name__ == '__main__':
    give_way()
    print(*read_page(sys.argv[1], float(sys.argv[2])))
