"""A small quadruped of twelve joints, written as URDFs that differ in all that is arbitrary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from xml.etree import ElementTree as Xml

import numpy as np
from transforms3d.euler import euler2mat, mat2euler

LEGS = ('front_left', 'front_right', 'rear_left', 'rear_right')
PARTS = ('hip', 'thigh', 'shank', 'foot')
AXES = {'hip': (1, 0, 0), 'thigh': (0, 1, 0), 'shank': (0, 1, 0)}
RANGES = {'hip': (-0.8, 0.8), 'thigh': (-1.5, 1.5), 'shank': (-2.5, -0.2)}


def plain_name(leg: str, part: str) -> str:
    return f'{leg}_{part}'


@dataclass
class Design:
    """What a URDF of the quadruped is like; legs hang straight down at zero, knees bend back."""

    name: Callable[[str, str], str] = plain_name
    legs: tuple[str, ...] = LEGS
    seed: int | None = None             # of turned frames and of axes' senses
    root_turn: np.ndarray = field(default_factory=lambda: np.eye(3))
    with_brackets: bool = False         # fixed links between the joints
    shuffled: bool = False
    foot: str = 'sphere'                # or box, cylinder, none
    thigh: float = 0.2
    ranges: dict[str, tuple[float, float] | None] = field(default_factory=lambda: dict(RANGES))
    effort: float = 40.0


def place_of(leg: str, part: str, thigh: float = 0.2) -> np.ndarray:
    """Where a part begins, from the part before, in the body's axes."""
    side = -1 if 'right' in leg else 1
    end = {'front': 1, 'rear': -1}.get(leg.split('_')[0], 0)
    return {'hip': np.array([0.2 * end, 0.05 * side, 0.0]),
            'thigh': np.array([0.0, 0.07 * side, 0.0]), 'shank': np.array([0.0, 0.0, -thigh]),
            'foot': np.array([0.0, 0.0, -0.2])}[part]


def write(design: Design | None = None) -> Xml.Element:
    """Return the robot element."""
    return _Writer(design or Design()).robot


class _Writer:
    def __init__(self, design: Design) -> None:
        self.design = design
        self.random = np.random.default_rng(design.seed)
        self.numbers = count()
        self.robot = Xml.Element('robot', name='made')
        self._add_link('trunk', 6.0, np.array([0.01, 0.0, 0.02]), (0.5, 0.2, 0.1),
                       design.root_turn, 'box')
        for leg in design.legs:
            self._add_leg(leg)
        if design.shuffled:
            children = list(self.robot)
            self.random.shuffle(children)       # type: ignore[arg-type]
            self.robot[:] = children

    def _add_leg(self, leg: str) -> None:
        parent, turn = 'trunk', self.design.root_turn
        for part, mass in zip(PARTS, (0.6, 0.8, 0.2, 0.05), strict=True):
            place = place_of(leg, part, self.design.thigh)
            if self.design.with_brackets:
                bracket = f'bracket_{next(self.numbers)}'
                turned = self._frame()
                self._add_joint(f'{bracket}_weld', parent, bracket, turn, turned, place / 2, None)
                self._add_link(bracket, 0.01, np.zeros(3), (0.01, 0.02, 0.01), turned, None)
                parent, turn, place = bracket, turned, place / 2
            name, turned = self.design.name(leg, part), self._frame()
            self._add_joint(f'{name}_joint', parent, name, turn, turned, place,
                            None if part == 'foot' else part)
            bone = np.array([0.0, 0.0, -0.1]) if part in ('thigh', 'shank') else np.zeros(3)
            size = (0.03, 0.03, 0.2) if any(bone) else (0.04, 0.04, 0.04)
            shape = self.design.foot if part == 'foot' else None if part == 'shank' else 'box'
            self._add_link(name, mass, bone, size, turned, None if shape == 'none' else shape)
            parent, turn = name, turned

    def _frame(self) -> np.ndarray:
        if self.design.seed is None:
            return np.eye(3)
        return np.asarray(euler2mat(*self.random.uniform(-3, 3, 3), axes='sxyz'))

    def _add_link(self, name: str, mass: float, centre: np.ndarray, size: tuple[float, ...],
                  turn: np.ndarray, shape: str | None) -> None:
        """Add a box of even mass, given in the body's axes, to a link whose frame is turned."""
        link = Xml.SubElement(self.robot, 'link', name=name)
        inertial = Xml.SubElement(link, 'inertial')
        self._origin(inertial, turn.T @ centre, turn.T)
        Xml.SubElement(inertial, 'mass', value=repr(mass))
        squares = np.square(size)
        moments = mass / 12 * (squares.sum() - squares)
        Xml.SubElement(inertial, 'inertia', ixx=repr(float(moments[0])), ixy='0', ixz='0',
                       iyy=repr(float(moments[1])), iyz='0', izz=repr(float(moments[2])))
        if shape is not None:
            collision = Xml.SubElement(link, 'collision')
            self._origin(collision, turn.T @ centre, turn.T)
            geometry = Xml.SubElement(collision, 'geometry')
            sizes = {'box': {'size': ' '.join(map(str, size))}, 'sphere': {'radius': '0.02'},
                     'cylinder': {'radius': '0.02', 'length': '0.03'}}
            Xml.SubElement(geometry, shape, sizes[shape])

    def _add_joint(self, name: str, parent: str, child: str, turn: np.ndarray,
                   turned: np.ndarray, place: np.ndarray, part: str | None) -> None:
        joint = Xml.SubElement(self.robot, 'joint', name=name)
        self._origin(joint, turn.T @ place, turn.T @ turned)
        Xml.SubElement(joint, 'parent', link=parent)
        Xml.SubElement(joint, 'child', link=child)
        limits = self.design.ranges[part] if part else None
        joint.set('type', 'fixed' if part is None else 'revolute' if limits else 'continuous')
        if part is None:
            return
        sign = 1 if self.design.seed is None else self.random.choice((-1, 1))
        length = 1.0 if self.design.seed is None else self.random.uniform(0.5, 2.0)
        axis = turned.T @ AXES[part] * sign * length
        Xml.SubElement(joint, 'axis', xyz=' '.join(repr(float(value)) for value in axis))
        limit = {'effort': repr(self.design.effort), 'velocity': '20'}
        if limits:
            lower, upper = sorted(sign * end for end in limits)
            limit |= {'lower': repr(float(lower)), 'upper': repr(float(upper))}
        Xml.SubElement(joint, 'limit', limit)

    @staticmethod
    def _origin(element: Xml.Element, place: np.ndarray, turn: np.ndarray) -> None:
        rpy = mat2euler(turn, axes='sxyz')
        Xml.SubElement(element, 'origin', xyz=' '.join(repr(float(value)) for value in place),
                       rpy=' '.join(repr(float(value)) for value in rpy))
