"""
The files of a robot that nobody has tuned yet: another robot's, by dynamic similarity.

Gains and gaits are scaled by the unit of each number with the ratio of leg lengths (height of the
leg frames) and of masses; speeds with the square root of the lengths' ratio (the same Froude
number). Heights of leg frames follow those that each frame has standing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gains import Gains, JointGains, load_gains
from quadruped_control.control.gait import STAND, Gait, GaitTable, available_gaits, load_gait
from quadruped_control.control.gait_entries import list_units
from quadruped_control.control.gait_fields import list_places
from quadruped_control.control.gait_file import unflatten, write_gait
from quadruped_control.control.ladder import Ladder, Step, load_ladder
from quadruped_control.control.posture import Posture, load_posture
from quadruped_control.control.transition import load_transition
from quadruped_control.loading import Schema
from quadruped_control.model.robot import Robot
from quadruped_control.model.robot_files import list_files
from quadruped_control.model.similarity import Similarity, round_to_digits, scale_schema

Array = NDArray[np.float64]
USUAL_GAITS = ('walk', 'trot')              # of a robot with legs of three joints
FALL = 'fall'


@dataclass(frozen=True)
class Derivation:
    """
    From the files of one robot to those of another.

    :param model: the robot that has files, and
    :param other: the one that shall get some.
    :param keep: files that are there already.
    """

    model: Robot
    other: Robot
    keep: bool = False

    @property
    def similarity(self) -> Similarity:
        """How they differ in size."""
        return self.other.similarity_to(self.model)

    @property
    def header(self) -> list[str]:
        """What a derived file says of itself."""
        ratio = self.similarity
        return [f'Scaled from the {self.model.name} by dynamic similarity: lengths x '
                f'{ratio.length:.4g}, masses x {ratio.mass:.4g}.']

    def scale_gait(self, name: str) -> Gait:
        """Return a gait of the model for the other robot."""
        similarity, table = self.similarity, GaitTable.of(load_gait(name, self.model.name))
        factors = np.array([similarity.factor(str(unit)) for unit in list_units()])
        own = self.other.standing_height() / self.model.standing_height()
        factors[list_places()['height']] = own[:, None]
        speed, numbers = similarity.factor('m/s'), table.rows * factors
        if name != STAND:
            turning = list_places()['heading_gain']
            numbers[:, turning] = np.maximum(numbers[:, turning], self._find_heading_gain())
        rows = tuple(unflatten(row, round_to_digits(float(at) * speed, 3))
                     for at, row in zip(table.speeds, numbers, strict=True))
        return Gait(name=name, speeds=rows)

    def _find_heading_gain(self) -> float:
        """
        Return what feet must push sideways by, N/rad, where hips cannot twist.

        A leg frame that cannot be turned by its hips is turned by the other one: forces to
        opposite sides have the torque that the gains ask of both.
        """
        if self.other.roles.legs[0].hip[2]:
            return 0.0
        yaw = scale_schema(load_gains(self.model.name), self.similarity).leg_frames.yaw.kp
        return 2 * yaw / self.other.leg_frame_distance()

    def scale_posture(self, name: str) -> Posture:
        """Return a posture of the model for the other robot."""
        return scale_schema(load_posture(name, self.model.name), self.similarity)

    def scale_gains(self) -> Gains:
        """Return the gains, those of parts that the other robot has."""
        gains = scale_schema(load_gains(self.model.name), self.similarity)
        return gains.model_copy(update={'joints': self._keep_parts(gains.joints)})

    def _keep_parts(self, joints: JointGains) -> JointGains:
        roles = self.other.roles
        there = {'spine': roles.spine, 'neck': roles.neck, 'tail': roles.tail,
                 'hip_twist': roles.legs[0].hip[2], 'ankle': roles.legs[0].ankle[0],
                 'toe': roles.legs[0].toe}
        return joints.model_copy(update={part: None for part, has in there.items() if not has})

    def scale_ladder(self, gaits: Iterable[str]) -> Ladder:
        """Return the ladder of the gaits that the other robot has."""
        known, ladder, speed = set(gaits), load_ladder(self.model.name), self.similarity
        factor = speed.factor('m/s')

        def keep(steps: tuple[Step, ...]) -> list[dict[str, object]]:
            return [{'gait': step.gait, 'from': round_to_digits(step.start * factor, 3),
                     **({} if step.end is None else {'to': round_to_digits(step.end * factor, 3)})}
                    for step in steps if step.gait in known]

        data: dict[str, object] = {'slow': keep(ladder.slow)}
        fast = {name: keep(steps) for name, steps in ladder.fast.items()
                if all(step.gait in known for step in steps)}
        if fast and ladder.shift is not None:
            shift = scale_schema(ladder.shift, speed)
            data |= {'fast': fast, 'shift': shift.model_dump(mode='json')}
        return Ladder.model_validate(data, strict=False)

    def write(self, folder: Path, gaits: Iterable[str] | None = None,
              postures: Iterable[str] = (FALL,)) -> list[Path]:
        """
        Write gains, ladder, gaits and postures into a robot's folder; return the files.

        :param postures: those that a body of its kind can take; how it falls, of any.
        """
        chosen = sorted({STAND, *(available_gaits(self.model.name) if gaits is None else gaits)})
        written = [self._write(folder / 'gains.yaml', self.scale_gains()),
                   self._write(folder / 'ladder.yaml', self.scale_ladder(chosen))]
        written += [self._write(folder / 'gaits' / f'{name}.yaml', self.scale_gait(name))
                    for name in chosen]
        ladder = self.scale_ladder(chosen)
        if ladder.shift is not None and ladder.shift.transition is not None:
            name = ladder.shift.transition
            changed = scale_schema(load_transition(name, self.model.name), self.similarity)
            written.append(self._write(folder / 'transitions' / f'{name}.yaml', changed))
        there = list_files(self.model.name, 'postures')
        written += [self._write(folder / 'postures' / f'{name}.yaml', self.scale_posture(name))
                    for name in postures if name in there]
        return [path for path in written if path is not None]

    def _write(self, path: Path, values: Schema) -> Path | None:
        if self.keep and path.exists():
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        write_gait(path, values, self.header)
        return path

