"""Masses and inertias: added up, and mended where no body could have them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from quadruped_control.model.foreign_tree import Array

SMALLEST_GYRATION = 1e-3        # m: a radius of gyration below is not an inertia
THINNEST = 1e-4                 # m: least spread of mass in any direction, when mended
WATER = 1000.0                  # kg/m^3, of a body without a shape
TOLERANCE = 1e-6                # of the triangle rule, as readers of URDFs have it


@dataclass(frozen=True)
class Inertial:
    """Mass, centre of mass and the inertia about it, in some frame."""

    mass: float
    centre: Array
    inertia: Array

    def placed(self, pose: Array) -> Inertial:
        """Return it in the frame in which its own has a 4 x 4 pose."""
        turn = pose[:3, :3]
        return Inertial(self.mass, turn @ self.centre + pose[:3, 3], turn @ self.inertia @ turn.T)


def lump(parts: Iterable[Inertial]) -> Inertial:
    """Return the inertia of parts welded together, in their common frame."""
    listed = [part for part in parts if part.mass > 0]
    mass = sum(part.mass for part in listed)
    if mass == 0:
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((part.mass * part.centre for part in listed), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in listed:
        away = part.centre - centre
        inertia += part.inertia + part.mass * (away @ away * np.eye(3) - np.outer(away, away))
    return Inertial(mass, centre, inertia)


def is_empty(part: Inertial) -> bool:
    """Say whether a part with mass has no inertia worth the name."""
    moments = np.linalg.eigvalsh(part.inertia)
    return bool(part.mass > 0 and moments[2] < part.mass * SMALLEST_GYRATION**2)


def find_gyration(part: Inertial) -> float:
    """Return the largest radius of gyration of a part with mass, m."""
    return float(np.sqrt(max(np.linalg.eigvalsh(part.inertia)[2], 0.0) / part.mass))


def solid_inertia(mass: float, points: Array | None) -> Array:
    """Return the inertia of an even box around points, or of a ball of water if there are none."""
    if points is None:
        radius = (3 * mass / (4 * np.pi * WATER)) ** (1 / 3)
        return 0.4 * mass * radius**2 * np.eye(3)
    squares = np.maximum(np.ptp(points, axis=0), 2 * SMALLEST_GYRATION) ** 2
    return np.asarray(np.diag(mass / 12 * (squares.sum() - squares)))


def is_possible(part: Inertial) -> bool:
    """Say whether moments are positive and none is greater than the sum of the others."""
    moments = np.linalg.eigvalsh(part.inertia)
    return bool(moments[0] > 0 and moments[2] <= (moments[0] + moments[1]) * (1 + TOLERANCE))


def mend(part: Inertial) -> Inertial:
    """
    Return the nearest inertia that a body can have.

    With S = tr(I) / 2 - I, the second moments of the mass, an inertia is possible if S has no
    negative eigenvalue; those are raised to that of a sheet.
    """
    spread = np.trace(part.inertia) / 2 * np.eye(3) - part.inertia
    values, vectors = np.linalg.eigh(spread)
    least = part.mass * THINNEST**2
    raised = vectors @ np.diag(np.maximum(values, least)) @ vectors.T
    return Inertial(part.mass, part.centre, np.trace(raised) * np.eye(3) - raised)
