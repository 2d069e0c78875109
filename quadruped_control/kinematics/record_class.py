"""
Records as classes, so that mypy knows their fields.

A class of :class:`Record` lists the fields of a flat record in their order. :func:`dtype_of` makes
NumPy's type of it and :func:`make_record` a record, which is an ordinary NumPy record: the class
is what mypy takes it for, and compiled code never sees it. A name that no field has is found
before anything runs; an item (``record['name']``) is for names that are known at run time only.
(NumPy calls the base of its records final, hence the ``type: ignore[misc]`` of each class.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Never

from quadruped_control.kinematics.records import new_record

R = TypeVar('R', bound=np.record)

if TYPE_CHECKING:
    class NoSuchField:
        """What mypy takes a misspelt field for: nothing can be done with it."""

    class Record(np.record):  # type: ignore[misc]
        """A record of which only the declared fields are known."""

        def __getattribute__(self, name: str) -> NoSuchField: ...

        def __setattr__(self, name: str, value: Never) -> None: ...  # type: ignore[override]

    class Block(NDArray[np.record], Generic[R]):
        """The array of one that holds a record, as compiled functions take it."""

        @overload  # type: ignore[override]
        def __getitem__(self, index: int) -> R: ...

        @overload
        def __getitem__(self, index: str) -> NDArray[Any]: ...

        def __getitem__(self, index: int | str) -> R | NDArray[Any]: ...
else:
    class Record:
        """What the fields of a record are listed in."""

    class Block(Generic[R]):
        """The array of one that holds a record; a name for mypy."""


@dataclass(frozen=True)
class Numbers:
    """
    The numbers of a field.

    :param shape: numbers, or names of sizes that a robot has, as in ``('links', 3)``.
    :param kind: NumPy's: f8 or i8.
    """

    shape: tuple[int | str, ...]
    kind: str


def numbers(*shape: int | str) -> Any:
    """Declare a field of real numbers; without a shape, of one."""
    return Numbers(shape, 'f8')


def integers(*shape: int | str) -> Any:
    """Declare a field of whole numbers; without a shape, of one."""
    return Numbers(shape, 'i8')


def list_fields(record: type[Any]) -> dict[str, Numbers]:
    """Return the fields that a class declares, in their order."""
    return {name: value for name, value in vars(record).items() if isinstance(value, Numbers)}


@cache
def dtype_of(record: type[Any], **sizes: int) -> np.dtype:
    """Return NumPy's type of a record; the same object for the same sizes."""
    return np.dtype([(name, field.kind, tuple(sizes[size] if isinstance(size, str) else size
                                              for size in field.shape))
                     for name, field in list_fields(record).items()], align=True)


def make_record(record: type[R], **sizes: int) -> R:
    """Return one record of zeros whose fields can be written in place."""
    return cast(R, new_record(dtype_of(record, **sizes)))  # type: ignore[arg-type]
