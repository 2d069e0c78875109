"""Numbers and axes as the XML of a robot's model writes them."""

from __future__ import annotations

from typing import SupportsFloat

UNIT_AXES = ('1 0 0', '0 1 0', '0 0 1')


def numbers(*values: SupportsFloat) -> str:
    """Write numbers of nine digits with a space between."""
    return ' '.join(f'{float(value):.9g}' for value in values)
