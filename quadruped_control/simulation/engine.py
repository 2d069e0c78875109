"""
What the compiled loop asks of an engine, whichever it is.

An engine registers its compiled functions for the type of its memory: an array of one record, or
a NamedTuple of its own. The loop finds them by that type when it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numpy.typing import NDArray

from quadruped_control.compiled import choose_when_compiled

Array = NDArray[np.float64]
Block = NDArray[np.record]


class Effort(NamedTuple):
    """What an engine was last told, and what it felt, by link."""

    limited: Array                  # torques that were written, N m
    limits: Array                   # of the torques, N m
    movable: NDArray[np.int64]      # links whose joint moves
    touches: NDArray[np.int64]      # 1: a link, not a foot, with contact force


class Functions(NamedTuple):
    """The compiled functions of an engine."""

    read: Callable[..., None]
    write: Callable[..., None]
    push: Callable[..., None]
    step: Callable[..., None]
    effort: Callable[..., Effort]


_ENGINES: dict[object, Functions] = {}
RECORD = 'record'                   # memory that is an array of one record
ONLY_COMPILED = 'an engine is driven by compiled code only'


def register_engine(memory: object, functions: Functions) -> None:
    """Say which functions drive an engine whose memory is of a type, or RECORD."""
    _ENGINES[memory] = functions


def _find(engine: Any) -> Functions:
    return _ENGINES[RECORD if isinstance(engine, types.Array) else engine.instance_class]


def read(engine: Any, state: Block) -> None:
    """Write base, joints and contacts into the state record."""
    raise TypeError(ONLY_COMPILED)


def write(engine: Any, torques: Array) -> None:
    """Command torques, cut to their limits, for the next step."""
    raise TypeError(ONLY_COMPILED)


def push(engine: Any, link: int, point: Array, force: Array) -> None:
    """Apply a force at a point of a link, both in the world, during the next step."""
    raise TypeError(ONLY_COMPILED)


def step(engine: Any, state: Block, dt: float) -> None:
    """Advance by one time step."""
    raise TypeError(ONLY_COMPILED)


def effort(engine: Any) -> Effort:
    """Return what was written and felt."""
    raise TypeError(ONLY_COMPILED)


@choose_when_compiled(read)
def _read(engine: Any, state: Any) -> Callable[..., None]:
    function = _find(engine).read
    return lambda engine, state: function(engine, state)


@choose_when_compiled(write)
def _write(engine: Any, torques: Any) -> Callable[..., None]:
    function = _find(engine).write
    return lambda engine, torques: function(engine, torques)


@choose_when_compiled(push)
def _push(engine: Any, link: Any, point: Any, force: Any) -> Callable[..., None]:
    function = _find(engine).push
    return lambda engine, link, point, force: function(engine, link, point, force)


@choose_when_compiled(step)
def _step(engine: Any, state: Any, dt: Any) -> Callable[..., None]:
    function = _find(engine).step
    return lambda engine, state, dt: function(engine, state, dt)


@choose_when_compiled(effort)
def _effort(engine: Any) -> Callable[..., Effort]:
    function = _find(engine).effort
    return lambda engine: function(engine)
