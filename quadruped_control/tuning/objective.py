"""The objective of section 4, w_d f_d + w_v f_v + w_h f_h + w_r f_r, and what it leaves out."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.model.similarity import Similarity
from quadruped_control.rollout.recording import Recording

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """
    Weights of the terms; those of distance, speed and head are the paper's.

    The paper weighs rotation with 5 a degree of heading; here it is 5 a radian, of heading, pitch
    and half the roll. The other terms are not the paper's.
    """

    distance: float = 100.0         # per m from a reference motion, where there is one
    speed: float = 5.0              # per m/s
    head: float = 0.5               # per m/s^2
    rotation: float = 5.0 / 57.3    # per degree
    fall: float = 60.0              # for a fall at once, less the later it comes
    slip: float = 40.0              # per m that a foot slides a second
    torque: float = 20.0            # per share of joint-steps at the limit
    drift: float = 5.0              # per m/s sideways
    missed: float = 50.0            # per m/s that an undisturbed gait is off its speed, beyond
    tolerance: float = 0.02         # this share of it
    roughness: float = 60.0         # per search span that numbers are off between their neighbours


# the unit of what a term measures; of the others it has none
UNITS = {'distance': 'm', 'speed': 'm/s', 'head': 'm/s^2', 'slip': 'm/s', 'drift': 'm/s',
         'missed': 'm/s'}


def scale_weights(weights: Weights, similarity: Similarity) -> Weights:
    """Return the weights with which a similar body that moves alike costs the same."""
    return Weights(**{name: value / similarity.factor(UNITS.get(name, ''))
                      for name, value in asdict(weights).items()})


def compute_cost(recording: Recording, steps: int, speed: float, heading: float,
                 weights: Weights) -> float:
    """
    Return the cost of one run that should have lasted ``steps``.

    :param speed: wanted along the heading, m/s.
    :param heading: rad.
    """
    done = len(recording)
    if done < 200:
        return weights.fall * 2
    terms = compute_terms(recording, speed, heading)
    cost = (weights.speed * terms['speed'] + weights.head * terms['head']
            + weights.rotation * terms['rotation'] + weights.slip * terms['slip']
            + weights.torque * terms['torque'] + weights.drift * terms['drift'])
    return float(cost + weights.fall * (1 + (1 - done / steps)) * (done < steps))


def compute_steady_cost(recording: Recording, speed: float, weights: Weights,
                        distance: float = 0.0) -> float:
    """
    Return the cost of an undisturbed run, which is held to its speed.

    :param distance: f_d, m; see :func:`compute_marker_distance`.
    """
    missed = compute_terms(recording, speed, 0.0)['speed']
    beyond = max(missed - weights.tolerance * speed, 0.0)
    return (compute_cost(recording, len(recording), speed, 0.0, weights)
            + weights.missed * beyond + weights.distance * distance)


def compute_roughness(vector: Array, between: Array | None) -> float:
    """
    Return how far a row is from the interpolation of its neighbours over speed.

    :param vector: its free numbers as shares of their search spans, and
    :param between: those that lie between its neighbours; None at an end of the speeds.
    """
    return 0.0 if between is None else float(np.abs(vector - between).mean())


def compute_terms(recording: Recording, speed: float, heading: float) -> dict[str, float]:
    """Return f_v (m/s), f_h (m/s^2), f_r (degrees), slip (m/s), saturation and drift (m/s)."""
    c, s = np.cos(heading), np.sin(heading)
    velocity = recording.leg_frame_velocity[:, :, :2].mean(axis=1)
    forward = c * velocity[:, 0] + s * velocity[:, 1]
    sideways = c * velocity[:, 1] - s * velocity[:, 0]
    head = np.diff(recording.head_velocity[::10], axis=0) / (10 * recording.time_step)
    roll, pitch, yaw = np.moveaxis(recording.leg_frame_rpy, 2, 0)
    turned = np.arccos(np.clip(np.cos(yaw - heading) * np.cos(pitch), -1, 1))
    return {
        'speed': float(abs(forward.mean() - speed)),
        'drift': float(abs(sideways.mean())),
        'head': float(np.sqrt((head**2).sum(axis=1).mean())),
        'rotation': float(np.degrees(turned.mean() + 0.5 * np.abs(roll).mean())),
        'slip': _slip(recording),
        'torque': float(recording.saturated.mean() / len(recording.joint_names)),
    }


def _slip(recording: Recording) -> float:
    """Return the mean sliding speed of feet that touch the ground, m/s."""
    touches = (recording.foot_contact[1:] > 0) & (recording.foot_contact[:-1] > 0)
    if not touches.any():
        return 0.0
    return float(np.linalg.norm(recording.sole_velocity[1:][touches], axis=1).mean())
