"""Where to vary a leap for another height and distance: a linear model of the leaps like it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LIKE = 80                   # leaps that the model is made of
STIFF = 0.02                # by which a parameter that few of them tell of is taken to do nothing
UNSURE = 0.01               # share of the model's strength that is doubted
FURTHEST = 0.35             # of the parameters' ranges that a step goes at most


def find_step(known: Array, points: Array, place: int, aim: Array) -> Array:
    """
    Return the least change of a leap's parameters that should give it another h and d.

    With x the parameters and y = (h, d), y - y_0 = J (x - x_0) + k (v - v_0) is fitted to the
    leaps most like it (ridge regression). The step is J^T (J J^T + e)^-1 b with
    b = y_aim - y_0 - k (v_aim - v_0).

    :param known: parameters of all leaps, each as a share of its range (n, parameters).
    :param points: their h, d and v (n, 3).
    :param place: which of them is varied.
    :param aim: h and d (m) and v (m/s).
    """
    like = np.argsort(np.linalg.norm(known - known[place], axis=1))[:LIKE]
    inputs = np.column_stack([known[like] - known[place], points[like, 2] - points[place, 2]])
    outputs = points[like, :2] - points[place, :2]
    fit = np.linalg.solve(inputs.T @ inputs + STIFF * np.eye(inputs.shape[1]), inputs.T @ outputs)
    jacobian, of_speed = fit[:-1].T, fit[-1]
    wanted = aim[:2] - points[place, :2] - of_speed * (aim[2] - points[place, 2])
    strength = jacobian @ jacobian.T
    doubt = UNSURE * (np.trace(strength) + STIFF) * np.eye(2)
    step: Array = jacobian.T @ np.linalg.solve(strength + doubt, wanted)
    return step * min(1.0, FURTHEST / max(float(np.linalg.norm(step)), 1e-9))
