"""
Postures as data: the schema of the files in a robot's postures/ (section 6 of the paper).

A posture file is one motion: phases one after the other. Every phase says what is true at its
end; on the way there all numbers move smoothly from where they were. What a phase does not say
stays as it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from quadruped_control.loading import Schema, load, refusal
from quadruped_control.model.robot_files import DEFAULT_ROBOT, robot_folder
from quadruped_control.model.similarity import Unit

Angle = Annotated[float, Field(ge=-3.2, le=3.2)]
Length = Annotated[float, Field(ge=-20.0, le=20.0), Unit('m')]
Speed = Annotated[float, Field(ge=-200.0, le=200.0), Unit('m/s')]
Share = Annotated[float, Field(ge=0.0, le=5.0)]
Force = Annotated[float, Field(ge=-1e6, le=1e6), Unit('N')]
Stiffness = Annotated[float, Field(ge=0.0, le=1e7), Unit('N/m')]
Damping = Annotated[float, Field(ge=0.0, le=1e7), Unit('N s/m')]
Leg = Literal['front_left', 'front_right', 'rear_left', 'rear_right']
Word = Annotated[str, Field(pattern='^[a-z][a-z0-9_]*$', max_length=40)]
KEYS = 'bcfghijklmnoprtuvxyz'       # letters that drive are left out
Condition = Literal['time', 'rest', 'upright', 'up']


class FramePhase(Schema):
    """
    What a leg frame and its two legs do.

    :param height: of the leg frame over its feet, m.
    :param pitch: of the leg frame in the world, rad; positive lowers its front.
    :param twist: roll of the leg frame, rad; positive lowers its right side.
    :param speed: forward, m/s.
    :param weight_share: of the standing weight that the legs push with.
    :param forward: force that pulls the leg frame forward, shared by its legs, N; up likewise.
    :param pastern_pitch: of both feet, rad.
    """

    height: Length | None = None
    pitch: Angle | None = None
    twist: Angle | None = None
    speed: Speed | None = None
    weight_share: Share | None = None
    height_gain: tuple[Stiffness, Damping] | None = None
    velocity_gain: tuple[Damping, Damping] | None = None
    forward: Force | None = None
    up: Force | None = None
    pastern_pitch: Angle | None = None


class FootPlace(Schema):
    """Where a foot is, from where it stands below its leg frame: further ahead and outward, m."""

    ahead: Length = 0.0
    outward: Length = 0.0


class LegPose(Schema):
    """Joint angles against the zero pose, rad; ``out`` and ``turn`` are positive outward."""

    pitch: Angle | None = None
    out: Angle | None = None
    turn: Angle | None = None
    knee: Angle | None = None
    ankle: Angle | None = None


class BallPose(Schema):
    """Angles of a row of ball joints, all of them together, rad."""

    pitch: Angle | None = None
    roll: Angle | None = None
    yaw: Angle | None = None


class Pose(Schema):
    """
    Joint angles to take; the stance rules rest meanwhile.

    :param stiffness: factor on the joint gains; 0 is limp, only damped.
    :param damping: factor on the damping gains.
    """

    stiffness: Annotated[float, Field(ge=0.0, le=3.0)] = 1.0
    damping: Annotated[float, Field(ge=0.1, le=3.0)] = 1.0
    front: LegPose = LegPose()
    rear: LegPose = LegPose()
    front_left: LegPose = LegPose()
    front_right: LegPose = LegPose()
    rear_left: LegPose = LegPose()
    rear_right: LegPose = LegPose()
    spine: BallPose = BallPose()
    neck: BallPose = BallPose()
    tail: BallPose = BallPose()


class Phase(Schema):
    """
    A part of a motion.

    :param duration: s that it takes at most.
    :param until: what ends it sooner: the dog at rest, upright, or up on its legs.
    :param steps: legs that step in it, to their place in ``feet``.
    :param lift: how high the feet are lifted, m; where any steps.
    :param standing: 1 holds the leg frames over their feet, 0 lets them go where they go.
    """

    name: Annotated[str, Field(min_length=1, max_length=60)]
    duration: Annotated[float, Field(ge=0.001, le=10.0), Unit('s')]
    until: Condition = 'time'
    steps: tuple[Leg, ...] = ()
    lift: Annotated[float, Field(ge=0.0, le=20.0), Unit('m')] = 0.0
    standing: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    feet: dict[Leg, FootPlace] = Field(default_factory=dict)
    front: FramePhase = FramePhase()
    rear: FramePhase = FramePhase()
    head_pitch: Angle | None = None
    pose: Pose | None = None

    @model_validator(mode='after')
    def _refuse_step_in_pose(self) -> Self:
        if self.pose is not None and self.steps:
            raise refusal('either steps or a pose: joint angles leave no foot place', 'steps')
        if self.steps and self.lift == 0.0:
            raise refusal('a height, m, for feet that step', 'lift')
        return self


class Way(Schema):
    """
    The skill that a motion is: from which states it begins, and where it leads.

    :param request: what is asked for; several motions may answer it, from different states.
    :param begins_in: states; stand, fallen, or the goal of another motion.
    :param activity: what the robot is doing meanwhile.
    :param goal: state in which the robot then is.
    :param key: of the keyboard, one that does not drive; button: of a joystick.
    """

    request: Word
    begins_in: Annotated[tuple[Word, ...], Field(min_length=1, max_length=20, alias='from')]
    activity: Word
    goal: Word
    key: Annotated[str, Field(pattern=f'^[{KEYS}]$', description=f'of one letter: {KEYS}')
                   ] | None = None
    button: Annotated[int, Field(ge=0, le=50)] | None = None


class Posture(Schema):
    """A motion; without a skill it is a part of one that has code of its own."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    skill: Way | None = None
    phases: Annotated[tuple[Phase, ...], Field(min_length=1, max_length=20)]


# How a robot falls that has no file for it: limp and damped, in the pose it has.
LIMP = Posture(name='fall', phases=(
    Phase(name='limp', duration=1.5, until='rest', pose=Pose(stiffness=0.15)),))


def postures_folder(robot: str = DEFAULT_ROBOT) -> Path:
    """Return where the posture files of a robot are."""
    return robot_folder(robot) / 'postures'


def load_posture(name: str, robot: str = DEFAULT_ROBOT) -> Posture:
    """Read a robot's motion by its name."""
    return load(postures_folder(robot) / f'{name}.yaml', Posture)
