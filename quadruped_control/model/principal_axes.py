"""The axes in which an inertia has no products, as engines want it written."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PLAIN = 1e-9            # products of inertia below, relative to the moments, are none


def principal_axes(inertia: Array) -> tuple[Array, Array]:
    """Return moments and the rotation of principal axes, as little turned as can be."""
    off = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off <= PLAIN * np.abs(inertia).max():
        return np.diag(inertia), np.eye(3)
    moments, vectors = np.linalg.eigh(inertia)
    best = max(permutations(range(3)), key=lambda order: sum(
        abs(vectors[row, column]) for row, column in enumerate(order)))
    moments, vectors = moments[list(best)], vectors[:, best]
    turned = max((vectors * signs for signs in product((1, -1), repeat=3)
                  if np.linalg.det(vectors * signs) > 0), key=np.trace)
    return moments, turned
