"""How the robot's surface meets the ground."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContactModel:
    """
    Friction of the robot; the ground's friction multiplies it.

    :param foot_spin_friction: torsional friction of a foot in m: the greatest yaw torque over
        the normal force. A round pad of radius r under even pressure has 2/3 r friction.
    """

    foot_friction: float = 1.0
    foot_spin_friction: float = 0.02
    body_friction: float = 1.0
    solver_iterations: int = 10
