"""Reference motions: the schema of config/references/NAME.yaml, reading and writing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator
from typing_extensions import Self

from quadruped_control.errors import InputError
from quadruped_control.explanation import suggest
from quadruped_control.kinematics.records import LEGS
from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot import Robot
from quadruped_control.share import share_folder

Array = NDArray[np.float64]
Metres = Annotated[float, Field(ge=-5.0, le=5.0, description='m')]
Point = Annotated[tuple[Metres, ...], Field(min_length=2, max_length=3)]
FOOT_WEIGHT = 0.4           # beside 1 for the other markers (section 4)
DIGITS = 4


class Marker(Schema):
    """
    A point of the body and where it is over a gait cycle.

    :param link: of the robot that it is fixed to.
    :param at: its place in the frame of the link, m.
    :param weight: of its squared distance, among the markers.
    :param path: positions at even steps over one cycle, m: forward, left and up from where the
        mid-point of the two leg frames is on average, an origin that moves on with the mean
        velocity of the cycle; or forward and up, see `axes`.
    """

    name: Annotated[str, Field(min_length=1, max_length=50)]
    link: str
    at: tuple[Metres, Metres, Metres] = (0.0, 0.0, 0.0)
    weight: Annotated[float, Field(gt=0.0, le=100.0)] = 1.0
    path: Annotated[tuple[Point, ...], Field(min_length=8, max_length=1000)]


class Reference(Schema):
    """
    A motion to resemble. Any moment of the cycle may be the first, the same for all markers.

    :param axes: what the positions are: xyz, or xz for a film from the side.
    """

    axes: Literal['xyz', 'xz'] = 'xyz'
    markers: Annotated[tuple[Marker, ...], Field(min_length=1, max_length=100)]

    @field_validator('markers', mode='after')
    @classmethod
    def _refuse_repetition(cls, markers: tuple[Marker, ...]) -> tuple[Marker, ...]:
        names = [marker.name for marker in markers]
        for n, name in enumerate(names):
            if name in names[:n]:
                raise refusal('a name that no marker before it has', n, 'name')
        return markers

    @model_validator(mode='after')
    def _refuse_other_axes(self) -> Self:
        for n, marker in enumerate(self.markers):
            for k, point in enumerate(marker.path):
                if len(point) != len(self.axes):
                    accepted = f'{len(self.axes)} numbers, as axes is {self.axes}'
                    raise refusal(accepted, 'markers', n, 'path', k)
        return self

    def sample(self, phases: int) -> Array:
        """Return all markers at even phases (phases, markers, axes), m; linear in between."""
        return np.stack([_resample(np.array(marker.path), phases) for marker in self.markers], 1)


def _resample(path: Array, phases: int) -> Array:
    wrapped = np.vstack((path, path[:1]))
    places, known = np.arange(phases) / phases, np.arange(len(wrapped)) / len(path)
    return np.column_stack([np.interp(places, known, column) for column in wrapped.T])


def references_folder() -> Path:
    """Return where the reference motions of the package are."""
    return share_folder() / 'config' / 'references'


def load_reference(source: str | Path, robot: Robot) -> Reference:
    """Read a reference motion of a robot, by its file or by a name of config/references."""
    named = references_folder() / f'{source}.yaml'
    path = named if named.is_file() else Path(source)
    reference = load(path, Reference)
    links = [link.name for link in robot.links if link.is_real]
    for n, marker in enumerate(reference.markers):
        if marker.link not in links:
            raise InputError(path, f'markers[{n}].link', marker.link,
                             f'one of {suggest(marker.link, links)}')
    return reference


def write_reference(path: Path, reference: Reference, header: list[str]) -> None:
    """Write a reference motion, with how it was made as comments at its head."""
    text = yaml.safe_dump(reference.model_dump(mode='json'), sort_keys=False,
                          default_flow_style=None)
    path.write_text(''.join(f'# {line}\n' for line in header) + text, encoding='utf-8')


def place_markers(robot: Robot) -> list[tuple[str, int, Array, float]]:
    """
    Return name, link, place in it and weight of the paper's markers.

    They are on shoulders and hips (the leg frames), head and feet.
    """
    anatomy = robot.anatomy
    frames = [(name, int(anatomy['leg_frame'][n]), anatomy['leg_frame_point'][n], 1.0)
              for n, name in enumerate(('shoulders', 'hips'))]
    feet = [(f'{leg}_foot', int(anatomy['toe'][n]), anatomy['foot_centre'][n], FOOT_WEIGHT)
            for n, leg in enumerate(LEGS)]
    return [*frames, ('head', int(anatomy['head']), np.zeros(3), 1.0), *feet]


def describe_markers(robot: Robot, paths: Array) -> Reference:
    """Return the motion (phases, markers, 3) of the paper's markers as a reference."""
    markers = [Marker(name=name, link=robot.links[link].name, at=_rounded(at), weight=weight,
                      path=tuple(_rounded(point) for point in paths[:, n]))
               for n, (name, link, at, weight) in enumerate(place_markers(robot))]
    return Reference(markers=tuple(markers))


def _rounded(point: Array) -> tuple[float, float, float]:
    x, y, z = (round(float(number), DIGITS) for number in point)
    return x, y, z
