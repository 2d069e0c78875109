"""
What a field of a gait is: whose numbers it holds, and all that is to be known of them.

The table of all fields is :class:`~quadruped_control.control.gait_fields.GaitRecord`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from quadruped_control.control.trajectory import KNOTS
from quadruped_control.kinematics.record_class import Numbers
from quadruped_control.kinematics.records import LEGS

FRAMES = ('front', 'rear')
Bounds = tuple[float, float]


class Each(Enum):
    """What has a number of its own: the stride as a whole, each leg frame or each leg."""

    STRIDE = ()
    FRAME = FRAMES
    LEG = LEGS

    @property
    def names(self) -> tuple[str, ...]:
        """Names of those that have one; the stride's is empty."""
        return self.value or ('',)


@dataclass(frozen=True)
class Search:
    """
    Least and most that a search tries; None: it leaves the number alone.

    :param usual: of gaits whose left and right legs do the same.
    :param asymmetric: of gaits in which each leg has its part, flight included, if other.
    :param balance: while only what brings a pushed dog back is searched.
    :param coarse: whether it is searched where trajectories are moved as a whole.
    """

    usual: Bounds | None = None
    asymmetric: Bounds | None = None
    balance: Bounds | None = None
    coarse: bool = True


@dataclass(frozen=True)
class Number:
    """
    One kind of number.

    :param unit: SI; empty for shares, phases and other ratios.
    :param room: by how much it may be changed by hand, up or down.
    :param least: accepted in a file, as is ``most``; and it has to be more than ``above``.
    :param default: where a file does not say; None: it has to.
    :param step: of a slider; 0: a hundredth of the room.
    """

    unit: str
    room: float
    least: float | None = None
    most: float | None = None
    above: float | None = None
    default: float | None = None
    search: Search = Search()
    step: float = 0.0


@dataclass(frozen=True)
class GaitField(Numbers):
    """
    A field of a gait.

    :param parts: its numbers by the names of their parts; one without a name if there is no part.
    :param over: the phase (cycle, swing, stance) over which it is a trajectory, or nothing.
    :param named: whether a file has the parts by their names, or as a list.
    :param group: of fields that each leg has, the key under which a file has them, if not the
        field's name.
    :param scaled: whether a trajectory is scaled as a whole, rather than moved.
    """

    each: Each
    meaning: str
    parts: tuple[tuple[str, Number], ...]
    over: str = ''
    named: bool = False
    group: str = ''
    scaled: bool = False

    @property
    def is_optional(self) -> bool:
        """Whether a file may leave it out."""
        return all(number.default is not None for _, number in self.parts)


def declare(each: Each, meaning: str, *number: Number, over: str = '', named: bool = False,
            group: str = '', scaled: bool = False, **parts: Number) -> Any:
    """
    Return a row of the table.

    :param number: if it has no parts.
    """
    entries = tuple(parts.items()) or (('', number[0]),)
    shape = (*((len(each.value),) if each.value else ()), *((KNOTS,) if over else ()),
             *((len(entries),) if len(entries) > 1 else ()))
    return GaitField(shape, 'f8', each, meaning, entries, over, named, group, scaled)
