"""The dog in the scene: frames that hang on each other, of which only the turns are sent."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any

from quadruped_control.page.posed_node import PosedNode, Quaternion
from quadruped_control.page.urdf_visuals import Body, read_bodies

UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)
SMALLEST_TURN = 1e-4                                # of a quaternion's numbers, that is sent


class DogModel:
    """The meshes of a URDF in a scene of viser."""

    def __init__(self, scene: Any, urdf: str, parent: str) -> None:
        self._bodies = read_bodies(urdf)
        self._nodes: list[PosedNode] = []
        self._turns: list[Quaternion] = []
        paths = {'': parent}
        for body in self._bodies:
            paths[body.name] = f'{paths[body.parent]}/{body.name}'
            self._nodes.append(PosedNode(scene.add_frame(
                paths[body.name], show_axes=False, position=body.origin)))
            self._turns.append(UNTURNED)
            _add_meshes(scene, paths[body.name], body)
        self._names: Sequence[str] = ()
        self._chains: list[list[tuple[int, int]]] = []

    @property
    def joint_names(self) -> list[str]:
        """The joints that turn its bodies."""
        return [hinge.name for body in self._bodies for hinge in body.hinges]

    def move(self, position: Sequence[float], turn: Quaternion, names: Sequence[str],
             angles: Sequence[float]) -> None:
        """
        Place the root, and turn each body by the angles (rad) of its joints.

        :param names: of the joints, in the order of the angles.
        """
        if names != self._names:
            self._names = list(names)
            places = {name: n for n, name in enumerate(names)}
            self._chains = [[(places[hinge.name], hinge.axis + 1) for hinge in body.hinges
                             if hinge.name in places] for body in self._bodies]
        self._nodes[0].place(position)
        self._turn(0, turn)
        for n, chain in enumerate(self._chains):
            if chain:
                self._turn(n, multiply_turns(chain, angles))

    def _turn(self, number: int, turn: Quaternion) -> None:
        """Send a turn unless it is the last one."""
        (w, x, y, z), last = turn, self._turns[number]
        if not (abs(x - last[1]) < SMALLEST_TURN and abs(y - last[2]) < SMALLEST_TURN
                and abs(z - last[3]) < SMALLEST_TURN and abs(w - last[0]) < SMALLEST_TURN):
            self._turns[number] = turn
            self._nodes[number].turn(turn)


def multiply_turns(chain: Sequence[tuple[int, int]], angles: Sequence[float]) -> Quaternion:
    """Return the turn of hinges one after the other: place of the angle, and axis 1 to 3."""
    turn = [1.0, 0.0, 0.0, 0.0]
    for place, axis in chain:
        half = angles[place] / 2
        c, s = cos(half), sin(half)
        b, d = axis % 3 + 1, (axis + 1) % 3 + 1
        w, p, q, r = turn[0], turn[axis], turn[b], turn[d]
        turn[0], turn[axis] = c * w - s * p, c * p + s * w
        turn[b], turn[d] = c * q + s * r, c * r - s * q
    return turn[0], turn[1], turn[2], turn[3]


def _add_meshes(scene: Any, path: str, body: Body) -> None:
    for n, mesh in enumerate(body.meshes):
        scene.add_mesh_simple(f'{path}/mesh_{n}', mesh.vertices, mesh.triangles,
                              color=mesh.colour)
