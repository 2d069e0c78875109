"""What is placed and turned anew in every picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

try:
    from viser._messages import SetOrientationMessage, SetPositionMessage
except ImportError:                             # another viser: its handles are assigned to
    SetOrientationMessage = SetPositionMessage = None

Quaternion = tuple[float, float, float, float]      # w, x, y, z, as viser has them


class PosedNode:
    """
    A node of the scene, of which places and turns are sent as they are.

    Assigning to a handle of viser first compares with the last value by ``numpy.allclose``, which
    for 31 bodies took two thirds of the time of a picture. Where viser has no such messages, they
    are assigned all the same.

    :ivar handle: what a scene of viser gave for it.
    """

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self._name, self._queue = handle.name, _find_queue(handle)
        self._position, self._turn = handle.position, handle.wxyz       # viser's own arrays

    def place(self, position: Sequence[float]) -> None:
        """Put it somewhere in its parent, m."""
        if self._queue is None:
            self.handle.position = tuple(position)
            return
        x, y, z = position
        self._position[:] = position
        self._queue(SetPositionMessage(self._name, (float(x), float(y), float(z))))

    def turn(self, turn: Quaternion) -> None:
        """Turn it in its parent."""
        if self._queue is None:
            self.handle.wxyz = turn
            return
        self._turn[:] = turn
        self._queue(SetOrientationMessage(self._name, turn))


def _find_queue(handle: Any) -> Callable[[Any], None] | None:
    """Return the function that sends a message to all who have the page open, if it is there."""
    api = getattr(getattr(handle, '_impl', None), 'api', None)
    queue = getattr(api, '_queue_scene_message', None)
    return queue if SetPositionMessage is not None and callable(queue) else None
