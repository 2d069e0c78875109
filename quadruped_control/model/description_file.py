"""Reading of a robot's description, with what its schema cannot say checked."""

from __future__ import annotations

from math import hypot
from pathlib import Path

from quadruped_control.errors import InputError
from quadruped_control.loading import load, validate
from quadruped_control.model.description import (
    SIDES,
    LinkDescription,
    RobotDescription,
    Rod,
    Vector,
)
from quadruped_control.model.links import JOINT_AXES
from quadruped_control.model.proportions import SimilarBody, make_similar
from quadruped_control.model.robot_files import BODY, refuse_unknown_robot, robot_folder
from quadruped_control.yaml_file import read_yaml

LEG_JOINTS = {'hip': 'ball', 'knee': 'hinge', 'ankle': 'universal', 'toe': 'hinge'}
SIDE = '{side}'
TOLERANCE = 1e-6        # kg


def load_description(path: Path) -> RobotDescription:
    """Read and check a description, or make it from another body's, or raise InputError."""
    body = load_similar(path)
    if body is None:
        description = load(path, RobotDescription)
    else:
        model = load(robot_folder(body.like) / BODY, RobotDescription)
        description = make_similar(body, model, str(path))
    if description.name != path.parent.name:
        raise InputError(path, 'name', description.name,
                         f'{path.parent.name}, as the folder is called')
    _Check(path, description).run()
    return description


def load_similar(path: Path) -> SimilarBody | None:
    """Return how a body is like another one, or None if its description is its own."""
    data = read_yaml(path)
    if not isinstance(data, dict) or 'like' not in data:
        return None
    body = validate(data, SimilarBody, path)
    refuse_unknown_robot(path, 'like', body.like)
    return body


class _Check:
    """The checks of one description, in the order in which its file is read."""

    def __init__(self, path: Path, description: RobotDescription) -> None:
        self._path = path
        self._description = description
        self._joints: dict[str, LinkDescription] = {}

    def run(self) -> None:
        """Raise InputError for the first thing that is wrong."""
        seen: set[str] = set()
        for index, link in enumerate(self._description.links):
            key = f'links[{index}]'
            self._check_place(key, link, seen)
            self._check_joint(key, link)
            self._check_body(key, link)
            self._check_looks(key, link)
            seen.add(link.name)
        self._check_mass()
        self._check_chains()
        self._check_legs()

    def _require(self, holds: bool, key: str, value: object, accepted: str) -> None:
        if not holds:
            raise InputError(self._path, key, value, accepted)

    def _check_place(self, key: str, link: LinkDescription, seen: set[str]) -> None:
        is_root = not seen
        self._require(link.name not in seen, f'{key}.name', link.name,
                      'a name that no other link has')
        self._require(is_root == (link.parent is None) == (link.joint is None), f'{key}.parent',
                      link.parent, 'none for the first link; parent and joint for every other')
        self._require(not is_root or SIDE not in link.name, f'{key}.name', link.name,
                      'one first link, not one for each side')
        if link.parent is not None:
            self._require(link.parent in seen, f'{key}.parent', link.parent,
                          f'a link described before this one: {", ".join(sorted(seen))}')
            self._require(SIDE not in link.parent or SIDE in link.name, f'{key}.parent',
                          link.parent, 'a link without {side}, as this one has none')

    def _check_joint(self, key: str, link: LinkDescription) -> None:
        joint = link.joint
        if joint is None:
            return
        self._require(joint.name not in self._joints, f'{key}.joint.name', joint.name,
                      'a name that no other joint has')
        self._require((SIDE in joint.name) == (SIDE in link.name), f'{key}.joint.name',
                      joint.name, '{side} in it if, and only if, the link has it')
        self._joints[joint.name] = link
        axes = JOINT_AXES[joint.kind]
        for axis in ('pitch', 'roll', 'yaw'):
            given = getattr(joint, axis)
            self._require(given is None or axis in axes, f'{key}.joint.{axis}', given,
                          f'a range for {", ".join(axes)} only, which a {joint.kind} has')
        least = self._description.intermediate_link.mass * (len(axes) - 1)
        self._require(link.mass > least, f'{key}.mass', link.mass,
                      f'more than the {least:g} kg of the links between its revolutes')

    def _check_body(self, key: str, link: LinkDescription) -> None:
        has_bone = link.bone is not None and link.radius is not None
        self._require((link.solid is None) == has_bone, f'{key}.solid', link.solid,
                      'either a solid, or both bone and radius')
        if link.bone is not None:
            self._check_line(f'{key}.bone', (0.0, 0.0, 0.0), link.bone)
        for index, shape in enumerate(link.collision):
            if isinstance(shape, Rod):
                self._check_line(f'{key}.collision[{index}].to', shape.start, shape.end)

    def _check_line(self, key: str, start: Vector, end: Vector) -> None:
        dx, dy, dz = (b - a for a, b in zip(start, end, strict=True))
        self._require(dy == 0.0 and hypot(dx, dz) > 0.001, key, end,
                      'a point more than 1 mm away, with the same y')

    def _check_looks(self, key: str, link: LinkDescription) -> None:
        colours = self._description.colours
        for index, flesh in enumerate(link.visual):
            where = f'{key}.visual[{index}]'
            self._require(flesh.colour in colours, f'{where}.colour', flesh.colour,
                          f'one of {", ".join(colours)}')
            given = [part is not None for part in
                     (flesh.start, flesh.end, flesh.radius, flesh.centre, flesh.radii)]
            self._require(given in ([True] * 3 + [False] * 2, [False] * 3 + [True] * 2), where,
                          flesh.model_dump(exclude_none=True),
                          'from, to and radius of a round cone, or centre and radii')

    def _check_mass(self) -> None:
        described = self._description
        total = sum(link.mass * (len(SIDES) if SIDE in link.name else 1)
                    for link in described.links)
        self._require(abs(total - described.total_mass) <= TOLERANCE, 'total_mass',
                      described.total_mass, f'the sum of the masses of all links, {total:.6g}')

    def _check_chains(self) -> None:
        """Spine, neck and tail are ball joints, each the next one's parent."""
        described = self._description
        frames = described.leg_frames
        root = described.links[0].name
        self._require(frames.rear == root, 'leg_frames.rear', frames.rear,
                      f'the first link, {root}')
        for chain, start in (('spine', frames.rear), ('neck', frames.front),
                             ('tail', frames.rear)):
            last = start
            for index, name in enumerate(getattr(described, chain)):
                link = self._find(f'{chain}[{index}]', name, 'ball')
                self._require(link.parent == last, f'{chain}[{index}]', name,
                              f'a joint at {last}')
                last = link.name
            self._require(chain != 'spine' or last == frames.front, 'leg_frames.front',
                          frames.front, f'the link at the end of the spine, {last}')

    def _check_legs(self) -> None:
        """Legs hang at the leg frames: ball, hinge, universal joint, hinge and foot."""
        described = self._description
        for pair in ('front', 'rear'):
            last = getattr(described.leg_frames, pair)
            for role, kind in LEG_JOINTS.items():
                key, name = f'legs.{pair}.{role}', getattr(getattr(described.legs, pair), role)
                link = self._find(key, name, kind)
                self._require(SIDE in name, key, name, 'a joint with {side} in its name')
                self._require(link.parent == last, key, name, f'a joint at {last}')
                last = link.name
            self._require(link.foot is not None, f'legs.{pair}.toe', name,
                          'the joint of a link that has a foot')

    def _find(self, key: str, name: str, kind: str) -> LinkDescription:
        known = [joint for joint, link in self._joints.items()
                 if link.joint is not None and link.joint.kind == kind]
        self._require(name in known, key, name, f'a {kind} joint: {", ".join(known)}')
        return self._joints[name]
