"""A robot ready for use: its tree of links, and which of them are legs, spine, neck and tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.kinematics.forward_kinematics import compute_centre_of_mass, compute_motion
from quadruped_control.kinematics.records import (
    ABSENT,
    FRONT,
    GRAVITY,
    REAR,
    anatomy_type,
    motion_type,
    new_record,
    state_type,
    tree_type,
)
from quadruped_control.model.description import Sphere
from quadruped_control.model.joint_convention import JointConvention
from quadruped_control.model.links import Link
from quadruped_control.model.measures import MEASURES, Measures
from quadruped_control.model.roles import LegRoles, Roles
from quadruped_control.model.similarity import Similarity


@dataclass(frozen=True)
class Robot:
    """
    A robot's constant data.

    :param urdf: in the convention of :mod:`urdf_reader`; the physics is this file's.
    :param links: in the order of all per-link arrays; the root first.
    :param shapes: the same links with what collides, for engines that are told of it.
    :param spine: joints (link indices) from the pelvis to the shoulders; neck and tail likewise.
    :param back: real links of the spine including both leg frames.
    :param convention: between the angles here and those of the URDF that users have.
    :param source: that URDF; the same as ``urdf`` where it is described here.
    """

    name: str
    urdf: Path
    links: tuple[Link, ...]
    shapes: tuple[Link, ...]
    roles: Roles
    measures: Measures
    tree: np.record
    anatomy: np.record
    spine: tuple[int, ...]
    neck: tuple[int, ...]
    tail: tuple[int, ...]
    back: tuple[int, ...]
    head_and_neck: tuple[int, ...]
    convention: JointConvention
    source: Path

    @property
    def movable(self) -> tuple[int, ...]:
        """Links whose joint moves."""
        return tuple(i for i, link in enumerate(self.links) if link.axis >= 0)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the moving joints, in order."""
        return tuple(self.links[i].joint_name for i in self.movable)

    @property
    def trunk(self) -> NDArray[np.int64]:
        """Links whose contact counts as the body's: back, neck and head."""
        return np.array([*self.back, *self.head_and_neck])

    def torque_limits(self) -> NDArray[np.float64]:
        """Return what the joint of each link can give, N m."""
        return np.array([np.inf if link.effort is None else link.effort for link in self.links])

    def limit(self, torque: float | None) -> Robot:
        """Return the robot with a torque (N m) that every joint can give; None: as it is."""
        if torque is None:
            return self
        return replace(self, links=tuple(replace(link, effort=torque) for link in self.links))

    def index(self, link_name: str) -> int:
        """Index of a link by its name."""
        return [link.name for link in self.links].index(link_name)

    def zero_pose(self) -> np.record:
        """Return the motion record of the zero pose with the root at the origin."""
        return self.pose(np.zeros(len(self.links)))

    def pose(self, angles: NDArray[np.float64]) -> np.record:
        """Return the motion record with the root at the origin and joints (by link) at angles."""
        state = new_record(state_type(len(self.links)))
        state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
        state['joint_position'] = angles
        motion = new_record(motion_type(len(self.links)))
        compute_motion(self.tree, state, motion)
        return motion

    def standing_feet(self) -> NDArray[np.float64]:
        """Return where the foot centres (4, 3) stand, from the rear leg frame's point, m."""
        motion = self.zero_pose()
        feet = motion['position'][self.anatomy['toe']] + self.anatomy['foot_centre']
        spread = np.sign(feet[:, 1]) * self.roles.standing_spread
        feet[:, 1] += spread
        if self.roles.standing_aside:
            feet[:, 1] += self.roles.standing_aside
        return np.asarray(feet - self.anatomy['leg_frame_point'][REAR])

    def standing_height(self) -> NDArray[np.float64]:
        """Return the height of front and rear leg frame over the soles of the zero pose, m."""
        sole = self.standing_feet()[:, 2] - self.anatomy['foot_radius']
        points = self._leg_frame_points()
        return np.array([points[frame, 2] - points[REAR, 2] - sole[2 * frame:2 * frame + 2].mean()
                         for frame in (FRONT, REAR)])

    def leg_frame_distance(self) -> float:
        """Return how far the front leg frame is ahead of the rear one in the zero pose, m."""
        points = self._leg_frame_points()
        return float(points[FRONT, 0] - points[REAR, 0])

    def _leg_frame_points(self) -> NDArray[np.float64]:
        motion = self.zero_pose()
        return np.asarray(motion['position'][self.anatomy['leg_frame']]
                          + self.anatomy['leg_frame_point'])

    def standing_weight(self) -> tuple[float, float]:
        """Return the force in N on front and rear legs of the dog standing still."""
        centre, feet = np.empty(3), self.standing_feet()
        compute_centre_of_mass(self.tree, self.zero_pose(), centre)
        front, rear = feet[:2, 0].mean(), feet[2:, 0].mean()
        ahead = centre[0] - self.anatomy['leg_frame_point'][REAR, 0]
        share = (ahead - rear) / (front - rear)
        weight = float(self.tree['total_mass']) * GRAVITY
        return share * weight, (1 - share) * weight

    def similarity_to(self, model: Robot) -> Similarity:
        """Return by what it is larger (by the height of leg frames) and heavier than a model."""
        length = self.standing_height().mean() / model.standing_height().mean()
        return Similarity(float(length), float(self.tree['total_mass'] / model.tree['total_mass']))

    def spheres(self) -> list[tuple[int, Sphere]]:
        """Return the collision spheres with their links, feet and rods' ends included."""
        found = []
        for link in self.shapes:
            index = self.index(link.name)
            if link.foot is not None:
                found.append((index, link.foot))
            for shape in link.collision:
                ends = [shape] if isinstance(shape, Sphere) else [
                    Sphere(centre=end, radius=shape.radius) for end in (shape.start, shape.end)]
                found += [(index, sphere) for sphere in ends]
        return found


def build_robot(name: str, urdf: Path, links: tuple[Link, ...], shapes: Sequence[Link],
                roles: Roles, measures: Measures, convention: JointConvention | None = None,
                source: Path | None = None) -> Robot:
    """Combine the links of a URDF with their roles."""
    same = JointConvention.same(sum(link.axis >= 0 for link in links), links[0].name)
    joints = {link.joint_name: i for i, link in enumerate(links)}
    spine, neck, tail = (tuple(joints[joint] for joint in chain)
                         for chain in (roles.spine, roles.neck, roles.tail))
    by_name = {link.name: i for i, link in enumerate(links)}
    anatomy = new_record(anatomy_type(len(spine), len(neck), len(tail), MEASURES))
    for leg, described in enumerate(roles.legs):
        _write_leg(anatomy, leg, described, links, joints)
    anatomy['leg_kind'] = int(roles.kind)
    for frame, link in enumerate(roles.leg_frames):
        anatomy['leg_frame'][frame] = by_name[link]
        anatomy['leg_frame_point'][frame] = anatomy['hip_place'][2 * frame:2 * frame + 2].mean(0)
    for part, chain in (('spine', spine), ('neck', neck), ('tail', tail)):
        anatomy[f'{part}_joints'] = len(chain)
        anatomy[part] = chain or ABSENT
    anatomy['head'] = neck[-1] if neck else by_name[roles.leg_frames[FRONT]]
    for measure in MEASURES:
        anatomy[measure] = getattr(measures, measure)
    robot = Robot(name, urdf, links, tuple(shapes), roles, measures, _tree(links), anatomy, spine,
                  neck, tail, tuple(i for i in (0, *spine) if links[i].is_real),
                  tuple(i for i in neck if links[i].is_real), convention or same, source or urdf)
    length = robot.leg_frame_distance()
    anatomy['lever'] = length / 2, -length / 2
    anatomy['middle'] = length / 2 + anatomy['leg_frame_point'][REAR, 0]
    anatomy['foot_place'] = robot.standing_feet()[:, :2]
    anatomy['foot_place'][:2, 0] -= length
    return robot


def _tree(links: tuple[Link, ...]) -> np.record:
    tree = new_record(tree_type(len(links)))
    names = {link.name: i for i, link in enumerate(links)}
    for i, link in enumerate(links):
        tree['parent'][i] = -1 if link.parent is None else names[link.parent]
        tree['axis'][i] = link.axis
        tree['offset'][i] = link.origin
        tree['mass'][i] = link.mass
        tree['centre_of_mass'][i] = link.centre_of_mass
        tree['inertia'][i] = link.inertia
        tree['lower'][i], tree['upper'][i] = link.position_range or (-np.inf, np.inf)
    tree['total_mass'] = tree['mass'].sum()
    return tree


def _write_leg(anatomy: np.record, leg: int, roles: LegRoles, links: tuple[Link, ...],
               joints: dict[str, int]) -> None:
    """Write numbers and lengths of a leg's parts; what it lacks is ABSENT, or of no length."""
    def find(name: str) -> int:
        return joints[name] if name else ABSENT

    anatomy['hip'][leg] = [find(name) for name in roles.hip]
    anatomy['thigh'][leg], anatomy['knee'][leg] = find(roles.last), find(roles.knee)
    anatomy['ankle'][leg] = [find(name) for name in roles.ankle]
    anatomy['toe_joint'][leg] = find(roles.toe)
    anatomy['toe'][leg] = [link.name for link in links].index(roles.foot_link)
    anatomy['hip_place'][leg] = links[find(roles.first)].origin
    if roles.first != roles.last:
        anatomy['abduction'][leg] = links[find(roles.last)].origin
    anatomy['upper'][leg] = links[find(roles.knee)].origin
    if roles.toe:
        anatomy['lower'][leg] = links[find(roles.ankle[0])].origin
        anatomy['pastern'][leg] = links[find(roles.toe)].origin
    anatomy['foot_centre'][leg] = roles.foot.centre
    anatomy['foot_radius'][leg] = roles.foot.radius
