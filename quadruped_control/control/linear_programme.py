"""
Linear programmes by the simplex method, in a condensed tableau.

A row of the tableau is a basic variable, a column one that is zero; the last row is the cost, the
last column the values. The start is feasible: slacks are basic, and so no first phase is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
TOLERANCE = 1e-10
DEGENERATE = 1e-12


@compiled
def solve_linear(tableau: Array, basis: Indices, outside: Indices, rows: int, columns: int,
                 most: int) -> int:
    """
    Bring the cost to its minimum; return the pivots taken, or -1 where it was not reached.

    The column with the steepest cost enters; after a pivot that gained nothing the first one that
    lowers the cost does, by number of the variable, so that it cannot go round in circles (Bland).
    """
    gained = True
    for pivots in range(most):
        column = _choose_column(tableau, outside, rows, columns, gained)
        if column < 0:
            return pivots
        row = _choose_row(tableau, basis, rows, columns, column)
        if row < 0:
            return -1
        gained = tableau[row, columns] > DEGENERATE
        _pivot(tableau, rows, columns, row, column)
        basis[row], outside[column] = outside[column], basis[row]
    return -1


@compiled
def _choose_column(tableau: Array, outside: Indices, rows: int, columns: int,
                   steepest: bool) -> int:
    chosen, least = -1, -TOLERANCE
    for j in range(columns):
        cost = tableau[rows, j]
        if steepest and cost < least:
            chosen, least = j, cost
        elif not steepest and cost < -TOLERANCE and (chosen < 0
                                                     or outside[j] < outside[chosen]):
            chosen = j
    return chosen


@compiled
def _choose_row(tableau: Array, basis: Indices, rows: int, columns: int, column: int) -> int:
    """Return the basic variable that is first zero when the column's grows, or -1."""
    chosen, least = -1, np.inf
    for i in range(rows):
        if tableau[i, column] > TOLERANCE:
            ratio = tableau[i, columns] / tableau[i, column]
            if ratio < least - DEGENERATE or (ratio <= least + DEGENERATE
                                              and basis[i] < basis[chosen]):
                chosen, least = i, min(ratio, least)
    return chosen


@compiled
def _pivot(tableau: Array, rows: int, columns: int, row: int, column: int) -> None:
    """Exchange a basic variable with one outside."""
    inverse = 1.0 / tableau[row, column]
    for j in range(columns + 1):
        tableau[row, j] *= inverse
    tableau[row, column] = inverse
    for i in range(rows + 1):
        if i == row:
            continue
        factor = tableau[i, column]
        if factor == 0.0:
            continue
        tableau[i, column] = 0.0
        for j in range(columns + 1):
            tableau[i, j] -= factor * tableau[row, j]
