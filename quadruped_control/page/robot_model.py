"""The robot in the scene: frames that hang on each other, of which only the turns are sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadruped_control.model.turns import slide_along, turn_about
from quadruped_control.page.posed_node import PosedNode, Quaternion
from quadruped_control.page.urdf_visuals import Body, Hinge, read_bodies

SMALLEST_TURN = 1e-4                                # of a quaternion's numbers, that is sent
Chain = list[tuple[int, Hinge]]                     # place of a joint's angle, and the joint


class RobotModel:
    """The meshes of a URDF in a scene of viser."""

    def __init__(self, scene: Any, urdf: str, parent: str) -> None:
        self._bodies = read_bodies(urdf)
        self._nodes: list[PosedNode] = []
        self._turns: list[Quaternion] = []
        paths = {'': parent}
        for body in self._bodies:
            paths[body.name] = f'{paths[body.parent]}/{body.name.replace("/", "_")}'
            self._nodes.append(PosedNode(scene.add_frame(
                paths[body.name], show_axes=False, position=body.origin, wxyz=body.turn)))
            self._turns.append(body.turn)
            _add_meshes(scene, paths[body.name], body)
        self._names: Sequence[str] = ()
        self._chains: list[Chain] = []

    @property
    def joint_names(self) -> list[str]:
        """The joints that turn its bodies."""
        return [hinge.name for body in self._bodies for hinge in body.hinges]

    def remove(self) -> None:
        """Take it out of the scene."""
        self._nodes[0].handle.remove()

    def move(self, position: Sequence[float], turn: Quaternion, names: Sequence[str],
             angles: Sequence[float]) -> None:
        """
        Place the root, and turn each body by the angles (rad) of its joints.

        :param names: of the joints, in the order of the angles.
        """
        if names != self._names:
            self._names = list(names)
            places = {name: n for n, name in enumerate(names)}
            self._chains = [[(places[hinge.name], hinge) for hinge in body.hinges
                             if hinge.name in places] for body in self._bodies]
        self._nodes[0].place(position)
        self._turn(0, turn)
        for n, chain in enumerate(self._chains):
            if chain and chain[0][1].slides:
                body, (place, hinge) = self._bodies[n], chain[0]
                self._nodes[n].place(slide_along(body.origin, body.turn, hinge.axis,
                                                 angles[place]))
            elif chain:
                self._turn(n, multiply_turns(self._bodies[n].turn, chain, angles))

    def _turn(self, number: int, turn: Quaternion) -> None:
        """Send a turn unless it is the last one."""
        (w, x, y, z), last = turn, self._turns[number]
        if not (abs(x - last[1]) < SMALLEST_TURN and abs(y - last[2]) < SMALLEST_TURN
                and abs(z - last[3]) < SMALLEST_TURN and abs(w - last[0]) < SMALLEST_TURN):
            self._turns[number] = turn
            self._nodes[number].turn(turn)


def multiply_turns(first: Quaternion, chain: Chain, angles: Sequence[float]) -> Quaternion:
    """Return a turn followed by those of hinges, one after the other."""
    turn = first
    for place, hinge in chain:
        turn = turn_about(turn, hinge.axis, angles[place])
    return turn


def _add_meshes(scene: Any, path: str, body: Body) -> None:
    for n, mesh in enumerate(body.meshes):
        scene.add_mesh_simple(f'{path}/mesh_{n}', mesh.vertices, mesh.triangles,
                              color=mesh.colour)
